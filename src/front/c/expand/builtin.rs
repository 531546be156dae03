//! The functions whose meaning is fixed: SV-COMP's here, the others where they belong.

use super::super::builtins::{self, Builtin};
use super::super::ir::Action;
use super::super::typed::{Callee, Expr, ExprKind, LvalueKind, Statement, StatementKind};
use super::super::types::{IntKind, Type};
use super::{Expander, call::CallResult};
use heddle_program::TermId;

impl Expander<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[Expr],
        expr: &Expr,
    ) -> CallResult {
        use Builtin::*;
        let ty = &expr.ty;
        let value = match builtin {
            Nondet => self.any(ty),
            Assume => {
                let condition = self.truth(&arguments[0]);
                self.assume(condition);
                return CallResult::Nothing;
            }
            Error => {
                let message = self.error_message(arguments);
                for argument in arguments {
                    self.effects(argument);
                }
                let no = self.terms.bool(false);
                self.emit(Action::Assert(no, message));
                self.stop();
                return CallResult::Nothing;
            }
            Assert => {
                self.assert_that(&arguments[0], true, "__VERIFIER_assert");
                return CallResult::Nothing;
            }
            AtomicBegin => {
                self.emit(Action::AtomicBegin);
                self.known.forget_section();
                self.atomic = true;
                return CallResult::Nothing;
            }
            AtomicEnd => {
                self.emit(Action::AtomicEnd);
                self.known.forget_section();
                self.atomic = false;
                return CallResult::Nothing;
            }
            Stop => {
                for argument in arguments {
                    self.effects(argument);
                }
                self.stop();
                return CallResult::Nothing;
            }
            ThreadCreate => self.thread_create(arguments, ty),
            ThreadJoin => self.thread_join(arguments, ty),
            ThreadExit => {
                self.thread_exit(&arguments[0]);
                return CallResult::Nothing;
            }
            ThreadSelf => {
                let object = self.threads[self.thread.index()].object;
                let address = self.address(object);
                self.fit(address, ty)
            }
            ThreadEqual => {
                let wide = Type::Int(IntKind::ULong);
                let [a, b] = [0, 1].map(|index| {
                    let value = self.value(&arguments[index]);
                    self.convert(value, &arguments[index].ty, &wide)
                });
                let equal = self.terms.eq(a.term, b.term);
                super::super::arithmetic::from_truth(
                    &mut self.terms,
                    &self.program.types,
                    ty,
                    equal,
                )
                .into()
            }
            KeyCreate => self.key_create(arguments, ty),
            KeyGet => self.key_get(arguments),
            KeySet => self.key_set(arguments, ty),
            KeyDelete => self.key_delete(&arguments[0], ty),
            MutexInit | MutexLock | MutexTryLock | MutexTimedLock | MutexUnlock | MutexAttrInit
            | MutexAttrSetType | MutexAttrGetType | SpinInit | SpinLock | SpinTryLock
            | SpinUnlock | CondWait | CondTimedWait | ReadLock | TryReadLock | WriteLock
            | TryWriteLock | TimedReadLock | TimedWriteLock | ReadWriteInit | ReadWriteUnlock
            | BarrierInit | BarrierWait | Once | SemInit | SemWait | SemTryWait | SemTimedWait
            | SemPost | SemGetValue => self.synchronization(builtin, arguments, ty),
            Malloc | Calloc | AlignedAlloc | Alloca => {
                self.allocate(builtin, arguments, &Type::Void)
            }
            Free => {
                self.effects(&arguments[0]);
                self.assume_note(
                    "memory is neither accessed after it was freed nor allocated again",
                    Some(expr.span),
                );
                return CallResult::Nothing;
            }
            Memset => self.memset(arguments),
            Memcpy => self.copy_memory(arguments, false),
            Memmove => self.copy_memory(arguments, true),
            Atomic(atomic) => return self.atomic_builtin(atomic, arguments, expr),
            Succeed | CondInit => {
                for argument in arguments {
                    self.effects(argument);
                }
                return self.result_number(ty, 0);
            }
            Ignore(_) => {
                for argument in arguments {
                    self.effects(argument);
                }
                self.any_errno();
                match ty.is_scalar() {
                    true => self.any(ty),
                    false => return CallResult::Nothing,
                }
            }
            Scan(first, name) => {
                self.any_errno();
                self.scan(arguments, first, builtins::null_argument(name), ty)
            }
            Random => self.random(arguments, ty),
            Overflow(op) => self.overflow(op, arguments),
            Bits(function, _) => self.bits(function, &arguments[0], ty),
            Expect => {
                let value = self.value(&arguments[0]);
                for argument in &arguments[1..] {
                    self.effects(argument);
                }
                value
            }
            Unsupported => {
                self.unsupported(expr.span, "this function");
                return CallResult::Nothing;
            }
        };
        CallResult::Scalar(value)
    }

    fn result_number(&mut self, ty: &Type, number: i128) -> CallResult {
        match ty.is_scalar() {
            true => CallResult::Scalar(self.number(ty, number)),
            false => CallResult::Nothing,
        }
    }

    /// What an error function says: the text of the assertion, if it has one.
    fn error_message(&self, arguments: &[Expr]) -> String {
        let text = arguments
            .first()
            .and_then(|argument| self.text_of(argument));
        match text {
            Some(text) => format!("assertion `{text}`"),
            None => "an error function is called".to_owned(),
        }
    }

    fn text_of(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Cast(inner) => self.text_of(inner),
            ExprKind::AddressOf(lvalue) => match lvalue.kind {
                LvalueKind::String(string) => {
                    let bytes = &self.program.strings[string.index()];
                    let text = &bytes[..bytes.len().saturating_sub(1)];
                    Some(super::super::clean::spelling(&String::from_utf8_lossy(
                        text,
                    )))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Asserts that an expression is (not) zero, without a variable for `&&` and `||`.
    pub(super) fn assert_that(&mut self, expr: &Expr, wanted: bool, message: &str) {
        if self.dead {
            return;
        }
        match &expr.kind {
            ExprKind::Not(inner) => self.assert_that(inner, !wanted, message),
            ExprKind::And(a, b) if !self.is_eager(b) && wanted => {
                self.assert_that(a, true, message);
                self.assert_that(b, true, message);
            }
            ExprKind::Or(a, b) if !self.is_eager(b) && !wanted => {
                self.assert_that(a, false, message);
                self.assert_that(b, false, message);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) if !self.is_eager(b) => {
                let (more, end) = (self.node(), self.node());
                match expr.kind {
                    ExprKind::And(..) => self.branch(a, more, end),
                    _ => self.branch(a, end, more),
                }
                let before = self.known.clone();
                self.continue_at(more);
                self.assert_that(b, wanted, message);
                self.edge(Action::Skip, end);
                self.known.meet(&before);
                self.continue_at(end);
            }
            ExprKind::Cast(inner) if expr.ty == Type::Bool && inner.ty.is_scalar() => {
                self.assert_that(inner, wanted, message);
            }
            _ => {
                let truth = self.truth(expr);
                let condition = match wanted {
                    true => truth,
                    false => self.terms.not(truth),
                };
                self.assert_term(condition, message);
            }
        }
    }

    fn assert_term(&mut self, condition: TermId, message: &str) {
        if !self.terms.is_true(condition) {
            self.emit(Action::Assert(condition, message.to_owned()));
        }
        if self.terms.is_false(condition) {
            self.stop();
        }
    }

    /// The message, if all that a statement does is to report an error: the body of `assert`.
    pub(super) fn only_reports_error(&self, statement: &Statement) -> Option<String> {
        match &statement.kind {
            StatementKind::Expr(expr) => self.is_error_call(expr),
            StatementKind::Block(statements) => statements
                .iter()
                .find(|inner| !matches!(inner.kind, StatementKind::Empty))
                .and_then(|first| self.only_reports_error(first)),
            StatementKind::Label(label, inner) => {
                let frame = self.frames.last()?;
                let targets = &self.summaries[frame.function.index()].jump_targets;
                match targets.contains(label) {
                    true => None,
                    false => self.only_reports_error(inner),
                }
            }
            _ => None,
        }
    }

    pub(super) fn is_error_call(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Call(Callee::Builtin(Builtin::Error), arguments) => {
                Some(self.error_message(arguments))
            }
            ExprKind::Cast(inner) => self.is_error_call(inner),
            ExprKind::Comma(first, _) => self.is_error_call(first),
            _ => None,
        }
    }
}
