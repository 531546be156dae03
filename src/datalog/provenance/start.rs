//! How a stratum starts: its facts come in, and its rules fire on what is there already.

use super::algebra::Algebra;
use super::combining::Partners;
use super::derivation::Derivation;
use super::fixpoint::{Emission, EmittedHead, FactLists, Fixpoint, Mark};
use super::program::{ClauseId, JoinId, StratumPlan};
use crate::value::Value;

/// Whether there is something already.
#[derive(Clone, Copy)]
pub(super) enum Phase<'a> {
    /// Nothing of this stratum.
    First,
    /// All that was derived up to the mark.
    Then(&'a Mark),
}

impl<A: Algebra> Fixpoint<A> {
    pub(super) fn start(&mut self, stratum: usize, facts: &FactLists, phase: Phase) {
        let program = self.program.clone();
        let plan = &program.strata[stratum];
        let mut more_presences = false;
        if let Phase::Then(mark) = phase {
            for &order in &plan.orders {
                more_presences |= self.add_presences(order, &mark.store);
                if A::IS_COST && more_presences {
                    self.orders[order.index()].arrange(&self.algebra, true);
                }
            }
        }
        self.insert_facts(plan, facts);
        let joins = plan.joins.iter().copied();
        let has_news: Vec<bool> = joins.map(|join| self.tabulate(join, phase)).collect();
        for &clause in &plan.clauses {
            self.start_clause(clause, phase);
        }
        for (&join, has_news) in plan.joins.iter().zip(has_news) {
            if has_news || more_presences {
                self.start_join(join);
            }
        }
        if more_presences {
            for &order in &plan.orders {
                for path in self.orders[order.index()].path_ids() {
                    let entry = self.orders[order.index()].entry(path);
                    self.extend_path(order, &entry, entry.end..u32::MAX, Partners::All);
                }
            }
        }
    }

    fn insert_facts(&mut self, plan: &StratumPlan, facts: &FactLists) {
        for &relation in &plan.relations {
            let order = self.program.order_of[relation.index()];
            for (row, literal) in &facts[relation.index()] {
                if let Some(weight) = self.algebra.fact(*literal) {
                    let head = match order {
                        None => EmittedHead::Tuple(relation, row.clone()),
                        Some(order) => EmittedHead::Edge(order, row[0], row[1]),
                    };
                    self.emitted.push(Emission {
                        head,
                        weight,
                        derivation: Derivation::Fact(*literal),
                    });
                }
            }
        }
        self.take_in();
    }

    /// Finds the instances of a clause over what is there before its stratum starts.
    fn start_clause(&mut self, id: ClauseId, phase: Phase) {
        let program = self.program.clone();
        let clause = &program.clauses[id.index()];
        match phase {
            Phase::First if !clause.starts_alone => {}
            Phase::Then(mark) if !clause.has_conditional_order_below => {
                // What is in tables fires when their joins start.
                let deltas = clause.deltas.iter().enumerate();
                for (number, delta) in deltas.filter(|(_, delta)| !delta.is_in_table) {
                    for item in self.store.items_since(&mark.store) {
                        if self.store.item(item).relation == delta.relation {
                            self.try_item(id, number, item);
                        }
                    }
                }
            }
            _ => {
                let mut binding = vec![Value::default(); clause.variables];
                self.match_clause(id, &clause.start, &mut binding, A::NOTHING, Vec::new());
            }
        }
        self.take_in();
    }

    /// Joins chain steps and the paths that are there already.
    fn start_join(&mut self, join: JoinId) {
        self.with_joiner(|joiner, tables| joiner.join_chains(join, &tables[join.index()]));
        let order = self.program.joins[join.index()].order;
        for path in self.orders[order.index()].path_ids() {
            let entry = self.orders[order.index()].entry(path);
            self.with_joiner(|joiner, tables| {
                let range = entry.end..u32::MAX;
                joiner.join_path(join, &tables[join.index()], &entry, range, None);
            });
        }
        self.take_in();
    }
}
