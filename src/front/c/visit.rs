//! What a piece of the typed program contains.

use super::builtins::{Atomic, Builtin};
use super::typed::{
    Callee, Expr, ExprKind, FunctionId, Initializer, LabelId, LocalId, Lvalue, LvalueKind,
    Statement, StatementKind, VariableId,
};
use std::collections::{HashMap, HashSet};

pub(crate) enum Item<'a> {
    Statement(&'a Statement),
    Expr(&'a Expr),
    Lvalue(&'a Lvalue),
}

/// Calls `visit` for the statement and everything inside it, outside first, in the order of
/// the text.
pub(crate) fn statement<'a>(statement: &'a Statement, visit: &mut dyn FnMut(Item<'a>)) {
    visit(Item::Statement(statement));
    match &statement.kind {
        StatementKind::Empty
        | StatementKind::Goto(_)
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Fence
        | StatementKind::Return(None) => {}
        StatementKind::Expr(value) | StatementKind::Return(Some(value)) => expr(value, visit),
        StatementKind::Declare {
            initializer: initial,
            length,
            ..
        } => {
            if let Some(length) = length {
                expr(length, visit);
            }
            if let Some(initial) = initial {
                initializer(initial, visit);
            }
        }
        StatementKind::Block(statements) => {
            for inner in statements {
                self::statement(inner, visit);
            }
        }
        StatementKind::If(condition, then, otherwise) => {
            expr(condition, visit);
            self::statement(then, visit);
            if let Some(otherwise) = otherwise {
                self::statement(otherwise, visit);
            }
        }
        StatementKind::Loop(inner) => {
            self::statement(&inner.initializer, visit);
            if let Some(condition) = &inner.condition {
                expr(condition, visit);
            }
            self::statement(&inner.body, visit);
            if let Some(step) = &inner.step {
                expr(step, visit);
            }
        }
        StatementKind::Switch { value, body, .. } => {
            expr(value, visit);
            self::statement(body, visit);
        }
        StatementKind::Label(_, inner) => self::statement(inner, visit),
    }
}

pub(crate) fn initializer<'a>(initial: &'a Initializer, visit: &mut dyn FnMut(Item<'a>)) {
    for item in &initial.items {
        expr(&item.value, visit);
    }
}

pub(crate) fn expr<'a>(value: &'a Expr, visit: &mut dyn FnMut(Item<'a>)) {
    visit(Item::Expr(value));
    match &value.kind {
        ExprKind::Int(_) | ExprKind::FunctionAddress(_) => {}
        ExprKind::AddressOf(place) | ExprKind::Load(place) => lvalue(place, visit),
        ExprKind::Cast(a) | ExprKind::Negate(a) | ExprKind::Complement(a) | ExprKind::Not(a) => {
            expr(a, visit);
        }
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::PointerDifference(a, b, _)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::PointerAdd {
            pointer,
            index,
            index_first,
            ..
        } => {
            let (first, second) = match index_first {
                true => (index, pointer),
                false => (pointer, index),
            };
            expr(first, visit);
            expr(second, visit);
        }
        ExprKind::Conditional(a, b, c) => {
            expr(a, visit);
            if let Some(b) = b {
                expr(b, visit);
            }
            expr(c, visit);
        }
        ExprKind::Assign(place, a)
        | ExprKind::Modify {
            target: place,
            value: a,
            ..
        } => {
            lvalue(place, visit);
            expr(a, visit);
        }
        ExprKind::Call(callee, arguments) => {
            if let Callee::Pointer(pointer) = callee {
                expr(pointer, visit);
            }
            for argument in arguments {
                expr(argument, visit);
            }
        }
        ExprKind::Statements(inner, last) => {
            statement(inner, visit);
            if let Some(last) = last {
                expr(last, visit);
            }
        }
    }
}

pub(crate) fn lvalue<'a>(place: &'a Lvalue, visit: &mut dyn FnMut(Item<'a>)) {
    visit(Item::Lvalue(place));
    match &place.kind {
        LvalueKind::Variable(_) | LvalueKind::String(_) => {}
        LvalueKind::Member(inner, ..) => lvalue(inner, visit),
        LvalueKind::Deref(pointer) => expr(pointer, visit),
        LvalueKind::CompoundLiteral(_, initial) => initializer(initial, visit),
        LvalueKind::Temporary(_, value) => expr(value, visit),
    }
}

/// The local variable that an lvalue is a part of, if it is reached without a pointer.
pub(crate) fn root(place: &Lvalue) -> Option<LocalId> {
    match &place.kind {
        LvalueKind::Variable(VariableId::Local(local))
        | LvalueKind::Temporary(local, _)
        | LvalueKind::CompoundLiteral(local, _) => Some(*local),
        LvalueKind::Member(inner, ..) => root(inner),
        LvalueKind::Deref(pointer) => root_of_pointer(pointer),
        _ => None,
    }
}

fn root_of_pointer(pointer: &Expr) -> Option<LocalId> {
    match &pointer.kind {
        ExprKind::AddressOf(inner) => root(inner),
        ExprKind::PointerAdd { pointer, .. } | ExprKind::Cast(pointer) => root_of_pointer(pointer),
        _ => None,
    }
}

/// The local variable that a visited item gives a value to.
fn assigned_by(item: &Item, out: &mut HashSet<LocalId>) {
    match item {
        Item::Statement(Statement {
            kind: StatementKind::Declare { local, .. },
            ..
        }) => {
            out.insert(*local);
        }
        Item::Lvalue(Lvalue {
            kind: LvalueKind::CompoundLiteral(local, _) | LvalueKind::Temporary(local, _),
            ..
        }) => {
            out.insert(*local);
        }
        Item::Expr(value) => match &value.kind {
            ExprKind::Assign(place, _) | ExprKind::Modify { target: place, .. } => {
                out.extend(root(place));
            }
            ExprKind::Call(Callee::Builtin(_), arguments) => {
                out.extend(arguments.iter().filter_map(root_of_pointer));
            }
            _ => {}
        },
        _ => {}
    }
}

/// The local variables that may get a value, where their addresses are not known.
pub(crate) fn assigned(statements: &[&Statement], exprs: &[&Expr]) -> HashSet<LocalId> {
    let mut result = HashSet::new();
    for inner in statements {
        statement(inner, &mut |item| assigned_by(&item, &mut result));
    }
    for inner in exprs {
        expr(inner, &mut |item| assigned_by(&item, &mut result));
    }
    result
}

/// The labels that are defined inside.
pub(crate) fn labels(inner: &Statement) -> Vec<LabelId> {
    let mut result = Vec::new();
    statement(inner, &mut |item| {
        if let Item::Statement(Statement {
            kind: StatementKind::Label(label, _),
            ..
        }) = item
        {
            result.push(*label);
        }
    });
    result
}

/// How often each label is the target of a `goto` or a case of a `switch` inside.
pub(crate) fn jumps(inner: &Statement) -> HashMap<LabelId, usize> {
    let mut result = HashMap::new();
    statement(inner, &mut |item| {
        let Item::Statement(inner) = item else {
            return;
        };
        match &inner.kind {
            StatementKind::Goto(label) => *result.entry(*label).or_default() += 1,
            StatementKind::Switch { cases, default, .. } => {
                for label in cases.iter().map(|(_, _, label)| label).chain(default) {
                    *result.entry(*label).or_default() += 1;
                }
            }
            _ => {}
        }
    });
    result
}

/// What is worth knowing about a function before it is expanded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// Parameters are counted only where the body changes them.
    pub(crate) assigned: HashSet<LocalId>,
    pub(crate) jump_targets: HashSet<LabelId>,
    /// How often each label is the target of a `goto` or a case of a `switch`.
    pub(crate) jumps: HashMap<LabelId, usize>,
    pub(crate) returns: usize,
    /// Whether the only return is the last statement.
    pub(crate) returns_at_end: bool,
    /// Whether some `goto` goes back.
    pub(crate) jumps_back: bool,
    pub(crate) effects: Effects,
    pub(crate) calls: Vec<FunctionId>,
    pub(crate) calls_pointer: bool,
}

/// What a function does, directly or by a function that it calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    pub(crate) creates_threads: bool,
    pub(crate) joins_threads: bool,
    /// Whether it begins or ends atomic sections.
    pub(crate) marks_sections: bool,
    /// Whether it keeps thread-specific data.
    pub(crate) sets_keys: bool,
}

