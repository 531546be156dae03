//! Every clause that a refinement adds holds in every feasible execution: small programs,
//! all of their executions, all orders of their events.

use super::abstraction::{Abstraction, Count, Counterexample, Reads};
use super::validation::Validation;
use super::{
    Attempt, Levels, MOST_EVENTS, MOST_STEPS, Options, Reasons, Refinement, Statistics, candidates,
};
use heddle_language::RuleSet;
use heddle_program::{EvalError, TermId, Terms, Value};
use heddle_solver::{Answer, Limits, Literal, Solver, Unsupported};
use heddle_unroll::{BlockId, ChainId, EventGraph, EventId, EventKind, unroll};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

type Clauses = Rc<RefCell<Vec<Vec<Literal>>>>;

/// Writes down the clauses that are added.
struct Recorder {
    solver: Box<dyn Solver>,
    clauses: Clauses,
}

impl Solver for Recorder {
    fn new_literal(&mut self) -> Literal {
        self.solver.new_literal()
    }

    fn literal(&mut self, terms: &Terms, term: TermId) -> Result<Literal, Unsupported> {
        self.solver.literal(terms, term)
    }

    fn add_clause(&mut self, literals: &[Literal]) {
        self.clauses.borrow_mut().push(literals.to_vec());
        self.solver.add_clause(literals);
    }

    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), Unsupported> {
        self.solver.assert(terms, term)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.solver.set_limits(limits);
    }

    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        self.solver.check(assumptions)
    }

    fn core(&self) -> &[Literal] {
        self.solver.core()
    }

    fn literal_value(&mut self, literal: Literal) -> bool {
        self.solver.literal_value(literal)
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, EvalError> {
        self.solver.value(terms, term)
    }

    fn statistics(&self) -> heddle_solver::Statistics {
        self.solver.statistics()
    }
}

/// Nothing here but what the graph and the links say: no rules, no solver.
struct Orders<'a> {
    graph: &'a EventGraph,
    /// The executed events of each chain.
    chains: Vec<Vec<EventId>>,
    /// By read.
    source: FxHashMap<EventId, EventId>,
    taken: Vec<EventId>,
}

impl Orders<'_> {
    /// Calls `found` with every order that is possible.
    fn each(&mut self, found: &mut dyn FnMut(&[EventId])) {
        if self.taken.len() == self.chains.iter().map(Vec::len).sum::<usize>() {
            return found(&self.taken);
        }
        for chain in 0..self.chains.len() {
            let done = self.done(chain);
            let Some(&event) = self.chains[chain].get(done) else {
                continue;
            };
            if self.is_next(chain, event) {
                self.taken.push(event);
                self.each(found);
                self.taken.pop();
            }
        }
    }

    fn done(&self, chain: usize) -> usize {
        let of_chain = |event: &&EventId| self.graph.event(**event).chain == ChainId(chain as u32);
        self.taken.iter().filter(of_chain).count()
    }

    fn is_next(&self, chain: usize, event: EventId) -> bool {
        let mut orders = self.graph.orders.iter();
        let is_executed = |event: &EventId| self.chains.iter().any(|c| c.contains(event));
        let waits = orders.any(|(before, after)| {
            *after == event && is_executed(before) && !self.taken.contains(before)
        });
        !waits && !self.interrupts(chain) && self.reads_its_source(event)
    }

    /// Whether another thread is inside an atomic block.
    fn interrupts(&self, chain: usize) -> bool {
        let block = |event: EventId| -> Option<BlockId> { self.graph.event(event).block };
        (0..self.chains.len())
            .filter(|&other| other != chain)
            .any(|other| {
                let done = self.done(other);
                let events = &self.chains[other];
                done > 0
                    && done < events.len()
                    && block(events[done - 1]).is_some()
                    && block(events[done - 1]) == block(events[done])
            })
    }

    fn reads_its_source(&self, event: EventId) -> bool {
        let EventKind::Read { cell, .. } = self.graph.event(event).kind else {
            return true;
        };
        let writes = |other: &&EventId| match self.graph.event(**other).kind {
            EventKind::Write { cell: written, .. } => written == cell,
            _ => false,
        };
        self.taken.iter().rev().find(writes) == self.source.get(&event)
    }
}

struct Found {
    feasible: usize,
    clauses: usize,
}

