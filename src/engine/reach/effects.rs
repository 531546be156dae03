//! What the rules call an action: what a step does to the data, and which predicates are not
//! tracked any more afterwards.

use super::predicates::PredicateId;
use super::scopes::Scopes;
use super::system::{ActionId, StepId, System};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EffectId(pub(crate) u32);

/// An action of the rules: what a step does to the data, and what is forgotten then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Effect {
    pub(crate) action: ActionId,
    pub(crate) forgotten: Vec<PredicateId>,
}

/// Effects by number, as facts mention them.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    all: Vec<Effect>,
    known: FxHashMap<Effect, EffectId>,
}

impl Effects {
    /// Nothing is forgotten: effects have the numbers of actions.
    pub(crate) fn new(system: &System) -> Effects {
        let mut effects = Effects {
            all: Vec::new(),
            known: FxHashMap::default(),
        };
        for index in 0..system.actions.len() {
            effects.intern(Effect {
                action: ActionId::from_index(index),
                forgotten: Vec::new(),
            });
        }
        effects
    }

    fn intern(&mut self, effect: Effect) -> EffectId {
        let next = EffectId(u32::try_from(self.all.len()).expect("fewer than 2^32 effects"));
        let all = &mut self.all;
        *self.known.entry(effect).or_insert_with_key(|effect| {
            all.push(effect.clone());
            next
        })
    }

    pub(crate) fn get(&self, id: EffectId) -> &Effect {
        &self.all[id.0 as usize]
    }

    /// What the step does, by the scopes as they are.
    pub(crate) fn of(&mut self, system: &System, scopes: &Scopes, step: StepId) -> EffectId {
        self.intern(Effect {
            action: system.step(step).action,
            forgotten: scopes.forgotten(system, step),
        })
    }
}
