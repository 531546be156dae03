//! In which order the literals of a body are evaluated.
//!
//! As a rule of thumb the writer's order is kept: the next atom is the first of the body
//! that shares a variable with what is known. Tests come as soon as they can be made, and so
//! do atoms that bind nothing, for they only make less of it. Orders come late, because an
//! event has many events before it. Where the last event of each chain will do
//! ([`Witness::Last`]), whatever depends on this event waits until it is found, and the rest
//! of the body first provides what finding it takes, and no more.

use super::candidates::CandidateSet;
use super::{Action, AggregateAction, Formula, Place, PlanAtom, PlanTerm, Source, Test, Var};
use crate::constants::Constants;
use heddle_language::order_use::{OrderUse, Witness};
use heddle_language::ruleset::{
    Aggregate, AggregateFunction, Atom, Comparison, Expression, Head, Literal, RelationId,
    RelationKind, RuleSet, Term, VariableId,
};
use std::collections::BTreeSet;

pub(super) struct Sequencer<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) constants: &'a Constants,
    pub(super) next_variable: u32,
    /// The relations that are derived together with the body's head.
    pub(super) stratum: &'a [RelationId],
}

/// What is wanted of a body.
pub(super) struct Wanted<'a> {
    pub(super) variables: Vec<Var>,
    pub(super) multiplicity: Multiplicity,
    /// If it is the body of a rule: its head, and how it uses orders of its stratum.
    pub(super) head: Option<&'a Head>,
    pub(super) uses: &'a [OrderUse],
}

/// How often an assignment to the wanted variables is to come out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Multiplicity {
    /// At least once, so events that nothing mentions are not spelled out.
    Any,
    /// Once for each assignment to all variables and wildcards of the body.
    EachAssignment,
}

impl Wanted<'_> {
    pub(super) fn values(variables: Vec<Var>, multiplicity: Multiplicity) -> Self {
        Wanted {
            variables,
            multiplicity,
            head: None,
            uses: &[],
        }
    }
}

/// What is known of the events that an order atom is to be tried with.
#[derive(Clone, Debug)]
pub(super) struct Last {
    /// Position of the atom in the body.
    pub(super) literal: usize,
    pub(super) event: Var,
    pub(super) candidates: CandidateSet,
    pub(super) key: Vec<Var>,
    pub(super) tests: Vec<Test<Var>>,
    /// Positions of the literals that a found event is sure to meet.
    pub(super) met: Vec<usize>,
    /// Whether the event before which it is sought may be in the same chain and must then
    /// be told from those after it.
    pub(super) split: bool,
}

impl Last {
    /// What must be known before the event is sought.
    fn needs(&self) -> BTreeSet<Var> {
        let mut needs: Vec<Var> = self.key.clone();
        for test in &self.tests {
            test.variables(&mut needs);
        }
        needs.retain(|&variable| variable != self.event);
        needs.into_iter().collect()
    }
}

/// The evaluation of one body, under construction.
pub(super) struct Body<'a> {
    pub(super) literals: &'a [Literal],
    /// Positions of the literals that have not been evaluated.
    pending: BTreeSet<usize>,
    lasts: Vec<Last>,
    pub(super) bound: BTreeSet<Var>,
    /// What is needed in the end.
    results: BTreeSet<Var>,
    multiplicity: Multiplicity,
    /// The event whose place is needed in the end as well, and the order that it is of.
    origin: Option<(RelationId, Var)>,
    places: Vec<(RelationId, Var, Place)>,
    pub(super) actions: Vec<Action>,
}

impl<'a> Sequencer<'a> {
    pub(super) fn fresh(&mut self) -> Var {
        let variable = Var(self.next_variable);
        self.next_variable += 1;
        variable
    }

    /// The evaluation of a body whose `bound` variables are known.
    pub(super) fn sequence(
        &mut self,
        literals: &'a [Literal],
        bound: impl IntoIterator<Item = Var>,
        wanted: Wanted<'_>,
    ) -> Vec<Action> {
        self.run(literals, bound, wanted, None).actions
    }

    /// The evaluation of the body of a rule for an edge of an order, and the place that the
    /// edge begins at.
    pub(super) fn sequence_edge(
        &mut self,
        literals: &'a [Literal],
        wanted: Wanted<'_>,
        order: RelationId,
        from: &Formula<Var>,
    ) -> (Vec<Action>, Place) {
        let origin = match from {
            Formula::Variable(variable) => *variable,
            _ => self.fresh(),
        };
        let mut body = self.run(literals, [], wanted, Some((order, origin)));
        if body.bound.insert(origin) {
            body.actions.push(Action::Bind(origin, from.clone()));
        }
        let place = self.locate(&mut body, order, origin);
        (body.actions, place)
    }

