//! C11 atomics, `__sync_*` and `__atomic_*`: each one step.
//!
//! A store with sequential consistency is a read-modify-write step, so that memory models
//! with store buffers do not delay it.

use super::super::builtins::{Atomic, FetchOp};
use super::super::elaborate::evaluate;
use super::super::ir::{Access, Action, UpdateRole, Value};
use super::super::typed::{Expr, ModifyOp};
use super::super::types::Type;
use super::Expander;
use super::call::CallResult;
use super::place::Place;
use heddle_program::{Sort, TermId};

const SEQUENTIALLY_CONSISTENT: i128 = 5;

impl Expander<'_> {
    pub(super) fn atomic_builtin(
        &mut self,
        atomic: Atomic,
        arguments: &[Expr],
        expr: &Expr,
    ) -> CallResult {
        if atomic == Atomic::Fence {
            self.emit(Action::Fence);
            return CallResult::Nothing;
        }
        let Some(access) = self.atomic_access(&arguments[0]) else {
            return match expr.ty.is_scalar() {
                true => CallResult::Scalar(self.placeholder(&expr.ty)),
                false => CallResult::Nothing,
            };
        };
        let ty = access.ty.clone();
        let value = match atomic {
            Atomic::Load => self.load(access),
            Atomic::LoadTo => {
                let output = self.output_place(&arguments[1]);
                let value = self.load(access);
                self.write_output(output, value);
                return CallResult::Nothing;
            }
            Atomic::Store => {
                let value = self.operand(&arguments[1], &ty);
                self.atomic_store(access, value, arguments.get(2));
                return CallResult::Nothing;
            }
            Atomic::StoreFrom => {
                let input = self.output_place(&arguments[1]);
                let value = self.read_output(input, &ty);
                self.atomic_store(access, value, arguments.get(2));
                return CallResult::Nothing;
            }
            Atomic::Clear => {
                let zero = self.number(&ty, 0);
                self.atomic_store(access, zero, arguments.get(1));
                return CallResult::Nothing;
            }
            Atomic::Exchange => {
                let value = self.operand(&arguments[1], &ty);
                self.exchange(access, value)
            }
            Atomic::ExchangeVia => {
                let input = self.output_place(&arguments[1]);
                let output = self.output_place(&arguments[2]);
                let value = self.read_output(input, &ty);
                let old = self.exchange(access, value);
                self.write_output(output, old);
                return CallResult::Nothing;
            }
            Atomic::TestAndSet => {
                let set = self.number(&ty, 1);
                let old = self.exchange(access, set);
                self.convert(old, &ty, &expr.ty)
            }
            Atomic::Fetch { op, after } => {
                let value = self.operand(&arguments[1], &ty);
                self.fetch(access, op, value, after)
            }
            Atomic::CompareAndSwap { value } => {
                let expected = self.operand(&arguments[1], &ty);
                let desired = self.operand(&arguments[2], &ty);
                let (swapped, old) = self.compare_and_swap(access, &expected, desired, false);
                match value {
                    true => old,
                    false => swapped,
                }
            }
            Atomic::CompareExchange { .. }
            | Atomic::CompareExchangeN
            | Atomic::CompareExchangeVia => self.compare_exchange(atomic, access, arguments),
            Atomic::Fence => return CallResult::Nothing,
        };
        CallResult::Scalar(value)
    }

    /// What the first argument points to. A flag is the truth value in its structure.
    fn atomic_access(&mut self, argument: &Expr) -> Option<Access> {
        let ty = match argument.ty.pointee() {
            Some(to) if to.ty.is_scalar() => to.ty.clone(),
            _ => Type::Bool,
        };
        let value = self.value(argument);
        if self.dead {
            return None;
        }
        let pointer = self.pointer_of(value)?;
        Some(Access {
            pointer,
            bits: None,
            ty,
        })
    }

    fn operand(&mut self, argument: &Expr, ty: &Type) -> Value {
        let value = self.value(argument);
        self.convert(value, &argument.ty, ty)
    }

    fn read_output(&mut self, place: Option<Place>, ty: &Type) -> Value {
        match place {
            Some(place) => self.read_place(place, ty),
            None => self.number(ty, 0),
        }
    }

    /// A store; with an order that is not known it is sequentially consistent.
    fn atomic_store(&mut self, access: Access, value: Value, order: Option<&Expr>) {
        let order = match order {
            Some(order) => {
                let constant = evaluate(&self.program.types, order);
                self.effects(order);
                constant.unwrap_or(SEQUENTIALLY_CONSISTENT)
            }
            None => SEQUENTIALLY_CONSISTENT,
        };
        if order != SEQUENTIALLY_CONSISTENT {
            self.store(access, value);
            return;
        }
        self.strong_store(access, value);
    }

    pub(super) fn strong_store(&mut self, access: Access, value: Value) {
        let old = self.typed_register("old", &access.ty);
        self.note_store(&access, Some(&value));
        let guard = self.terms.bool(true);
        self.emit(Action::Update {
            access,
            old,
            guard,
            new: Some(value),
            sets: Vec::new(),
            role: UpdateRole::ReadModifyWrite,
        });
    }

    fn exchange(&mut self, access: Access, value: Value) -> Value {
        let ty = access.ty.clone();
        let old = self.typed_register("old", &ty);
        let result = self.typed_register("before", &ty);
        let before = self.terms.variable(old);
        let guard = self.terms.bool(true);
        self.note_store(&access, None);
        self.emit(Action::Update {
            access,
            old,
            guard,
            new: Some(value),
            sets: vec![(result, before)],
            role: UpdateRole::ReadModifyWrite,
        });
        self.read(result, &ty)
    }

    fn fetch(&mut self, access: Access, op: FetchOp, operand: Value, after: bool) -> Value {
        let ty = access.ty.clone();
        if ty.is_pointer() || ty == Type::Bool {
            self.unsupported(self.span, "atomic arithmetic on this type");
            return self.number(&ty, 0);
        }
        let old = self.typed_register("old", &ty);
        let before = self.terms.variable(old);
        let new = match op {
            FetchOp::Binary(op) => {
                self.wrapping_around(|this| this.binary(op, &ty, before, operand.term, &ty))
            }
            FetchOp::Nand => {
                let and = self.terms.bv_and(before, operand.term);
                self.terms.bv_not(and)
            }
        };
        let sources = self.register_sources(old, &ty).scrambled();
        let sources = sources.or(&operand.sources.scrambled());
        let result = if after { new } else { before };
        self.update(access, old, Value { term: new, sources }, result)
    }

    /// One step that writes `new` and gives `result`; both may mention what was there.
    fn update(&mut self, access: Access, old: super::Reg, new: Value, result: TermId) -> Value {
        let ty = access.ty.clone();
        let register = self.typed_register("fetched", &ty);
        let guard = self.terms.bool(true);
        self.note_store(&access, None);
        self.emit(Action::Update {
            access,
            old,
            guard,
            new: Some(new),
            sets: vec![(register, result)],
            role: UpdateRole::ReadModifyWrite,
        });
        self.read(register, &ty)
    }

    /// `x += y` and the like for an atomic `x`.
    pub(super) fn atomic_modify(
        &mut self,
        place: Place,
        ty: &Type,
        op: &ModifyOp,
        right: Value,
        right_type: &Type,
        postfix: bool,
    ) -> Value {
        let access = match place {
            Place::Memory(access) => access,
            // An atomic variable that only this thread can name.
            place => {
                let old = self.read_place(place.clone(), ty);
                let new = self
                    .wrapping_around(|this| this.modified(op, ty, old.clone(), right, right_type));
                let saved = self.typed_register("before", ty);
                self.set(saved, if postfix { old } else { new.clone() });
                self.write_place(place, new);
                return self.read(saved, ty);
            }
        };
        let old = self.typed_register("old", ty);
        let before = Value {
            term: self.terms.variable(old),
            sources: self.register_sources(old, ty),
        };
        let new =
            self.wrapping_around(|this| this.modified(op, ty, before.clone(), right, right_type));
        let result = if postfix { before.term } else { new.term };
        self.update(access, old, new, result)
    }

    /// Arithmetic that is atomic wraps around (C11 7.17.7.5).
    fn wrapping_around<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.suppress_overflow, true);
        let result = compute(self);
        self.suppress_overflow = outer;
        result
    }

    /// Whether the swap happened, and the value before.
    fn compare_and_swap(
        &mut self,
        access: Access,
        expected: &Value,
        desired: Value,
        weak: bool,
    ) -> (Value, Value) {
        let ty = access.ty.clone();
        let old = self.typed_register("old", &ty);
        let before = self.terms.variable(old);
        let swapped = self.register("swapped", Sort::Bool);
        let found = self.typed_register("found", &ty);
        let (yes, no) = (self.terms.bool(true), self.terms.bool(false));
        let equal = self.terms.eq(before, expected.term);
        let different = self.terms.not(equal);
        self.note_store(&access, None);
        let end = self.node();
        let mut edge = |guard, new, success| {
            self.edge(
                Action::Update {
                    access: access.clone(),
                    old,
                    guard,
                    new,
                    sets: vec![(swapped, success), (found, before)],
                    role: UpdateRole::ReadModifyWrite,
                },
                end,
            );
        };
        edge(equal, Some(desired), yes);
        edge(different, None, no);
        if weak {
            edge(equal, None, no);
        }
        self.continue_at(end);
        let swapped = self.terms.variable(swapped).into();
        (swapped, self.read(found, &ty))
    }

    /// The forms that write what they found to where the expected value was.
    fn compare_exchange(&mut self, atomic: Atomic, access: Access, arguments: &[Expr]) -> Value {
        let ty = access.ty.clone();
        let place = self.output_place(&arguments[1]);
        // The arguments come first, whatever the operation reads through them.
        let (expected, desired) = match atomic {
            Atomic::CompareExchangeVia => {
                let desired = self.output_place(&arguments[2]);
                let expected = self.read_output(place.clone(), &ty);
                (expected, self.read_output(desired, &ty))
            }
            _ => {
                let desired = self.operand(&arguments[2], &ty);
                (self.read_output(place.clone(), &ty), desired)
            }
        };
        let weak = match atomic {
            Atomic::CompareExchange { weak } => weak,
            _ => evaluate(&self.program.types, &arguments[3]) != Some(0),
        };
        let (swapped, found) = self.compare_and_swap(access, &expected, desired, weak);
        let (done, write) = (self.node(), self.node());
        self.split(swapped.term, done, write);
        let known = self.known.clone();
        self.continue_at(write);
        self.write_output(place, found);
        self.edge(Action::Skip, done);
        self.known.meet(&known);
        self.continue_at(done);
        swapped
    }
}
