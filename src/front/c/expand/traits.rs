//! What the whole program uses, where knowing it makes the result smaller.

use super::super::builtins::Builtin;
use super::super::elaborate::TypedProgram;
use super::super::typed::{Callee, Expr, ExprKind};
use super::super::visit::{self, Item};

#[derive(Default)]
pub(super) struct ProgramTraits {
    pub(super) mutex_kinds: bool,
    pub(super) results_used: bool,
}

impl ProgramTraits {
    pub(super) fn of(program: &TypedProgram) -> Self {
        let mut traits = ProgramTraits {
            mutex_kinds: program.mutex_kinds,
            ..ProgramTraits::default()
        };
        for function in &program.functions {
            if let Some(body) = &function.body {
                visit::statement(&body.statement, &mut |item| {
                    if let Item::Expr(expr) = item {
                        traits.note(expr);
                    }
                });
            }
        }
        traits
    }

    fn note(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call(Callee::Builtin(Builtin::MutexAttrSetType), _) => {
                self.mutex_kinds = true;
            }
            ExprKind::Call(Callee::Builtin(Builtin::ThreadJoin), arguments) => {
                self.results_used |= !matches!(arguments[1].kind, ExprKind::Int(0));
            }
            _ => {}
        }
    }
}