impl Effects {
    fn and(self, other: Effects) -> Effects {
        Effects {
            creates_threads: self.creates_threads || other.creates_threads,
            joins_threads: self.joins_threads || other.joins_threads,
            marks_sections: self.marks_sections || other.marks_sections,
            sets_keys: self.sets_keys || other.sets_keys,
        }
    }
}

pub(crate) fn summarize(body: &Statement) -> Summary {
    let mut summary = Summary {
        assigned: assigned(&[body], &[]),
        jumps: jumps(body),
        ..Summary::default()
    };
    let mut seen: HashSet<LabelId> = HashSet::new();
    statement(body, &mut |item| match item {
        Item::Statement(inner) => match &inner.kind {
            StatementKind::Return(_) => summary.returns += 1,
            StatementKind::Label(label, _) => {
                seen.insert(*label);
            }
            StatementKind::Goto(label) => {
                summary.jumps_back |= seen.contains(label);
                summary.jump_targets.insert(*label);
            }
            _ => {}
        },
        Item::Expr(value) => note_call(value, &mut summary),
        Item::Lvalue(_) => {}
    });
    if let StatementKind::Block(statements) = &body.kind
        && let Some(last) = statements.last()
    {
        let is_return = matches!(last.kind, StatementKind::Return(_));
        summary.returns_at_end = is_return && summary.returns == 1;
    }
    summary
}

