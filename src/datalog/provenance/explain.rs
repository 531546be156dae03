//! Explanations: a proof of least height for a tuple that holds, and for one that does not,
//! what each rule lacks.

use super::algebra::Algebra;
use super::derivation::{Derivation, Premise};
use super::fixpoint::{FactLists, Fixpoint};
use super::heights::Heights;
use super::matcher::Model;
use super::orders::{EdgeId, EventId};
use super::plan::Step;
use super::program::{ClauseId, Goal, OrderId, Program};
use super::proof::{By, Claim, Node, NodeId, Proof};
use super::store::ItemId;
use super::used::PathStep;
use super::why_not::WhyNot;
use crate::backend::SettleError;
use crate::constants::Constants;
use crate::facts::Facts;
use crate::value::{Row, Symbols, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::{Literal, RelationId, RelationKind, RuleId, Term, Variable};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why a tuple holds, or why not.
#[derive(Clone, Debug)]
pub enum Explanation {
    Holds(Proof),
    DoesNotHold(WhyNot),
}

/// What a relation depends on, derived with the heights of proofs.
pub(super) struct Explainer {
    pub(super) goal: RelationId,
    pub(super) fixpoint: Fixpoint<Heights>,
    facts: FactLists,
    /// If given, what it takes to prove others may be missing.
    only: Option<Row>,
}

/// What a node of a proof stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Item(ItemId),
    Edge(OrderId, EdgeId),
    Chain(OrderId, EventId, EventId),
    Pair(OrderId, EventId, EventId),
}

impl Explainer {
    /// Derives all that the relation depends on, or what it takes to prove one tuple: whatever is
    /// derived later has a higher proof.
    pub(super) fn new(
        rules: Arc<RuleSet>,
        constants: &Constants,
        facts: &Facts,
        goal: RelationId,
        only: Option<&[Value]>,
    ) -> Result<Self, SettleError> {
        let program = Program::new(rules, constants, Goal::Relation(goal));
        let facts = all_facts(&program, facts);
        let mut fixpoint = Fixpoint::new(Arc::new(program), Heights);
        fixpoint.settle_until(&facts, &mut |fixpoint, level| {
            let proof = only.and_then(|row| find(fixpoint, goal, row));
            proof.is_some_and(|(lowest, _)| lowest <= level)
        })?;
        Ok(Explainer {
            goal,
            fixpoint,
            facts,
            only: only.map(Row::from),
        })
    }

    /// Whether it can explain the row, or all rows if none is given.
    pub(super) fn knows(&self, row: Option<&[Value]>) -> bool {
        self.only.is_none() || self.only.as_deref() == row
    }

    /// Whether the facts are still the same.
    pub(super) fn is_current(&self, facts: &Facts) -> bool {
        self.facts == all_facts(&self.fixpoint.program, facts)
    }

    pub(super) fn explain(&mut self, symbols: &Symbols, row: &[Value]) -> Explanation {
        match find(&self.fixpoint, self.goal, row) {
            Some((_, goal)) => Explanation::Holds(self.prove(symbols, goal)),
            None => Explanation::DoesNotHold(self.why_not(symbols, row)),
        }
    }

    fn prove(&mut self, symbols: &Symbols, goal: Key) -> Proof {
        let mut builder = Builder {
            fixpoint: &mut self.fixpoint,
            symbols,
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
            open: Vec::new(),
        };
        builder.node(goal);
        while let Some((id, key)) = builder.open.pop() {
            builder.fill(id, key);
        }
        let mut proof = Proof {
            nodes: builder.nodes,
        };
        set_heights(&mut proof);
        proof
    }
}

/// The best proof of a tuple so far, and the level at which it was found.
fn find(fixpoint: &Fixpoint<Heights>, goal: RelationId, row: &[Value]) -> Option<(u64, Key)> {
    let Some(order) = fixpoint.program.order_of[goal.index()] else {
        let tuple = fixpoint.store.tuples(goal).find(row)?;
        let item = fixpoint.store.latest(goal, tuple)?;
        let level = Heights.level(fixpoint.store.item(item).weight);
        return Some((level, Key::Item(item)));
    };
    let store = &fixpoint.orders[order.index()];
    let (first, last) = (store.find(row[0])?, store.find(row[1])?);
    let (level, _) = store.lowest(first, last)?;
    Some((level, Key::Pair(order, first, last)))
}

