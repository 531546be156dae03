//! What the whole program uses, where knowing it makes the result smaller.

use super::super::builtins::Builtin;
use super::super::elaborate::TypedProgram;
use super::super::typed::{Callee, Expr, ExprKind, GlobalId, GlobalValue, LvalueKind, VariableId};
use super::super::types::Type;
use super::super::visit::{self, Item};

#[derive(Default)]
pub(super) struct ProgramTraits {
    pub(super) mutex_kinds: bool,
    pub(super) results_used: bool,
    /// Whether `main` may be joined: some thread asks who it is, and some thread is joined.
    pub(super) main_joinable: bool,
    /// Whether keys of thread-specific data are deleted.
    pub(super) deletes_keys: bool,
    /// The variable `errno`, if the program uses the library's.
    pub(super) errno: Option<GlobalId>,
}

impl ProgramTraits {
    pub(super) fn of(program: &TypedProgram) -> Self {
        let mut traits = ProgramTraits {
            mutex_kinds: program.mutex_kinds,
            ..ProgramTraits::default()
        };
        let (mut joins, mut asks) = (false, false);
        for function in &program.functions {
            if let Some(body) = &function.body {
                visit::statement(&body.statement, &mut |item| match item {
                    Item::Expr(expr) => {
                        traits.note(expr);
                        if let ExprKind::Call(Callee::Builtin(builtin), _) = &expr.kind {
                            joins |= *builtin == Builtin::ThreadJoin;
                            asks |= *builtin == Builtin::ThreadSelf;
                        }
                    }
                    Item::Lvalue(lvalue) => {
                        if let LvalueKind::Variable(VariableId::Global(id)) = lvalue.kind
                            && is_errno(program, id)
                        {
                            traits.errno = Some(id);
                        }
                    }
                    Item::Statement(_) => {}
                });
            }
        }
        traits.main_joinable = joins && asks;
        traits
    }

    fn note(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call(Callee::Builtin(Builtin::MutexAttrSetType), _) => {
                self.mutex_kinds = true;
            }
            ExprKind::Call(Callee::Builtin(Builtin::KeyDelete), _) => self.deletes_keys = true,
            ExprKind::Call(Callee::Builtin(Builtin::ThreadJoin), arguments) => {
                self.results_used |= !matches!(arguments[1].kind, ExprKind::Int(0));
            }
            _ => {}
        }
    }
}

fn is_errno(program: &TypedProgram, id: GlobalId) -> bool {
    let global = &program.globals[id.index()];
    let external = matches!(global.value, GlobalValue::External);
    global.name == "errno" && external && global.thread_local && global.ty.ty == Type::INT
}
