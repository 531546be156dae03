//! A rule set made ready for the fixpoint: which part of it matters, what depends on
//! choices, and a plan for each way in which a rule can fire.

use super::join_plan::{JoinContext, JoinPlan, plan_join};
use super::plan::{Formula, Pattern, Plan, Planner, variable_of};
use super::store::IndexPlan;
use crate::constants::Constants;
use heddle_language::order_use::order_uses;
use heddle_language::ruleset::{
    Atom, Comparison, Expression, Literal, Order, RelationId, RelationKind, RuleSet, Term,
    VariableId,
};
use std::sync::Arc;

/// A rule, or a conflict: [`RuleSet::rules`] first, then [`RuleSet::conflicts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClauseId(pub u32);

/// Position in [`Program::orders`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct OrderId(pub u32);

/// Position in [`Program::joins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct JoinId(pub u32);

impl ClauseId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl OrderId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl JoinId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is to be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Conflicts,
    Relation(RelationId),
}

pub(super) struct Program {
    pub(super) rules: Arc<RuleSet>,
    /// All clauses; those that do not matter for the goal are in no stratum.
    pub(super) clauses: Vec<Clause>,
    pub(super) orders: Vec<OrderPlan>,
    /// For each relation, the order that it is.
    pub(super) order_of: Vec<Option<OrderId>>,
    pub(super) joins: Vec<JoinPlan>,
    pub(super) strata: Vec<StratumPlan>,
    /// For each relation, the clauses of its own stratum to try with each tuple, and which
    /// of their deltas.
    pub(super) deltas: Vec<Vec<(ClauseId, usize)>>,
    pub(super) indexes: IndexPlan,
    /// For each relation, whether its tuples may rest on literals.
    pub(super) conditional: Vec<bool>,
    pub(super) constants: Constants,
    /// For each rule whose head is the goal's relation, a plan for its body in the order of
    /// the text, with values for the variables of the head.
    pub(super) backward: Vec<Option<Plan>>,
}

pub(super) struct OrderPlan {
    pub(super) relation: RelationId,
    pub(super) declaration: Order,
    /// The joins that each path is tried with.
    pub(super) joins: Vec<JoinId>,
}

#[derive(Default)]
pub(super) struct StratumPlan {
    pub(super) relations: Vec<RelationId>,
    pub(super) orders: Vec<OrderId>,
    pub(super) clauses: Vec<ClauseId>,
    pub(super) joins: Vec<JoinId>,
}

/// A rule or a conflict. In positive atoms of orders every argument is a variable.
pub(super) struct Clause {
    pub(super) head: Head,
    pub(super) body: Vec<Literal>,
    /// For each literal of the body, its position in the text, unless it was added.
    pub(super) origins: Vec<Option<usize>>,
    /// How many variables there are.
    pub(super) variables: usize,
    /// Finds all instances.
    pub(super) start: Plan,
    /// Whether all positive atoms are over relations of lower strata, so that `start` finds
    /// everything there will ever be.
    pub(super) starts_alone: bool,
    /// Whether the body has an order of a lower stratum that may rest on literals.
    pub(super) has_conditional_order_below: bool,
    /// Find the instances with a given tuple in a given place. One for each positive atom
    /// of an ordinary relation that is in the clause's stratum or may rest on literals.
    pub(super) deltas: Vec<Delta>,
}

impl Clause {
    /// Whether it is a fact of the rule file.
    pub(super) fn is_stated(&self) -> bool {
        self.body.is_empty()
    }
}

pub(super) enum Head {
    Tuple(RelationId, Vec<Formula>),
    Edge(OrderId, [Formula; 2]),
    Conflict,
}

pub(super) struct Delta {
    pub(super) atom: u32,
    pub(super) relation: RelationId,
    pub(super) pattern: Pattern,
    pub(super) plan: Plan,
    /// Whether the clause has a join with the atom in one of its tables.
    pub(super) is_in_table: bool,
}

