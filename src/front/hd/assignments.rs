//! Assignments, checked: what is written, and with what.

use super::lower::Emitter;
use super::syntax::Assignment;
use super::typed::{Node, Target, Typed};
use heddle_diagnostics::Diagnostic;
use heddle_program::Op;

impl Emitter<'_> {
    pub(crate) fn assignments(
        &mut self,
        assignments: &[Assignment],
    ) -> Option<Vec<(Target, Typed)>> {
        let checked: Vec<Option<(Target, Typed)>> = assignments
            .iter()
            .map(|assignment| self.assignment(assignment))
            .collect();
        let checked = checked.into_iter().collect::<Option<Vec<_>>>()?;
        for (position, (target, value)) in checked.iter().enumerate() {
            let clash = checked[..position].iter().any(|(earlier, _)| {
                earlier.variable() == target.variable()
                    && (matches!(earlier, Target::Variable(_))
                        || matches!(target, Target::Variable(_)))
            });
            if clash {
                let name = &self.builder.program().variable(target.variable()).name;
                let message = format!("`{name}` is assigned twice in one step");
                self.findings.report(Diagnostic::error(value.span, message));
                return None;
            }
        }
        Some(checked)
    }

    fn assignment(&mut self, assignment: &Assignment) -> Option<(Target, Typed)> {
        let written = self.checker().check(&assignment.target, None);
        let kind = written.as_ref().map(|target| target.kind);
        let target = match written.map(|target| target.node) {
            Some(Node::Variable(variable)) => Some(Target::Variable(variable)),
            Some(Node::Apply(Op::Select, operands))
                if matches!(operands[0].node, Node::Variable(_)) =>
            {
                let mut operands = operands.into_iter();
                match (operands.next().map(|array| array.node), operands.next()) {
                    (Some(Node::Variable(variable)), Some(position)) => {
                        Some(Target::Element(variable, position))
                    }
                    _ => None,
                }
            }
            Some(_) => {
                self.findings.report(
                    Diagnostic::error(assignment.target.span, "this cannot be assigned to")
                        .hint("what is assigned is a variable or an element of an array"),
                );
                None
            }
            None => None,
        };
        if kind.is_none() && self.checker().natural(&assignment.value).is_none() {
            return None;
        }
        let value = self.checker().check(&assignment.value, kind);
        Some((target?, value?))
    }
}