fn note_call(value: &Expr, summary: &mut Summary) {
    let ExprKind::Call(callee, _) = &value.kind else {
        return;
    };
    let effects = &mut summary.effects;
    match callee {
        Callee::Function(function) => summary.calls.push(*function),
        Callee::Pointer(_) => summary.calls_pointer = true,
        Callee::Builtin(Builtin::ThreadCreate) => effects.creates_threads = true,
        Callee::Builtin(Builtin::ThreadJoin) => effects.joins_threads = true,
        Callee::Builtin(Builtin::KeySet) => effects.sets_keys = true,
        Callee::Builtin(Builtin::AtomicBegin | Builtin::AtomicEnd) => effects.marks_sections = true,
        // It calls a function by a pointer.
        Callee::Builtin(Builtin::Once) => summary.calls_pointer = true,
        Callee::Builtin(_) => {}
    }
}

impl Summary {
    /// Takes over what a called function does; whether that is news.
    pub(crate) fn inherit(&mut self, callee: Effects) -> bool {
        let all = self.effects.and(callee);
        std::mem::replace(&mut self.effects, all) != all
    }
}

/// Calls and thread operations of a piece of a function.
pub(crate) fn summarize_parts(statements: &[&Statement], exprs: &[&Expr]) -> Summary {
    let mut summary = Summary::default();
    let mut visit = |item: Item| {
        if let Item::Expr(value) = item {
            note_call(value, &mut summary);
        }
    };
    for inner in statements {
        statement(inner, &mut visit);
    }
    for inner in exprs {
        expr(inner, &mut visit);
    }
    summary
}

/// Whether evaluating the expression changes nothing, whatever happens meanwhile.
pub(crate) fn has_no_effect(value: &Expr) -> bool {
    let mut result = true;
    expr(value, &mut |item| {
        if let Item::Expr(inner) = item {
            result &= !matches!(
                inner.kind,
                ExprKind::Assign(..) | ExprKind::Modify { .. } | ExprKind::Statements(..)
            );
            if let ExprKind::Call(callee, _) = &inner.kind {
                result &= matches!(
                    callee,
                    Callee::Builtin(Builtin::Expect | Builtin::Atomic(Atomic::Load))
                );
            }
        }
    });
    result
}
