//! How a rule with an order in its body is evaluated without spelling the order out.
//!
//! In `lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), …` the literals of lower
//! strata fall into two sides: those that speak of the later event (`w2`: its *site*) and
//! those that speak of the earlier one (`w`: its *source*). Both are tables that do not
//! change while the order is derived. Each path of the order is joined with the sites that
//! lie behind its end and the sources that lie before its beginning; whatever is left of
//! the body is evaluated last.

use super::plan::{Formula, Plan, Planner, Step, is_bound, variable_of};
use super::program::{Clause, ClauseId, Head, OrderId};
use heddle_language::order_use::Witness;
use heddle_language::ruleset::{
    Comparison, Expression, Literal, RelationId, RuleSet, Term, VariableId,
};
use std::cmp::Reverse;

/// One atom `lt(a, b)` of a clause, over an order of the clause's own stratum.
pub(super) struct JoinPlan {
    pub(super) clause: ClauseId,
    pub(super) order: OrderId,
    /// Position of the atom in the body.
    pub(super) atom: u32,
    pub(super) first: VariableId,
    pub(super) last: VariableId,
    /// What is demanded of `b`; `None` if nothing is that could be tabulated.
    pub(super) sites: Option<Side>,
    /// What is demanded of `a`.
    pub(super) sources: Option<Side>,
    /// The variables that both sides have.
    pub(super) shared: Vec<VariableId>,
    /// Whatever else the body demands.
    pub(super) rest: Plan,
    pub(super) stop: Stop,
    pub(super) lead: Lead,
    /// Whether the last source of a chain is enough if it does not matter what anything rests
    /// on.
    pub(super) last_suffices: bool,
    /// Whether the clause is nothing but `.conflict lt(e, e)`.
    pub(super) is_acyclicity: bool,
}

pub(super) struct Side {
    /// Of its literals in the body.
    pub(super) positions: Vec<usize>,
    pub(super) plan: Plan,
    /// Bound by the plan; the event is the first.
    pub(super) variables: Vec<VariableId>,
    /// The relations by which a row may rest on literals.
    pub(super) conditional: Vec<RelationId>,
}

/// The sources of one chain are tried from the last to the first. When do the earlier ones
/// add nothing, not even a reason? See [`heddle_language::order_use`] for why they derive
/// nothing else; the conditions here make sure that what they derive by way of the later one
/// rests on no further literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Never,
    /// After a source that is present in its chain anyway and rests on no literal.
    AfterFreeSource,
    /// After a source that is present in its chain anyway.
    AfterPresentSource,
}

/// Whether the rule leads from one end of a path only to another event, which a row of that side
/// has in this place; see [`super::stretches`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    No,
    FromSource(usize),
    FromSite(usize),
}

impl JoinPlan {
    /// Whether nothing but comparisons is left of the body when both sides are known.
    pub(super) fn ends_in_tests(&self) -> bool {
        let is_test = |step: &Step| matches!(step, Step::Test(..));
        self.rest.steps.iter().all(is_test)
    }

    pub(super) fn is_reflexive(&self) -> bool {
        self.first == self.last
    }
}

pub(super) struct JoinContext<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) conditional: &'a [bool],
    pub(super) id: ClauseId,
    pub(super) clause: &'a Clause,
    /// Which relations are complete before the join.
    pub(super) lower: &'a dyn Fn(RelationId) -> bool,
}

/// Plans the join for the atom of an order at `position`; `witness` says which events
/// before `b` the rule has to be tried with.
pub(super) fn plan_join(
    planner: &mut Planner,
    context: &JoinContext,
    position: usize,
    witness: Option<&Witness>,
) -> JoinPlan {
    let clause = context.clause;
    let Literal::Positive(atom) = &clause.body[position] else {
        unreachable!("a join is planned for a positive atom");
    };
    let end = |column: usize| variable_of(&atom.arguments[column]).expect("a variable");
    let (first, last) = (end(0), end(1));
    let is_reflexive = first == last;
    let (site_literals, source_literals) = context.split(position, first, last);
    let sites = context.side(planner, &site_literals, last);
    let sources = context.side(planner, &source_literals, first);
    let mut left: Vec<usize> = (0..clause.body.len()).collect();
    left.retain(|other| {
        let mut sides = [&sites, &sources].into_iter().flatten();
        *other != position && !sides.any(|side| side.positions.contains(other))
    });

    let mut bound = vec![false; clause.variables];
    bound[first.index()] = true;
    bound[last.index()] = true;
    for side in [&sites, &sources].into_iter().flatten() {
        for variable in &side.variables {
            bound[variable.index()] = true;
        }
    }
    let shared = match (&sites, &sources) {
        (Some(sites), Some(sources)) => intersection(&sites.variables, &sources.variables),
        (None, Some(sources)) => intersection(&[last], &sources.variables),
        _ => Vec::new(),
    };
    let order = planner.orders[atom.relation.index()].expect("an order");
    JoinPlan {
        clause: context.id,
        order,
        atom: position as u32,
        first,
        last,
        lead: lead(&clause.head, order, (&sources, first), (&sites, last)),
        sites,
        sources,
        shared,
        rest: planner.plan(&clause.body, &left, &mut bound),
        stop: context.stop(witness, first),
        last_suffices: matches!(witness, Some(Witness::Last { .. })),
        is_acyclicity: is_reflexive
            && clause.body.len() == 1
            && matches!(clause.head, Head::Conflict),
    }
}

