//! Random clauses over few variables, against all assignments.

use heddle_program::{EvalError, TermId, Terms, Value};
use heddle_solver::{
    Answer, Backend, Limits, Literal, Solver, Statistics, Unsupported, shrink_core,
};
use proptest::prelude::*;

const VARIABLES: usize = 8;

type Signed = (usize, bool);

fn signed() -> impl Strategy<Value = Signed> {
    (0..VARIABLES, any::<bool>())
}

fn satisfiable(clauses: &[Vec<Signed>], assumptions: &[Signed]) -> bool {
    (0..1u32 << VARIABLES).any(|assignment| {
        let holds = |&(variable, value): &Signed| (assignment >> variable & 1 == 1) == value;
        clauses.iter().all(|clause| clause.iter().any(holds)) && assumptions.iter().all(holds)
    })
}

fn check(backend: Backend, clauses: &[Vec<Signed>], assumptions: &[Signed]) {
    let mut solver = backend.open();
    let variables: Vec<Literal> = (0..VARIABLES).map(|_| solver.new_literal()).collect();
    let literal = |&(variable, value): &Signed| {
        if value {
            variables[variable]
        } else {
            !variables[variable]
        }
    };
    for clause in clauses {
        let clause: Vec<Literal> = clause.iter().map(literal).collect();
        solver.add_clause(&clause);
    }
    let assumed: Vec<Literal> = assumptions.iter().map(literal).collect();
    let answer = solver.check(&assumed);
    if satisfiable(clauses, assumptions) {
        assert_eq!(answer, Answer::Sat);
        for clause in clauses {
            assert!(clause.iter().any(|l| solver.literal_value(literal(l))));
        }
        assert!(assumed.iter().all(|&l| solver.literal_value(l)));
        return;
    }
    assert_eq!(answer, Answer::Unsat);
    let meaning = |core: &[Literal]| -> Vec<Signed> {
        let of = |l: &Literal| assumptions.iter().copied().find(|s| literal(s) == *l);
        core.iter()
            .map(|l| of(l).expect("only assumptions are in a core"))
            .collect()
    };
    let core = solver.core().to_vec();
    assert!(!satisfiable(clauses, &meaning(&core)));

    let mut solver = Careless {
        solver,
        core: Vec::new(),
    };
    let smallest = shrink_core(&mut solver, &assumed, usize::MAX);
    let smallest = meaning(&smallest);
    assert!(!satisfiable(clauses, &smallest));
    for leave_out in 0..smallest.len() {
        let mut rest = smallest.clone();
        rest.remove(leave_out);
        assert!(satisfiable(clauses, &rest), "a literal can be spared");
    }
}

/// A solver whose cores are all that was assumed, which is allowed.
struct Careless {
    solver: Box<dyn Solver>,
    core: Vec<Literal>,
}

impl Solver for Careless {
    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        self.core = assumptions.to_vec();
        self.solver.check(assumptions)
    }

    fn core(&self) -> &[Literal] {
        &self.core
    }

    fn new_literal(&mut self) -> Literal {
        self.solver.new_literal()
    }

    fn literal(&mut self, terms: &Terms, term: TermId) -> Result<Literal, Unsupported> {
        self.solver.literal(terms, term)
    }

    fn add_clause(&mut self, literals: &[Literal]) {
        self.solver.add_clause(literals);
    }

    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), Unsupported> {
        self.solver.assert(terms, term)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.solver.set_limits(limits);
    }

    fn literal_value(&mut self, literal: Literal) -> bool {
        self.solver.literal_value(literal)
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, EvalError> {
        self.solver.value(terms, term)
    }

    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn and_can_be_shrunk_to_minimal_ones(
        clauses in proptest::collection::vec(proptest::collection::vec(signed(), 1..4), 0..24),
        assumptions in proptest::collection::vec(signed(), 0..8),
    ) {
        check(Backend::BitBlast, &clauses, &assumptions);
        check(Backend::Z3, &clauses, &assumptions);
    }
}

#[test]
fn a_false_assumption_is_its_own_core() {
    for backend in [Backend::BitBlast, Backend::Z3] {
        let mut solver = backend.open();
        let free = solver.new_literal();
        assert_eq!(solver.check(&[free, Literal::TRUE]), Answer::Sat);
        assert_eq!(solver.check(&[free, Literal::FALSE]), Answer::Unsat);
        assert_eq!(solver.core(), [Literal::FALSE]);
    }
}

#[test]
fn a_contradiction_needs_no_assumption() {
    for backend in [Backend::BitBlast, Backend::Z3] {
        let mut solver = backend.open();
        let free = solver.new_literal();
        solver.add_clause(&[]);
        assert_eq!(solver.check(&[free]), Answer::Unsat);
        assert!(solver.core().is_empty());
    }
}
