//! In which order a body's literals are evaluated.
//!
//! `ascent` evaluates clauses as they stand, so the generated text puts first what has
//! least to enumerate: tests as soon as their variables have values, then atoms that share
//! a variable with what came before.

use super::scope::{variables_in, variables_of};
use crate::order_use::Witness;
use crate::ruleset::{
    Aggregate, Comparison, Expression, Literal, RelationId, RelationKind, RuleSet, Term, VariableId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Evaluate the literal at this position of the body.
    Literal(usize),
    /// The order atom that the rule starts from: an event `b` whose clock rose.
    Rise(usize),
    /// The events `a` that come before it.
    Candidates(usize),
}

/// The order atom `lt(a, b)` that a rule starts from.
pub(super) struct Driver<'a> {
    pub(super) literal: usize,
    pub(super) witness: &'a Witness,
}

/// Orders a body. `early` are the relations to start from where nothing else decides: those
/// that grow while the rule is evaluated again and again.
pub(super) fn plan(
    rules: &RuleSet,
    body: &[Literal],
    variable_count: usize,
    driver: Option<&Driver<'_>>,
    early: &[RelationId],
) -> Vec<Step> {
    let mut planner = Planner {
        rules,
        body,
        early,
        bound: vec![false; variable_count],
        pending: (0..body.len()).collect(),
        candidates: None,
    };
    let mut steps = Vec::new();
    if let Some(driver) = driver {
        planner
            .pending
            .retain(|&position| position != driver.literal);
        steps.push(Step::Rise(driver.literal));
        if let [_, Term::Variable(b)] = arguments(&body[driver.literal]) {
            planner.bound[b.index()] = true;
        }
        planner.candidates = Some(driver);
    }
    while let Some(step) = planner.next() {
        planner.take(step);
        steps.push(step);
    }
    steps
}

struct Planner<'a> {
    rules: &'a RuleSet,
    body: &'a [Literal],
    early: &'a [RelationId],
    bound: Vec<bool>,
    pending: Vec<usize>,
    /// Until the candidates have been enumerated.
    candidates: Option<&'a Driver<'a>>,
}

/// How much a step is expected to enumerate: the least goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Test,
    Lookup,
    /// One event a chain.
    LastOrFirst,
    Join,
    AllBefore,
    OneSideOfOrder,
    EarlyScan,
    Scan,
    WholeOrder,
}