impl Program {
    pub(super) fn new(rules: Arc<RuleSet>, constants: &Constants, goal: Goal) -> Self {
        let mut order_of = vec![None; rules.relations.len()];
        let mut orders = Vec::new();
        for relation in rules.relation_ids() {
            if let RelationKind::Order(declaration) = rules.relation(relation).kind {
                order_of[relation.index()] = Some(OrderId(orders.len() as u32));
                orders.push(OrderPlan {
                    relation,
                    declaration,
                    joins: Vec::new(),
                });
            }
        }
        let arities = rules.relations.iter().map(|relation| relation.arity());
        let program = Program {
            conditional: conditional_relations(&rules),
            constants: constants.clone(),
            backward: Vec::new(),
            clauses: Vec::new(),
            joins: Vec::new(),
            strata: Vec::new(),
            deltas: vec![Vec::new(); rules.relations.len()],
            indexes: IndexPlan::new(arities),
            orders,
            order_of,
            rules,
        };
        program.with_plans(constants, goal)
    }

    fn with_plans(mut self, constants: &Constants, goal: Goal) -> Self {
        let rules = self.rules.clone();
        let needed = needed_relations(&rules, goal);
        let mut strata = Strata::new(&rules, &needed, &self.order_of);
        let order_of = std::mem::take(&mut self.order_of);
        let mut planner = Planner {
            constants,
            orders: &order_of,
            indexes: std::mem::take(&mut self.indexes),
        };
        for rule in &rules.rules {
            let relation = rule.head.relation;
            let head = match order_of[relation.index()] {
                None => {
                    let arguments = rule.head.arguments.iter();
                    let arguments = arguments.map(|argument| planner.formula(argument));
                    Head::Tuple(relation, arguments.collect())
                }
                Some(order) => {
                    let end = |column: usize| &rule.head.arguments[column];
                    Head::Edge(order, [planner.formula(end(0)), planner.formula(end(1))])
                }
            };
            let stratum = strata.of[relation.index()];
            let wanted = needed[relation.index()];
            let body = (&rule.body[..], rule.variables.len());
            self.add_clause(&mut planner, &mut strata, head, body, (stratum, wanted));
        }
        for conflict in &rules.conflicts {
            let stratum = strata.after(&conflict.body);
            let wanted = goal == Goal::Conflicts;
            let body = (&conflict.body[..], conflict.variables.len());
            let head = Head::Conflict;
            self.add_clause(&mut planner, &mut strata, head, body, (stratum, wanted));
        }
        self.backward = (rules.rules.iter().zip(&self.clauses))
            .map(|(rule, clause)| {
                let is_wanted = goal == Goal::Relation(rule.head.relation);
                let mut bound = vec![false; clause.variables];
                for argument in &rule.head.arguments {
                    if let Expression::Variable(variable) = argument {
                        bound[variable.index()] = true;
                    }
                }
                is_wanted.then(|| planner.plan_in_order(&clause.body, &mut bound))
            })
            .collect();
        self.indexes = planner.indexes;
        self.order_of = order_of;
        self.strata = strata.plans;
        self
    }

    fn add_clause(
        &mut self,
        planner: &mut Planner,
        strata: &mut Strata,
        head: Head,
        (body, variables): (&[Literal], usize),
        (stratum, wanted): (usize, bool),
    ) {
        let mut variables = variables;
        let (body, origins) = with_variable_events(body, &mut variables, planner.orders);
        let id = ClauseId(self.clauses.len() as u32);
        let all: Vec<usize> = (0..body.len()).collect();
        let start = planner.plan(&body, &all, &mut vec![false; variables]);
        let mut clause = Clause {
            head,
            variables,
            start,
            starts_alone: true,
            has_conditional_order_below: false,
            deltas: Vec::new(),
            body,
            origins,
        };
        if wanted {
            strata.plans[stratum].clauses.push(id);
            self.add_firings(planner, strata, id, &mut clause, stratum);
        }
        self.clauses.push(clause);
    }

