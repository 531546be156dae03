//! What holds in all legal orders, against every permutation of the events.

use fastrand::Rng;
use heddle_executions::execution::{Access, Event, EventId, Execution};
use heddle_executions::legal_orders::{LegalOrders, any_legal_order, legal_order_with};
use heddle_executions::random::random_execution;

const CASES: usize = 1_500;
const EVENTS: usize = 6;

/// The definition, read off word by word.
fn is_legal(execution: &Execution, order: &[EventId]) -> bool {
    let place = |id: EventId| order.iter().position(|&other| other == id);
    let event = |id: EventId| execution.event(id);
    let in_order = |before: EventId, after: EventId| match (place(before), place(after)) {
        (Some(before), Some(after)) => before < after,
        _ => true, // one of them is not executed
    };
    let threads = order.iter().all(|&a| {
        let later = order
            .iter()
            .filter(|&&b| event(a).thread == event(b).thread && a < b);
        later.into_iter().all(|&b| in_order(a, b))
    });
    let program_order = execution.po.iter().all(|&(a, b)| in_order(a, b));
    let links = execution.links.iter().all(|&(write, read)| {
        let overwrites = |id: EventId| {
            id != write
                && event(id).access.writes()
                && event(id).variable == event(read).variable
                && place(id) > place(write)
                && place(id) < place(read)
        };
        place(write) < place(read) && !order.iter().any(|&id| overwrites(id))
    });
    let blocks = order.iter().all(|&first| {
        let block: Vec<EventId> = order
            .iter()
            .copied()
            .filter(|&id| event(id).block.is_some() && event(id).block == event(first).block)
            .collect();
        order.iter().all(|&id| {
            let between = block.iter().any(|&b| place(b) < place(id))
                && block.iter().any(|&b| place(b) > place(id));
            event(id).thread == event(first).thread || !between
        })
    });
    threads && program_order && links && blocks
}

fn permutations(ids: &[EventId]) -> Vec<Vec<EventId>> {
    if ids.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &first) in ids.iter().enumerate() {
        let mut rest = ids.to_vec();
        rest.remove(index);
        for mut order in permutations(&rest) {
            order.insert(0, first);
            all.push(order);
        }
    }
    all
}

#[test]
fn for_every_pair_of_events() {
    let mut rng = Rng::with_seed(1);
    let (mut feasible, mut infeasible) = (0, 0);
    for _ in 0..CASES {
        let execution = random_execution(&mut rng, EVENTS);
        let executed: Vec<EventId> = execution
            .ids()
            .filter(|&id| execution.event(id).executed)
            .collect();
        let mut legal = permutations(&executed);
        legal.retain(|order| is_legal(&execution, order));
        let found = LegalOrders::of(&execution);
        assert_eq!(
            found.feasible(),
            !legal.is_empty(),
            "{}",
            execution.describe()
        );
        match any_legal_order(&execution) {
            Some(order) => assert!(is_legal(&execution, &order)),
            None => assert!(legal.is_empty()),
        }
        if legal.is_empty() {
            infeasible += 1;
            continue;
        }
        feasible += 1;
        for (&a, &b) in executed
            .iter()
            .flat_map(|a| executed.iter().map(move |b| (a, b)))
        {
            let before = |order: &Vec<EventId>| {
                let place = |id| order.iter().position(|&other| other == id);
                place(a) < place(b)
            };
            let always = legal.iter().all(before);
            assert_eq!(
                found.always_before(a, b),
                always,
                "{}",
                execution.describe()
            );
            let some = legal_order_with(&execution, a, b);
            assert_eq!(some.is_some(), a != b && legal.iter().any(before));
            assert!(some.is_none_or(|order| is_legal(&execution, &order) && before(&order)));
        }
    }
    assert!(
        feasible > 100 && infeasible > 100,
        "{feasible}, {infeasible}"
    );
}

/// Events of one variable, each in a thread of its own.
fn side_by_side(accesses: &[Access], links: &[(usize, usize)]) -> Execution {
    let event = |(thread, &access): (usize, &Access)| Event {
        thread,
        access,
        variable: 0,
        executed: true,
        block: None,
    };
    Execution {
        events: accesses.iter().enumerate().map(event).collect(),
        po: Vec::new(),
        links: links
            .iter()
            .map(|&(write, read)| (EventId(write), EventId(read)))
            .collect(),
    }
}

#[test]
fn an_update_reads_what_was_written_before_it() {
    use Access::{Update, Write};
    let order = |execution| any_legal_order(&execution);
    let in_a_row = side_by_side(&[Update, Update, Write], &[(2, 1), (1, 0)]);
    assert_eq!(
        order(in_a_row),
        Some(vec![EventId(2), EventId(1), EventId(0)])
    );
    assert_eq!(order(side_by_side(&[Update], &[(0, 0)])), None);
}

#[test]
fn two_updates_never_read_the_same_write() {
    use Access::{Read, Update, Write};
    let feasible = |accesses: &[Access]| {
        LegalOrders::of(&side_by_side(accesses, &[(0, 1), (0, 2)])).feasible()
    };
    assert!(!feasible(&[Write, Update, Update]));
    assert!(feasible(&[Write, Update, Read]));
}
