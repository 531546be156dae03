//! Sets of variables, as bits.

use heddle_program::{TermId, Terms};

#[derive(Clone, Debug, Default)]
pub(crate) struct VariableSet(Vec<u64>);

impl VariableSet {
    /// The variables of a term.
    pub(crate) fn of(terms: &Terms, term: TermId) -> VariableSet {
        let mut set = VariableSet::default();
        for variable in terms.variables_of(term) {
            let (word, bit) = (variable.index() / 64, variable.index() % 64);
            if set.0.len() <= word {
                set.0.resize(word + 1, 0);
            }
            set.0[word] |= 1 << bit;
        }
        set
    }

    pub(crate) fn add(&mut self, other: &VariableSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    pub(crate) fn meets(&self, other: &VariableSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}