    /// Plans the ways in which one more tuple makes the clause fire.
    fn add_firings(
        &mut self,
        planner: &mut Planner,
        strata: &mut Strata,
        id: ClauseId,
        clause: &mut Clause,
        stratum: usize,
    ) {
        let uses = match self.rules.rules.get(id.index()) {
            Some(rule) => order_uses(&self.rules, rule),
            None => Vec::new(),
        };
        let mut uses = uses.iter();
        for position in 0..clause.body.len() {
            let Literal::Positive(atom) = &clause.body[position] else {
                continue;
            };
            let relation = atom.relation;
            let same_stratum = strata.of[relation.index()] == stratum;
            clause.starts_alone &= !same_stratum;
            let conditional = self.conditional[relation.index()];
            match planner.orders[relation.index()] {
                Some(order) if same_stratum => {
                    let join = JoinId(self.joins.len() as u32);
                    let context = JoinContext {
                        rules: &self.rules,
                        conditional: &self.conditional,
                        id,
                        clause,
                        lower: &|relation| strata.of[relation.index()] < stratum,
                    };
                    let witness = uses.next().map(|order_use| &order_use.witness);
                    self.joins
                        .push(plan_join(planner, &context, position, witness));
                    self.orders[order.index()].joins.push(join);
                    strata.plans[stratum].joins.push(join);
                }
                Some(_) => clause.has_conditional_order_below |= conditional,
                None if same_stratum || conditional => {
                    if same_stratum {
                        self.deltas[relation.index()].push((id, clause.deltas.len()));
                    }
                    let mut bound = vec![false; clause.variables];
                    let pattern = planner.pattern(atom, &mut bound);
                    let mut others: Vec<usize> = (0..clause.body.len()).collect();
                    others.remove(position);
                    clause.deltas.push(Delta {
                        atom: position as u32,
                        relation,
                        pattern,
                        plan: planner.plan(&clause.body, &others, &mut bound),
                        is_in_table: false,
                    });
                }
                None => {}
            }
        }
        for delta in &mut clause.deltas {
            let joins = self.joins.iter().rev().take_while(|join| join.clause == id);
            let mut sides = joins
                .flat_map(|join| [&join.sites, &join.sources])
                .flatten();
            delta.is_in_table = sides.any(|side| side.positions.contains(&(delta.atom as usize)));
        }
    }

    /// The relations that matter for the goal.
    pub(super) fn needed_relations(&self) -> impl Iterator<Item = RelationId> {
        self.strata
            .iter()
            .flat_map(|stratum| stratum.relations.iter().copied())
    }

    /// A literal of a rule as it stands in the text.
    pub(super) fn literal_as_written(&self, clause: ClauseId, position: usize) -> &Literal {
        let origin = self.clauses[clause.index()].origins[position];
        let origin = origin.expect("a literal of the text");
        &self.rules.rules[clause.index()].body[origin]
    }

    /// How many literals of the text are among the first so many of the body.
    pub(super) fn literals_within(&self, clause: ClauseId, count: usize) -> usize {
        let origins = self.clauses[clause.index()].origins.iter();
        origins.take(count).flatten().count()
    }
}

/// Which clauses are derived when: the rule set's strata, and one more for conflicts with
/// negation.
struct Strata {
    plans: Vec<StratumPlan>,
    /// For each relation.
    of: Vec<usize>,
}

impl Strata {
    fn new(rules: &RuleSet, needed: &[bool], order_of: &[Option<OrderId>]) -> Self {
        let mut of = vec![0; rules.relations.len()];
        let mut plans = Vec::new();
        for (number, stratum) in rules.strata.iter().enumerate() {
            let mut plan = StratumPlan::default();
            for &relation in &stratum.relations {
                of[relation.index()] = number;
                if needed[relation.index()] {
                    plan.relations.push(relation);
                    plan.orders.extend(order_of[relation.index()]);
                }
            }
            plans.push(plan);
        }
        plans.push(StratumPlan::default());
        Strata { plans, of }
    }

    /// The first stratum in which a conflict's body can be evaluated.
    fn after(&self, body: &[Literal]) -> usize {
        let mut stratum = 0;
        each_atom(body, &mut |atom, positive| {
            let complete = self.of[atom.relation.index()] + usize::from(!positive);
            stratum = stratum.max(complete);
        });
        stratum
    }
}