    fn run(
        &mut self,
        literals: &'a [Literal],
        bound: impl IntoIterator<Item = Var>,
        wanted: Wanted<'_>,
        origin: Option<(RelationId, Var)>,
    ) -> Body<'a> {
        let lasts = wanted
            .uses
            .iter()
            .filter_map(|order_use| match &order_use.witness {
                Witness::Last { conditions } => {
                    self.last(literals, order_use.literal, conditions, wanted.head?)
                }
                Witness::First { .. } | Witness::All => None,
            })
            .collect();
        let mut body = Body {
            literals,
            pending: (0..literals.len()).collect(),
            lasts,
            bound: bound.into_iter().collect(),
            results: wanted.variables.into_iter().collect(),
            multiplicity: wanted.multiplicity,
            origin,
            places: Vec::new(),
            actions: Vec::new(),
        };
        while !body.pending.is_empty() {
            self.advance(&mut body);
        }
        body
    }

    fn advance(&mut self, body: &mut Body<'a>) {
        // An event that another search has bound is not sought: it is given.
        body.lasts.retain(|last| !body.bound.contains(&last.event));
        if let Some(position) = body.find(|body, position| self.is_check(body, position)) {
            return self.evaluate(body, position);
        }
        if let Some(last) = body.ready_last() {
            return self.seek(body, &last);
        }
        if !body.lasts.is_empty() {
            if let Some(position) = self.provider(body) {
                return self.evaluate(body, position);
            }
            if let Some(last) = body
                .lasts
                .iter()
                .find(|last| last.needs().is_subset(&body.bound))
            {
                // Nothing else binds the event before which it is sought.
                let last = last.clone();
                return self.seek(body, &last);
            }
            // Its conditions lean on each other: try all events instead.
            body.lasts.remove(0);
            return;
        }
        let next = body
            .find(|body, position| self.is_plain(body, position) && body.is_connected(position))
            .or_else(|| body.find(|body, position| body.is_ready_aggregate(position)))
            .or_else(|| {
                body.find(|body, position| {
                    body.is_positive(position) && body.is_connected(position)
                })
            })
            .or_else(|| body.find(|body, position| self.is_plain(body, position)))
            .or_else(|| body.find(|body, position| body.is_positive(position)))
            .expect("a checked body can be evaluated");
        self.evaluate(body, next);
    }

    /// Whether the literal restricts what is known, or computes something from it.
    fn is_check(&self, body: &Body, position: usize) -> bool {
        match &body.literals[position] {
            Literal::Positive(_) => {
                body.is_bound(position) && (self.is_plain(body, position) || body.lasts.is_empty())
            }
            Literal::Negative(_) => body.is_bound(position),
            Literal::Compare(comparison, left, right) => {
                body.is_bound(position)
                    || *comparison == Comparison::Equal
                        && (body.binding(left, right).is_some()
                            || body.binding(right, left).is_some())
            }
            Literal::Aggregate(_) => false,
        }
    }

    fn is_plain(&self, body: &Body, position: usize) -> bool {
        match &body.literals[position] {
            Literal::Positive(atom) => self.order(atom.relation).is_none(),
            _ => false,
        }
    }

    pub(super) fn order(&self, relation: RelationId) -> Option<RelationId> {
        match self.rules.relation(relation).kind {
            RelationKind::Order(_) => Some(relation),
            _ => None,
        }
    }

    /// The atom that binds most of what the pending searches need.
    fn provider(&self, body: &Body) -> Option<usize> {
        let mut needed: BTreeSet<Var> = BTreeSet::new();
        for last in &body.lasts {
            needed.extend(last.needs());
            needed.extend(body.after(last));
        }
        let binds = |position: usize| {
            let fresh = body
                .variables(position)
                .into_iter()
                .filter(|variable| needed.contains(variable) && !body.bound.contains(variable));
            fresh.collect::<BTreeSet<_>>().len()
        };
        let atoms = body.pending.iter().copied().filter(|&position| {
            self.is_plain(body, position) && !body.is_blocked(position) && binds(position) > 0
        });
        // Of several the first: `max_by_key` takes the last.
        let atoms: Vec<usize> = atoms.collect();
        atoms
            .into_iter()
            .rev()
            .max_by_key(|&position| (body.is_connected(position), binds(position)))
    }

    fn evaluate(&mut self, body: &mut Body<'a>, position: usize) {
        body.pending.remove(&position);
        body.lasts.retain(|last| last.literal != position);
        match &body.literals[position] {
            Literal::Positive(atom) => match self.order(atom.relation) {
                None => self.plain_atom(body, atom),
                Some(order) => self.order_atom(body, order, atom),
            },
            Literal::Negative(atom) => match self.order(atom.relation) {
                None => {
                    let atom = self.plan_atom(atom);
                    body.actions.push(Action::Absent(atom, Vec::new()));
                }
                Some(order) => self.negated_order_atom(body, order, atom),
            },
            Literal::Compare(comparison, left, right) => {
                let binding = body.binding(left, right).map(|variable| (variable, right));
                let binding =
                    binding.or_else(|| body.binding(right, left).map(|variable| (variable, left)));
                let action = match binding {
                    Some((variable, expression)) if *comparison == Comparison::Equal => {
                        body.bound.insert(variable);
                        Action::Bind(variable, self.formula(expression))
                    }
                    _ => Action::Test(self.test(*comparison, left, right)),
                };
                body.actions.push(action);
            }
            Literal::Aggregate(aggregate) => self.aggregate(body, aggregate),
        }
    }

    /// If the atom provides the event whose place is needed in the end, it provides the
    /// place too: that is cheaper than finding it in every round.
    fn plain_atom(&mut self, body: &mut Body<'a>, atom: &Atom) {
        let mut planned = self.plan_atom(atom);
        if let Some((order, event)) = body.origin
            && !body.bound.contains(&event)
            && !self.stratum.contains(&atom.relation)
            && let Some(column) = position(&planned.terms, event)
        {
            let place = self.fresh_place();
            planned.source = Source::Placed {
                relation: atom.relation,
                column,
                order,
            };
            let terms = place.variables().map(PlanTerm::Variable);
            planned.terms.extend(terms);
            body.place(order, event, place);
        }
        body.join(planned);
    }

    fn aggregate(&mut self, body: &mut Body<'a>, aggregate: &'a Aggregate) {
        let groups: Vec<Var> = aggregate.groups.iter().copied().map(var).collect();
        let value = aggregate.value.as_ref().map(|value| self.formula(value));
        let mut wanted = groups.clone();
        if let Some(value) = &value {
            value.variables(&mut wanted);
        }
        let multiplicity = match aggregate.function {
            AggregateFunction::Count | AggregateFunction::Sum => Multiplicity::EachAssignment,
            AggregateFunction::Min | AggregateFunction::Max => Multiplicity::Any,
        };
        let wanted = Wanted::values(wanted, multiplicity);
        let inner = self.sequence(&aggregate.body, groups.iter().copied(), wanted);
        let result = var(aggregate.result);
        body.bound.insert(result);
        body.actions.push(Action::Aggregate(AggregateAction {
            function: aggregate.function,
            groups,
            result,
            body: inner,
            value,
        }));
    }

    pub(super) fn plan_atom(&self, atom: &Atom) -> PlanAtom {
        PlanAtom {
            source: Source::Relation(atom.relation),
            terms: atom.arguments.iter().map(|term| self.term(term)).collect(),
        }
    }

    pub(super) fn term(&self, term: &Term) -> PlanTerm {
        match term {
            Term::Variable(variable) => PlanTerm::Variable(var(*variable)),
            Term::Constant(constant) => PlanTerm::Constant(self.constants.value(constant).0),
            Term::Wildcard => PlanTerm::Any,
        }
    }

    pub(super) fn formula(&self, expression: &Expression) -> Formula<Var> {
        match expression {
            Expression::Variable(variable) => Formula::Variable(var(*variable)),
            Expression::Constant(constant) => Formula::Constant(self.constants.value(constant).0),
            Expression::Negate(inner) => Formula::Negate(Box::new(self.formula(inner))),
            Expression::Binary(operator, left, right) => Formula::Binary(
                *operator,
                Box::new(self.formula(left)),
                Box::new(self.formula(right)),
            ),
        }
    }

    pub(super) fn test(
        &self,
        comparison: Comparison,
        left: &Expression,
        right: &Expression,
    ) -> Test<Var> {
        Test {
            comparison,
            left: self.formula(left),
            right: self.formula(right),
        }
    }
}

