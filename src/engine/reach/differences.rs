//! Conjunctions about differences of integers, decided without a solver.
//!
//! Tickets and counters give rise to hardly any other questions, and a solver takes a hundred
//! times as long to be told of one.

use super::difference_graph::{Cycle, Distances, Edge, Nodes};
use super::inequalities::cases;
use super::weakest_precondition::conjuncts;
use heddle_program::{Constant, Op, Sort, Term, TermId, Terms, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many cases of one conjunct are looked at.
const MOST_CASES: usize = 4;
/// So many times a conjunct is taken case by case; what takes longer is for a solver.
const MOST_SPLITS: usize = 16;

#[derive(Debug)]
pub(super) enum Decision {
    /// With these values all conjuncts hold.
    Consistent(FxHashMap<VarId, Value>),
    /// The conjuncts at these positions cannot all hold.
    Inconsistent(Vec<usize>),
}

/// Whether all conjuncts can hold together. `None` if one is about anything but boolean
/// variables and differences of integer variables.
pub(super) fn decide(terms: &Terms, given: &[TermId]) -> Option<Decision> {
    let mut question = Question::default();
    for (position, &conjunct) in given.iter().enumerate() {
        for conjunct in conjuncts(terms, conjunct) {
            if let Some((variable, truth)) = boolean(terms, conjunct) {
                let truths = &mut question.truths;
                let (earlier, known) = *truths.entry(variable).or_insert((position, truth));
                if known != truth {
                    return Some(Decision::Inconsistent(vec![earlier, position]));
                }
            } else if !terms.is_true(conjunct) {
                question.add(terms, position, conjunct)?;
            }
        }
    }
    let certain = std::mem::take(&mut question.certain);
    let mut left = MOST_SPLITS;
    Some(match question.search(certain, &mut left)? {
        Ok(distances) => Decision::Consistent(question.values(&distances)),
        Err(core) => Decision::Inconsistent(core.into_iter().collect()),
    })
}

/// A boolean variable and its truth value, if the term is no more than that.
fn boolean(terms: &Terms, term: TermId) -> Option<(VarId, bool)> {
    match terms.get(term) {
        Term::Variable(variable) => Some((*variable, true)),
        Term::Apply {
            op: Op::Not,
            arguments,
        } => Some((terms.as_variable(arguments[0])?, false)),
        _ => None,
    }
}

/// Whether the term is made of comparisons of integers, and of nothing else.
fn is_about_integers(terms: &Terms, term: TermId) -> bool {
    let mut seen = FxHashSet::from_iter([term]);
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        let Term::Apply { op, arguments } = terms.get(term) else {
            return false;
        };
        match op {
            Op::Not | Op::And | Op::Or => {
                pending.extend(arguments.iter().filter(|&&part| seen.insert(part)));
            }
            Op::Le | Op::Lt | Op::Eq if terms.sort(arguments[0]) == Sort::Int => {}
            _ => return false,
        }
    }
    true
}

/// A conjunct of which one case has to hold.
struct Split {
    position: usize,
    cases: Vec<Vec<Edge>>,
}

#[derive(Default)]
struct Question {
    truths: FxHashMap<VarId, (usize, bool)>,
    nodes: Nodes<VarId>,
    /// What holds in any case.
    certain: Vec<Edge>,
    splits: Vec<Split>,
}

impl Question {
    fn add(&mut self, terms: &Terms, position: usize, conjunct: TermId) -> Option<()> {
        if !is_about_integers(terms, conjunct) {
            return None;
        }
        let mut all = Vec::new();
        for case in cases(terms, conjunct, true, MOST_CASES)? {
            let mut edges = Vec::new();
            for sum in &case {
                let summands = sum.coefficients.iter();
                let summands: Option<Vec<(VarId, i128)>> = summands
                    .map(|(&term, &coefficient)| Some((terms.as_variable(term)?, coefficient)))
                    .collect();
                edges.push(self.nodes.edge(position, summands?, sum.constant)?);
            }
            all.push(edges);
        }
        match &mut all[..] {
            [only] => self.certain.append(only),
            _ => self.splits.push(Split {
                position,
                cases: all,
            }),
        }
        Some(())
    }

