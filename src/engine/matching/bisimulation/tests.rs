//! The check rejects what is wrong, whoever made it.

use super::{Rejection, check};
use crate::matching::atoms::atoms;
use crate::matching::inputs::Inputs;
use crate::matching::model::Model;
use crate::matching::predicates::Predicates;
use crate::matching::search::{Task, search};
use crate::matching::structure::{Outcome, StateId, Structure};
use heddle_front::hd;
use heddle_interpret::{Interleavings, NondetRange, Order, Runner};
use heddle_program::Program;

const TICKET: &str = "
    shared pc1, pc2, a1, a2, t, s: int = 0;
    pc1 = 0             -> pc1 := 1, a1 := t, t := t + 1;
    pc1 = 1 && a1 <= s  -> pc1 := 2;
    pc1 = 2             -> pc1 := 0, s := s + 1;
    pc2 = 0             -> pc2 := 1, a2 := t, t := t + 1;
    pc2 = 1 && a2 <= s  -> pc2 := 2;
    pc2 = 2             -> pc2 := 0, s := s + 1;
    error: pc1 = 2 && pc2 = 2;
";

/// All that refinement finds for the ticket protocol, in order.
const PREDICATES: [&str; 8] = [
    "a1 <= s",
    "a2 <= s",
    "t <= s",
    "a1 <= s + 1",
    "a2 <= s + 1",
    "t + 1 <= s",
    "t <= s + 1",
    "t <= s + 2",
];

/// Searches under these predicates, lets the structure be changed, and checks it.
fn checked(
    text: &str,
    predicates: &[&str],
    change: impl FnOnce(&mut Structure),
) -> Result<super::Certificate, Rejection> {
    let (mut program, _): (Program, _) = hd::read("model.hd", text).expect("a correct model");
    let model = Model::new(&mut program, Interleavings::Enough).expect("initial values");
    let mut tracked = Predicates::default();
    for text in predicates {
        let term = hd::condition(&mut program, "predicate", text).expect("a condition");
        for atom in atoms(&mut program.terms, term) {
            tracked.add(&mut program.terms, atom, None);
        }
    }
    let mut runner = Runner::new(&program, Interleavings::Enough).expect("initial values");
    let task = Task {
        model: &model,
        predicates: &tracked,
        order: Order::BreadthFirst,
        after_error: 0,
        deadline: None,
    };
    let mut inputs = Inputs::Range(NondetRange::default());
    let structure = search(&mut runner, &task, &mut inputs);
    let mut structure = structure.unwrap_or_else(|_| unreachable!("there is no deadline"));
    change(&mut structure);
    check(&runner, &model.control, &tracked, &structure, None)
}

fn is_wrong(result: Result<super::Certificate, Rejection>) -> bool {
    matches!(result, Err(Rejection::Wrong(..)))
}

#[test]
fn a_structure_passes_only_with_all_predicates() {
    assert_eq!(checked(TICKET, &PREDICATES, |_| {}).unwrap().states, 9);
    for count in 2..PREDICATES.len() {
        let result = checked(TICKET, &PREDICATES[..count], |_| {});
        assert!(is_wrong(result), "{count} predicates are not enough");
    }
}

#[test]
fn a_step_that_is_missing_is_noticed() {
    for state in 0..9 {
        let result = checked(TICKET, &PREDICATES, |structure| {
            structure.forget_a_step(StateId(state));
        });
        assert!(is_wrong(result), "a step of state {state} is missing");
    }
}

#[test]
fn a_step_to_another_state_is_noticed() {
    let result = checked(TICKET, &PREDICATES, |structure| {
        structure.redirect_a_step(StateId(0), StateId(0));
    });
    assert!(is_wrong(result));
}

#[test]
fn a_state_that_can_violate_the_property_is_noticed() {
    // The search stops at the error; what it explored is not all there is.
    let broken = TICKET.replace("s := s + 1", "s := s + 2");
    assert!(is_wrong(checked(&broken, &PREDICATES, |_| {})));
    // Whether the error is reached depends on what the predicates do not tell.
    let text = "
        shared pc, x: int = 0;
        pc = 0 -> pc := 1, x := x + 1;
        error: pc = 1 && x = 2;
    ";
    assert!(is_wrong(checked(text, &[], |_| {})));
    assert!(checked(text, &["x = 0", "x = 1", "x = 2"], |_| {}).is_ok());
}

impl Structure {
    /// Leaves the last step of the state out.
    fn forget_a_step(&mut self, state: StateId) {
        let start = self.begin_steps();
        let steps = self.steps(state).expect("it was expanded").to_vec();
        let last = steps
            .iter()
            .rposition(|(_, outcome)| *outcome != Outcome::Blocked);
        for (position, (edge, outcome)) in steps.into_iter().enumerate() {
            if Some(position) != last {
                self.push_step(edge, outcome);
            }
        }
        self.end_steps(state, start);
    }

    /// Lets the first step of the state lead elsewhere.
    fn redirect_a_step(&mut self, state: StateId, target: StateId) {
        let start = self.begin_steps();
        let mut steps = self.steps(state).expect("it was expanded").to_vec();
        for (_, outcome) in steps.iter_mut().take(1) {
            if let Outcome::To(to, _) = outcome {
                *to = target;
            }
        }
        for (edge, outcome) in steps {
            self.push_step(edge, outcome);
        }
        self.end_steps(state, start);
    }
}
