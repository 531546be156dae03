//! Φ: the predicates that tell states apart, and the valuations of them.

use super::atoms::complement;
use heddle_program::{EdgeId, TermId, Terms, VarId};
use rustc_hash::FxHashMap;

/// Where a predicate is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Everywhere,
    /// Where the program counter allows one of these steps (Section 7.2).
    Before(Vec<EdgeId>),
}

#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub(crate) term: TermId,
    pub(crate) negation: TermId,
    /// In order of their ids.
    pub(crate) variables: Box<[VarId]>,
    pub(crate) scope: Scope,
}

/// They only become more, and are looked at in more places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicates {
    pub(crate) all: Vec<Predicate>,
    /// Predicates and their negations.
    known: FxHashMap<TermId, usize>,
}

impl Predicates {
    /// Looks at an atom from now on, before this step or everywhere. Whether that is news.
    pub(crate) fn add(&mut self, terms: &mut Terms, atom: TermId, before: Option<EdgeId>) -> bool {
        if let Some(&position) = self.known.get(&atom) {
            return match (&mut self.all[position].scope, before) {
                (Scope::Everywhere, _) => false,
                (Scope::Before(edges), Some(edge)) if edges.contains(&edge) => false,
                (Scope::Before(edges), Some(edge)) => {
                    edges.push(edge);
                    true
                }
                (scope @ Scope::Before(_), None) => {
                    *scope = Scope::Everywhere;
                    true
                }
            };
        }
        let negation = complement(terms, atom);
        let position = self.all.len();
        self.known.insert(atom, position);
        self.known.insert(negation, position);
        self.all.push(Predicate {
            term: atom,
            negation,
            variables: terms.variables_of(atom).into(),
            scope: match before {
                None => Scope::Everywhere,
                Some(edge) => Scope::Before(vec![edge]),
            },
        });
        true
    }

    /// The number of a predicate, or of the one that it negates.
    pub(crate) fn find(&self, atom: TermId) -> Option<usize> {
        self.known.get(&atom).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// What a valuation says: predicates and negations.
    pub(crate) fn conjuncts(&self, valuation: &Valuation) -> Vec<TermId> {
        let of = |(number, predicate): (usize, &Predicate)| {
            let value = valuation.value(number)?;
            Some(if value {
                predicate.term
            } else {
                predicate.negation
            })
        };
        self.all.iter().enumerate().filter_map(of).collect()
    }
}

/// The truth values of the predicates that are looked at: two bits each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Valuation(Vec<u64>);

impl Valuation {
    pub(crate) fn from_words(words: &[u64]) -> Valuation {
        Valuation(words.to_vec())
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(crate) fn clear(&mut self, predicates: usize) {
        self.0.clear();
        self.0.resize(predicates.div_ceil(32), 0);
    }

    pub(crate) fn set(&mut self, number: usize, value: bool) {
        self.0[number / 32] |= (2 | u64::from(value)) << (number % 32 * 2);
    }

    /// `None` if the predicate is not looked at.
    pub(crate) fn value(&self, number: usize) -> Option<bool> {
        let bits = self.0.get(number / 32)? >> (number % 32 * 2);
        (bits & 2 == 2).then_some(bits & 1 == 1)
    }
}

/// Which predicates are looked at: one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked(Vec<u64>);

impl Looked {
    pub(crate) fn at(predicates: usize, is_looked_at: impl Fn(usize) -> bool) -> Looked {
        let mut words = vec![0; predicates.div_ceil(64)];
        for number in (0..predicates).filter(|&number| is_looked_at(number)) {
            words[number / 64] |= 1 << (number % 64);
        }
        Looked(words)
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(index * 64 + bit as usize)
            })
        })
    }
}