    /// Distances that satisfy the edges and a case of every split, or positions of what
    /// contradicts itself. `None` if that takes too long.
    fn search(&self, edges: Vec<Edge>, left: &mut usize) -> Option<Result<Distances, Cycle>> {
        let distances = match self.nodes.distances(&edges)? {
            Ok(distances) => distances,
            Err(cycle) => return Some(Err(cycle)),
        };
        let holds = |case: &Vec<Edge>| case.iter().all(|edge| distances.satisfy(edge));
        let is_open = |split: &&Split| !split.cases.iter().any(holds);
        let Some(split) = self.splits.iter().find(is_open) else {
            return Some(Ok(distances));
        };
        *left = left.checked_sub(1)?;
        let mut all = Cycle::new();
        for case in &split.cases {
            match self.search([&edges[..], case].concat(), left)? {
                Ok(distances) => return Some(Ok(distances)),
                // The case has nothing to do with it.
                Err(core) if !core.contains(&split.position) => return Some(Err(core)),
                Err(core) => all.extend(core),
            }
        }
        // Also if there is no case at all.
        all.insert(split.position);
        Some(Err(all))
    }

    fn values(&self, distances: &Distances) -> FxHashMap<VarId, Value> {
        let integers = self.nodes.values(distances);
        let integers = integers.map(|(variable, value)| (variable, Constant::Int(value)));
        let booleans = self.truths.iter();
        let booleans = booleans.map(|(&variable, &(_, truth))| (variable, Constant::Bool(truth)));
        let all = integers.chain(booleans);
        all.map(|(variable, value)| (variable, Value::Scalar(value)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use heddle_solver::{Answer, Backend};

    /// Comparisons of differences, conjunctions and disjunctions of them, and booleans.
    fn random_conjunct(terms: &mut Terms, rng: &mut Rng, depth: u32) -> TermId {
        match rng.u32(0..if depth == 0 { 6 } else { 8 }) {
            0 => {
                let variable = terms.lookup(rng.choice(["a", "b"]).unwrap()).unwrap();
                let variable = terms.variable(variable);
                if rng.bool() {
                    variable
                } else {
                    terms.not(variable)
                }
            }
            1..=5 => {
                let mut side = |rng: &mut Rng| {
                    let constant = terms.int(rng.i128(-3..=3));
                    let Some(variable) = terms.lookup(rng.choice(["x", "y", "z", ""]).unwrap())
                    else {
                        return constant;
                    };
                    let variable = terms.variable(variable);
                    terms.add(variable, constant)
                };
                let (left, right) = (side(rng), side(rng));
                match rng.u32(0..4) {
                    0 => terms.le(left, right),
                    1 => terms.lt(left, right),
                    2 => terms.eq(left, right),
                    _ => terms.ne(left, right),
                }
            }
            kind => {
                let parts = [(); 2].map(|()| random_conjunct(terms, rng, depth - 1));
                match kind {
                    6 => terms.and(&parts),
                    _ => terms.or(&parts),
                }
            }
        }
    }

    #[test]
    fn random_conjunctions_are_decided_as_by_a_solver() {
        let (mut consistent, mut inconsistent, mut undecided) = (0, 0, 0);
        let mut rng = Rng::with_seed(1);
        for _ in 0..3_000 {
            let mut terms = Terms::new();
            for (name, sort) in [
                ("x", Sort::Int),
                ("y", Sort::Int),
                ("z", Sort::Int),
                ("a", Sort::Bool),
                ("b", Sort::Bool),
            ] {
                terms.declare(name, sort);
            }
            let count = rng.usize(1..9);
            let given: Vec<TermId> = (0..count)
                .map(|_| random_conjunct(&mut terms, &mut rng, 1))
                .collect();
            let is_open = |&term: &TermId| terms.as_constant(term).is_none();
            let given: Vec<TermId> = given.into_iter().filter(is_open).collect();
            let mut solver = Backend::Z3.open();
            let mut check = |conjuncts: &[TermId]| solver.check_terms(&terms, conjuncts).unwrap();
            match decide(&terms, &given) {
                None => undecided += 1,
                Some(Decision::Consistent(values)) => {
                    consistent += 1;
                    assert_eq!(check(&given), Answer::Sat);
                    for &conjunct in &given {
                        let value = terms.evaluate(conjunct, |variable| {
                            let zero = || Value::zero(terms.variable_sort(variable));
                            values.get(&variable).cloned().unwrap_or_else(zero)
                        });
                        assert_eq!(value, Ok(Value::Scalar(Constant::Bool(true))));
                    }
                }
                Some(Decision::Inconsistent(core)) => {
                    inconsistent += 1;
                    let core: Vec<TermId> = core.iter().map(|&position| given[position]).collect();
                    assert_eq!(check(&core), Answer::Unsat);
                }
            }
        }
        println!("{consistent} consistent, {inconsistent} inconsistent, {undecided} undecided");
        assert!(consistent > 500 && inconsistent > 500 && undecided < 1_000);
    }
}
