//! Conditions: truth values, `&&`, `||` and `?:`, as values and as control flow.

use super::super::arithmetic;
use super::super::builtins::Builtin;
use super::super::ir::{Action, Value, Waiting};
use super::super::typed::{BinaryOp, Callee, Expr, ExprKind, LvalueKind, VariableId};
use super::super::types::Type;
use super::super::visit;
use super::{Expander, Node, Slot};
use heddle_program::TermId;

impl Expander<'_> {
    /// Whether the expression is not zero.
    pub(super) fn truth(&mut self, expr: &Expr) -> TermId {
        if self.dead {
            return self.terms.bool(false);
        }
        let outer = std::mem::replace(&mut self.span, expr.span);
        let truth = self.evaluate_truth(expr);
        self.span = outer;
        truth
    }

    fn evaluate_truth(&mut self, expr: &Expr) -> TermId {
        match &expr.kind {
            ExprKind::Not(inner) => {
                let truth = self.truth(inner);
                self.terms.not(truth)
            }
            ExprKind::Compare(op, left, right) => {
                let (a, b) = (self.value(left), self.value(right));
                let types = &self.program.types;
                arithmetic::compare(&mut self.terms, types, *op, &left.ty, a.term, b.term)
            }
            ExprKind::And(a, b) => self.connective(a, b, true),
            ExprKind::Or(a, b) => self.connective(a, b, false),
            ExprKind::Cast(inner) if inner.ty.is_scalar() && keeps_truth(self, inner, &expr.ty) => {
                self.truth(inner)
            }
            _ => {
                let value = self.value(expr);
                arithmetic::truth(&mut self.terms, &self.program.types, &expr.ty, value.term)
            }
        }
    }

    /// `a && b` or `a || b` as a value.
    fn connective(&mut self, a: &Expr, b: &Expr, is_and: bool) -> TermId {
        let left = self.truth(a);
        if self.terms.is_true(left) || self.terms.is_false(left) {
            return match self.terms.is_true(left) == is_and {
                true => self.truth(b),
                false => left,
            };
        }
        if self.is_eager(b) {
            let right = self.truth(b);
            return match is_and {
                true => self.terms.and(&[left, right]),
                false => self.terms.or(&[left, right]),
            };
        }
        let (more, short, end) = (self.node(), self.node(), self.node());
        match is_and {
            true => self.split(left, more, short),
            false => self.split(left, short, more),
        }
        let result = self.register("condition", heddle_program::Sort::Bool);
        let before = self.before();
        self.continue_at(more);
        let right = self.truth(b);
        self.set(result, right.into());
        self.join_branch(end, before, short, |this| {
            let decided = this.terms.bool(!is_and);
            this.set(result, decided.into());
        });
        match self.known.register(result) {
            Some(value) => value.term,
            None => self.terms.variable(result),
        }
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        then: Option<&Expr>,
        otherwise: &Expr,
        ty: &Type,
    ) -> Value {
        let Some(then) = then else {
            return self.elvis(condition, otherwise, ty);
        };
        if *ty == Type::Void {
            let (yes, no, end) = (self.node(), self.node(), self.node());
            self.branch(condition, yes, no);
            let before = self.before();
            self.continue_at(yes);
            self.effects(then);
            self.join_branch(end, before, no, |this| this.effects(otherwise));
            return self.placeholder(ty);
        }
        if self.is_eager(then) && self.is_eager(otherwise) {
            let truth = self.truth(condition);
            if self.terms.is_true(truth) {
                return self.value(then);
            }
            if self.terms.is_false(truth) {
                return self.value(otherwise);
            }
            let (a, b) = (self.value(then), self.value(otherwise));
            return Value {
                term: self.terms.ite(truth, a.term, b.term),
                sources: a.sources.or(&b.sources).inexact(),
            };
        }
        let (yes, no, end) = (self.node(), self.node(), self.node());
        self.branch(condition, yes, no);
        let result = self.typed_register("choice", ty);
        let before = self.before();
        self.continue_at(yes);
        let value = self.value(then);
        self.set(result, value);
        self.join_branch(end, before, no, |this| {
            let value = this.value(otherwise);
            this.set(result, value);
        });
        self.read(result, ty)
    }

    /// `a ?: b`
    fn elvis(&mut self, condition: &Expr, otherwise: &Expr, ty: &Type) -> Value {
        let value = self.value(condition);
        let types = &self.program.types;
        let truth = arithmetic::truth(&mut self.terms, types, &condition.ty, value.term);
        let value = self.convert(value, &condition.ty, ty);
        let result = self.typed_register("choice", ty);
        let (yes, no, end) = (self.node(), self.node(), self.node());
        self.split(truth, yes, no);
        let before = self.before();
        self.continue_at(yes);
        self.set(result, value);
        self.join_branch(end, before, no, |this| {
            let value = this.value(otherwise);
            this.set(result, value);
        });
        self.read(result, ty)
    }

    /// Goes to one of two nodes, with `&&` and `||` as branches.
    pub(super) fn branch(&mut self, condition: &Expr, yes: Node, no: Node) {
        if self.dead {
            return;
        }
        let outer = std::mem::replace(&mut self.span, condition.span);
        match &condition.kind {
            ExprKind::Not(inner) => self.branch(inner, no, yes),
            ExprKind::And(a, b) if !self.is_eager(b) => {
                let more = self.node();
                self.branch(a, more, no);
                // One way to the end comes past the second operand.
                let before = self.known.clone();
                self.continue_at(more);
                self.branch(b, yes, no);
                self.known.meet(&before);
            }
            ExprKind::Or(a, b) if !self.is_eager(b) => {
                let more = self.node();
                self.branch(a, yes, more);
                // One way to the end comes past the second operand.
                let before = self.known.clone();
                self.continue_at(more);
                self.branch(b, yes, no);
                self.known.meet(&before);
            }
            ExprKind::Cast(inner)
                if inner.ty.is_scalar() && keeps_truth(self, inner, &condition.ty) =>
            {
                self.branch(inner, yes, no);
            }
            ExprKind::Call(Callee::Builtin(Builtin::Expect), arguments) => {
                self.branch(&arguments[0], yes, no);
            }
            _ => {
                let truth = self.truth(condition);
                self.split(truth, yes, no);
            }
        }
        self.dead = true;
        self.span = outer;
    }

    /// Whether the expression may be evaluated though its value might not be needed: it only
    /// reads registers, or, in an atomic section, variables.
    pub(super) fn is_eager(&self, expr: &Expr) -> bool {
        if !visit::has_no_effect(expr) {
            return false;
        }
        let mut result = true;
        visit::expr(expr, &mut |item| match item {
            visit::Item::Expr(inner) => {
                result &= match &inner.kind {
                    ExprKind::Binary(op, _, right) => match op {
                        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => {
                            super::super::elaborate::evaluate(&self.program.types, right)
                                .is_some_and(|n| n > 0 && n < 32)
                        }
                        _ => !self.options.check_overflow,
                    },
                    ExprKind::Negate(_) => !self.options.check_overflow,
                    ExprKind::Call(..) => false,
                    _ => !matches!(inner.ty, Type::Record(_)),
                };
            }
            visit::Item::Lvalue(place) => {
                result &= match &place.kind {
                    LvalueKind::Variable(VariableId::Local(local)) => {
                        let slot = self.frames.last().map(|frame| &frame.slots[local.index()]);
                        match slot {
                            Some(Slot::Register(_) | Slot::Bound(_)) => true,
                            _ => self.atomic,
                        }
                    }
                    LvalueKind::Variable(VariableId::Global(global)) => {
                        self.atomic || self.program.globals[global.index()].ty.is_const
                    }
                    LvalueKind::Member(..) => true,
                    _ => false,
                };
            }
            visit::Item::Statement(_) => result = false,
        });
        result
    }

    /// Assumes a condition of the program.
    pub(super) fn assume(&mut self, condition: TermId) {
        if self.terms.is_true(condition) {
            return;
        }
        self.emit(Action::Assume(condition, Waiting::Assumption));
        if self.terms.is_false(condition) {
            self.dead = true;
        }
    }
}

/// Whether a conversion maps exactly zero to zero.
fn keeps_truth(expander: &Expander, inner: &Expr, to: &Type) -> bool {
    let types = &expander.program.types;
    *to == Type::Bool || types.width(to) >= types.width(&inner.ty)
}
