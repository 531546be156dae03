//! Static initialisers: numbers and addresses that are known before the program starts.

use super::super::arithmetic::constant_value;
use super::super::elaborate::evaluate;
use super::super::ir::{
    Base, Initial, InitialValue, ObjectId, ObjectKind, Pointer, Sources, Value,
};
use super::super::typed::{
    Expr, ExprKind, GlobalValue, Initializer, Lvalue, LvalueKind, VariableId,
};
use super::super::types::{Type, Types};
use super::Expander;
use heddle_diagnostics::Diagnostic;

impl Expander<'_> {
    /// The values of a static initialiser, which must be constants.
    pub(super) fn static_values(
        &mut self,
        ty: &Type,
        initializer: &Initializer,
    ) -> Vec<InitialValue> {
        let mut values = Vec::new();
        for item in &initializer.items {
            match &item.value.ty {
                Type::Record(_) => {
                    // `struct s a = (struct s){ … };`
                    let ExprKind::Load(place) = &item.value.kind else {
                        self.not_constant(&item.value);
                        continue;
                    };
                    let LvalueKind::CompoundLiteral(_, inner) = &place.kind else {
                        self.not_constant(&item.value);
                        continue;
                    };
                    for mut value in self.static_values(&item.value.ty, inner) {
                        value.offset += item.offset;
                        values.push(value);
                    }
                }
                _ => {
                    let target = self.initialized_type(ty, item.offset, &item.value.ty);
                    match self.static_value(&item.value) {
                        Some(value) => values.push(InitialValue {
                            offset: item.offset,
                            bits: item.bits,
                            value: self.opaque_value(&target, value),
                            ty: target,
                        }),
                        None => self.not_constant(&item.value),
                    }
                }
            }
        }
        values
    }

    fn not_constant(&mut self, value: &Expr) {
        let message = "the initial value of a static variable must be a constant";
        self.report(Diagnostic::error(value.span, message));
    }

    /// Opaque types are initialised with a number that says what they are.
    pub(super) fn initialized_type(&self, ty: &Type, offset: u64, value: &Type) -> Type {
        match opaque_at(&self.program.types, ty, offset) {
            Some(opaque) if value.is_integer() => opaque,
            _ => value.clone(),
        }
    }

    /// The state of an opaque object that was initialised with a number.
    pub(super) fn opaque_value(&mut self, ty: &Type, value: Value) -> Value {
        match ty {
            Type::Opaque(opaque) => {
                let number =
                    constant_value(&self.terms, &self.program.types, &Type::INT, value.term);
                let state = self.initial_state(*opaque, number.unwrap_or(0));
                self.terms.bit_vec(opaque.width(), state).into()
            }
            _ => value,
        }
    }

    /// The value of an address constant or a number.
    pub(super) fn static_value(&mut self, expr: &Expr) -> Option<Value> {
        let ty = &expr.ty;
        match &expr.kind {
            ExprKind::Int(number) => Some(self.number(ty, *number)),
            ExprKind::FunctionAddress(function) => {
                let object = self.function_object(*function);
                Some(self.address(object))
            }
            ExprKind::AddressOf(place) => {
                let (object, bytes) = self.static_address(place)?;
                Some(Value {
                    term: self.address_term(object, bytes),
                    sources: Sources::Exactly(Pointer::to(Base::Object(object)).moved(bytes)),
                })
            }
            ExprKind::Cast(inner) if inner.ty.is_scalar() && ty.is_scalar() => {
                let value = self.static_value(inner)?;
                Some(self.convert(value, &inner.ty, ty))
            }
            ExprKind::PointerAdd {
                pointer,
                index,
                subtract,
                element,
                ..
            } => {
                let value = self.static_value(pointer)?;
                let count = self.static_number(index)?;
                let count = if *subtract { -count } else { count };
                let bytes = i64::try_from(count.checked_mul(i128::from(*element))?).ok()?;
                Some(self.move_pointer(value, bytes))
            }
            ExprKind::Load(place) => self.constant_object(place),
            _ => {
                let number = self.static_number(expr)?;
                Some(self.number(ty, number))
            }
        }
    }

    fn static_number(&mut self, expr: &Expr) -> Option<i128> {
        evaluate(&self.program.types, expr)
    }

    /// The object and the byte that an lvalue without run-time parts denotes.
    fn static_address(&mut self, place: &Lvalue) -> Option<(ObjectId, i64)> {
        match &place.kind {
            LvalueKind::Variable(VariableId::Global(global)) => {
                let is_thread_local = self.program.globals[global.index()].thread_local;
                (!is_thread_local).then(|| (self.global(*global), 0))
            }
            LvalueKind::String(string) => Some((self.string(*string), 0)),
            LvalueKind::Member(inner, record, field) => {
                let (object, bytes) = self.static_address(inner)?;
                let fields = self.program.types.record(*record).fields.as_ref()?;
                let offset = i64::try_from(fields[*field].offset / 8).ok()?;
                Some((object, bytes + offset))
            }
            LvalueKind::Deref(pointer) => {
                let value = self.static_value(pointer)?;
                match value.sources {
                    Sources::Exactly(Pointer {
                        base: Base::Object(object),
                        constant,
                        ..
                    }) => Some((object, constant)),
                    _ => None,
                }
            }
            LvalueKind::CompoundLiteral(_, initializer) => {
                let values = self.static_values(&place.ty.ty, initializer);
                let initial = Initial::Values(values);
                let ty = place.ty.ty.clone();
                Some((
                    self.add_typed_object("literal", ObjectKind::Global, &ty, initial),
                    0,
                ))
            }
            _ => None,
        }
    }

    /// The value of a `const` variable with a constant initial value.
    pub(super) fn constant_object(&mut self, place: &Lvalue) -> Option<Value> {
        let LvalueKind::Variable(VariableId::Global(global)) = place.kind else {
            return None;
        };
        let info = &self.program.globals[global.index()];
        if !info.ty.is_const || !info.ty.ty.is_scalar() || info.thread_local {
            return None;
        }
        match &info.value {
            GlobalValue::Defined(initializer) => match &initializer.items[..] {
                [] => Some(self.number(&info.ty.ty, 0)),
                [item] => self.static_value(&item.value),
                _ => None,
            },
            GlobalValue::External => None,
        }
    }
}

/// The opaque part of a type at a place in bits.
fn opaque_at(types: &Types, ty: &Type, offset: u64) -> Option<Type> {
    match ty {
        Type::Opaque(_) if offset == 0 => Some(ty.clone()),
        Type::Array(element, _) => {
            let stride = 8 * types.size(&element.ty)?;
            opaque_at(types, &element.ty, offset.checked_rem(stride)?)
        }
        Type::Record(id) => types
            .record(*id)
            .fields
            .iter()
            .flatten()
            .filter(|field| field.offset <= offset)
            .find_map(|field| opaque_at(types, &field.ty.ty, offset - field.offset)),
        _ => None,
    }
}
