//! Scalar expressions to values, from left to right.

use super::super::arithmetic;
use super::super::builtins::Builtin;
use super::super::ir::{Action, Base, Pointer, Sources, Value};
use super::super::pointers::holds_pointers;
use super::super::typed::{BinaryOp, Callee, Expr, ExprKind, ModifyOp};
use super::super::types::{Length, Type};
use super::place::Place;
use super::{Expander, Node, call::CallResult};
use heddle_program::TermId;

/// What is known where control splits, and whether that is in an atomic section.
pub(super) type Before = (super::Known, bool);

impl Expander<'_> {
    /// Evaluates for the effects only.
    pub(super) fn effects(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Cast(inner) => self.effects(inner),
            ExprKind::Comma(a, b) => {
                self.effects(a);
                self.effects(b);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                if let Some(message) = self.is_error_call(otherwise) {
                    self.assert_that(condition, true, &message);
                    if let Some(then) = then {
                        self.effects(then);
                    }
                    return;
                }
                let (yes, no, end) = (self.node(), self.node(), self.node());
                self.branch(condition, yes, no);
                let before = self.before();
                self.continue_at(yes);
                if let Some(then) = then {
                    self.effects(then);
                }
                self.join_branch(end, before, no, |this| this.effects(otherwise));
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let (more, end) = (self.node(), self.node());
                match expr.kind {
                    ExprKind::And(..) => self.branch(a, more, end),
                    _ => self.branch(a, end, more),
                }
                let before = self.known.clone();
                self.continue_at(more);
                self.effects(b);
                self.edge(Action::Skip, end);
                self.known.meet(&before);
                self.continue_at(end);
            }
            ExprKind::Statements(statement, last) => {
                self.statement(statement);
                if let Some(last) = last {
                    self.effects(last);
                }
            }
            _ if matches!(expr.ty, Type::Record(_)) => {
                self.record(expr);
            }
            ExprKind::Call(callee, arguments) => {
                self.call(callee, arguments, expr);
            }
            ExprKind::Assign(..) | ExprKind::Modify { .. } | ExprKind::Load(_) => {
                self.value(expr);
            }
            _ if expr.ty == Type::Void => {}
            _ => {
                self.value(expr);
            }
        }
    }

    /// What holds before a branch.
    pub(super) fn before(&self) -> Before {
        (self.known.clone(), self.atomic)
    }

    /// Ends the first of two branches, expands the second, and continues behind both.
    pub(super) fn join_branch(
        &mut self,
        end: Node,
        (before, atomic): Before,
        second: Node,
        expand: impl FnOnce(&mut Self),
    ) {
        let first_ends = !self.dead;
        let atomic_first = std::mem::replace(&mut self.atomic, atomic);
        self.edge(Action::Skip, end);
        let after_first = std::mem::replace(&mut self.known, before);
        self.continue_at(second);
        expand(self);
        let second_ends = !self.dead;
        self.edge(Action::Skip, end);
        match (first_ends, second_ends) {
            (true, true) => {
                self.known.meet(&after_first);
                self.atomic &= atomic_first;
            }
            (true, false) => {
                self.known = after_first;
                self.atomic = atomic_first;
            }
            _ => {}
        }
        self.continue_at(end);
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        if self.dead {
            return self.placeholder(&expr.ty);
        }
        let outer = std::mem::replace(&mut self.span, expr.span);
        let value = self.evaluate(expr);
        self.span = outer;
        value
    }

    /// Something of the right sort, where no execution gets.
    pub(super) fn placeholder(&mut self, ty: &Type) -> Value {
        match ty.is_scalar() {
            true => self.number(ty, 0),
            false => self.number(&Type::INT, 0),
        }
    }

    fn evaluate(&mut self, expr: &Expr) -> Value {
        let ty = &expr.ty;
        match &expr.kind {
            ExprKind::Int(number) => self.number(ty, *number),
            ExprKind::FunctionAddress(function) => {
                let object = self.function_object(*function);
                self.address(object)
            }
            ExprKind::AddressOf(lvalue) => match self.place(lvalue) {
                Place::Memory(access) => {
                    let mut pointer = access.pointer;
                    // One element may stand for any number of them, as in old headers.
                    if !matches!(lvalue.ty.ty, Type::Array(_, Length::Known(0 | 1)))
                        && let Some(size) = self.program.types.size(&lvalue.ty.ty)
                    {
                        pointer.within = Some((pointer.constant, size));
                    }
                    self.pointer_value(pointer)
                }
                Place::Nowhere => self.number(ty, 0),
                Place::Register(_) | Place::Fixed(_) => {
                    self.unsupported(expr.span, "the address of this variable in this place");
                    self.number(ty, 0)
                }
            },
            ExprKind::Load(lvalue) => {
                if let Some(value) = self.constant_object(lvalue) {
                    return value;
                }
                let place = self.place(lvalue);
                self.read_place(place, ty)
            }
            ExprKind::Cast(inner) => self.cast(inner, ty),
            ExprKind::Negate(inner) => {
                let value = self.value(inner);
                let zero = self.number(ty, 0);
                self.check_overflow(BinaryOp::Sub, ty, zero.term, value.term);
                Value {
                    term: self.negated(ty, value.term),
                    sources: value.sources.scrambled(),
                }
            }
            ExprKind::Complement(inner) => {
                let value = self.value(inner);
                Value {
                    term: self.terms.bv_not(value.term),
                    sources: value.sources.scrambled(),
                }
            }
            ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                let truth = self.truth(expr);
                arithmetic::from_truth(&mut self.terms, &self.program.types, ty, truth).into()
            }
            ExprKind::Binary(op, left, right) => {
                let left_value = self.value(left);
                let right_value = self.value(right);
                self.arithmetic(*op, ty, left_value, right_value, &right.ty)
            }
            ExprKind::PointerAdd {
                pointer,
                index,
                subtract,
                element,
                index_first,
            } => {
                let (pointer, index) = if *index_first {
                    let index = self.value(index);
                    (self.value(pointer), index)
                } else {
                    let pointer = self.value(pointer);
                    (pointer, self.value(index))
                };
                self.pointer_add(pointer, index, *subtract, *element)
            }
            ExprKind::PointerDifference(left, right, element) => {
                let (left, right) = (self.value(left), self.value(right));
                let bytes = self.terms.bv_sub(left.term, right.term);
                let size = self
                    .terms
                    .bit_vec(self.pointer_width(), i128::from(*element));
                self.terms.bv_sdiv(bytes, size).into()
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then.as_deref(), otherwise, ty)
            }
            ExprKind::Comma(a, b) => {
                self.effects(a);
                self.value(b)
            }
            ExprKind::Assign(target, value) => {
                let place = self.place(target);
                let value = self.value(value);
                let value = self.fit_bit_field(&place, value, ty);
                match place {
                    // What it was may stand in the value under the same name.
                    Place::Register(register) => {
                        self.set(register, value);
                        return self.read(register, ty);
                    }
                    Place::Memory(access) if target.ty.is_atomic => {
                        self.strong_store(access, value.clone());
                    }
                    place => self.write_place(place, value.clone()),
                }
                value
            }
            ExprKind::Modify {
                target,
                op,
                value,
                postfix,
            } => {
                let place = self.place(target);
                let right_type = value.ty.clone();
                let right = self.value(value);
                if target.ty.is_atomic {
                    return self.atomic_modify(place, ty, op, right, &right_type, *postfix);
                }
                let old = self.read_place(place.clone(), ty);
                let new = self.modified(op, ty, old.clone(), right, &right_type);
                let new = self.fit_bit_field(&place, new, ty);
                let result = match postfix {
                    true if matches!(place, Place::Register(_)) => self.kept(old, ty),
                    true => old,
                    false => new.clone(),
                };
                self.write_place(place.clone(), new);
                match (postfix, place) {
                    (false, Place::Register(register)) => self.read(register, ty),
                    _ => result,
                }
            }
            ExprKind::Call(callee, arguments) => {
                if let Callee::Builtin(Builtin::Ignore(name) | Builtin::Scan(_, name)) = callee {
                    let text = format!("function `{name}` returns any value");
                    self.assume_note(text, Some(expr.span));
                }
                match self.call(callee, arguments, expr) {
                    CallResult::Scalar(value) => value,
                    _ => self.placeholder(ty),
                }
            }
            ExprKind::Statements(statement, last) => {
                self.statement(statement);
                match last {
                    Some(last) => self.value(last),
                    None => self.placeholder(ty),
                }
            }
        }
    }

    /// The value in a register of its own, so that it stays when others change.
    pub(super) fn kept(&mut self, value: Value, ty: &Type) -> Value {
        if self.terms.as_constant(value.term).is_some() {
            return value;
        }
        let saved = self.typed_register("before", ty);
        self.set(saved, value);
        self.read(saved, ty)
    }

    /// The value after `op=`, converted to the type of the target.
    pub(super) fn modified(
        &mut self,
        op: &ModifyOp,
        ty: &Type,
        old: Value,
        right: Value,
        right_type: &Type,
    ) -> Value {
        match op {
            ModifyOp::Arithmetic(op, computed) => {
                let left = self.convert(old, ty, computed);
                let result = self.arithmetic(*op, computed, left, right, right_type);
                self.convert(result, computed, ty)
            }
            ModifyOp::Pointer { subtract, element } => {
                self.pointer_add(old, right, *subtract, *element)
            }
        }
    }

    /// What reading a bit-field gives after the value was written to it.
    fn fit_bit_field(&mut self, place: &Place, value: Value, ty: &Type) -> Value {
        let Place::Memory(access) = place else {
            return value;
        };
        let Some((_, width)) = access.bits else {
            return value;
        };
        if *ty == Type::Bool {
            return value;
        }
        let narrow = self.terms.resize(width, false, value.term);
        let full = self.program.types.width(ty);
        let signed = self.program.types.is_signed(ty);
        Value {
            term: self.terms.resize(full, signed, narrow),
            sources: value.sources.scrambled(),
        }
    }

    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        ty: &Type,
        left: Value,
        right: Value,
        right_type: &Type,
    ) -> Value {
        let types = &self.program.types;
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                let zero = arithmetic::constant(&mut self.terms, types, ty, 0);
                let defined = self.terms.ne(right.term, zero);
                self.require(
                    defined,
                    "division by zero",
                    "no execution divides by zero: those that do are not considered",
                );
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let width = types.width(ty);
                let count_width = types.width(right_type);
                let limit = self.terms.bit_vec(count_width, i128::from(width));
                let defined = self.terms.bv_ult(right.term, limit);
                self.require(
                    defined,
                    "a shift by a negative number or by too many bits",
                    "no execution shifts by a negative number or by too many bits: those that \
                     do are not considered",
                );
            }
            _ => {}
        }
        self.check_overflow(op, ty, left.term, right.term);
        if let Some(value) = self.address_arithmetic(op, ty, &left, &right) {
            return value;
        }
        let term = self.binary(op, ty, left.term, right.term, right_type);
        let sources = match op {
            BinaryOp::Shl | BinaryOp::Shr => left.sources.scrambled(),
            _ => left.sources.scrambled().or(&right.sources.scrambled()),
        };
        Value { term, sources }
    }

    fn check_overflow(&mut self, op: BinaryOp, ty: &Type, left: TermId, right: TermId) {
        if !self.options.check_overflow || self.suppress_overflow || self.dead {
            return;
        }
        let types = &self.program.types;
        if let Some(fits) = arithmetic::no_overflow(&mut self.terms, types, op, ty, left, right)
            && !self.terms.is_true(fits)
        {
            self.emit(Action::Assert(fits, "signed overflow".to_owned()));
        }
    }

    fn cast(&mut self, inner: &Expr, to: &Type) -> Value {
        if *to == Type::Void {
            self.effects(inner);
            return self.placeholder(to);
        }
        if let Some(value) = self.allocation(inner, to) {
            return value;
        }
        let value = self.value(inner);
        self.convert(value, &inner.ty, to)
    }

    pub(super) fn convert(&mut self, value: Value, from: &Type, to: &Type) -> Value {
        if let Some(value) = self.convert_any(&value, to) {
            return value;
        }
        let types = &self.program.types;
        let term = arithmetic::convert(&mut self.terms, types, from, to, value.term);
        let types = &self.program.types;
        let whole = types.width(from).min(types.width(to)) >= self.pointer_width();
        let sources = if !holds_pointers(to) {
            Sources::None
        } else if to.is_pointer() && value.sources == Sources::None {
            match self.terms.as_constant(term) {
                Some(_) => Sources::None,
                None => Sources::AnyOf(vec![Pointer::to(Base::Unknown)]),
            }
        } else if whole {
            value.sources
        } else {
            value.sources.scrambled()
        };
        Value { term, sources }
    }

    /// A conversion of any value to a narrower type gives any value.
    fn convert_any(&mut self, value: &Value, to: &Type) -> Option<Value> {
        let register = self.terms.as_variable(value.term)?;
        let last = self.edges.last()?;
        let is_fresh = matches!(last.action, Action::Havoc(any) if any == register)
            && last.to == self.current
            && !self.dead;
        let narrower = self.program.types.width(to) < self.terms.sort(value.term).width()?;
        if !is_fresh || !narrower || !to.is_integer() {
            return None;
        }
        Some(self.any(to))
    }
}
