//! The rule set `match` at work: visited states and transitions as relations, the run to an
//! error from their provenance, and what refinement asks for.

use super::structure::{Outcome, StateId, Structure};
use heddle_datalog::backend::SettleError;
use heddle_datalog::provenance::{Claim, Explanation, NodeId, Proof};
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use heddle_datalog::value::{Row, Value};
use heddle_language::ruleset::RelationId;
use heddle_program::EdgeId;

pub(crate) struct Relations {
    theory: Theory,
    /// The `unproved` facts of the last iteration.
    unproved: Vec<Row>,
}

/// What refinement asks for, by number.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Predicates, and the steps before which they are needed.
    pub(crate) predicates: Vec<(u32, EdgeId)>,
    /// Concrete transitions that stayed inexact for too long.
    pub(crate) stubborn: Vec<u32>,
}

impl Relations {
    /// `patience` is for how many iterations a transition may be inexact.
    pub(crate) fn new(patience: Option<u32>) -> Relations {
        let rules = built_in("match").expect("heddle is built with rules/match.dl");
        let theory = Theory::new(rules, BackendKind::Compiled);
        let mut relations = Relations {
            theory: theory.expect("a built-in rule set is compiled"),
            unproved: Vec::new(),
        };
        if let Some(patience) = patience {
            relations.insert("patience", [Value(patience.into())]);
        }
        relations
    }

    fn relation(&self, name: &str) -> RelationId {
        let id = self.theory.rules().find(name);
        id.expect("rules/match.dl declares its relations")
    }

    fn insert<const N: usize>(&mut self, relation: &str, row: [Value; N]) {
        let relation = self.relation(relation);
        self.theory.insert(relation, Row::from(row));
    }

    /// What follows from the steps of an iteration that were not proved exact: state, edge and
    /// predicate of each, and its concrete transition if those are counted.
    pub(crate) fn refine(
        &mut self,
        iteration: u32,
        unproved: &[(StateId, EdgeId, u32)],
        inexact: &[u32],
    ) -> Result<Wanted, SettleError> {
        let relation = self.relation("unproved");
        for row in std::mem::take(&mut self.unproved) {
            self.theory.retract(relation, &row);
        }
        for &(state, edge, predicate) in unproved {
            let row: Row = [
                value(state.index()),
                value(edge.index()),
                Value(predicate.into()),
            ]
            .into();
            self.theory.insert(relation, row.clone());
            self.unproved.push(row);
        }
        for &transition in inexact {
            self.insert(
                "inexact",
                [Value(iteration.into()), Value(transition.into())],
            );
        }
        self.theory.settle()?;
        let mut wanted = Wanted::default();
        for row in self.theory.rows(self.relation("wanted")) {
            wanted
                .predicates
                .push((number(row[0]), EdgeId::from_index(number(row[1]) as usize)));
        }
        for row in self.theory.rows(self.relation("stubborn")) {
            wanted.stubborn.push(number(row[0]));
        }
        wanted.predicates.sort_unstable();
        wanted.stubborn.sort_unstable();
        Ok(wanted)
    }

    /// Makes the last structure known: how each state was discovered, and with `matches` all
    /// other steps, too.
    pub(crate) fn load(&mut self, structure: &Structure, matches: bool) {
        let [initial, discovered, matched, violating] =
            ["initial", "discovered", "matched", "violating"].map(|name| self.relation(name));
        self.theory.reserve(discovered, structure.states.len());
        for id in structure.state_ids() {
            match structure.state(id).reached {
                None => self.theory.insert(initial, Row::from([value(id.index())])),
                Some((from, edge)) => {
                    let row = [value(id.index()), value(from.index()), value(edge.index())];
                    self.theory.insert(discovered, Row::from(row));
                }
            }
            let steps = structure.steps(id).filter(|_| matches).unwrap_or_default();
            for &(edge, outcome) in steps {
                if let Outcome::To(to, _) = outcome
                    && structure.state(to).reached != Some((id, edge))
                {
                    let row = [value(to.index()), value(id.index()), value(edge.index())];
                    self.theory.insert(matched, Row::from(row));
                }
            }
        }
        for (state, _) in &structure.errors {
            self.theory
                .insert(violating, Row::from([value(state.index())]));
        }
    }

    /// The states that a run to the error goes through, by the proof that it is one.
    pub(crate) fn run_to(&mut self, error: StateId) -> Result<Vec<StateId>, SettleError> {
        let relation = self.relation("error");
        let explanation = self.theory.explain(relation, &[value(error.index())])?;
        let Explanation::Holds(proof) = explanation else {
            panic!("internal error: an error that was found does not follow from how it was found");
        };
        let visited = self.relation("visited");
        let mut states = Vec::new();
        let mut next = premise(&proof, NodeId(0), visited);
        while let Some((node, state)) = next {
            states.push(state);
            next = premise(&proof, node, visited);
        }
        states.reverse();
        Ok(states)
    }

    /// The explored structure: state, edge, state.
    pub(crate) fn transitions(&mut self) -> Result<Vec<(StateId, EdgeId, StateId)>, SettleError> {
        self.theory.settle()?;
        let rows = self.theory.rows(self.relation("transition"));
        let mut transitions: Vec<(StateId, EdgeId, StateId)> = rows
            .iter()
            .map(|row| {
                let edge = EdgeId::from_index(number(row[1]) as usize);
                (StateId(number(row[0])), edge, StateId(number(row[2])))
            })
            .collect();
        transitions.sort_unstable();
        Ok(transitions)
    }
}

/// The premise of a node that is a tuple of the relation, with its state.
fn premise(proof: &Proof, node: NodeId, relation: RelationId) -> Option<(NodeId, StateId)> {
    let premises = proof.node(node).premises.iter();
    premises
        .filter_map(|&premise| match &proof.node(premise).claim {
            Claim::Holds(id, row) if *id == relation => Some((premise, StateId(number(row[0])))),
            _ => None,
        })
        .next()
}

fn value(index: usize) -> Value {
    Value(index as i64)
}

fn number(value: Value) -> u32 {
    u32::try_from(value.0).expect("what went in was a number of 32 bits")
}
