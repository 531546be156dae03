//! Names for derived orders.
//!
//! A kernel reason in the paper's sense is a set of guards and links. One order between two
//! events often follows from many different links, and then a cycle of orders has very many
//! kernel reasons, one for each combination. So an order gets a literal of its own, and a
//! refinement says once how it follows, and once which orders contradict: the same kernel
//! reasons, factored.
//!
//! A named order is true wherever the rules derive it. So each clause holds in every feasible
//! execution if the rules are sound.

use super::validation::{KernelReason, names_of};
use heddle_datalog::facts::LiteralName;
use heddle_datalog::provenance::{Conclusion, Ground, Step, Steps};
use heddle_datalog::value::Row;
use heddle_language::RuleSet;
use heddle_language::ruleset::RelationId;
use heddle_solver::{Literal, Solver};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(crate) struct NamedOrders {
    names: FxHashMap<(RelationId, Row), Literal>,
    /// The definitions that the solver has been told.
    told: FxHashSet<Vec<Literal>>,
}

/// Conflicts, and the definitions of the orders that they name.
pub(crate) struct Named {
    pub reasons: Vec<KernelReason>,
    /// Clauses: if all but the last literal are false, the last one is true.
    pub definitions: Vec<Vec<Literal>>,
    /// Whether no reasons means that there are none.
    pub is_complete: bool,
}

impl NamedOrders {
    /// Which order each literal stands for.
    #[cfg(test)]
    pub(super) fn meanings(&self) -> impl Iterator<Item = (Literal, &Row)> {
        let names = self.names.iter();
        names.map(|((_, row), &literal)| (literal, row))
    }

    pub(crate) fn clauses(
        &mut self,
        steps: &Steps,
        rules: &RuleSet,
        literals: &FxHashMap<LiteralName, Literal>,
        solver: &mut dyn Solver,
    ) -> Named {
        let conclusions: Vec<Option<Literal>> = steps
            .list
            .iter()
            .map(|step| match &step.conclusion {
                Conclusion::Conflict(_) => None,
                Conclusion::Order(relation, row) => {
                    let key = (*relation, row.clone());
                    Some(*self.names.entry(key).or_insert_with(|| {
                        let order = solver.new_literal();
                        solver.prefer(!order);
                        order
                    }))
                }
            })
            .collect();
        let premises = |step: &Step| -> Vec<Literal> {
            let premises = step.premises.iter().map(|premise| match premise {
                Ground::Literal(name) => literals[name],
                Ground::Step(position) => conclusions[*position].expect("an order"),
            });
            premises.collect()
        };
        let mut named = Named {
            reasons: Vec::new(),
            definitions: Vec::new(),
            is_complete: steps.is_complete,
        };
        for (step, conclusion) in steps.list.iter().zip(&conclusions) {
            let premises = premises(step);
            match conclusion {
                None => named.reasons.push(KernelReason {
                    literals: premises,
                    rules: names_of(rules, steps.rules_behind(step)),
                }),
                Some(conclusion) => {
                    let mut clause: Vec<Literal> = premises.iter().map(|&l| !l).collect();
                    clause.push(*conclusion);
                    if self.told.insert(clause.clone()) {
                        named.definitions.push(clause);
                    }
                }
            }
        }
        named
    }
}
