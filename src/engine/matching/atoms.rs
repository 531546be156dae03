//! From formulas to predicates: atoms in a normal form, so that equal ones look equal.
//!
//! `t + 1 <= s + 1` is `t <= s`; a choice inside of a comparison, or an element of an array
//! that was just written, becomes a comparison for each case.

use crate::linear::Linear;
use heddle_program::{Op, Scalar, Sort, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A formula with more cases than this is taken as it is.
const MOST_CASES: usize = 64;

/// The atoms that decide the formula, each once, in order of appearance. All of them have a
/// value in every state.
pub(crate) fn atoms(terms: &mut Terms, formula: TermId) -> Vec<TermId> {
    let mut found = Found {
        pending: vec![Part::Formula(formula)],
        ..Found::default()
    };
    while let Some(part) = found.pending.pop() {
        match part {
            Part::Formula(formula) => found.formula(terms, formula),
            Part::Case {
                comparison,
                choice,
                case,
            } => {
                let case = replace(terms, comparison, choice, case);
                found.formula(terms, case);
            }
            Part::Conjunction(conjuncts) => {
                let atom = terms.and(&conjuncts);
                found.atom(atom);
            }
        }
    }
    found.atoms
}

/// What is still to be looked at.
enum Part {
    Formula(TermId),
    /// The comparison with a case in the place of the choice.
    Case {
        comparison: TermId,
        choice: TermId,
        case: TermId,
    },
    /// An atom: what all of these say.
    Conjunction(Vec<TermId>),
}

#[derive(Default)]
struct Found {
    atoms: Vec<TermId>,
    seen: FxHashSet<TermId>,
    cases: usize,
    /// The last one comes next. A list instead of recursion: formulas may be nested deeply.
    pending: Vec<Part>,
}

impl Found {
    fn formula(&mut self, terms: &mut Terms, formula: TermId) {
        if !self.seen.insert(formula) {
            return;
        }
        let term = terms.get(formula).clone();
        match &term {
            Term::Constant(_) => {}
            Term::Variable(_) => self.atom(formula),
            Term::Apply { op, arguments } => match op {
                Op::Not | Op::And | Op::Or | Op::Ite => self.formulas(arguments),
                Op::Eq if terms.sort(arguments[0]) == Sort::Bool => self.formulas(arguments),
                _ => self.comparison(terms, formula),
            },
        }
    }

    fn formulas(&mut self, formulas: &[TermId]) {
        let parts = formulas.iter().rev().map(|&part| Part::Formula(part));
        self.pending.extend(parts);
    }

    fn comparison(&mut self, terms: &mut Terms, comparison: TermId) {
        let comparison = with_choices(terms, comparison);
        if self.cases < MOST_CASES
            && let Some((choice, [condition, yes, no])) = find_choice(terms, comparison)
        {
            self.cases += 1;
            for case in [no, yes] {
                self.pending.push(Part::Case {
                    comparison,
                    choice,
                    case,
                });
            }
            self.pending.push(Part::Formula(condition));
            return;
        }
        let normal = normal_form(terms, comparison);
        if matches!(terms.get(normal), Term::Constant(_)) {
            return;
        }
        let conditions = conditions_of_a_value(terms, normal);
        let mut whole = conditions.clone();
        whole.push(normal);
        self.pending.push(Part::Conjunction(whole));
        self.formulas(&conditions);
    }

    fn atom(&mut self, atom: TermId) {
        if !self.atoms.contains(&atom) {
            self.atoms.push(atom);
        }
    }
}

/// Elements of arrays that were written to as choices: `a[i := v][j]` is `i = j ? v : a[j]`.
fn with_choices(terms: &mut Terms, root: TermId) -> TermId {
    rebuilt(terms, root, |terms, op, arguments| {
        if op != Op::Select {
            return None;
        }
        let (mut array, index) = (arguments[0], arguments[1]);
        let mut writes = Vec::new();
        while let Term::Apply {
            op: Op::Store,
            arguments,
        } = terms.get(array)
        {
            writes.push((arguments[1], arguments[2]));
            array = arguments[0];
        }
        if writes.is_empty() {
            return None;
        }
        let mut element = terms.select(array, index);
        for (at, value) in writes.into_iter().rev() {
            let same = terms.eq(at, index);
            element = terms.ite(same, value, element);
        }
        Some(element)
    })
}

/// A choice between values that are no booleans, with its parts.
fn find_choice(terms: &Terms, root: TermId) -> Option<(TermId, [TermId; 3])> {
    terms.subterms(&[root]).into_iter().find_map(|term| {
        let Term::Apply {
            op: Op::Ite,
            arguments,
        } = terms.get(term)
        else {
            return None;
        };
        let parts = [arguments[0], arguments[1], arguments[2]];
        (terms.sort(term) != Sort::Bool).then_some((term, parts))
    })
}

/// The root with one of its subterms replaced, everywhere.
fn replace(terms: &mut Terms, root: TermId, old: TermId, new: TermId) -> TermId {
    let mut image: FxHashMap<TermId, TermId> = FxHashMap::from_iter([(old, new)]);
    rebuild(terms, root, &mut image, |_, _, _| None)
}

/// The root with each application replaced by what `rule` makes of it.
fn rebuilt(
    terms: &mut Terms,
    root: TermId,
    rule: impl Fn(&mut Terms, Op, &[TermId]) -> Option<TermId>,
) -> TermId {
    rebuild(terms, root, &mut FxHashMap::default(), rule)
}

fn rebuild(
    terms: &mut Terms,
    root: TermId,
    image: &mut FxHashMap<TermId, TermId>,
    rule: impl Fn(&mut Terms, Op, &[TermId]) -> Option<TermId>,
) -> TermId {
    for term in terms.subterms(&[root]) {
        if image.contains_key(&term) {
            continue;
        }
        let new = match terms.get(term).clone() {
            Term::Constant(_) | Term::Variable(_) => term,
            Term::Apply { op, arguments } => {
                let arguments: Vec<TermId> = arguments.iter().map(|id| image[id]).collect();
                match rule(terms, op, &arguments) {
                    Some(new) => new,
                    None => terms.apply(op, &arguments),
                }
            }
        };
        image.insert(term, new);
    }
    image[&root]
}

/// A comparison of integers with everything collected; any other is as it is.
fn normal_form(terms: &mut Terms, comparison: TermId) -> TermId {
    let Term::Apply { op, arguments } = terms.get(comparison) else {
        return comparison;
    };
    let (op, left) = (*op, arguments[0]);
    if terms.sort(left) != Sort::Int {
        return comparison;
    }
    let Some(difference) = Linear::difference(terms, left, arguments[1]) else {
        return comparison;
    };
    match op {
        Op::Le => difference.is_at_most_zero(terms),
        Op::Lt => match difference.plus_constant(1) {
            Some(difference) => difference.is_at_most_zero(terms),
            None => comparison,
        },
        Op::Eq => difference.is_zero(terms),
        _ => comparison,
    }
}

/// What holds where an atom does not, in normal form, too.
pub(crate) fn complement(terms: &mut Terms, atom: TermId) -> TermId {
    match terms.get(atom) {
        Term::Apply {
            op: Op::Le,
            arguments,
        } => {
            let (left, right) = (arguments[0], arguments[1]);
            let above = terms.lt(right, left);
            normal_form(terms, above)
        }
        _ => terms.not(atom),
    }
}

/// Where every part of a term has a value: divisors are not zero, and indices are in range.
fn conditions_of_a_value(terms: &mut Terms, root: TermId) -> Vec<TermId> {
    let mut conditions = Vec::new();
    for term in terms.subterms(&[root]) {
        let Term::Apply { op, arguments } = terms.get(term).clone() else {
            continue;
        };
        match op {
            Op::Div | Op::Mod => {
                let zero = terms.int(0);
                conditions.push(terms.ne(arguments[1], zero));
            }
            Op::Select | Op::Store => {
                let sort = terms.sort(arguments[0]).as_array().expect("an array");
                match sort.index {
                    Scalar::BitVec(width) => {
                        if u128::from(sort.length) <= heddle_program::mask(width) {
                            let last = terms.bit_vec(width, i128::from(sort.length) - 1);
                            conditions.push(terms.bv_ule(arguments[1], last));
                        }
                    }
                    _ => {
                        let (zero, last) = (terms.int(0), terms.int(i128::from(sort.length) - 1));
                        conditions.push(terms.le(zero, arguments[1]));
                        conditions.push(terms.le(arguments[1], last));
                    }
                }
            }
            _ => {}
        }
    }
    conditions.retain(|&condition| !terms.is_true(condition));
    conditions.sort_unstable();
    conditions.dedup();
    conditions
}
