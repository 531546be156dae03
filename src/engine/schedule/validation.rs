//! Validation by rules: a counterexample becomes facts, the rule set settles, and its
//! conflicts come back as kernel reasons.
//!
//! Sections 4.2 and 5.3 of *Scheduling Constraint Based Abstraction Refinement for
//! Multi-Threaded Program Verification*. Which orders follow is said by the rule file and
//! by nothing here.

use super::abstraction::{Abstraction, Counterexample};
use heddle_datalog::backend::SettleError;
use heddle_datalog::facts::LiteralName;
use heddle_datalog::provenance::{Reason, Reasons};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::{Row, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::RelationId;
use heddle_program::Program;
use heddle_solver::Literal;
use heddle_unroll::{EventGraph, EventId, EventKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A reason why a counterexample is infeasible: these literals are never true together.
pub(crate) struct KernelReason {
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
    /// What the previous counterexample put in.
    present: Vec<(RelationId, Row, LiteralName)>,
}

/// The rule set lacks a relation that counterexamples are given by.
#[derive(Clone, Debug)]
pub struct MissingRelation(pub &'static str);

impl Validation {
    pub(crate) fn new(
        rules: Arc<RuleSet>,
        program: &Program,
        graph: &EventGraph,
    ) -> Result<Self, MissingRelation> {
        let find = |name| rules.find(name).ok_or(MissingRelation(name));
        let (executed, rf) = (find("executed")?, find("rf")?);
        find("event")?;
        let mut theory = Theory::new(rules.clone(), BackendKind::Compiled)
            .or_else(|| Theory::new(rules.clone(), BackendKind::Incremental))
            .expect("the incremental back end takes any rule set");
        let names = insert_program_order(&mut theory, program, graph);
        Ok(Validation {
            theory,
            executed,
            rf,
            names,
            literals: FxHashMap::default(),
            present: Vec::new(),
        })
    }

    /// All kernel reasons of at most `size` literals among all candidate links, whatever a
    /// model would choose.
    pub(crate) fn lemmas(
        &mut self,
        graph: &EventGraph,
        abstraction: &Abstraction,
        size: usize,
        limit: usize,
    ) -> Result<Vec<KernelReason>, SettleError> {
        let everything = Counterexample {
            executed: vec![true; graph.events.len()],
            links: (0..abstraction.links.len()).collect(),
        };
        self.enter(graph, abstraction, &everything);
        let reasons = self.theory.lemmas(size, limit)?;
        Ok(self.translate(reasons))
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
        let reasons = self.theory.reasons(limit)?;
        Ok(self.translate(reasons))
    }

    /// Replaces the previous counterexample's facts.
    fn enter(
        &mut self,
        graph: &EventGraph,
        abstraction: &Abstraction,
        counterexample: &Counterexample,
    ) {
        for (relation, row, literal) in std::mem::take(&mut self.present) {
            self.theory.retract_by(relation, &row, literal);
        }
        for chain in &graph.chains {
            for &event in &chain.events {
                if counterexample.executed[event.index()] {
                    let row: Row = Box::new([self.names[event.index()]]);
                    self.choose(self.executed, row, abstraction.guards[event.index()]);
                }
            }
        }
        for &index in &counterexample.links {
            let link = abstraction.links[index];
            let row: Row = Box::new([
                self.names[link.write.index()],
                self.names[link.read.index()],
            ]);
            self.choose(self.rf, row, link.literal);
        }
    }

    fn choose(&mut self, relation: RelationId, row: Row, literal: Literal) {
        let name = match literal.constant() {
            Some(_) => self.theory.facts().always(),
            None => {
                let name = format!("{}", literal.number());
                let name = self.theory.symbols_mut().intern(&name);
                self.literals.insert(name, literal);
                name
            }
        };
        self.theory.insert_by(relation, row.clone(), name);
        self.present.push((relation, row, name));
    }

    fn translate(&self, reasons: Reasons) -> Vec<KernelReason> {
        let rules = self.theory.rules();
        let translate = |reason: Reason| KernelReason {
            literals: reason
                .literals
                .iter()
                .map(|name| self.literals[name])
                .collect(),
            rules: reason
                .rules
                .iter()
                .map(|&rule| rules.rule(rule).name.clone())
                .collect(),
        };
        reasons.list.into_iter().map(translate).collect()
    }
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
