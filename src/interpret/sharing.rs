//! Which thread alone uses a variable, and which variables nobody writes.

use crate::layout::Layout;
use heddle_program::{Program, Scope, Statement, ThreadId, VarId};

#[derive(Debug)]
pub(crate) struct Sharing {
    /// By variable: the only thread whose statements use it, if the error condition does not
    /// see it either. A variable that nobody uses belongs to the first thread.
    owners: Vec<Option<ThreadId>>,
    written: Vec<bool>,
}

impl Sharing {
    pub(crate) fn new(program: &Program, layout: &Layout) -> Sharing {
        #[derive(Clone, Copy)]
        enum Users {
            None,
            One(ThreadId),
            Several,
        }
        let mut users = vec![Users::None; program.variables.len()];
        let mut written = vec![false; program.variables.len()];
        for id in program.edge_ids() {
            let thread = program.thread_of(id);
            let statement = &program.edge(id).statement;
            let writes = program.writes(statement);
            for &variable in &writes {
                written[variable.index()] = true;
            }
            for variable in writes.into_iter().chain(program.reads(statement)) {
                let users = &mut users[variable.index()];
                *users = match *users {
                    Users::None => Users::One(thread),
                    Users::One(other) if other == thread => Users::One(thread),
                    _ => Users::Several,
                };
            }
        }
        let owners = program.variable_ids().map(|variable| {
            if layout.is_observed(variable) {
                return None;
            }
            match (users[variable.index()], program.variable(variable).scope) {
                (Users::One(thread), _) | (Users::None, Scope::Local(thread)) => Some(thread),
                (Users::None, Scope::Shared) => program.thread_ids().next(),
                (Users::Several, _) => None,
            }
        });
        Sharing {
            owners: owners.collect(),
            written,
        }
    }

    /// The thread to which the variable is private.
    pub(crate) fn owner(&self, variable: VarId) -> Option<ThreadId> {
        self.owners[variable.index()]
    }

    /// Whether no step of another thread can see or influence the step: it writes private
    /// variables, and reads those and variables that never change.
    pub(crate) fn is_private(&self, program: &Program, statement: &Statement) -> bool {
        match statement {
            Statement::Skip
            | Statement::Assign { .. }
            | Statement::Havoc { .. }
            | Statement::Assume(_)
            | Statement::Assert { .. }
            | Statement::Guarded { .. } => {
                let mut writes = program.writes(statement).into_iter();
                let mut reads = program.reads(statement).into_iter();
                writes.all(|variable| self.owner(variable).is_some())
                    && reads.all(|variable| {
                        self.owner(variable).is_some() || !self.written[variable.index()]
                    })
            }
            Statement::Create(_)
            | Statement::Join(_)
            | Statement::AtomicBegin
            | Statement::AtomicEnd
            | Statement::BoundReached(_) => false,
        }
    }
}