/// Calls `found` for each atom, also in aggregates, with whether it is a positive atom of
/// the body itself.
fn each_atom(body: &[Literal], found: &mut dyn FnMut(&Atom, bool)) {
    for literal in body {
        match literal {
            Literal::Positive(atom) => found(atom, true),
            Literal::Negative(atom) => found(atom, false),
            Literal::Compare(..) => {}
            Literal::Aggregate(aggregate) => {
                each_atom(&aggregate.body, &mut |atom, _| found(atom, false));
            }
        }
    }
}

/// Whatever the goal depends on.
fn needed_relations(rules: &RuleSet, goal: Goal) -> Vec<bool> {
    let mut needed = vec![false; rules.relations.len()];
    let mut open = Vec::new();
    match goal {
        Goal::Relation(relation) => open.push(relation),
        Goal::Conflicts => {
            for conflict in &rules.conflicts {
                each_atom(&conflict.body, &mut |atom, _| open.push(atom.relation));
            }
        }
    }
    while let Some(relation) = open.pop() {
        if std::mem::replace(&mut needed[relation.index()], true) {
            continue;
        }
        if let RelationKind::Order(order) = rules.relation(relation).kind {
            open.push(order.event);
            open.extend(order.executed);
        }
        for rule in rules
            .rules
            .iter()
            .filter(|rule| rule.head.relation == relation)
        {
            each_atom(&rule.body, &mut |atom, _| open.push(atom.relation));
        }
    }
    needed
}

/// Whatever depends on a choice.
fn conditional_relations(rules: &RuleSet) -> Vec<bool> {
    let mut conditional = vec![false; rules.relations.len()];
    loop {
        let mut grew = false;
        let mut mark = |relation: RelationId, depends: bool, conditional: &mut Vec<bool>| {
            let known = &mut conditional[relation.index()];
            grew |= depends && !*known;
            *known |= depends;
        };
        for relation in rules.relation_ids() {
            let depends = match rules.relation(relation).kind {
                RelationKind::Choice => true,
                RelationKind::Plain => false,
                RelationKind::Order(order) => {
                    let executed = order.executed;
                    conditional[order.event.index()]
                        || executed.is_some_and(|executed| conditional[executed.index()])
                }
            };
            mark(relation, depends, &mut conditional);
        }
        for rule in &rules.rules {
            let mut depends = false;
            each_atom(&rule.body, &mut |atom, _| {
                depends |= conditional[atom.relation.index()];
            });
            mark(rule.head.relation, depends, &mut conditional);
        }
        if !grew {
            return conditional;
        }
    }
}

/// The body with every argument of a positive atom of an order a variable: a wildcard
/// becomes a variable of its own, a constant one that is equal to it. With the position of
/// each literal in the text.
fn with_variable_events(
    body: &[Literal],
    variables: &mut usize,
    orders: &[Option<OrderId>],
) -> (Vec<Literal>, Vec<Option<usize>>) {
    let mut result = Vec::new();
    let mut origins = Vec::new();
    for (origin, literal) in body.iter().enumerate() {
        let mut literal = literal.clone();
        match &mut literal {
            Literal::Positive(atom) if orders[atom.relation.index()].is_some() => {
                for argument in &mut atom.arguments {
                    if variable_of(argument).is_some() {
                        continue;
                    }
                    let fresh = VariableId(*variables as u32);
                    *variables += 1;
                    if let Term::Constant(constant) = argument {
                        result.push(Literal::Compare(
                            Comparison::Equal,
                            Expression::Variable(fresh),
                            Expression::Constant(constant.clone()),
                        ));
                        origins.push(None);
                    }
                    *argument = Term::Variable(fresh);
                }
            }
            Literal::Aggregate(aggregate) => {
                (aggregate.body, _) = with_variable_events(&aggregate.body, variables, orders);
            }
            _ => {}
        }
        result.push(literal);
        origins.push(Some(origin));
    }
    (result, origins)
}
