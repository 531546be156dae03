//! Which variables a statement reads and writes.

use crate::ids::{TermId, VarId};
use crate::program::Program;
use crate::statement::{Place, Statement};
use crate::term::Term;

impl Program {
    /// The variables that the statement reads, each once.
    ///
    /// Writing one element of an array does not count as reading it.
    pub fn reads(&self, statement: &Statement) -> Vec<VarId> {
        let mut variables: Vec<VarId> = statement
            .terms()
            .into_iter()
            .flat_map(|term| self.terms.variables_of(term))
            .collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The variables that the statement writes, each once.
    pub fn writes(&self, statement: &Statement) -> Vec<VarId> {
        let mut variables: Vec<VarId> = statement
            .targets()
            .into_iter()
            .map(Place::variable)
            .collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    pub fn shared_reads(&self, statement: &Statement) -> Vec<VarId> {
        let mut variables = self.reads(statement);
        variables.retain(|&variable| self.is_shared(variable));
        variables
    }

    pub fn shared_writes(&self, statement: &Statement) -> Vec<VarId> {
        let mut variables = self.writes(statement);
        variables.retain(|&variable| self.is_shared(variable));
        variables
    }

    /// How many accesses to shared memory the statement makes: each shared variable that
    /// occurs in its terms counts once, and so does each shared target. `a[i] + a[j]` with
    /// different indices counts as two accesses of `a`.
    pub fn shared_accesses(&self, statement: &Statement) -> usize {
        let written = statement
            .targets()
            .into_iter()
            .filter(|target| self.is_shared(target.variable()))
            .count();
        written + self.shared_reads_in(&statement.terms())
    }

    fn shared_reads_in(&self, roots: &[TermId]) -> usize {
        let mut whole: Vec<VarId> = Vec::new();
        let mut elements = 0;
        let is_shared = |term: TermId| {
            let variable = self.terms.as_variable(term)?;
            self.is_shared(variable).then_some(variable)
        };
        for &root in roots {
            whole.extend(is_shared(root));
        }
        for term in self.terms.subterms(roots) {
            let Term::Apply { op, arguments } = self.terms.get(term) else {
                continue;
            };
            let mut arguments = &arguments[..];
            if *op == crate::Op::Select && is_shared(arguments[0]).is_some() {
                elements += 1;
                arguments = &arguments[1..];
            }
            whole.extend(arguments.iter().copied().filter_map(is_shared));
        }
        whole.sort_unstable();
        whole.dedup();
        whole.len() + elements
    }
}