/// Premises first, without recursion: a proof may be very high.
fn set_heights(proof: &mut Proof) {
    let mut is_known = vec![false; proof.nodes.len()];
    let mut open = vec![NodeId(0)];
    while let Some(&id) = open.last() {
        let premises = proof.node(id).premises.clone();
        let unknown: Vec<NodeId> = premises
            .iter()
            .copied()
            .filter(|premise| !is_known[premise.index()])
            .collect();
        if unknown.is_empty() {
            open.pop();
            is_known[id.index()] = true;
            let above = premises
                .iter()
                .map(|&premise| proof.node(premise).height + 1);
            let least = usize::from(matches!(proof.node(id).by, By::Rule(_) | By::Chain(_)));
            proof.nodes[id.index()].height = above.max().unwrap_or(least);
        } else {
            open.extend(unknown);
        }
    }
}

fn all_facts(program: &Program, facts: &Facts) -> FactLists {
    let mut lists = vec![Vec::new(); program.rules.relations.len()];
    for relation in program.needed_relations() {
        let list: &mut Vec<(Row, _)> = &mut lists[relation.index()];
        for (row, literals) in facts.with_literals(relation) {
            // One literal is enough to explain a tuple; `true` is the best one.
            let always = literals.iter().find(|&&literal| literal == facts.always());
            let literal = always.or_else(|| literals.iter().min());
            list.extend(literal.map(|&literal| (row.into(), literal)));
        }
        list.sort_unstable();
    }
    lists
}

struct Builder<'a> {
    fixpoint: &'a mut Fixpoint<Heights>,
    symbols: &'a Symbols,
    numbers: FxHashMap<Key, NodeId>,
    nodes: Vec<Node>,
    /// Nodes that have no premises yet.
    open: Vec<(NodeId, Key)>,
}