fn lead(
    head: &Head,
    order: OrderId,
    (sources, first): (&Option<Side>, VariableId),
    (sites, last): (&Option<Side>, VariableId),
) -> Lead {
    let Head::Edge(derived, ends) = head else {
        return Lead::No;
    };
    let [Some(from), Some(to)] = ends.each_ref().map(Formula::variable) else {
        return Lead::No;
    };
    let place = |side: &Option<Side>, variable: VariableId| {
        let mut variables = side.as_ref()?.variables.iter();
        variables.position(|&other| other == variable)
    };
    match (place(sources, from), place(sites, to)) {
        _ if *derived != order || first == last => Lead::No,
        (Some(place), _) if to == last => Lead::FromSource(place),
        (_, Some(place)) if from == first => Lead::FromSite(place),
        _ => Lead::No,
    }
}

fn intersection(one: &[VariableId], other: &[VariableId]) -> Vec<VariableId> {
    let shared = one.iter().filter(|variable| other.contains(variable));
    shared.copied().collect()
}

impl JoinContext<'_> {
    /// The literals that speak of the later event, and those that speak of the earlier one.
    /// Those of neither are left for later.
    fn split(
        &self,
        position: usize,
        first: VariableId,
        last: VariableId,
    ) -> (Vec<usize>, Vec<usize>) {
        let body = &self.clause.body;
        let mut site = PartialSide::new(self.clause.variables, last);
        let mut source = PartialSide::new(self.clause.variables, first);
        let mut left: Vec<usize> = (0..body.len()).filter(|&other| other != position).collect();
        left.retain(|&other| match &body[other] {
            Literal::Positive(atom) if !(self.lower)(atom.relation) => false,
            literal if mentions(literal, first) && first != last => {
                let taken = matches!(literal, Literal::Positive(_));
                if taken {
                    source.take(other, literal);
                }
                !taken
            }
            _ => true,
        });
        loop {
            let options = left.iter().enumerate().flat_map(|(place, &other)| {
                let literal = &body[other];
                // What mentions the earlier event cannot be known at the site alone.
                let for_site = (first == last || !mentions(literal, first))
                    .then(|| site.affinity(self, literal))
                    .flatten();
                let for_source = (first != last)
                    .then(|| source.affinity(self, literal))
                    .flatten();
                let option = |affinity, is_site| (affinity, Reverse(place), is_site);
                let for_site = for_site.map(|affinity| option(affinity, true));
                let for_source = for_source.map(|affinity| option(affinity, false));
                for_site.into_iter().chain(for_source)
            });
            let Some((_, Reverse(place), is_site)) = options.max() else {
                return (site.positions, source.positions);
            };
            let other = left.remove(place);
            let side = if is_site { &mut site } else { &mut source };
            side.take(other, &body[other]);
        }
    }

    /// A table of what some literals say of the event; `None` if they do not bind it.
    fn side(&self, planner: &mut Planner, literals: &[usize], event: VariableId) -> Option<Side> {
        // The event is not known beforehand, so some tests may have to wait.
        let mut known = vec![false; self.clause.variables];
        let positions = self.grow(literals, &mut known);
        if !known[event.index()] {
            return None;
        }
        let mut variables = vec![event];
        variables.extend(
            (0..self.clause.variables as u32)
                .map(VariableId)
                .filter(|variable| known[variable.index()] && *variable != event),
        );
        let body = &self.clause.body;
        let relations = positions
            .iter()
            .filter_map(|&position| match &body[position] {
                Literal::Positive(atom) => Some(atom.relation),
                _ => None,
            });
        let conditional = relations.filter(|relation| self.conditional[relation.index()]);
        let conditional = conditional.collect();
        Some(Side {
            plan: planner.plan(body, &positions, &mut vec![false; self.clause.variables]),
            positions,
            variables,
            conditional,
        })
    }

    /// The literals among `candidates` that can be evaluated one after the other, starting
    /// with nothing.
    fn grow(&self, candidates: &[usize], known: &mut [bool]) -> Vec<usize> {
        let body = &self.clause.body;
        let mut taken = Vec::new();
        let mut left = candidates.to_vec();
        while let Some(place) = left
            .iter()
            .position(|&position| self.is_ready(&body[position], known))
        {
            let position = left.remove(place);
            bind(&body[position], known);
            taken.push(position);
        }
        taken
    }

    fn is_ready(&self, literal: &Literal, known: &[bool]) -> bool {
        match literal {
            Literal::Positive(atom) => (self.lower)(atom.relation),
            Literal::Negative(atom) => {
                let mut variables = atom.arguments.iter().filter_map(variable_of);
                variables.all(|variable| known[variable.index()])
            }
            Literal::Aggregate(aggregate) => {
                aggregate.groups.iter().all(|group| known[group.index()])
            }
            Literal::Compare(comparison, left, right) => {
                let (left_known, right_known) = (is_bound(left, known), is_bound(right, known));
                let is_variable = |side| matches!(side, &Expression::Variable(_));
                left_known && right_known
                    || *comparison == Comparison::Equal
                        && (left_known && is_variable(right) || right_known && is_variable(left))
            }
        }
    }

    fn stop(&self, witness: Option<&Witness>, first: VariableId) -> Stop {
        let Some(Witness::Last { conditions }) = witness else {
            return Stop::Never;
        };
        let rule = &self.rules.rules[self.id.index()];
        if rule.head.arguments.first() == Some(&Expression::Variable(first)) {
            return Stop::AfterFreeSource;
        }
        let unconditional = conditions
            .iter()
            .all(|&position| match &rule.body[position] {
                Literal::Positive(atom) => !self.conditional[atom.relation.index()],
                _ => true,
            });
        if unconditional {
            Stop::AfterPresentSource
        } else {
            Stop::Never
        }
    }
}

