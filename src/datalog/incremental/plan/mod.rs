//! From rules to plans: what the dataflow does for each rule, decided once.
//!
//! A body becomes a sequence of [`Action`]s, each of which extends or restricts the
//! assignments found so far ([`sequence`]). Then every assignment gets a layout, a key and a
//! value of only the variables that are needed later ([`layout`]).
//!
//! An atom over an `order` relation is spelled as atoms over what the order is kept as:
//! where its events stand ([`Source::Places`]), and how far along each chain the events
//! before an event reach ([`Source::Clocks`]). See [`orders`].

mod awake;
mod candidates;
mod layout;
mod orders;
mod sequence;
mod stratum;

pub(super) use awake::Awake;
pub(super) use candidates::CandidateSet;
pub(super) use layout::{
    Arranging, Base, Column, Emission, Input, Operation, Plan, Slot, Stage, Step,
};
pub(super) use stratum::{Program, RelationPlan, RulePlan, StratumPlan};

use heddle_language::ruleset::{AggregateFunction, Comparison, Operator, RelationId};

/// A variable of a rule, or one that the planner adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Var(pub(super) u32);

/// Where tuples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// One empty tuple.
    Unit,
    Relation(RelationId),
    /// The executed events of an order: (event, kind, chain, index). The kind is
    /// [`CHAINED`].
    Places(RelationId),
    /// How far the events before an event reach: (event, kind, chain, index).
    Clocks(RelationId),
    /// How far the events before any event reach: (kind, chain, index).
    Reach(RelationId),
    /// A relation with the places of the events in one of its columns: the relation's
    /// columns, then kind, chain and index.
    Placed {
        relation: RelationId,
        column: usize,
        order: RelationId,
    },
}

/// The kind of a chain that `event` tuples make.
pub(super) const CHAINED: i64 = 0;
/// The kind of the chain of one that an event in no other chain is; the chain is the event,
/// and its index is 0.
pub(super) const LOOSE: i64 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlanAtom {
    pub(super) source: Source,
    pub(super) terms: Vec<PlanTerm>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PlanTerm {
    Variable(Var),
    Constant(i64),
    Any,
}

/// An expression over variables of type `V`.
#[derive(Clone, Debug)]
pub(super) enum Formula<V> {
    Variable(V),
    Constant(i64),
    Negate(Box<Formula<V>>),
    Binary(Operator, Box<Formula<V>>, Box<Formula<V>>),
    /// The third if the first two are equal pairwise, else the fourth.
    IfEqual(Box<[Formula<V>; 6]>),
}

impl<V: Copy> Formula<V> {
    pub(super) fn map<W>(&self, place: &impl Fn(V) -> W) -> Formula<W> {
        match self {
            Formula::Variable(variable) => Formula::Variable(place(*variable)),
            Formula::Constant(value) => Formula::Constant(*value),
            Formula::Negate(inner) => Formula::Negate(Box::new(inner.map(place))),
            Formula::Binary(operator, left, right) => Formula::Binary(
                *operator,
                Box::new(left.map(place)),
                Box::new(right.map(place)),
            ),
            Formula::IfEqual(parts) => {
                Formula::IfEqual(Box::new(parts.each_ref().map(|part| part.map(place))))
            }
        }
    }

    pub(super) fn variables(&self, found: &mut Vec<V>) {
        match self {
            Formula::Variable(variable) => found.push(*variable),
            Formula::Constant(_) => {}
            Formula::Negate(inner) => inner.variables(found),
            Formula::Binary(_, left, right) => {
                left.variables(found);
                right.variables(found);
            }
            Formula::IfEqual(parts) => parts.iter().for_each(|part| part.variables(found)),
        }
    }

    /// `None` where a division by zero leaves it without a value.
    pub(super) fn value(&self, variable: &impl Fn(V) -> i64) -> Option<i64> {
        Some(match self {
            Formula::Variable(place) => variable(*place),
            Formula::Constant(value) => *value,
            Formula::Negate(inner) => inner.value(variable)?.wrapping_neg(),
            Formula::Binary(operator, left, right) => {
                operator.apply(left.value(variable)?, right.value(variable)?)?
            }
            Formula::IfEqual(parts) => {
                let [a, b, c, d, then, otherwise] = &**parts;
                let equal = a.value(variable)? == b.value(variable)?
                    && c.value(variable)? == d.value(variable)?;
                let chosen = if equal { then } else { otherwise };
                chosen.value(variable)?
            }
        })
    }
}

#[derive(Clone, Debug)]
pub(super) struct Test<V> {
    pub(super) comparison: Comparison,
    pub(super) left: Formula<V>,
    pub(super) right: Formula<V>,
}

impl<V: Copy> Test<V> {
    pub(super) fn map<W>(&self, place: &impl Fn(V) -> W) -> Test<W> {
        Test {
            comparison: self.comparison,
            left: self.left.map(place),
            right: self.right.map(place),
        }
    }

    pub(super) fn variables(&self, found: &mut Vec<V>) {
        self.left.variables(found);
        self.right.variables(found);
    }

    pub(super) fn holds(&self, variable: &impl Fn(V) -> i64) -> bool {
        match (self.left.value(variable), self.right.value(variable)) {
            (Some(left), Some(right)) => self.comparison.holds(left, right),
            _ => false,
        }
    }
}

/// One step in the evaluation of a body, on the assignments found so far.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Extends an assignment by all tuples that agree with it.
    Join(PlanAtom),
    /// Keeps the assignments that no tuple agrees with. Tuples that fail the tests, which
    /// may mention the atom's own variables, do not count; then at most one tuple agrees
    /// with the rest of the atom.
    Absent(PlanAtom, Vec<Test<Var>>),
    Test(Test<Var>),
    Bind(Var, Formula<Var>),
    /// Finds the place of an event.
    Locate {
        order: RelationId,
        event: Var,
        place: Place,
    },
    /// Takes each event of a chain up to a limit.
    Expand {
        order: RelationId,
        chain: ChainVars,
        limit: Var,
        event: Var,
        index: Var,
    },
    Seek(Seek),
    Aggregate(AggregateAction),
}

/// Where an event stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) chain: ChainVars,
    pub(super) index: Var,
}

impl Place {
    pub(super) fn variables(self) -> [Var; 3] {
        [self.chain.kind, self.chain.chain, self.index]
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ChainVars {
    pub(super) kind: Var,
    pub(super) chain: Var,
}

/// Takes the last event of a chain up to a limit that meets conditions.
#[derive(Clone, Debug)]
pub(super) struct Seek {
    pub(super) chain: ChainVars,
    pub(super) limit: Var,
    /// Also takes the last event in front of this index.
    pub(super) split: Option<Var>,
    pub(super) candidates: CandidateSet,
    /// What the candidates depend on.
    pub(super) key: Vec<Var>,
    /// Tests of the event and other variables.
    pub(super) tests: Vec<Test<Var>>,
    pub(super) event: Var,
    pub(super) index: Var,
}

#[derive(Clone, Debug)]
pub(super) struct AggregateAction {
    pub(super) function: AggregateFunction,
    pub(super) groups: Vec<Var>,
    pub(super) result: Var,
    pub(super) body: Vec<Action>,
    pub(super) value: Option<Formula<Var>>,
}
