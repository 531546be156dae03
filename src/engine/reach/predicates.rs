//! The predicates that an abstraction tracks, and sets of them that hold.

use heddle_program::{Op, Term, TermId, Terms};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PredicateId(pub(crate) u32);

impl PredicateId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    /// A boolean term over the variables of the program.
    pub(crate) term: TermId,
    pub(crate) negation: TermId,
}

/// They only become more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    all: Vec<Predicate>,
    known: FxHashMap<TermId, PredicateId>,
}

impl Predicates {
    /// Tracks a term, whose negation is tracked with it. `None` if it is a constant.
    pub(crate) fn add(&mut self, terms: &mut Terms, term: TermId) -> Option<PredicateId> {
        let term = match terms.get(term) {
            Term::Constant(_) => return None,
            Term::Apply {
                op: Op::Not,
                arguments,
            } => arguments[0],
            _ => term,
        };
        if let Some(&known) = self.known.get(&term) {
            return Some(known);
        }
        let id = PredicateId(u32::try_from(self.all.len()).expect("fewer than 2^32 predicates"));
        let negation = terms.not(term);
        self.all.push(Predicate { term, negation });
        self.known.insert(term, id);
        self.known.insert(negation, id);
        Some(id)
    }

    pub(crate) fn get(&self, id: PredicateId) -> &Predicate {
        &self.all[id.index()]
    }

    pub(crate) fn contains(&self, term: TermId) -> bool {
        self.known.contains_key(&term)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = PredicateId> + use<> {
        (0..self.all.len() as u32).map(PredicateId)
    }

    pub(crate) fn term_of(&self, literal: Literal) -> TermId {
        let predicate = self.get(literal.predicate());
        match literal.holds() {
            true => predicate.term,
            false => predicate.negation,
        }
    }
}

/// A predicate or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Literal(u32);

impl Literal {
    pub(crate) fn new(predicate: PredicateId, holds: bool) -> Literal {
        Literal(predicate.0 * 2 + u32::from(!holds))
    }

    pub(crate) fn predicate(self) -> PredicateId {
        PredicateId(self.0 / 2)
    }

    pub(crate) fn holds(self) -> bool {
        self.0.is_multiple_of(2)
    }
}

/// A conjunction of literals, in order, at most one a predicate: the data part of an
/// abstract state. What is not mentioned is not known.
pub(crate) type Cube = Box<[Literal]>;

/// Whether the cube says of the predicate that it holds, or does not.
pub(crate) fn truth(cube: &[Literal], predicate: PredicateId) -> Option<bool> {
    let position = cube.binary_search_by_key(&predicate, |literal| literal.predicate());
    position.ok().map(|position| cube[position].holds())
}

/// Whether the first cube says all that the second says, and so describes fewer states.
pub(crate) fn is_below(cube: &[Literal], weaker: &[Literal]) -> bool {
    weaker.len() <= cube.len()
        && weaker
            .iter()
            .all(|literal| cube.binary_search(literal).is_ok())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ValuationId(pub(crate) u32);

impl ValuationId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Cubes by number, as facts mention them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Valuations {
    cubes: Vec<Cube>,
    known: FxHashMap<Cube, ValuationId>,
}

impl Valuations {
    pub(crate) fn intern(&mut self, cube: &[Literal]) -> ValuationId {
        if let Some(&known) = self.known.get(cube) {
            return known;
        }
        let id = ValuationId(u32::try_from(self.cubes.len()).expect("fewer than 2^32 cubes"));
        self.cubes.push(cube.into());
        self.known.insert(cube.into(), id);
        id
    }

    pub(crate) fn cube(&self, id: ValuationId) -> &[Literal] {
        &self.cubes[id.index()]
    }
}