/// A side in the making.
struct PartialSide {
    event: VariableId,
    positions: Vec<usize>,
    known: Vec<bool>,
}

/// How well a literal goes with a side; the greatest is taken first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Affinity {
    /// It shares so many variables, the first of them in this column from the end.
    Shares { variables: usize, column: usize },
    /// The side has all of its variables.
    Tests,
    /// It speaks of the event itself.
    Event,
}

impl PartialSide {
    fn new(variables: usize, event: VariableId) -> Self {
        let mut known = vec![false; variables];
        known[event.index()] = true;
        PartialSide {
            event,
            positions: Vec::new(),
            known,
        }
    }

    fn take(&mut self, position: usize, literal: &Literal) {
        self.positions.push(position);
        bind(literal, &mut self.known);
    }

    fn affinity(&self, context: &JoinContext, literal: &Literal) -> Option<Affinity> {
        let Literal::Positive(atom) = literal else {
            return context
                .is_ready(literal, &self.known)
                .then_some(Affinity::Tests);
        };
        if mentions(literal, self.event) {
            return Some(Affinity::Event);
        }
        let shared = |argument: &Term| {
            variable_of(argument).is_some_and(|variable| self.known[variable.index()])
        };
        let variables = atom
            .arguments
            .iter()
            .filter(|argument| shared(argument))
            .count();
        let all = atom.arguments.iter().filter_map(variable_of).count();
        if variables == 0 {
            return None;
        }
        if variables == all {
            return Some(Affinity::Tests);
        }
        let first = atom.arguments.iter().position(shared)?;
        Some(Affinity::Shares {
            variables,
            column: atom.arguments.len() - first,
        })
    }
}

/// Marks the variables that have values once the literal holds.
fn bind(literal: &Literal, known: &mut [bool]) {
    match literal {
        Literal::Positive(atom) => {
            for variable in atom.arguments.iter().filter_map(variable_of) {
                known[variable.index()] = true;
            }
        }
        Literal::Aggregate(aggregate) => known[aggregate.result.index()] = true,
        Literal::Compare(Comparison::Equal, left, right) => {
            for side in [left, right] {
                if let Expression::Variable(variable) = side {
                    known[variable.index()] = true;
                }
            }
        }
        Literal::Compare(..) | Literal::Negative(_) => {}
    }
}

fn mentions(literal: &Literal, variable: VariableId) -> bool {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => {
            atom.arguments.contains(&Term::Variable(variable))
        }
        Literal::Compare(_, left, right) => {
            expression_mentions(left, variable) || expression_mentions(right, variable)
        }
        Literal::Aggregate(aggregate) => {
            aggregate.result == variable || aggregate.groups.contains(&variable)
        }
    }
}

fn expression_mentions(expression: &Expression, variable: VariableId) -> bool {
    match expression {
        Expression::Variable(other) => *other == variable,
        Expression::Constant(_) => false,
        Expression::Negate(inner) => expression_mentions(inner, variable),
        Expression::Binary(_, left, right) => {
            expression_mentions(left, variable) || expression_mentions(right, variable)
        }
    }
}
