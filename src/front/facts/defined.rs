//! The condition under which a term has a value: indices are inside of their arrays, and no
//! integer is divided by zero.
//!
//! It agrees with [`Terms::evaluate`] on what matters: the branch that an `ite` takes, and in
//! an `and` or `or` no argument beside one that decides. It always has a value itself.

use crate::bounds::bounds;
use heddle_program::{ArraySort, Op, Scalar, Term, TermId, Terms};
use std::collections::HashMap;

/// The condition under which the term has a value.
pub(crate) fn defined(terms: &mut Terms, root: TermId) -> TermId {
    // Without those that always have one.
    let mut conditions: HashMap<TermId, TermId> = HashMap::new();
    for term in terms.subterms(&[root]) {
        let Term::Apply { op, arguments } = terms.get(term).clone() else {
            continue;
        };
        let needed = |argument: &TermId| conditions.get(argument).copied();
        let all: Vec<TermId> = arguments.iter().filter_map(needed).collect();
        let condition = match op {
            Op::And | Op::Or => {
                let needed: Vec<Option<TermId>> = arguments.iter().map(needed).collect();
                of_junction(terms, op, &arguments, &needed)
            }
            Op::Ite => {
                let always = terms.bool(true);
                let [condition, yes, no] =
                    [0, 1, 2].map(|number| needed(&arguments[number]).unwrap_or(always));
                let chosen = terms.ite(arguments[0], yes, no);
                terms.and(&[condition, chosen])
            }
            Op::Div | Op::Mod => {
                let zero = terms.int(0);
                let divides = terms.ne(arguments[1], zero);
                terms.and(&[&all[..], &[divides]].concat())
            }
            Op::Select | Op::Store => {
                let sort = terms.sort(arguments[0]).as_array();
                let sort = sort.expect("an array is indexed");
                let inside = in_range(terms, sort, arguments[1]);
                terms.and(&[&all[..], &[inside]].concat())
            }
            _ => terms.and(&all),
        };
        if !terms.is_true(condition) {
            conditions.insert(term, condition);
        }
    }
    let always = terms.bool(true);
    conditions.remove(&root).unwrap_or(always)
}

/// Whether the index, which has a value, is one of the array's.
pub(crate) fn in_range(terms: &mut Terms, sort: ArraySort, index: TermId) -> TermId {
    let length = i128::from(sort.length);
    if let Some((least, most)) = bounds(terms, index)
        && least >= 0
        && most < length
    {
        return terms.bool(true);
    }
    match sort.index {
        Scalar::BitVec(width) => {
            let length = terms.bit_vec(width, length);
            terms.bv_ult(index, length)
        }
        _ => {
            let (zero, length) = (terms.int(0), terms.int(length));
            let from = terms.le(zero, index);
            let below = terms.lt(index, length);
            terms.and(&[from, below])
        }
    }
}

/// `and` or `or`: some argument decides, or all have a value. `needed` is the condition of
/// each argument that need not have one.
fn of_junction(
    terms: &mut Terms,
    op: Op,
    arguments: &[TermId],
    needed: &[Option<TermId>],
) -> TermId {
    let all: Vec<TermId> = needed.iter().flatten().copied().collect();
    if all.is_empty() {
        return terms.bool(true);
    }
    let mut ways = vec![terms.and(&all)];
    for (&argument, &condition) in arguments.iter().zip(needed) {
        let decides = match op {
            Op::And => terms.not(argument),
            _ => argument,
        };
        match condition {
            None => ways.push(decides),
            // If it is the only one, it has a value in the first of the ways already.
            Some(_) if all.len() == 1 => {}
            Some(condition) => ways.push(terms.and(&[condition, decides])),
        }
    }
    terms.or(&ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_program::{Constant, EvalError, Sort, Value, VarId};
    use proptest::prelude::*;

    const LENGTH: u32 = 2;
    const SORT: ArraySort = ArraySort {
        index: Scalar::Int,
        element: Scalar::Int,
        length: LENGTH,
    };

    /// Makes a term of the sort, by what the choices say.
    fn random_term(
        terms: &mut Terms,
        choices: &mut impl Iterator<Item = u8>,
        sort: Sort,
        depth: u32,
    ) -> TermId {
        let choice = choices.next().unwrap_or(0);
        let mut of = |terms: &mut Terms, sort| random_term(terms, choices, sort, depth - 1);
        match (sort, depth) {
            (Sort::Int, 0) => match choice % 4 {
                0 => terms.int(0),
                number @ 1..3 => terms.variable(VarId::from_index(number.into())),
                _ => terms.int(1),
            },
            (Sort::Int, _) => {
                let a = of(terms, Sort::Int);
                match choice % 6 {
                    0 => {
                        let array = of(terms, Sort::Array(SORT));
                        terms.select(array, a)
                    }
                    1 => {
                        let condition = of(terms, Sort::Bool);
                        let b = of(terms, Sort::Int);
                        terms.ite(condition, a, b)
                    }
                    other => {
                        let b = of(terms, Sort::Int);
                        match other {
                            2 => terms.div(a, b),
                            3 => terms.modulo(a, b),
                            4 => terms.add(a, b),
                            _ => terms.sub(a, b),
                        }
                    }
                }
            }
            (Sort::Bool, 0) => terms.bool(choice.is_multiple_of(2)),
            (Sort::Bool, _) => match choice % 4 {
                0 | 1 => {
                    let parts: Vec<TermId> = (0..2 + choice / 4 % 2)
                        .map(|_| of(terms, Sort::Bool))
                        .collect();
                    match choice % 4 {
                        0 => terms.and(&parts),
                        _ => terms.or(&parts),
                    }
                }
                2 => {
                    let inner = of(terms, Sort::Bool);
                    terms.not(inner)
                }
                _ => {
                    let (a, b) = (of(terms, Sort::Int), of(terms, Sort::Int));
                    terms.lt(a, b)
                }
            },
            (_, 0) => terms.variable(VarId::from_index(0)),
            (sort, _) => {
                let (array, index) = (of(terms, sort), of(terms, Sort::Int));
                let value = of(terms, Sort::Int);
                terms.store(array, index, value)
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 2000,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_condition_always_has_a_value_and_says_whether_the_term_has(
            choices in prop::collection::vec(any::<u8>(), 1..60),
        ) {
            let mut terms = Terms::new();
            terms.declare("a", Sort::Array(SORT));
            terms.declare("x", Sort::Int);
            terms.declare("y", Sort::Int);
            let term = random_term(&mut terms, &mut choices.into_iter(), Sort::Bool, 5);
            let condition = defined(&mut terms, term);
            for (x, y) in (-1..=2).flat_map(|x| (-1..=2).map(move |y| (x, y))) {
                let value_of = |variable: VarId| match variable.index() {
                    0 => Value::Array {
                        sort: SORT,
                        elements: vec![Constant::Int(0), Constant::Int(1)],
                    },
                    1 => Constant::Int(x).into(),
                    _ => Constant::Int(y).into(),
                };
                let expected = match terms.evaluate(term, value_of) {
                    Err(EvalError::IntegerOverflow) => continue,
                    value => value.is_ok(),
                };
                let found = terms.evaluate(condition, value_of);
                prop_assert_eq!(found, Ok(Constant::Bool(expected).into()));
            }
        }
    }
}
