//! The events among which the last one of a chain is sought.

use super::{Action, ChainVars, Place, PlanAtom, PlanTerm, Source, Var};
use heddle_language::ruleset::RelationId;

/// The events that meet all atoms, with the values of the atoms' other variables; all events
/// in chains if there are no atoms. Two rules that look for the same events have equal sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CandidateSet {
    pub(crate) order: RelationId,
    /// Over [`EVENT`] and the variables that follow it.
    atoms: Vec<PlanAtom>,
    /// How many other variables there are.
    width: u32,
}

const EVENT: Var = Var(0);

impl CandidateSet {
    /// Returns also the variables that a search must give values to, in order.
    pub(super) fn new(order: RelationId, event: Var, atoms: &[PlanAtom]) -> (Self, Vec<Var>) {
        let mut key: Vec<Var> = Vec::new();
        let mut atoms = atoms.to_vec();
        for atom in &mut atoms {
            for term in &mut atom.terms {
                if let PlanTerm::Variable(variable) = term {
                    if *variable == event {
                        *variable = EVENT;
                        continue;
                    }
                    let known = key.iter().position(|other| other == variable);
                    let number = known.unwrap_or_else(|| {
                        key.push(*variable);
                        key.len() - 1
                    });
                    *variable = Var(number as u32 + 1);
                }
            }
        }
        let width = key.len() as u32;
        let candidates = CandidateSet {
            order,
            atoms,
            width,
        };
        (candidates, key)
    }

    /// Whether an event in no chain is a candidate without being mentioned anywhere.
    pub(crate) fn has_all_loose_events(&self) -> bool {
        self.atoms.is_empty()
    }

    /// How to compute the set: the actions, the variables to group by, and those of the
    /// groups' members.
    pub(super) fn actions(&self) -> (Vec<Action>, Vec<Var>, Vec<Var>) {
        let place = Place {
            chain: ChainVars {
                kind: Var(self.width + 1),
                chain: Var(self.width + 2),
            },
            index: Var(self.width + 3),
        };
        let mut actions: Vec<Action> = self.atoms.iter().cloned().map(Action::Join).collect();
        if self.atoms.is_empty() {
            let terms = [EVENT, place.chain.kind, place.chain.chain, place.index];
            actions.push(Action::Join(PlanAtom {
                source: Source::Places(self.order),
                terms: terms.map(PlanTerm::Variable).to_vec(),
            }));
        } else {
            actions.push(Action::Locate {
                order: self.order,
                event: EVENT,
                place,
            });
        }
        let mut group = vec![place.chain.kind, place.chain.chain];
        group.extend((1..=self.width).map(Var));
        (actions, group, vec![place.index, EVENT])
    }
}
