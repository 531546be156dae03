//! Statements to control flow.

use super::super::ir::{Action, Initial, ObjectKind, Waiting};
use super::super::typed::{Expr, Initializer, LabelId, LocalId, Statement, StatementKind};
use super::super::types::{Length, Type};
use super::super::visit;
use super::{Expander, ResultPlace, Slot};
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::HashMap;

impl Expander<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) {
        if self.dead && visit::labels(statement).is_empty() {
            return;
        }
        let outer = std::mem::replace(&mut self.span, statement.span);
        match &statement.kind {
            StatementKind::Empty => {}
            StatementKind::Expr(expr) => self.effects(expr),
            StatementKind::Declare {
                local,
                initializer,
                length,
            } => {
                if !self.dead {
                    self.declare(*local, initializer.as_ref(), length.as_ref());
                }
            }
            StatementKind::Block(statements) => {
                for statement in statements {
                    self.statement(statement);
                }
            }
            StatementKind::If(condition, then, otherwise) => {
                if self.assertion(condition, then, otherwise.as_deref()) {
                    self.span = outer;
                    return;
                }
                let (yes, no, end) = (self.node(), self.node(), self.node());
                self.branch(condition, yes, no);
                let before = self.before();
                self.continue_at(yes);
                self.statement(then);
                self.join_branch(end, before, no, |this| {
                    if let Some(otherwise) = otherwise {
                        this.statement(otherwise);
                    }
                });
            }
            StatementKind::Loop(inner) => {
                self.statement(&inner.initializer);
                self.span = statement.span;
                self.loop_statement(inner);
            }
            StatementKind::Switch {
                value,
                body,
                cases,
                default,
            } => self.switch(value, body, cases, *default),
            StatementKind::Label(label, inner) => {
                self.label(*label);
                self.statement(inner);
            }
            StatementKind::Goto(label) => {
                let node = self.label_node(*label);
                self.go(node);
            }
            StatementKind::Break => {
                match self.frames.last().and_then(|frame| frame.breaks.last()) {
                    Some(&node) => self.go(node),
                    None => self.misplaced("break", statement.span),
                }
            }
            StatementKind::Continue => {
                match self.frames.last().and_then(|frame| frame.continues.last()) {
                    Some(&node) => self.go(node),
                    None => self.misplaced("continue", statement.span),
                }
            }
            StatementKind::Return(value) => self.return_statement(value.as_ref()),
            StatementKind::Fence => self.emit(Action::Fence),
        }
        self.span = outer;
    }

    fn misplaced(&mut self, what: &str, span: Span) {
        let message = format!("`{what}` outside of a loop");
        self.report(Diagnostic::error(span, message));
    }

    /// `if (!c) error();` and `if (c) … else error();` are assertions.
    fn assertion(
        &mut self,
        condition: &Expr,
        then: &Statement,
        otherwise: Option<&Statement>,
    ) -> bool {
        if self.dead {
            return false;
        }
        if let Some(message) = self.only_reports_error(then) {
            self.assert_that(condition, false, &message);
            if let Some(otherwise) = otherwise {
                self.statement(otherwise);
            }
            return true;
        }
        let Some(message) = otherwise.and_then(|other| self.only_reports_error(other)) else {
            return false;
        };
        self.assert_that(condition, true, &message);
        self.statement(then);
        true
    }

    fn return_statement(&mut self, value: Option<&Expr>) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let return_node = frame.return_node;
        match (value, &frame.result) {
            (Some(value), ResultPlace::Register(register)) => {
                let register = *register;
                let result = self.value(value);
                if !self.dead {
                    self.set(register, result);
                    let constant = self.known.register(register).cloned();
                    if let Some(frame) = self.frames.last_mut() {
                        frame.results.push(constant);
                    }
                }
            }
            (Some(value), ResultPlace::Direct(_)) => {
                let result = self.value(value);
                if !self.dead
                    && let Some(frame) = self.frames.last_mut()
                {
                    frame.result = ResultPlace::Direct(Some(result));
                }
            }
            (Some(value), ResultPlace::Object(object)) => {
                let access = self.object_access(*object, value.ty.clone());
                if let Some(cells) = self.record(value) {
                    self.store_record(&access, cells);
                }
            }
            (Some(value), ResultPlace::Nothing) => self.effects(value),
            (None, ResultPlace::Register(register)) => {
                let register = *register;
                self.havoc(register);
                if let Some(frame) = self.frames.last_mut() {
                    frame.results.push(None);
                }
            }
            (None, ResultPlace::Direct(_)) => {
                let ty = self.program.functions[frame.function.index()]
                    .result
                    .clone();
                let result = self.any(&ty);
                if let Some(frame) = self.frames.last_mut() {
                    frame.result = ResultPlace::Direct(Some(result));
                }
            }
            (None, _) => {}
        }
        self.go(return_node);
    }

    /// Brings a local variable to life; each time it is a new one.
    fn declare(
        &mut self,
        local: LocalId,
        initializer: Option<&Initializer>,
        length: Option<&Expr>,
    ) {
        if let Some(length) = length {
            self.declare_array(local, length);
            return;
        }
        let (_, ty, _, _) = self.local_info(local);
        if let Some(frame) = self.frames.last_mut() {
            frame.slots[local.index()] = Slot::Nowhere;
        }
        // The name is in scope in its own initialiser.
        self.declare_slot(local);
        let slot = self
            .frames
            .last()
            .map(|frame| frame.slots[local.index()].clone());
        match (slot, initializer) {
            (Some(Slot::Register(register)), Some(initializer)) => {
                match initializer.items.first() {
                    Some(item) => {
                        let value = self.value(&item.value);
                        self.set(register, value);
                    }
                    None => {
                        let zero = self.number(&ty, 0);
                        self.set(register, zero);
                    }
                }
            }
            (Some(Slot::Object(object)), Some(initializer)) => {
                self.initialize(object, &ty, initializer);
            }
            _ => {}
        }
    }

    /// The place of a variable, without a value.
    pub(super) fn declare_slot(&mut self, local: LocalId) {
        let (name, ty, _, private) = self.local_info(local);
        if ty.is_scalar() && private {
            let register = self.typed_register(&name, &ty);
            self.havoc(register);
            if let Some(frame) = self.frames.last_mut() {
                frame.slots[local.index()] = Slot::Register(register);
            }
            return;
        }
        let object = self.declare_object(local);
        if self.loops > 0 {
            self.emit(Action::Fill {
                object,
                zero: false,
            });
        }
    }

    /// An array whose length is an expression.
    fn declare_array(&mut self, local: LocalId, length: &Expr) {
        let (name, ty, span, _) = self.local_info(local);
        let Type::Array(element, _) = &ty else {
            return;
        };
        let size_type = self.program.types.size_type();
        let count = self.value(length);
        let count = self.convert(count, &length.ty, &size_type).term;
        let constant = super::super::arithmetic::constant_value(
            &self.terms,
            &self.program.types,
            &size_type,
            count,
        );
        let limit = self.options.data_model.max_object_size();
        let capacity = match constant.and_then(|count| u64::try_from(count).ok()) {
            Some(count) if count <= limit => count,
            _ => {
                let most = u64::from(self.options.max_array);
                let width = self.pointer_width();
                let most_term = self.terms.bit_vec(width, i128::from(most));
                let fits = self.terms.bv_ule(count, most_term);
                let (yes, no) = (self.node(), self.node());
                self.split(fits, yes, no);
                self.continue_at(no);
                let message = format!("the array `{name}` gets more than {most} elements");
                self.bound_reached(self.options.max_array, message);
                self.note_capacity();
                self.continue_at(yes);
                most
            }
        };
        let ty = Type::Array(element.clone(), Length::Known(capacity));
        let outer = std::mem::replace(&mut self.span, span);
        let kind = ObjectKind::Local(self.thread);
        let object = self.add_typed_object(&name, kind, &ty, Initial::Any);
        self.span = outer;
        if !self.local_address_taken(local) {
            self.mark_private(object, &ty);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.slots[local.index()] = Slot::Object(object);
        }
    }

    fn label_node(&mut self, label: LabelId) -> super::Node {
        let known = self
            .frames
            .last()
            .and_then(|frame| frame.labels.get(&label).copied());
        match known {
            Some(node) => node,
            None => {
                let node = self.node();
                if let Some(frame) = self.frames.last_mut() {
                    frame.labels.insert(label, node);
                }
                node
            }
        }
    }

    fn label(&mut self, label: LabelId) {
        let node = self.label_node(label);
        self.edge(Action::Skip, node);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.defined_labels.insert(label);
        let summary = &self.summaries[frame.function.index()];
        let is_target = summary.jump_targets.contains(&label);
        if let Some((known, atomic)) = frame.case_known.get(&label) {
            self.known = known.clone();
            self.atomic = *atomic;
        }
        self.known.forget_section();
        if is_target {
            self.forget_before_jump();
            let name = self.label_name(label);
            self.node_labels.push((node, name, self.span));
        }
        self.current = node;
        self.dead = !is_target && !self.reached[node.index()];
    }

    pub(super) fn label_name(&self, label: LabelId) -> String {
        let body = self
            .frames
            .last()
            .and_then(|frame| self.program.functions[frame.function.index()].body.as_ref());
        body.map_or(String::new(), |body| body.labels[label.index()].clone())
    }

    fn switch(
        &mut self,
        value: &Expr,
        body: &Statement,
        cases: &[(i128, i128, LabelId)],
        default: Option<LabelId>,
    ) {
        let types = &self.program.types;
        let (ty, signed) = (value.ty.clone(), types.is_signed(&value.ty));
        let value = self.value(value).term;
        let end = self.node();
        let mut none = Vec::new();
        for &(low, high, label) in cases {
            let node = self.label_node(label);
            let low_term = self.number(&ty, low).term;
            let condition = if low == high {
                self.terms.eq(value, low_term)
            } else {
                let high_term = self.number(&ty, high).term;
                let (above, below) = match signed {
                    true => (
                        self.terms.bv_sle(low_term, value),
                        self.terms.bv_sle(value, high_term),
                    ),
                    false => (
                        self.terms.bv_ule(low_term, value),
                        self.terms.bv_ule(value, high_term),
                    ),
                };
                self.terms.and(&[above, below])
            };
            if !self.terms.is_false(condition) {
                self.edge(Action::Assume(condition, Waiting::Branch), node);
            }
            none.push(self.terms.not(condition));
        }
        let none = self.terms.and(&none);
        let otherwise = match default {
            Some(label) => self.label_node(label),
            None => end,
        };
        if !self.terms.is_false(none) {
            self.edge(Action::Assume(none, Waiting::Branch), otherwise);
        }
        self.dead = true;

        let labels = cases.iter().map(|&(_, _, label)| label).chain(default);
        let labels: Vec<LabelId> = labels.collect();
        self.forget(&visit::assigned(&[body], &[]));
        self.known.forget_section();
        if self.jumped_into(body, &labels).is_some() {
            self.forget_before_jump();
        }
        let known = self.known.clone();
        let marks = self.with_callees(visit::summarize_parts(&[body], &[]));
        let atomic = self.atomic && !marks.effects.marks_sections;
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.push(end);
            let labels = labels.into_iter();
            frame
                .case_known
                .extend(labels.map(|label| (label, (known.clone(), atomic))));
        }
        self.statement(body);
        self.edge(Action::Skip, end);
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.pop();
        }
        self.known = known;
        self.atomic = atomic || self.atomic_functions > 0;
        self.continue_at(end);
    }
}

/// What is known at the cases of the switches around the current point.
pub(super) type CaseKnown = HashMap<LabelId, super::expression::Before>;
