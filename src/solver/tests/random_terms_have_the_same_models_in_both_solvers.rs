//! The bit-blaster, the evaluator and Z3 are three independent readings of a term.

mod common;

use common::{Generated, Instruction, generate};
use heddle_program::{TermId, Value};
use heddle_solver::{Answer, BitBlaster, Solver, Z3};
use proptest::prelude::*;

fn instructions() -> impl Strategy<Value = Vec<Instruction>> {
    proptest::collection::vec(any::<Instruction>(), 1..40)
}

/// Every term, whether the solver has seen it or not, has the value in the model that
/// evaluation gives it.
fn check_model(solver: &mut dyn Solver, generated: &Generated, roots: &[TermId]) {
    let terms = &generated.terms;
    let all = generated
        .bools
        .iter()
        .chain(&generated.words)
        .chain(&generated.arrays);
    for &term in all {
        let value = solver.value(terms, term).unwrap();
        let expected = terms.evaluate(term, |variable| {
            solver.value(terms, terms.variable(variable)).unwrap()
        });
        assert_eq!(Ok(&value), expected.as_ref());
        if roots.contains(&term) {
            assert_eq!(value, Value::Scalar(heddle_program::Constant::Bool(true)));
        }
    }
}

fn agree(generated: &Generated, roots: &[TermId]) {
    let terms = &generated.terms;
    let mut blaster = BitBlaster::new();
    let mut z3 = Z3::new();
    let mut answers = Vec::new();
    for solver in [&mut blaster as &mut dyn Solver, &mut z3] {
        for &root in roots {
            solver.assert(terms, root).unwrap();
        }
        let answer = solver.check(&[]);
        if answer == Answer::Sat {
            check_model(solver, generated, roots);
        }
        answers.push(answer);
    }
    assert_eq!(answers[0], answers[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn on_words_of_few_bits(
        width in 1u32..6, length in 1u32..9, instructions in instructions(), count in 1usize..4,
    ) {
        let generated = generate(width, length, &instructions);
        let roots: Vec<TermId> = generated.bools.iter().rev().take(count).copied().collect();
        agree(&generated, &roots);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Few instructions: a chain of wide products and quotients is beyond any solver.
    #[test]
    fn on_words_of_many_bits(
        width in prop_oneof![Just(8u32), Just(16), Just(33), Just(64), Just(65), Just(128)],
        instructions in proptest::collection::vec(any::<Instruction>(), 1..4),
    ) {
        let generated = generate(width, 3, &instructions);
        let roots = [*generated.bools.last().unwrap()];
        agree(&generated, &roots);
    }

    /// Assumptions instead of assertions, several calls of the same two solvers.
    #[test]
    fn under_assumptions_and_with_clauses_in_between(
        width in 1u32..5, instructions in instructions(),
        calls in proptest::collection::vec(proptest::collection::vec(any::<(u16, bool)>(), 1..5), 1..5),
    ) {
        let generated = generate(width, 3, &instructions);
        let terms = &generated.terms;
        let mut solvers: [Box<dyn Solver>; 2] = [Box::new(BitBlaster::new()), Box::new(Z3::new())];
        for call in &calls {
            let mut answers = Vec::new();
            for solver in &mut solvers {
                let literals: Vec<_> = call
                    .iter()
                    .map(|&(choice, negated)| {
                        let term = generated.bools[choice as usize % generated.bools.len()];
                        let literal = solver.literal(terms, term).unwrap();
                        if negated { !literal } else { literal }
                    })
                    .collect();
                let answer = solver.check(&literals);
                match answer {
                    Answer::Sat => {
                        check_model(&mut **solver, &generated, &[]);
                        for &literal in &literals {
                            assert!(solver.literal_value(literal));
                        }
                    }
                    Answer::Unsat => {
                        let core = solver.core().to_vec();
                        assert!(core.iter().all(|literal| literals.contains(literal)));
                        assert_eq!(solver.check(&core), Answer::Unsat);
                    }
                    Answer::Unknown(ref reason) => panic!("{reason}"),
                }
                // Later calls search elsewhere.
                let clause: Vec<_> = literals.iter().map(|&literal| !literal).collect();
                solver.add_clause(&clause);
                answers.push(answer);
            }
            prop_assert_eq!(&answers[0], &answers[1]);
        }
    }
}
