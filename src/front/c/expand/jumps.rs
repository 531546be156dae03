//! Jumps into the middle of a statement, by `goto` or to a case of a `switch` around it.
//!
//! What is known where the text comes to the statement says nothing of executions that jump
//! into it: they may come from anywhere in the function.

use super::super::typed::{LabelId, Statement};
use super::super::visit;
use super::{Expander, Node};
use heddle_diagnostics::Diagnostic;

impl Expander<'_> {
    /// A label inside that is jumped to from outside. The jumps to `own` that the statement
    /// around the body makes itself do not count.
    pub(super) fn jumped_into(&self, body: &Statement, own: &[LabelId]) -> Option<LabelId> {
        let frame = self.frames.last()?;
        let everywhere = &self.summaries[frame.function.index()].jumps;
        let inside = visit::jumps(body);
        visit::labels(body).into_iter().find(|label| {
            let all = everywhere.get(label).copied().unwrap_or(0);
            let known = inside.get(label).copied().unwrap_or(0);
            all > known + usize::from(own.contains(label))
        })
    }

    /// Something may jump to where this is reached from, so it is expanded in any case.
    pub(super) fn reach(&mut self, node: Node) {
        self.reached[node.index()] = true;
    }

    /// Forgets what a jump from anywhere in the function may have changed.
    pub(super) fn forget_before_jump(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let assigned = self.summaries[frame.function.index()].assigned.clone();
        self.forget(&assigned);
        self.known.forget_section();
        self.atomic = self.atomic_functions > 0;
    }

    /// Each iteration of an unrolled loop has labels of its own: which one is meant?
    pub(super) fn report_jump_into_unrolled(&mut self, body: &Statement, label: LabelId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.defined_labels.extend(visit::labels(body));
        }
        let name = self.label_name(label);
        self.report(Diagnostic::error(
            self.span,
            format!("a jump to label `{name}` inside a loop that creates threads is not supported"),
        ));
    }
}
