//! Validation by rules: a counterexample becomes facts, the rule set settles, and its
//! conflicts come back as kernel reasons.
//!
//! Sections 4.2 and 5.3 of *Scheduling Constraint Based Abstraction Refinement for
//! Multi-Threaded Program Verification*. Which orders follow is said by the rule file and
//! by nothing here.

use super::abstraction::{Abstraction, Counterexample};
use super::orders::{Named, NamedOrders};
use heddle_datalog::backend::SettleError;
use heddle_datalog::facts::LiteralName;
use heddle_datalog::provenance::{Coverage, Reason, Reasons};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::{Row, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::{RelationId, RelationKind, Rule, RuleId};
use heddle_program::Program;
use heddle_solver::Literal;
use heddle_unroll::{EventGraph, EventId, EventKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// A reason why a counterexample is infeasible: these literals are never true together.
pub(crate) struct KernelReason {
    /// Of events, of links, and of orders that have a name.
    pub literals: Vec<Literal>,
    /// The rules that derive the conflict.
    pub rules: Vec<String>,
}

pub(crate) struct Validation {
    theory: Theory,
    executed: RelationId,
    rf: RelationId,
    /// By event.
    names: Vec<Value>,
    literals: FxHashMap<LiteralName, Literal>,
    literal_names: FxHashMap<Literal, LiteralName>,
    orders: NamedOrders,
    present: Present,
}

/// What the previous counterexample put in.
#[derive(Default)]
struct Present {
    /// By event.
    events: Vec<bool>,
    /// By position in [`Abstraction::links`].
    links: Vec<bool>,
}

/// The rule set lacks a relation that counterexamples are given by.
#[derive(Clone, Debug)]
pub struct MissingRelation(pub &'static str);

impl Validation {
    pub(crate) fn new(
        rules: Arc<RuleSet>,
        program: &Program,
        graph: &EventGraph,
        deadline: Option<Instant>,
    ) -> Result<Self, MissingRelation> {
        let find = |name| rules.find(name).ok_or(MissingRelation(name));
        let (executed, rf) = (find("executed")?, find("rf")?);
        find("event")?;
        let mut theory = Theory::new(rules.clone(), BackendKind::Compiled)
            .or_else(|| Theory::new(rules.clone(), BackendKind::Incremental))
            .expect("the incremental back end takes any rule set");
        theory.set_deadline(deadline);
        let names = insert_program_order(&mut theory, program, graph);
        Ok(Validation {
            theory,
            executed,
            rf,
            names,
            literals: FxHashMap::default(),
            orders: NamedOrders::default(),
            literal_names: FxHashMap::default(),
            present: Present::default(),
        })
    }

    /// All kernel reasons of at most `size` literals among all candidate links, whatever a
    /// model would choose; and whether these are all, but for two of one of the `choices`.
    pub(crate) fn lemmas(
        &mut self,
        graph: &EventGraph,
        abstraction: &Abstraction,
        choices: &[Vec<Literal>],
        size: usize,
        limit: usize,
    ) -> Result<(Vec<KernelReason>, bool), SettleError> {
        let everything = Counterexample {
            executed: vec![true; graph.events.len()],
            links: (0..abstraction.links.len()).collect(),
        };
        self.enter(graph, abstraction, &everything);
        let mut names = |choice: &Vec<Literal>| -> Vec<LiteralName> {
            choice.iter().map(|&link| self.literal_name(link)).collect()
        };
        let exclusive: Vec<Vec<LiteralName>> = choices.iter().map(&mut names).collect();
        let reasons = self.theory.lemmas(size, limit, &exclusive)?;
        let are_all = reasons.coverage != Coverage::Some && reasons.list.len() < limit;
        Ok((self.translate(reasons), are_all))
    }

    /// The kernel reasons for which the counterexample is infeasible; none if the rules see
    /// no conflict.
    pub(crate) fn reasons(
        &mut self,
        graph: &EventGraph,
        abstraction: &Abstraction,
        counterexample: &Counterexample,
        limit: usize,
    ) -> Result<Vec<KernelReason>, SettleError> {
        self.enter(graph, abstraction, counterexample);
        self.theory.settle()?;
        if self.theory.violated_conflicts().is_empty() {
            return Ok(Vec::new());
        }
        let reasons = self.theory.quick_reasons(limit)?;
        Ok(self.translate(reasons))
    }

    /// Conflicts of the counterexample in terms of named orders, together with how those
    /// follow; no reasons if the rules see no conflict.
    pub(crate) fn reasons_by_name(
        &mut self,
        graph: &EventGraph,
        abstraction: &mut Abstraction,
        counterexample: &Counterexample,
        limit: usize,
    ) -> Result<Named, SettleError> {
        self.enter(graph, abstraction, counterexample);
        let steps = self.theory.conflict_steps(limit)?;
        let rules = self.theory.rules();
        let literals = &self.literals;
        let named = self
            .orders
            .clauses(&steps, rules, literals, &mut *abstraction.solver);
        Ok(named)
    }

    /// Replaces the previous counterexample's facts by changing what differs. What a constant
    /// says is never executed is no fact, even if everything else is looked at.
    fn enter(
        &mut self,
        graph: &EventGraph,
        abstraction: &Abstraction,
        counterexample: &Counterexample,
    ) {
        let mut now = Present {
            events: vec![false; graph.events.len()],
            links: vec![false; abstraction.links.len()],
        };
        for &event in graph.chains.iter().flat_map(|chain| &chain.events) {
            let possible = abstraction.guards[event.index()] != Literal::FALSE;
            now.events[event.index()] = possible && counterexample.executed[event.index()];
        }
        for &index in &counterexample.links {
            now.links[index] = abstraction.links[index].literal != Literal::FALSE;
        }
        let before = std::mem::take(&mut self.present);
        for (index, &is_in) in now.events.iter().enumerate() {
            if is_in != before.events.get(index).copied().unwrap_or(false) {
                let row: Row = Box::new([self.names[index]]);
                self.change(self.executed, row, abstraction.guards[index], is_in);
            }
        }
        for (index, &is_in) in now.links.iter().enumerate() {
            if is_in != before.links.get(index).copied().unwrap_or(false) {
                let link = abstraction.links[index];
                let ends = [link.write, link.read].map(|event| self.names[event.index()]);
                self.change(self.rf, Box::new(ends), link.literal, is_in);
            }
        }
        self.present = now;
    }

    fn change(&mut self, relation: RelationId, row: Row, literal: Literal, is_in: bool) {
        let name = self.literal_name(literal);
        if is_in {
            self.theory.insert_by(relation, row, name);
        } else {
            self.theory.retract_by(relation, &row, name);
        }
    }

    fn literal_name(&mut self, literal: Literal) -> LiteralName {
        if literal.constant().is_some() {
            return self.theory.facts().always();
        }
        if let Some(&name) = self.literal_names.get(&literal) {
            return name;
        }
        let name = literal.number().to_string();
        let name = self.theory.symbols_mut().intern(&name);
        self.literal_names.insert(literal, name);
        self.literals.insert(name, literal);
        name
    }

    /// The two events of each order that has a literal.
    #[cfg(test)]
    pub(super) fn order_names(&self, graph: &EventGraph) -> FxHashMap<Literal, (EventId, EventId)> {
        let event_of = |name: Value| {
            let mut events = graph.chains.iter().flat_map(|chain| &chain.events);
            *events
                .find(|event| self.names[event.index()] == name)
                .expect("an event of the graph")
        };
        let meanings = self.orders.meanings();
        meanings
            .map(|(literal, row)| (literal, (event_of(row[0]), event_of(row[1]))))
            .collect()
    }

    fn translate(&self, reasons: Reasons) -> Vec<KernelReason> {
        let rules = self.theory.rules();
        let translate = |reason: Reason| KernelReason {
            literals: reason
                .literals
                .iter()
                .map(|name| self.literals[name])
                .collect(),
            rules: names_of(rules, reason.rules.iter().copied()),
        };
        reasons.list.into_iter().map(translate).collect()
    }
}

/// The names of those rules that derive orders; the others only prepare for them.
pub(super) fn names_of(rules: &RuleSet, used: impl IntoIterator<Item = RuleId>) -> Vec<String> {
    let used: BTreeSet<RuleId> = used.into_iter().collect();
    let used = used.into_iter().map(|rule| rules.rule(rule));
    let derives_order = |rule: &&Rule| {
        let relation = rules.relation(rule.head.relation);
        matches!(relation.kind, RelationKind::Order(_))
    };
    let used = used.filter(derives_order);
    used.map(|rule| rule.name.clone()).collect()
}

/// The facts that no counterexample changes, for the relations that the rule set declares.
/// Returns the events' names.
pub(super) fn insert_program_order(
    theory: &mut Theory,
    program: &Program,
    graph: &EventGraph,
) -> Vec<Value> {
    let mut names = vec![Value::default(); graph.events.len()];
    for chain in &graph.chains {
        for (place, &event) in chain.events.iter().enumerate() {
            let name = graph.event_name(program, event, place);
            names[event.index()] = theory.symbols_mut().intern(&name);
        }
    }
    let name = |event: EventId| names[event.index()];
    for (number, chain) in graph.chains.iter().enumerate() {
        let chain_id = heddle_unroll::ChainId::from_index(number);
        let thread = graph.chain_name(program, chain_id);
        let thread = theory.symbols_mut().intern(&thread);
        for (place, &event) in chain.events.iter().enumerate() {
            insert(theory, "event", &[name(event), thread, Value(place as i64)]);
            let relation = match graph.event(event).kind {
                EventKind::Read { .. } => "read",
                EventKind::Write { .. } => "write",
                EventKind::Mark => continue,
            };
            let cell = graph.event(event).kind.cell().expect("an access");
            let cell = theory.symbols_mut().intern(&graph.cell_name(program, cell));
            insert(theory, relation, &[name(event), cell]);
        }
    }
    for (number, block) in graph.blocks.iter().enumerate() {
        // One event is atomic by itself.
        if block.events.len() > 1 {
            let block_name = theory.symbols_mut().intern(&format!("block{number}"));
            for &event in &block.events {
                insert(theory, "atomic", &[name(event), block_name]);
                for end in [block.events.first(), block.events.last()] {
                    let end = *end.expect("it has more than one event");
                    insert(theory, "implies", &[name(event), name(end)]);
                }
            }
        }
    }
    for &(before, after) in &graph.orders {
        insert(theory, "po", &[name(before), name(after)]);
    }
    names
}

pub(super) fn insert(theory: &mut Theory, relation: &str, row: &[Value]) {
    if let Some(relation) = theory.rules().find(relation) {
        theory.insert(relation, row);
    }
}
