//! `rules/reach.dl` at work: facts in, questions out, answers in, until no question is left
//! or an error is reached.

use super::effects::EffectId;
use super::partition::Partition;
use super::predicates::ValuationId;
use super::system::{ComponentId, StepId, System};
use heddle_datalog::backend::SettleError;
#[cfg(test)]
use heddle_datalog::facts::Change;
use heddle_datalog::provenance::{By, Claim, Explanation, Node, Proof};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::{Row, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::RelationId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// What the classes of all components are, as digits of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Control(pub(crate) i64);

pub(crate) type AbstractState = (Control, ValuationId);

pub(crate) struct Fixpoint {
    theory: Theory,
    relations: Relations,
    /// The class facts that are in.
    partition: Partition,
    /// How the digits of a [`Control`] are read.
    weights: Vec<i64>,
    radix: i64,
}

struct Relations {
    class: RelationId,
    does: RelationId,
    goal: RelationId,
    post: RelationId,
    answered: RelationId,
    below: RelationId,
    reached: RelationId,
    covered: RelationId,
    leads: RelationId,
    need_post: RelationId,
    error: RelationId,
}

/// Why the rules cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// The rule set does not declare this relation.
    Missing(&'static str),
    /// Not even the numbers of control states fit into 64 bits.
    TooManyThreads,
}

/// The first valuation: nothing is known. It is interned before all others.
pub(crate) const NOTHING_KNOWN: ValuationId = ValuationId(0);

impl Fixpoint {
    pub(crate) fn new(
        rules: Arc<RuleSet>,
        kind: BackendKind,
        system: &System,
        partition: &Partition,
    ) -> Result<Fixpoint, Unusable> {
        let find = |name| rules.find(name).ok_or(Unusable::Missing(name));
        let relations = Relations {
            class: find("class")?,
            does: find("does")?,
            goal: find("goal")?,
            post: find("post")?,
            answered: find("answered")?,
            below: find("below")?,
            reached: find("reached")?,
            covered: find("covered")?,
            leads: find("leads")?,
            need_post: find("need_post")?,
            error: find("error")?,
        };
        let points = system.components.iter().map(|c| c.points.len()).max();
        let radix = points.unwrap_or(0).max(1) as i64;
        let mut weights = Vec::new();
        let mut weight: i64 = 1;
        for _ in &system.components {
            weights.push(weight);
            weight = weight.checked_mul(radix).ok_or(Unusable::TooManyThreads)?;
        }
        let theory = Theory::new(rules.clone(), kind)
            .or_else(|| Theory::new(rules.clone(), BackendKind::Incremental))
            .expect("the incremental back end evaluates every rule set");
        let mut fixpoint = Fixpoint {
            theory,
            relations,
            partition: partition.clone(),
            weights,
            radix,
        };
        fixpoint.insert_system(&rules, system)?;
        for point in system.point_ids() {
            let class = partition.class(point);
            fixpoint.insert(fixpoint.relations.class, &[point.0.into(), class.0.into()]);
        }
        Ok(fixpoint)
    }

    fn insert_system(&mut self, rules: &RuleSet, system: &System) -> Result<(), Unusable> {
        let find = |name| rules.find(name).ok_or(Unusable::Missing(name));
        let (component, initially) = (find("component")?, find("initially")?);
        let (requires, requirements) = (find("requires")?, find("requirements")?);
        let (moves, movements) = (find("moves")?, find("movements")?);
        let initialises = find("initialises")?;
        for id in system.component_ids() {
            let weight = self.weights[id.index()];
            self.insert(component, &[id.0.into(), weight, self.radix]);
            let initial = system.component(id).initial;
            self.insert(initially, &[id.0.into(), initial.0.into()]);
        }
        for id in system.step_ids() {
            let step = system.step(id);
            let e = i64::from(id.0);
            // As long as nothing is forgotten, effects have the numbers of actions.
            self.insert(self.relations.does, &[e, step.action.0.into()]);
            for (n, (component, points)) in (0..).zip(&step.requires) {
                for point in points {
                    self.insert(requires, &[e, n, component.0.into(), point.0.into()]);
                }
            }
            self.insert(requirements, &[e, step.requires.len() as i64]);
            for (n, (component, point)) in (0..).zip(&step.moves) {
                self.insert(moves, &[e, n, component.0.into(), point.0.into()]);
            }
            if !step.moves.is_empty() {
                self.insert(movements, &[e, step.moves.len() as i64]);
            }
        }
        let initialisation = system.initialisation.0.into();
        self.insert(initialises, &[initialisation, NOTHING_KNOWN.0.into()]);
        Ok(())
    }

    fn insert(&mut self, relation: RelationId, row: &[i64]) {
        self.theory.insert(relation, self::row(row));
    }

    /// The step must not be possible.
    pub(crate) fn add_goal(&mut self, step: StepId) {
        self.insert(self.relations.goal, &[step.0.into()]);
    }

    /// Puts another partition in the place of the one that is in.
    pub(crate) fn repartition(&mut self, system: &System, partition: &Partition) {
        let class = self.relations.class;
        for point in system.point_ids() {
            let (old, new) = (self.partition.class(point), partition.class(point));
            if old != new {
                let point = i64::from(point.0);
                self.theory.retract(class, &row(&[point, old.0.into()]));
                self.insert(class, &[point, new.0.into()]);
            }
        }
        self.partition = partition.clone();
    }

    /// Takes back all answers, because there are more predicates to answer for.
    pub(crate) fn forget_answers(&mut self) {
        for relation in [
            self.relations.post,
            self.relations.answered,
            self.relations.below,
        ] {
            let rows: Vec<Row> = self.theory.facts().rows(relation).map(Row::from).collect();
            for row in rows {
                self.theory.retract(relation, &row);
            }
        }
    }

    /// The step does something else from now on.
    pub(crate) fn change_effect(&mut self, step: StepId, old: EffectId, new: EffectId) {
        let (does, step) = (self.relations.does, i64::from(step.0));
        self.theory.retract(does, &row(&[step, old.0.into()]));
        self.insert(does, &[step, new.0.into()]);
    }

    pub(crate) fn answer(&mut self, effect: EffectId, from: ValuationId, to: &[ValuationId]) {
        for valuation in to {
            self.insert(
                self.relations.post,
                &[effect.0.into(), from.0.into(), valuation.0.into()],
            );
        }
        let question = [effect.0.into(), from.0.into()];
        self.insert(self.relations.answered, &question);
    }

    /// The second valuation says strictly less.
    pub(crate) fn add_below(&mut self, valuation: ValuationId, weaker: ValuationId) {
        let pair = [valuation.0.into(), weaker.0.into()];
        self.insert(self.relations.below, &pair);
    }

    /// Settling ends in an error if it is not done by then.
    pub(crate) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.theory.set_deadline(deadline);
    }

    pub(crate) fn settle(&mut self) -> Result<(), SettleError> {
        self.theory.settle()
    }

    /// Settles, and says how all relations changed.
    #[cfg(test)]
    pub(crate) fn settle_with_changes(&mut self) -> Result<Vec<Change>, SettleError> {
        let all: Vec<RelationId> = self.theory.rules().relation_ids().collect();
        self.theory.settle_with_changes(&all)
    }

    /// The posts that are asked for, in a fixed order.
    pub(crate) fn questions(&self) -> Vec<(EffectId, ValuationId)> {
        let rows = self.sorted(self.relations.need_post);
        rows.iter()
            .map(|row| (EffectId(number(row[0])), ValuationId(number(row[1]))))
            .collect()
    }

    /// The goals that are reached.
    pub(crate) fn errors(&self) -> Vec<(AbstractState, StepId)> {
        let rows = self.sorted(self.relations.error);
        rows.iter()
            .map(|row| (state(row), StepId(number(row[2]))))
            .collect()
    }

    pub(crate) fn reached(&self) -> Vec<AbstractState> {
        let rows = self.sorted(self.relations.reached);
        rows.iter().map(|row| state(row)).collect()
    }

    pub(crate) fn covered(&self) -> Vec<AbstractState> {
        let rows = self.sorted(self.relations.covered);
        rows.iter().map(|row| state(row)).collect()
    }

    /// Each covered state with one that covers it and is not covered itself.
    pub(crate) fn coverings(&self) -> impl Iterator<Item = (AbstractState, AbstractState)> {
        let covered: BTreeSet<AbstractState> = self.covered().into_iter().collect();
        let maximal = self.reached().into_iter();
        let maximal: BTreeSet<AbstractState> =
            maximal.filter(|state| !covered.contains(state)).collect();
        let below = self.theory.facts().rows(self.relations.below);
        let mut weaker: FxHashMap<ValuationId, Vec<ValuationId>> = FxHashMap::default();
        for row in below {
            let (valuation, other) = (ValuationId(number(row[0])), ValuationId(number(row[1])));
            weaker.entry(valuation).or_default().push(other);
        }
        let mut coverings = Vec::new();
        for (control, valuation) in covered {
            let weaker = weaker.get(&valuation).into_iter().flatten();
            let candidates = weaker.map(|&weaker| (control, weaker));
            let by = candidates.filter(|state| maximal.contains(state)).min();
            coverings.extend(by.map(|by| ((control, valuation), by)));
        }
        coverings.into_iter()
    }

    /// The edges of the abstract reachability graph.
    pub(crate) fn transitions(&self) -> Vec<(AbstractState, StepId, AbstractState)> {
        let mut posts: FxHashMap<(i64, i64), Vec<ValuationId>> = FxHashMap::default();
        for row in self.sorted(self.relations.post) {
            let to = ValuationId(number(row[2]));
            posts.entry((row[0].0, row[1].0)).or_default().push(to);
        }
        let mut leads: FxHashMap<Control, Vec<Row>> = FxHashMap::default();
        for row in self.sorted(self.relations.leads) {
            leads.entry(Control(row[0].0)).or_default().push(row);
        }
        let mut transitions = Vec::new();
        for (control, valuation) in self.reached() {
            for row in leads.get(&control).into_iter().flatten() {
                let answer = posts.get(&(row[2].0, valuation.0.into()));
                for &to in answer.into_iter().flatten() {
                    let target = (Control(row[3].0), to);
                    transitions.push(((control, valuation), StepId(number(row[1])), target));
                }
            }
        }
        transitions
    }

    fn sorted(&self, relation: RelationId) -> Vec<Row> {
        let mut rows = self.theory.rows(relation);
        rows.sort_unstable();
        rows
    }

    /// How many tuples there are, facts and derived ones.
    #[cfg(test)]
    pub(crate) fn tuples(&self) -> usize {
        let relations = self.theory.rules().relation_ids();
        relations.map(|id| self.theory.rows(id).len()).sum()
    }

    /// The class of each component.
    pub(crate) fn digits(&self, control: Control) -> impl Iterator<Item = (ComponentId, i64)> {
        let digits = self
            .weights
            .iter()
            .map(move |w| (control.0 / w) % self.radix);
        digits
            .enumerate()
            .map(|(index, digit)| (ComponentId::from_index(index), digit))
    }

    /// For each of the goals, a sequence of steps that leads to it, by a proof of least
    /// height; the lowest proofs come first.
    pub(crate) fn counterexamples(
        &mut self,
        goals: &[(AbstractState, StepId)],
    ) -> Result<Vec<Vec<StepId>>, SettleError> {
        let rows: Vec<Row> = goals
            .iter()
            .map(|((control, valuation), step)| {
                row(&[control.0, valuation.0.into(), step.0.into()])
            })
            .collect();
        let explanations = self.theory.explain_all(self.relations.error, &rows)?;
        let mut paths = Vec::new();
        for (explanation, (_, step)) in explanations.iter().zip(goals) {
            let Explanation::Holds(proof) = explanation else {
                unreachable!("internal error: an error that is reached has no proof");
            };
            let mut path = self.path(proof);
            path.push(*step);
            paths.push((proof.root().height, path));
        }
        paths.sort();
        Ok(paths.into_iter().map(|(_, path)| path).collect())
    }

    /// The steps by which the proof of an error reaches its state.
    fn path(&self, proof: &Proof) -> Vec<StepId> {
        let premise = |node: &Node, relation: RelationId| -> Option<(Node, Row)> {
            node.premises.iter().find_map(|&id| {
                let node = proof.node(id);
                match &node.claim {
                    Claim::Holds(found, row) if *found == relation => {
                        Some((node.clone(), row.clone()))
                    }
                    _ => None,
                }
            })
        };
        let mut path = Vec::new();
        let mut node = proof.root().clone();
        while let Some((before, _)) = premise(&node, self.relations.reached) {
            if let Some((_, leads)) = premise(&node, self.relations.leads) {
                path.push(StepId(number(leads[1])));
            }
            debug_assert!(matches!(node.by, By::Rule(_)));
            node = before;
        }
        path.reverse();
        path
    }
}

fn row(values: &[i64]) -> Row {
    values.iter().map(|&value| Value(value)).collect()
}

fn number(value: Value) -> u32 {
    u32::try_from(value.0).expect("internal error: a fact has a number that is no id")
}

fn state(row: &[Value]) -> AbstractState {
    (Control(row[0].0), ValuationId(number(row[1])))
}