impl Planner<'_> {
    fn next(&self) -> Option<Step> {
        let literals = self.pending.iter().filter_map(|&position| {
            let cost = self.cost(position)?;
            Some((cost, Step::Literal(position)))
        });
        let candidates = self.candidates.and_then(|driver| {
            Some((
                self.candidates_cost(driver)?,
                Step::Candidates(driver.literal),
            ))
        });
        literals
            .chain(candidates)
            .min_by_key(|(cost, _)| *cost)
            .map(|(_, step)| step)
    }

    fn take(&mut self, step: Step) {
        let position = match step {
            Step::Literal(position) => {
                self.pending.retain(|&other| other != position);
                position
            }
            Step::Candidates(position) => {
                if let Some(Driver {
                    witness: Witness::Last { conditions },
                    ..
                }) = self.candidates.take()
                {
                    self.pending.retain(|other| !conditions.contains(other));
                }
                position
            }
            Step::Rise(position) => position,
        };
        let binds = match &self.body[position] {
            Literal::Negative(_) => Vec::new(),
            Literal::Aggregate(aggregate) => vec![aggregate.result],
            literal => variables_in(literal),
        };
        for variable in binds {
            self.bound[variable.index()] = true;
        }
    }

    /// `None` while the literal cannot be evaluated.
    fn cost(&self, position: usize) -> Option<Cost> {
        let literal = &self.body[position];
        if self.waits_for_candidates(literal) {
            return None;
        }
        match literal {
            Literal::Positive(atom) => {
                let known = atom
                    .arguments
                    .iter()
                    .filter(|term| self.has_value(term))
                    .count();
                let open = atom
                    .arguments
                    .iter()
                    .filter(|term| matches!(term, Term::Variable(_)) && !self.has_value(term))
                    .count();
                let is_order = matches!(
                    self.rules.relation(atom.relation).kind,
                    RelationKind::Order(_)
                );
                Some(match (is_order, known) {
                    (true, 2) => Cost::Test,
                    (true, 1) => Cost::OneSideOfOrder,
                    (true, _) => Cost::WholeOrder,
                    (false, _) if open == 0 => Cost::Lookup,
                    (false, 1..) => Cost::Join,
                    (false, 0) if self.early.contains(&atom.relation) => Cost::EarlyScan,
                    (false, 0) => Cost::Scan,
                })
            }
            Literal::Negative(_) => self.all_bound(&variables_in(literal)).then_some(Cost::Test),
            Literal::Compare(comparison, left, right) => {
                let ready = match (self.evaluable(left), self.evaluable(right)) {
                    (true, true) => true,
                    (false, true) => binds(*comparison, left),
                    (true, false) => binds(*comparison, right),
                    (false, false) => false,
                };
                ready.then_some(Cost::Test)
            }
            Literal::Aggregate(aggregate) => self
                .all_bound(&needed_outside(aggregate))
                .then_some(Cost::Test),
        }
    }

    /// Where the last or first event suffices, `a` must not be bound by anything else.
    fn waits_for_candidates(&self, literal: &Literal) -> bool {
        let Some(driver) = self.candidates else {
            return false;
        };
        match (driver.witness, arguments(&self.body[driver.literal])) {
            (Witness::Last { .. } | Witness::First { .. }, [Term::Variable(a), _]) => {
                variables_in(literal).contains(a)
            }
            _ => false,
        }
    }

    fn candidates_cost(&self, driver: &Driver<'_>) -> Option<Cost> {
        let [a, _] = arguments(&self.body[driver.literal]) else {
            return None;
        };
        match driver.witness {
            Witness::All if self.has_value(a) || *a == Term::Wildcard => Some(Cost::Test),
            Witness::All => Some(Cost::AllBefore),
            Witness::Last { conditions } => {
                let ready = conditions.iter().all(|&condition| {
                    variables_in(&self.body[condition]).iter().all(|variable| {
                        *a == Term::Variable(*variable) || self.bound[variable.index()]
                    })
                });
                ready.then_some(Cost::LastOrFirst)
            }
            // The previous event that meets the conditions on `b` must be known.
            Witness::First { conditions } => {
                let ready = !conditions
                    .iter()
                    .any(|condition| self.pending.contains(condition));
                ready.then_some(Cost::LastOrFirst)
            }
        }
    }

    fn has_value(&self, term: &Term) -> bool {
        match term {
            Term::Variable(variable) => self.bound[variable.index()],
            Term::Constant(_) => true,
            Term::Wildcard => false,
        }
    }

    fn evaluable(&self, expression: &Expression) -> bool {
        self.all_bound(&variables_of(expression))
    }

    fn all_bound(&self, variables: &[VariableId]) -> bool {
        variables
            .iter()
            .all(|variable| self.bound[variable.index()])
    }
}

/// Whether a comparison can give this side its value.
fn binds(comparison: Comparison, side: &Expression) -> bool {
    comparison == Comparison::Equal && matches!(side, Expression::Variable(_))
}

fn arguments(literal: &Literal) -> &[Term] {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => &atom.arguments,
        Literal::Compare(..) | Literal::Aggregate(_) => &[],
    }
}

/// The variables that must have a value before the aggregate can be taken.
fn needed_outside(aggregate: &Aggregate) -> Vec<VariableId> {
    let inside: Vec<VariableId> = aggregate.body.iter().flat_map(variables_in).collect();
    let value = aggregate.value.iter().flat_map(variables_of);
    let outside = value.filter(|variable| !inside.contains(variable));
    aggregate.groups.iter().copied().chain(outside).collect()
}
