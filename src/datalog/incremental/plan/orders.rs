//! Atoms over orders, spelled out over places and clocks.
//!
//! `lt(a, b)` holds if the clock of `b` reaches the place of `a`. If `a` is known, its place
//! is looked up and compared with the clock of `b`, or with all clocks if `b` is not known.
//! If only `b` is known, its clock gives a chain and a limit, and `a` is each event of the
//! chain up to the limit, or the last one that meets conditions.

use super::candidates::CandidateSet;
use super::sequence::{Body, Last, Sequencer, collect, var};
use super::{Action, ChainVars, Formula, Place, PlanAtom, PlanTerm, Seek, Source, Test, Var};
use heddle_language::ruleset::{
    Atom, Comparison, Expression, Head, Literal, Operator, RelationId, Term,
};

impl<'a> Sequencer<'a> {
    pub(super) fn order_atom(&mut self, body: &mut Body<'a>, order: RelationId, atom: &Atom) {
        let a = self.event(body, &atom.arguments[0]);
        let b = self.event(body, &atom.arguments[1]);
        if body.bound.contains(&a) {
            let place = self.locate(body, order, a);
            let limit = self.fresh();
            body.join(clock(order, b, place.chain, limit));
            body.actions.push(at_most(place.index, limit));
            return;
        }
        let (chain, limit) = self.chain_before(body, order, b);
        if a == b {
            let place = self.locate(body, order, b);
            body.actions.push(equal(place.chain.kind, chain.kind));
            body.actions.push(equal(place.chain.chain, chain.chain));
            body.actions.push(at_most(place.index, limit));
        } else if body.is_needed(a) {
            let index = self.fresh();
            body.actions.push(Action::Expand {
                order,
                chain,
                limit,
                event: a,
                index,
            });
            body.bound.extend([a, index]);
            body.place(order, a, Place { chain, index });
        }
    }

    pub(super) fn negated_order_atom(
        &mut self,
        body: &mut Body<'a>,
        order: RelationId,
        atom: &Atom,
    ) {
        let [before, after] = atom.arguments.as_slice() else {
            return;
        };
        if *before == Term::Wildcard {
            let terms = vec![
                self.term(after),
                PlanTerm::Any,
                PlanTerm::Any,
                PlanTerm::Any,
            ];
            let source = Source::Clocks(order);
            let clock = PlanAtom { source, terms };
            body.actions.push(Action::Absent(clock, Vec::new()));
            return;
        }
        let a = self.event(body, before);
        let place = self.locate(body, order, a);
        let limit = self.fresh();
        let reached = if *after == Term::Wildcard {
            PlanAtom {
                source: Source::Reach(order),
                terms: vec![
                    PlanTerm::Variable(place.chain.kind),
                    PlanTerm::Variable(place.chain.chain),
                    PlanTerm::Variable(limit),
                ],
            }
        } else {
            let b = self.event(body, after);
            clock(order, b, place.chain, limit)
        };
        let test = Test {
            comparison: Comparison::LessEqual,
            left: Formula::Variable(place.index),
            right: Formula::Variable(limit),
        };
        body.actions.push(Action::Absent(reached, vec![test]));
    }

    /// Finds the last event of each chain that meets the conditions.
    pub(super) fn seek(&mut self, body: &mut Body<'a>, last: &Last) {
        let Literal::Positive(atom) = &body.literals[last.literal] else {
            return;
        };
        body.done(last);
        let order = atom.relation;
        let b = self.event(body, &atom.arguments[1]);
        let known = body.bound.contains(&b);
        let own = (last.split && known).then(|| self.locate(body, order, b));
        let (chain, limit) = self.chain_before(body, order, b);
        if !body.is_needed(last.event) {
            return;
        }
        let split = last.split.then(|| {
            let own = own.unwrap_or_else(|| self.locate(body, order, b));
            self.split(body, own, chain, limit)
        });
        let index = self.fresh();
        body.bound.extend([last.event, index]);
        body.place(order, last.event, Place { chain, index });
        body.actions.push(Action::Seek(Seek {
            chain,
            limit,
            split,
            candidates: last.candidates.clone(),
            key: last.key.clone(),
            tests: last.tests.clone(),
            event: last.event,
            index,
        }));
    }

    /// The index of the event whose place is `own` if it is of the chain; otherwise one
    /// beyond the limit.
    fn split(&mut self, body: &mut Body<'a>, own: Place, chain: ChainVars, limit: Var) -> Var {
        let split = self.fresh();
        let beyond = Formula::Binary(
            Operator::Add,
            Box::new(Formula::Variable(limit)),
            Box::new(Formula::Constant(1)),
        );
        let parts = [
            Formula::Variable(own.chain.kind),
            Formula::Variable(chain.kind),
            Formula::Variable(own.chain.chain),
            Formula::Variable(chain.chain),
            Formula::Variable(own.index),
            beyond,
        ];
        body.bound.insert(split);
        let action = Action::Bind(split, Formula::IfEqual(Box::new(parts)));
        body.actions.push(action);
        split
    }

    /// Each chain that has events before `b`, and how far they reach.
    fn chain_before(&mut self, body: &mut Body<'a>, order: RelationId, b: Var) -> (ChainVars, Var) {
        let chain = ChainVars {
            kind: self.fresh(),
            chain: self.fresh(),
        };
        let limit = self.fresh();
        body.join(clock(order, b, chain, limit));
        (chain, limit)
    }

