//! Which variables a statement reads and writes.

use crate::ids::{TermId, VarId};
use crate::op::Op;
use crate::program::Program;
use crate::statement::{Place, Statement};
use crate::term::{Term, Terms};

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
        let is_shared = |variable| self.is_shared(variable);
        written + self.terms.accesses(&statement.terms(), is_shared)
    }
}

impl Terms {
    /// How many accesses the terms make of the variables that count: each one that occurs is
    /// one access, but of an array that is read by elements, each element.
    pub fn accesses(&self, roots: &[TermId], counts: impl Fn(VarId) -> bool) -> usize {
        let mut whole: Vec<VarId> = Vec::new();
        let mut elements = 0;
        let counted = |term: TermId| self.as_variable(term).filter(|&variable| counts(variable));
        for &root in roots {
            whole.extend(counted(root));
        }
        for term in self.subterms(roots) {
            let Term::Apply { op, arguments } = self.get(term) else {
                continue;
            };
            let mut arguments = &arguments[..];
            if *op == Op::Select && counted(arguments[0]).is_some() {
                elements += 1;
                arguments = &arguments[1..];
            }
            whole.extend(arguments.iter().copied().filter_map(counted));
        }
        whole.sort_unstable();
        whole.dedup();
        whole.len() + elements
    }
}
