//! Calls: functions are inlined, each call on its own.

use super::super::builtins;
use super::super::ir::{Action, Base, ObjectId, ObjectKind, Pointer, Sources, Value};
use super::super::typed::{Callee, Expr, FunctionId, LocalId};
use super::super::types::Type;
use super::record::Cells;
use super::{Expander, Frame, Reg, ResultPlace, Slot};
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

#[derive(Clone)]
pub(super) enum Argument {
    Scalar(Value),
    Record(Cells),
    /// A value of a type that cannot be computed with.
    Nothing,
}

pub(super) enum CallResult {
    Nothing,
    Scalar(Value),
    Record(ObjectId),
}

impl Expander<'_> {
    pub(super) fn call(&mut self, callee: &Callee, arguments: &[Expr], expr: &Expr) -> CallResult {
        if self.dead {
            return CallResult::Nothing;
        }
        let outer = std::mem::replace(&mut self.span, expr.span);
        let result = match callee {
            Callee::Builtin(builtin) => self.builtin(*builtin, arguments, expr),
            Callee::Function(function) => {
                let arguments = self.arguments(arguments);
                self.call_function(*function, arguments, expr.span)
            }
            Callee::Pointer(pointer) => {
                let target = self.value(pointer);
                let arguments = self.arguments(arguments);
                self.call_pointer(target, arguments, expr)
            }
        };
        self.span = outer;
        result
    }

    fn arguments(&mut self, arguments: &[Expr]) -> Vec<Argument> {
        arguments
            .iter()
            .map(|argument| match &argument.ty {
                Type::Record(_) => match self.record(argument) {
                    Some(cells) => Argument::Record(cells),
                    None => Argument::Nothing,
                },
                ty if ty.is_scalar() => Argument::Scalar(self.value(argument)),
                _ => {
                    self.effects(argument);
                    Argument::Nothing
                }
            })
            .collect()
    }

    pub(super) fn call_pointer(
        &mut self,
        target: Value,
        arguments: Vec<Argument>,
        expr: &Expr,
    ) -> CallResult {
        if let Sources::Exactly(Pointer {
            base: Base::Object(object),
            constant: 0,
            ..
        }) = &target.sources
            && let ObjectKind::Function(function) = self.objects[object.index()].kind
        {
            return self.call_function(function, arguments, expr.span);
        }
        let candidates: Vec<FunctionId> = self
            .program
            .addressed_functions
            .iter()
            .copied()
            .filter(|function| {
                let ty = &self.program.function_types[function.index()];
                let fits = ty.parameters.as_ref().is_none_or(|parameters| {
                    let fewer = ty.variadic && parameters.len() < arguments.len();
                    fewer || parameters.len() == arguments.len()
                });
                fits && same_shape(&ty.result, &expr.ty)
            })
            .collect();
        let register = self.callee(target);
        let result = self.result_place(&expr.ty, expr.span);
        let (start, end) = (self.current, self.node());
        let before = self.known.clone();
        self.no_target(register, &candidates);
        for function in candidates {
            self.current = start;
            self.dead = false;
            self.known = before.clone();
            let object = self.function_object(function);
            self.emit(Action::Target(register, object));
            let value = self.call_function(function, arguments.clone(), expr.span);
            if !self.dead {
                self.keep_result(&result, &expr.ty, value);
            }
            self.go(end);
        }
        self.known = before;
        self.known.forget_section();
        self.continue_at(end);
        self.result_of(result, &expr.ty)
    }

    /// A register with the pointer that is going to be called.
    pub(super) fn callee(&mut self, target: Value) -> Reg {
        self.assume_note(super::place::VALID_POINTERS, Some(self.span));
        let sort = self.terms.sort(target.term);
        let register = self.register("function", sort);
        let is_number = self.terms.as_constant(target.term).is_some();
        let sources = match target.sources {
            Sources::None if !is_number => Sources::AnyOf(vec![Pointer::to(Base::Unknown)]),
            other => other,
        };
        let term = target.term;
        self.set(register, Value { term, sources });
        self.emit(Action::Callee(register));
        register
    }

    /// The way that a call takes whose pointer is none of the functions that it fits.
    pub(super) fn no_target(&mut self, register: Reg, candidates: &[FunctionId]) {
        let objects = candidates.iter().map(|&id| self.function_object(id));
        let objects = objects.collect();
        let nowhere = self.node();
        self.edge(Action::NoTarget(register, objects), nowhere);
    }

    fn keep_result(&mut self, place: &ResultPlace, ty: &Type, value: CallResult) {
        match (place, value) {
            (ResultPlace::Register(register), CallResult::Scalar(value)) => {
                let value = self.fit(value, ty);
                self.set(*register, value);
            }
            // The pointer's type promises more than the function gives.
            (ResultPlace::Register(register), _) => self.havoc(*register),
            (ResultPlace::Object(to), CallResult::Record(from)) => {
                let from = self.object_access(from, ty.clone());
                let to = self.object_access(*to, ty.clone());
                if let Some(cells) = self.load_record(&from) {
                    self.store_record(&to, cells);
                }
            }
            _ => {}
        }
    }

    fn result_place(&mut self, ty: &Type, span: Span) -> ResultPlace {
        match ty {
            Type::Record(_) => ResultPlace::Object(self.local_object("result", ty, span)),
            ty if ty.is_scalar() => ResultPlace::Register(self.typed_register("result", ty)),
            _ => ResultPlace::Nothing,
        }
    }

    fn result_of(&mut self, place: ResultPlace, ty: &Type) -> CallResult {
        match place {
            ResultPlace::Nothing => CallResult::Nothing,
            ResultPlace::Register(register) => CallResult::Scalar(self.read(register, ty)),
            ResultPlace::Object(object) => CallResult::Record(object),
            ResultPlace::Direct(Some(value)) => CallResult::Scalar(value),
            ResultPlace::Direct(None) => CallResult::Nothing,
        }
    }

    /// Expands a call of a function.
    pub(super) fn call_function(
        &mut self,
        function: FunctionId,
        arguments: Vec<Argument>,
        span: Span,
    ) -> CallResult {
        if self.dead {
            return CallResult::Nothing;
        }
        let program = self.program;
        let info = &program.functions[function.index()];
        let Some(body) = &info.body else {
            return self.call_undefined(function, span);
        };
        let active = self
            .frames
            .iter()
            .filter(|frame| frame.function == function)
            .count();
        if active >= self.options.recursion as usize {
            let limit = self.options.recursion;
            let message = format!(
                "`{}` is called recursively more than {limit} times",
                info.name
            );
            self.bound_reached(limit, message);
            return CallResult::Nothing;
        }
        let is_atomic = info.name.starts_with("__VERIFIER_atomic_");
        let outer_atomic = self.atomic;
        if is_atomic {
            self.emit(Action::AtomicBegin);
            if !self.atomic {
                self.known.forget_section();
            }
            self.atomic = true;
            self.atomic_functions += 1;
        }
        let result = match self.summaries[function.index()].returns_at_end {
            true if info.result.is_scalar() => ResultPlace::Direct(None),
            _ => self.result_place(&info.result, info.span),
        };
        let return_node = self.node();
        let frame = Frame {
            function,
            slots: vec![Slot::Nowhere; body.locals.len()],
            labels: HashMap::new(),
            defined_labels: HashSet::new(),
            case_known: HashMap::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            return_node,
            result,
            results: Vec::new(),
        };
        self.frames.push(frame);
        let outer_span = self.span;
        for (index, &parameter) in body.parameters.iter().enumerate() {
            self.bind(parameter, arguments.get(index));
        }
        let before = self.known.clone();
        let jumps_back = self.summaries[function.index()].jumps_back;
        self.loops += u32::from(jumps_back);
        self.statement(&body.statement);
        self.loops -= u32::from(jumps_back);
        self.fall_off_end(function);
        self.span = outer_span;
        self.check_labels(function);
        let Some(frame) = self.frames.pop() else {
            return CallResult::Nothing;
        };
        // No register that the caller knows can have changed.
        self.known = before;
        self.known.forget_section();
        self.continue_at(return_node);
        self.atomic_functions -= u32::from(is_atomic);
        if is_atomic {
            self.emit(Action::AtomicEnd);
        }
        self.atomic = match self.summaries[function.index()].effects.marks_sections {
            true => self.atomic_functions > 0,
            false => outer_atomic,
        };
        if let ResultPlace::Register(register) = frame.result {
            let same = frame.results.first().cloned().flatten();
            let all_same = frame.results.iter().all(|value| *value == same);
            self.known.set_register(register, same.filter(|_| all_same));
        }
        self.result_of(frame.result, &info.result)
    }

    /// A function that ends without `return`: `main` returns 0, others anything.
    fn fall_off_end(&mut self, function: FunctionId) {
        if self.dead {
            return;
        }
        let info = &self.program.functions[function.index()];
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let return_node = frame.return_node;
        if let ResultPlace::Register(register) = frame.result {
            if function == self.program.main {
                let zero = self.number(&info.result, 0);
                self.set(register, zero);
            } else {
                frame.results.push(None);
                self.havoc(register);
            }
        }
        self.go(return_node);
    }

    /// A `goto` into a loop that was unrolled, or out of the place that a label is known in.
    fn check_labels(&mut self, function: FunctionId) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let missing: Vec<_> = frame
            .labels
            .iter()
            .filter(|(label, node)| {
                !frame.defined_labels.contains(label) && self.reached[node.index()]
            })
            .map(|(label, _)| *label)
            .collect();
        let info = &self.program.functions[function.index()];
        for label in missing {
            let name = info
                .body
                .as_ref()
                .map_or(String::new(), |body| body.labels[label.index()].clone());
            self.report(Diagnostic::error(
                info.span,
                format!(
                    "a jump to label `{name}` inside a loop that creates threads is not supported"
                ),
            ));
        }
    }

    fn bind(&mut self, parameter: LocalId, argument: Option<&Argument>) {
        let (name, ty, span, _) = self.local_info(parameter);
        let Some(frame) = self.frames.last() else {
            return;
        };
        let function = frame.function;
        let changes = self.summaries[function.index()]
            .assigned
            .contains(&parameter);
        let address_taken = self.local_address_taken(parameter);
        let value = match argument {
            Some(Argument::Scalar(value)) if ty.is_scalar() => Some(self.fit(value.clone(), &ty)),
            _ => None,
        };
        let slot = match (value, &ty) {
            (Some(value), _) if !changes && !address_taken => Slot::Bound(value),
            (value, ty) if ty.is_scalar() && !address_taken => {
                let register = self.typed_register(&name, ty);
                match value {
                    Some(value) => self.set(register, value),
                    None => self.havoc(register),
                }
                Slot::Register(register)
            }
            (value, ty) => {
                let object = self.local_object(&name, ty, span);
                let access = self.object_access(object, ty.clone());
                match (value, argument) {
                    (Some(value), _) => self.store(access, value),
                    (None, Some(Argument::Record(cells))) => {
                        self.store_record(&access, cells.clone());
                    }
                    _ => {}
                }
                Slot::Object(object)
            }
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.slots[parameter.index()] = slot;
        }
    }

    /// The value at the width of a parameter that was declared differently elsewhere.
    pub(super) fn fit(&mut self, value: Value, ty: &Type) -> Value {
        let wanted = self.program.types.sort(ty);
        let found = self.terms.sort(value.term);
        if wanted == found {
            return value;
        }
        let from = match found.width() {
            None => Type::Bool,
            Some(64) => Type::Int(super::IntKind::LongLong),
            Some(16) => Type::Int(super::IntKind::Short),
            Some(8) => Type::Int(super::IntKind::SChar),
            Some(_) => Type::INT,
        };
        self.convert(value, &from, ty)
    }

    pub(super) fn local_info(&self, local: LocalId) -> (String, Type, Span, bool) {
        let body = self
            .frames
            .last()
            .and_then(|frame| self.program.functions[frame.function.index()].body.as_ref());
        match body {
            Some(body) => {
                let info = &body.locals[local.index()];
                let private = !info.address_taken;
                (info.name.clone(), info.ty.ty.clone(), info.span, private)
            }
            None => (String::new(), Type::INT, self.span, false),
        }
    }

    pub(super) fn local_address_taken(&self, local: LocalId) -> bool {
        !self.local_info(local).3
    }

    /// A function without a body returns any value and does nothing else, unless its name
    /// says that it has a meaning.
    fn call_undefined(&mut self, function: FunctionId, span: Span) -> CallResult {
        let info = &self.program.functions[function.index()];
        if builtins::has_meaning(&info.name) {
            let what = match builtins::lookup(&info.name) {
                // A direct call does not get here.
                Some(_) => format!("calling `{}` through a pointer", info.name),
                None => format!("`{}`", info.name),
            };
            self.unsupported(span, &what);
            return CallResult::Nothing;
        }
        let ty = info.result.clone();
        self.any_errno();
        let returns = match &ty {
            Type::Void => "has no effect",
            Type::Pointer(to)
                if self.program.types.size(&to.ty).is_some() && to.ty != Type::Void =>
            {
                "returns a null pointer or a pointer to an object of its own, and has no other effect"
            }
            _ => "returns any value and has no other effect",
        };
        self.assume_note(
            format!("function `{}` is not defined: it {returns}", info.name),
            Some(span),
        );
        match &ty {
            Type::Record(_) => {
                let object = self.local_object("result", &ty, span);
                let access = self.object_access(object, ty.clone());
                self.havoc_record(&access);
                CallResult::Record(object)
            }
            Type::Pointer(to)
                if to.ty != Type::Void && self.program.types.size(&to.ty).is_some() =>
            {
                CallResult::Scalar(self.foreign_object(&to.ty))
            }
            ty if ty.is_scalar() => CallResult::Scalar(self.any(ty)),
            Type::Void => CallResult::Nothing,
            _ => {
                self.unsupported(span, "a function that returns floating point");
                CallResult::Nothing
            }
        }
    }
}

/// Whether a call through a pointer can use a function's result.
fn same_shape(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Record(a), Type::Record(b)) => a == b,
        (Type::Record(_), _) | (_, Type::Record(_)) => false,
        _ => true,
    }
}