impl Builder<'_> {
    /// The node for a key. A path of one step is that step.
    fn node(&mut self, key: Key) -> NodeId {
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        if let Key::Pair(order, first, last) = key
            && let [step] = self.fixpoint.fewest_steps(order, first, last)[..]
        {
            let id = self.node(step_key(order, step));
            self.numbers.insert(key, id);
            return id;
        }
        let claim = self.claim(key);
        let id = self.push(claim, By::Fact);
        self.numbers.insert(key, id);
        self.open.push((id, key));
        id
    }

    fn push(&mut self, claim: Claim, by: By) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            claim,
            by,
            premises: Vec::new(),
            height: 0,
        });
        id
    }

    fn claim(&self, key: Key) -> Claim {
        let pair = |order: OrderId, first: EventId, last: EventId| {
            let store = &self.fixpoint.orders[order.index()];
            let row = [first, last].map(|event| store.event(event).value);
            let relation = self.fixpoint.program.orders[order.index()].relation;
            Claim::Holds(relation, row.into())
        };
        match key {
            Key::Item(item) => {
                let relation = self.fixpoint.store.item(item).relation;
                Claim::Holds(relation, self.fixpoint.store.row(item).into())
            }
            Key::Edge(order, edge) => {
                let edge = self.fixpoint.orders[order.index()].edge(edge);
                pair(order, edge.first, edge.last)
            }
            Key::Chain(order, first, last) | Key::Pair(order, first, last) => {
                pair(order, first, last)
            }
        }
    }

    /// Finds out by what a node holds, and its premises.
    fn fill(&mut self, id: NodeId, key: Key) {
        let (by, premises) = match key {
            Key::Item(item) => {
                let item = self.fixpoint.store.item(item);
                self.derived(item.relation, item.derivation)
            }
            Key::Edge(order, edge) => {
                let relation = self.fixpoint.program.orders[order.index()].relation;
                let edge = self.fixpoint.orders[order.index()].edge(edge);
                self.derived(relation, edge.derivation)
            }
            Key::Chain(order, first, last) => self.chain_step(order, first, last),
            Key::Pair(order, first, last) => {
                let steps = self.fixpoint.fewest_steps(order, first, last);
                let steps = steps
                    .into_iter()
                    .map(|step| self.node(step_key(order, step)));
                (By::Transitivity, steps.collect())
            }
        };
        let node = &mut self.nodes[id.index()];
        node.by = by;
        node.premises = premises;
    }

    fn chain_step(&mut self, order: OrderId, first: EventId, last: EventId) -> (By, Vec<NodeId>) {
        let mut premises = Vec::new();
        let mut chain = Value::default();
        for event in [first, last] {
            let items = self.fixpoint.presence_of(order, event);
            for (place, item) in items.into_iter().enumerate() {
                let is_place = place == 0;
                if is_place {
                    chain = self.fixpoint.store.row(item)[1];
                }
                // That an event has a place goes without saying, unless a rule says so.
                let derivation = self.fixpoint.store.item(item).derivation;
                let clause = self.fixpoint.clause_of(derivation);
                let clauses = &self.fixpoint.program.clauses;
                let is_fact = clause.is_none_or(|clause| clauses[clause.index()].is_stated());
                if !is_place || !is_fact {
                    premises.push(self.node(Key::Item(item)));
                }
            }
        }
        (By::Chain(chain), premises)
    }

    fn derived(&mut self, relation: RelationId, derivation: Derivation) -> (By, Vec<NodeId>) {
        let program = self.fixpoint.program.clone();
        let Some(clause) = self.fixpoint.clause_of(derivation) else {
            let Derivation::Fact(literal) = derivation else {
                unreachable!("only a fact has no clause");
            };
            return match program.rules.relation(relation).kind {
                RelationKind::Choice => (By::Choice(literal), Vec::new()),
                _ => (By::Fact, Vec::new()),
            };
        };
        if program.clauses[clause.index()].is_stated() {
            return (By::Fact, Vec::new());
        }
        let premises = self.fixpoint.premises_of(derivation);
        let variables = self.values_shown(clause, &premises);
        let rule = RuleId(clause.0);
        let mut nodes = Vec::new();
        for (position, literal) in program.clauses[clause.index()].body.iter().enumerate() {
            match literal {
                Literal::Positive(_) => {
                    let premise = premises
                        .iter()
                        .find(|premise| premise.0 as usize == position);
                    let (_, premise) = premise.expect("one premise for each positive atom");
                    nodes.push(self.node(match *premise {
                        Premise::Item(item) => Key::Item(item),
                        Premise::Pair(order, pair) => Key::Pair(order, pair.first, pair.last),
                    }));
                }
                Literal::Negative(_) | Literal::Aggregate(_) => {
                    let by = match literal {
                        Literal::Negative(_) => By::Absence,
                        _ => By::Aggregation,
                    };
                    let literal = program.literal_as_written(clause, position);
                    let text = program.rules.show_literal(&variables, literal).to_string();
                    nodes.push(self.push(Claim::Literal(text), by));
                }
                Literal::Compare(..) => {}
            }
        }
        (By::Rule(rule), nodes)
    }

    /// The rule's variables, with the values that the premises give them in place of names.
    fn values_shown(&mut self, id: ClauseId, premises: &[(u32, Premise)]) -> Vec<Variable> {
        let program = self.fixpoint.program.clone();
        let clause = &program.clauses[id.index()];
        let mut binding = vec![None; clause.variables];
        for &(position, premise) in premises {
            let Literal::Positive(atom) = &clause.body[position as usize] else {
                continue;
            };
            let row: Row = match premise {
                Premise::Item(item) => self.fixpoint.store.row(item).into(),
                Premise::Pair(order, pair) => {
                    let store = &self.fixpoint.orders[order.index()];
                    [pair.first, pair.last]
                        .map(|event| store.event(event).value)
                        .into()
                }
            };
            for (argument, value) in atom.arguments.iter().zip(row) {
                if let Term::Variable(variable) = argument {
                    binding[variable.index()] = Some(value);
                }
            }
        }
        self.bind_computed(id, &mut binding);
        let rule = program.rules.rule(RuleId(id.0));
        super::why_not::with_values(&rule.variables, &binding, self.symbols)
    }

    /// Adds the values that comparisons and aggregates give.
    fn bind_computed(&mut self, id: ClauseId, binding: &mut [Option<Value>]) {
        let program = self.fixpoint.program.clone();
        for step in &program.clauses[id.index()].start.steps {
            let known: Vec<Value> = binding
                .iter()
                .map(|value| value.unwrap_or_default())
                .collect();
            match step {
                Step::Bind(variable, formula) => {
                    binding[variable.index()] = formula.value(&known);
                }
                Step::Aggregate(aggregate) => {
                    let mut model = Model {
                        store: &self.fixpoint.store,
                        orders: &self.fixpoint.orders,
                        algebra: &mut self.fixpoint.algebra,
                    };
                    binding[aggregate.result.index()] = model.aggregate(aggregate, &known);
                }
                _ => {}
            }
        }
    }
}

fn step_key(order: OrderId, step: PathStep) -> Key {
    match step {
        PathStep::Edge(edge) => Key::Edge(order, edge),
        PathStep::Chain(first, last) => Key::Chain(order, first, last),
    }
}