/// Checks the program, and its clauses in all executions.
fn clauses_hold(text: &str, rules: Arc<RuleSet>, reasons: Reasons) -> Found {
    let (program, _) = heddle_front::hd::read("small.hd", text).unwrap();
    let options = Options {
        reasons,
        reasons_a_round: 4,
        ..Options::new(rules)
    };
    let unroll_options = heddle_unroll::Options {
        unwind: 2,
        most_events: MOST_EVENTS,
        most_steps: MOST_STEPS,
        deadline: None,
        small_integers: true,
    };
    let (mut graph, observed) = unroll(&program, unroll_options).unwrap();
    let links = candidates::candidates(&observed, &graph, None).unwrap();
    let mut encode = || {
        let abstraction =
            Abstraction::new(&mut graph, &links, None, Reads::Linked, Limits::default());
        abstraction.unwrap_or_else(|error| panic!("{error}"))
    };
    let (mut all, mut abstraction) = (encode(), encode());
    let clauses = Clauses::default();
    let solver = std::mem::replace(
        &mut abstraction.solver,
        heddle_solver::Backend::BitBlast.open(),
    );
    abstraction.solver = Box::new(Recorder {
        solver,
        clauses: clauses.clone(),
    });
    let mut statistics = Statistics::default();
    let mut refinement = Refinement {
        program: &program,
        observed: &observed,
        graph: &graph,
        validation: Validation::new(options.rules.clone(), &observed, &graph, None).unwrap(),
        abstraction,
        options: &options,
        statistics: &mut statistics,
        progress: &mut (),
        levels: &mut Levels::none(),
    };
    let attempt = Attempt {
        unwind: 2,
        front_end: None,
    };
    assert!(refinement.run(attempt).is_ok());
    let orders = refinement.validation.order_names(&graph);
    let clauses = clauses.borrow();

    let mut feasible = 0;
    while all.solver.check(&[]) == Answer::Sat {
        let chosen = all.counterexample(|_| Count::Linked);
        let mut holds = Truth::of(&mut all);
        let mut possible = Orders {
            graph: &graph,
            chains: executed_chains(&graph, &chosen),
            source: chosen
                .links
                .iter()
                .map(|&link| (all.links[link].read, all.links[link].write))
                .collect(),
            taken: Vec::new(),
        };
        // Of several links that are true, the execution has one.
        for (position, link) in all.links.iter().enumerate() {
            if link.literal != all.guards[link.read.index()] {
                holds
                    .0
                    .insert(link.literal, chosen.links.contains(&position));
            }
        }
        possible.each(&mut |order| {
            feasible += 1;
            let place = |event: EventId| order.iter().position(|&other| other == event);
            for (&literal, &(a, b)) in &orders {
                let in_order = place(a).zip(place(b)).is_some_and(|(a, b)| a < b);
                holds.0.insert(literal, in_order);
            }
            for clause in clauses.iter() {
                assert!(
                    clause.iter().any(|&literal| holds.is_true(literal)),
                    "{clause:?} is false in {order:?} of\n{text}"
                );
            }
        });
        let block = Truth::of(&mut all).0;
        let differs = block.iter().map(|(&literal, &is_true)| match is_true {
            true => !literal,
            false => literal,
        });
        let differs: Vec<Literal> = differs.collect();
        all.solver.add_clause(&differs);
    }
    Found {
        feasible,
        clauses: clauses.len(),
    }
}

/// Which literals of events, links and orders are true, by their positive form.
struct Truth(FxHashMap<Literal, bool>);

impl Truth {
    fn of(abstraction: &mut Abstraction) -> Truth {
        let links = abstraction.links.iter().map(|link| link.literal);
        let literals: Vec<Literal> = abstraction.guards.iter().copied().chain(links).collect();
        let mut truth = FxHashMap::default();
        for literal in literals {
            if literal.constant().is_none() {
                truth.insert(literal, abstraction.solver.literal_value(literal));
            }
        }
        Truth(truth)
    }

    fn is_true(&self, literal: Literal) -> bool {
        match (self.0.get(&literal), self.0.get(&!literal)) {
            (Some(&is_true), _) => is_true,
            (None, Some(&is_false)) => !is_false,
            (None, None) => literal == Literal::TRUE,
        }
    }
}

fn executed_chains(graph: &EventGraph, chosen: &Counterexample) -> Vec<Vec<EventId>> {
    let is_executed = |event: &EventId| chosen.executed[event.index()];
    let chains = graph.chains.iter();
    chains
        .map(|chain| chain.events.iter().copied().filter(is_executed).collect())
        .collect()
}

const SMALL: [&str; 4] = [
    // Two writers and a reader, as in the paper's rules 2 and 3.
    "granularity access;
     shared x, y: bool = false;
     process p { local a: bool; x := true; a := y; assert !a || x; x := false; }
     process q { local b: bool; y := true; b := x; assert b || y; }",
    // Branches: not every event is executed.
    "granularity access;
     shared x, y: bool = false;
     process p { if x { y := true; } else { x := true; } }
     process q { if y { x := false; } else { y := true; } assert x || y; }",
    // Atomic blocks beside single steps.
    "granularity access;
     shared x, y: bool = false;
     process p { atomic { x := !y; y := x; } }
     process q { atomic { y := !x; x := y; } }
     process r { local a: bool; a := x; assert a = y; }",
    // Creation and joining.
    "granularity access;
     shared x, y: bool = false;
     process p { x := true; y := x; }
     process q { x := false; y := !x; }
     process main { start p; start q; join p; assert x || y; join q; assert x || y; }",
];

#[test]
#[should_panic(expected = "is false in")]
fn but_not_those_of_a_wrong_rule() {
    let text = include_str!("../../../rules/examples/wrong.dl");
    let wrong = heddle_language::load_text("wrong.dl", text).unwrap().rules;
    let wrong = Arc::new(wrong);
    for text in SMALL {
        clauses_hold(text, wrong.clone(), Reasons::Named);
    }
}

#[test]
fn kernel_reasons() {
    check_all(Reasons::Kernel);
}

#[test]
fn named_orders() {
    check_all(Reasons::Named);
}

fn check_all(reasons: Reasons) {
    for text in SMALL {
        let rules = heddle_datalog::theory::built_in("sc_blocks").unwrap();
        let found = clauses_hold(text, rules, reasons);
        assert!(found.feasible > 0, "no execution of\n{text}");
        assert!(found.clauses > 0, "nothing was refined for\n{text}");
    }
}
