//! Guarded commands: a process with one location, and one edge a command.

use super::lower::Emitter;
use super::syntax::{Command, Effect, Name};
use super::typed::{Target, Typed};
use heddle_diagnostics::Diagnostic;
use heddle_program::{LocationId, Statement as Step};

impl Emitter<'_> {
    /// A process that is a set of guarded commands: one location, one edge a command.
    pub(crate) fn commands(&mut self, commands: &[Command]) {
        let at = self.builder.entry(self.thread);
        let mut labels: Vec<&Name> = Vec::new();
        for command in commands {
            if let Some(label) = &command.label {
                if let Some(first) = labels.iter().find(|first| first.text == label.text) {
                    let message = format!("two commands are labelled `{}`", label.text);
                    self.findings.report(
                        Diagnostic::error(label.span, message).related(first.span, "first here"),
                    );
                }
                labels.push(label);
            }
            self.builder.at(command.span);
            self.command(command, at);
        }
    }

    fn command(&mut self, command: &Command, at: LocationId) {
        let guard = self.checker().condition(&command.guard);
        let effect: Vec<(Target, Typed)> = match &command.effect {
            Effect::Assign(assignments) => match self.assignments(assignments) {
                Some(assignments) => assignments,
                None => return,
            },
            Effect::Skip => Vec::new(),
            Effect::Assert(condition) => {
                let message = self.assertion_text(condition.span);
                let condition = self.checker().condition(condition);
                if let (Some(guard), Some(condition)) = (guard, condition) {
                    self.guarded_assert(at, &guard, &condition, &message);
                }
                return;
            }
        };
        let Some(guard) = guard else { return };
        let (from, combinations) = self.resolve(at, &[&guard]);
        for choices in combinations {
            let meant = self.meant(&guard, &choices);
            self.demand(from, meant.defined, at);
            self.assign_if(from, Some(meant.term), meant.defined, &effect, at);
        }
        let open = self.builder.program().outgoing(at).iter().any(|&edge| {
            let edge = self.builder.program().edge(edge);
            matches!(edge.statement, Step::Havoc { .. }) && edge.target != at
        });
        if open {
            self.findings.report(
                Diagnostic::error(
                    command.span,
                    "in a guarded command, a number `*` stands alone on the right of `:=`",
                )
                .hint("keep the open value in a variable of its own"),
            );
        }
    }

    fn guarded_assert(&mut self, at: LocationId, guard: &Typed, condition: &Typed, message: &str) {
        let (from, combinations) = self.resolve(at, &[guard, condition]);
        for choices in combinations {
            let both = self.meant_all(&[guard, condition], &choices);
            self.demand(from, both[0].defined, at);
            let terms = self.builder.terms();
            let holds = terms.and(&[both[1].defined, both[1].term]);
            let fails = terms.not(holds);
            let fails = terms.and(&[both[0].defined, both[0].term, fails]);
            let holds = terms.not(fails);
            self.assert_term(from, holds, message, at);
        }
    }
}