impl Body<'_> {
    /// The first pending literal with a property that is not waiting for an event to be
    /// found.
    fn find(&self, property: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let pending = self.pending.iter().copied();
        pending
            .filter(|&position| !self.is_blocked(position))
            .find(|&position| property(self, position))
    }

    fn is_blocked(&self, position: usize) -> bool {
        let variables = self.variables(position);
        self.lasts
            .iter()
            .any(|last| last.literal == position || variables.contains(&last.event))
    }

    fn is_positive(&self, position: usize) -> bool {
        matches!(self.literals[position], Literal::Positive(_))
    }

    fn is_ready_aggregate(&self, position: usize) -> bool {
        match &self.literals[position] {
            Literal::Aggregate(aggregate) => {
                let mut groups = aggregate.groups.iter();
                groups.all(|&group| self.bound.contains(&var(group)))
            }
            _ => false,
        }
    }

    fn is_bound(&self, position: usize) -> bool {
        let variables = self.variables(position);
        variables
            .iter()
            .all(|variable| self.bound.contains(variable))
    }

    /// Whether joining the atom is better than forming all pairs.
    fn is_connected(&self, position: usize) -> bool {
        let Literal::Positive(atom) = &self.literals[position] else {
            return false;
        };
        let known = |term: &Term| match term {
            Term::Variable(variable) => self.bound.contains(&var(*variable)),
            Term::Constant(_) | Term::Wildcard => false,
        };
        self.actions.is_empty() && self.bound.is_empty() || atom.arguments.iter().any(known)
    }

    /// The variables of a literal, and those of an aggregate that are its own business too.
    fn variables(&self, position: usize) -> Vec<Var> {
        let mut found = Vec::new();
        collect(&self.literals[position], &mut found);
        found
    }

    /// The variable that `side = other` binds.
    fn binding(&self, side: &Expression, other: &Expression) -> Option<Var> {
        let Expression::Variable(variable) = side else {
            return None;
        };
        let mut others = Vec::new();
        collect_expression(other, &mut others);
        let known = others.iter().all(|variable| self.bound.contains(variable));
        (known && !self.bound.contains(&var(*variable))).then_some(var(*variable))
    }

    pub(super) fn place(&mut self, order: RelationId, event: Var, place: Place) {
        self.places.push((order, event, place));
    }

    pub(super) fn known_place(&self, order: RelationId, event: Var) -> Option<Place> {
        let known = self
            .places
            .iter()
            .find(|known| (known.0, known.1) == (order, event));
        known.map(|known| known.2)
    }

    pub(super) fn join(&mut self, atom: PlanAtom) {
        for term in &atom.terms {
            if let PlanTerm::Variable(variable) = term {
                self.bound.insert(*variable);
            }
        }
        self.actions.push(Action::Join(atom));
    }

    /// A search for which everything is known.
    fn ready_last(&self) -> Option<Last> {
        let ready = self.lasts.iter().find(|last| {
            last.needs().is_subset(&self.bound)
                && self
                    .after(last)
                    .is_none_or(|after| self.bound.contains(&after))
        });
        ready.cloned()
    }

    /// The event before which it is sought.
    fn after(&self, last: &Last) -> Option<Var> {
        let Literal::Positive(atom) = &self.literals[last.literal] else {
            return None;
        };
        match atom.arguments[1] {
            Term::Variable(variable) => Some(var(variable)),
            Term::Constant(_) | Term::Wildcard => None,
        }
    }

    pub(super) fn done(&mut self, last: &Last) {
        self.pending.remove(&last.literal);
        for literal in &last.met {
            self.pending.remove(literal);
        }
        self.lasts.retain(|other| other.literal != last.literal);
    }

    /// Whether anything but what has been evaluated mentions the variable, or its values
    /// are counted.
    pub(super) fn is_needed(&self, variable: Var) -> bool {
        self.multiplicity == Multiplicity::EachAssignment
            || self.results.contains(&variable)
            || self
                .pending
                .iter()
                .any(|&position| self.variables(position).contains(&variable))
    }
}

fn position(terms: &[PlanTerm], variable: Var) -> Option<usize> {
    terms
        .iter()
        .position(|term| *term == PlanTerm::Variable(variable))
}

pub(super) fn var(variable: VariableId) -> Var {
    Var(variable.0)
}

/// The variables of a literal that have to do with the rest of the body.
pub(super) fn collect(literal: &Literal, found: &mut Vec<Var>) {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => {
            for term in &atom.arguments {
                if let Term::Variable(variable) = term {
                    found.push(var(*variable));
                }
            }
        }
        Literal::Compare(_, left, right) => {
            collect_expression(left, found);
            collect_expression(right, found);
        }
        Literal::Aggregate(aggregate) => {
            found.push(var(aggregate.result));
            found.extend(aggregate.groups.iter().copied().map(var));
        }
    }
}

fn collect_expression(expression: &Expression, found: &mut Vec<Var>) {
    match expression {
        Expression::Variable(variable) => found.push(var(*variable)),
        Expression::Constant(_) => {}
        Expression::Negate(inner) => collect_expression(inner, found),
        Expression::Binary(_, left, right) => {
            collect_expression(left, found);
            collect_expression(right, found);
        }
    }
}