    /// Finds the place of an event, unless it is known.
    pub(super) fn locate(&mut self, body: &mut Body<'a>, order: RelationId, event: Var) -> Place {
        if let Some(place) = body.known_place(order, event) {
            return place;
        }
        let place = self.fresh_place();
        body.bound.extend(place.variables());
        body.place(order, event, place);
        body.actions.push(Action::Locate {
            order,
            event,
            place,
        });
        place
    }

    pub(super) fn fresh_place(&mut self) -> Place {
        Place {
            chain: ChainVars {
                kind: self.fresh(),
                chain: self.fresh(),
            },
            index: self.fresh(),
        }
    }

    /// The event that a term stands for, as a variable.
    fn event(&mut self, body: &mut Body<'a>, term: &Term) -> Var {
        match self.term(term) {
            PlanTerm::Variable(variable) => variable,
            PlanTerm::Any => self.fresh(),
            PlanTerm::Constant(value) => {
                let variable = self.fresh();
                body.bound.insert(variable);
                let action = Action::Bind(variable, Formula::Constant(value));
                body.actions.push(action);
                variable
            }
        }
    }

    /// How to find the last `a` of each chain, for a body atom `lt(a, b)`; `None` if it is
    /// better to try all.
    pub(super) fn last(
        &self,
        literals: &[Literal],
        literal: usize,
        conditions: &[usize],
        head: &Head,
    ) -> Option<Last> {
        let Literal::Positive(atom) = &literals[literal] else {
            return None;
        };
        // Where the event does not matter, no event is looked for: see `order_atom`.
        let Term::Variable(a) = atom.arguments[0] else {
            return None;
        };
        let in_place_of_b = head.relation == atom.relation
            && head.arguments[0] != Expression::Variable(a)
            && matches!((&head.arguments[1], &atom.arguments[1]),
                (Expression::Variable(y), Term::Variable(b)) if y == b);
        let mut atoms = Vec::new();
        let mut tests = Vec::new();
        let mut met = Vec::new();
        for &condition in conditions {
            match &literals[condition] {
                Literal::Positive(other) => {
                    if in_place_of_b && !is_demand(literals, atom, other) {
                        continue;
                    }
                    if self.order(other.relation).is_some() {
                        return None;
                    }
                    atoms.push(self.plan_atom(other));
                }
                Literal::Compare(comparison, left, right) => {
                    if in_place_of_b && !is_demanded_test(literals, atom, condition) {
                        continue;
                    }
                    tests.push(self.test(*comparison, left, right));
                }
                Literal::Negative(other) => {
                    if in_place_of_b && !is_demand(literals, atom, other) {
                        continue;
                    }
                    return None;
                }
                Literal::Aggregate(_) => return None,
            }
            met.push(condition);
        }
        let event = var(a);
        let (candidates, key) = CandidateSet::new(atom.relation, event, &atoms);
        Some(Last {
            literal,
            event,
            candidates,
            key,
            tests,
            met,
            split: in_place_of_b,
        })
    }
}

/// Whether the body demands of `b` what the condition demands of `a`. The argument why the
/// last `a` may stand in for `b` needs no other conditions on `a` (see `order_use`), and the
/// fewer there are, the fewer searches.
fn is_demand(literals: &[Literal], order_atom: &Atom, condition: &Atom) -> bool {
    let [a, b] = order_atom.arguments.as_slice() else {
        return true;
    };
    literals.iter().any(|literal| {
        let (Literal::Positive(demand) | Literal::Negative(demand)) = literal else {
            return false;
        };
        demand.relation == condition.relation
            && demand.arguments.contains(b)
            && demand
                .arguments
                .iter()
                .zip(&condition.arguments)
                .all(|(theirs, ours)| {
                    let renamed = if theirs == b { a } else { theirs };
                    renamed == ours
                })
    })
}

/// The same for a comparison. One that mentions `b` itself costs nothing.
fn is_demanded_test(literals: &[Literal], order_atom: &Atom, condition: usize) -> bool {
    let [Term::Variable(a), Term::Variable(b)] = order_atom.arguments[..] else {
        return true;
    };
    let of = |position: usize| {
        let mut variables = Vec::new();
        collect(&literals[position], &mut variables);
        variables
    };
    let renamed = |position: usize| {
        let rename = |variable| if variable == var(b) { var(a) } else { variable };
        of(position).into_iter().map(rename).collect::<Vec<_>>()
    };
    // Comparisons of the same variables may demand the same; taking one too many is fine.
    let is_demand = |position: usize| {
        matches!(literals[position], Literal::Compare(..))
            && of(position).contains(&var(b))
            && renamed(position)
                .into_iter()
                .all(|variable| of(condition).contains(&variable))
    };
    of(condition).contains(&var(b)) || (0..literals.len()).any(is_demand)
}

fn clock(order: RelationId, event: Var, chain: ChainVars, limit: Var) -> PlanAtom {
    PlanAtom {
        source: Source::Clocks(order),
        terms: [event, chain.kind, chain.chain, limit]
            .map(PlanTerm::Variable)
            .to_vec(),
    }
}

fn at_most(index: Var, limit: Var) -> Action {
    Action::Test(Test {
        comparison: Comparison::LessEqual,
        left: Formula::Variable(index),
        right: Formula::Variable(limit),
    })
}

fn equal(left: Var, right: Var) -> Action {
    Action::Test(Test {
        comparison: Comparison::Equal,
        left: Formula::Variable(left),
        right: Formula::Variable(right),
    })
}
