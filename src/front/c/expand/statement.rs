//! Statements to control flow.

use super::super::ir::{Action, Initial, ObjectKind, Waiting};
use super::super::typed::{Expr, Initializer, LabelId, LocalId, Loop, Statement, StatementKind};
use super::super::types::{Length, Type};
use super::super::visit;
use super::{Expander, ResultPlace, Slot};
use std::collections::HashMap;

/// Iterations of a loop with a constant number of them that are unrolled.
const MAX_EVIDENT_ITERATIONS: u32 = 256;

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
                if let Some(&node) = self.frames.last().and_then(|frame| frame.breaks.last()) {
                    self.go(node);
                }
            }
            StatementKind::Continue => {
                if let Some(&node) = self.frames.last().and_then(|frame| frame.continues.last()) {
                    self.go(node);
                }
            }
            StatementKind::Return(value) => self.return_statement(value.as_ref()),
            StatementKind::Fence => self.emit(Action::Fence),
        }
        self.span = outer;
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
            let assigned = summary.assigned.clone();
            self.forget(&assigned);
            self.atomic = self.atomic_functions > 0;
            let name = self.label_name(label);
            self.node_labels.push((node, name, self.span));
        }
        self.current = node;
        self.dead = !is_target && !self.reached[node.index()];
    }

    fn label_name(&self, label: LabelId) -> String {
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

        self.forget(&visit::assigned(&[body], &[]));
        self.known.forget_section();
        let known = self.known.clone();
        let marks = self.with_callees(visit::summarize_parts(&[body], &[]));
        let atomic = self.atomic && !marks.marks_sections;
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.push(end);
            let labels = cases.iter().map(|&(_, _, label)| label).chain(default);
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

    fn loop_statement(&mut self, inner: &Loop) {
        let exprs: Vec<&Expr> = inner.condition.iter().chain(&inner.step).collect();
        let parts = visit::summarize_parts(&[&inner.body], &exprs);
        let parts = self.with_callees(parts);
        let (creates, joins) = (parts.creates_threads, parts.joins_threads);
        let atomic = self.atomic;
        let never_repeats = inner.body_first
            && inner.condition.as_ref().is_some_and(|condition| {
                super::super::elaborate::evaluate(&self.program.types, condition) == Some(0)
            });
        if never_repeats {
            self.block_once(inner);
        } else if creates || joins && self.is_evident(inner) {
            self.unrolled_loop(inner, creates);
        } else {
            self.plain_loop(inner);
        }
        self.after_jumps(atomic, &parts);
    }

    /// Behind a statement that can be left in several ways it is only certain to be in an
    /// atomic section if it was before and the statement neither begins nor ends one.
    fn after_jumps(&mut self, atomic_before: bool, parts: &visit::Summary) {
        self.atomic = match parts.marks_sections {
            true => self.atomic_functions > 0,
            false => atomic_before,
        };
    }

    /// What a piece of the program does, with all that it calls.
    fn with_callees(&self, parts: visit::Summary) -> visit::Summary {
        let by_pointer: &[_] = match parts.calls_pointer {
            true => &self.program.addressed_functions,
            false => &[],
        };
        let mut result = parts.clone();
        for callee in parts.calls.iter().chain(by_pointer) {
            result.inherit(&self.summaries[callee.index()]);
        }
        result
    }

    /// `do … while (0)`
    fn block_once(&mut self, inner: &Loop) {
        let end = self.node();
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.push(end);
            frame.continues.push(end);
        }
        self.statement(&inner.body);
        let falls_through = !self.dead;
        let jumps = self.reached[end.index()];
        self.edge(Action::Skip, end);
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.pop();
            frame.continues.pop();
        }
        if jumps || !falls_through {
            self.forget(&visit::assigned(&[&inner.body], &[]));
            self.known.forget_section();
        }
        self.continue_at(end);
    }

    fn plain_loop(&mut self, inner: &Loop) {
        let exprs: Vec<&Expr> = inner.condition.iter().chain(&inner.step).collect();
        let assigned = visit::assigned(&[&inner.body], &exprs);
        let (head, body, step, exit) = (self.node(), self.node(), self.node(), self.node());
        self.edge(Action::Skip, if inner.body_first { body } else { head });
        if self.dead && visit::labels(&inner.body).is_empty() {
            return;
        }
        self.loops += 1;
        self.forget(&assigned);
        self.known.forget_section();
        let known = self.known.clone();
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.push(exit);
            frame.continues.push(step);
        }
        let condition = |this: &mut Self| {
            this.continue_at(head);
            match &inner.condition {
                Some(condition) => this.branch(condition, body, exit),
                None => this.go(body),
            }
            this.known = known.clone();
        };
        if !inner.body_first {
            condition(self);
        }
        self.continue_at(body);
        self.statement(&inner.body);
        self.edge(Action::Skip, step);
        self.known = known.clone();
        self.continue_at(step);
        if let Some(step) = &inner.step {
            self.effects(step);
        }
        self.go(head);
        if inner.body_first {
            condition(self);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.pop();
            frame.continues.pop();
        }
        self.loops -= 1;
        self.known = known.clone();
        self.continue_at(exit);
    }

    /// Whether the condition is decided by constants at this point.
    fn is_evident(&mut self, inner: &Loop) -> bool {
        let Some(condition) = &inner.condition else {
            return false;
        };
        let is_literal =
            super::super::elaborate::evaluate(&self.program.types, condition).is_some();
        if self.dead || is_literal || !self.is_eager(condition) {
            return false;
        }
        let truth = self.truth(condition);
        self.terms.as_constant(truth).is_some()
    }

    /// Iterations one after the other: as many as there evidently are, otherwise up to the
    /// bound on threads. A loop that only joins threads becomes a plain loop where the number
    /// of its iterations is not evident any more.
    fn unrolled_loop(&mut self, inner: &Loop, creates: bool) {
        let exit = self.node();
        let labels = visit::labels(&inner.body);
        let (mut evident, mut counted) = (0, 0);
        let mut first = true;
        let mut exits: Option<super::Known> = None;
        while !self.dead {
            let is_evident = self.is_evident(inner);
            if !(first && inner.body_first) {
                if is_evident && evident < MAX_EVIDENT_ITERATIONS {
                    evident += 1;
                } else if !creates {
                    let rest = Loop {
                        initializer: inner.initializer.clone(),
                        body_first: false,
                        ..inner.clone()
                    };
                    self.plain_loop(&rest);
                    break;
                } else {
                    counted += 1;
                }
                let (body, leave) = (self.node(), self.node());
                match &inner.condition {
                    Some(condition) => self.branch(condition, body, leave),
                    None => self.go(body),
                }
                let known = self.known.clone();
                self.continue_at(leave);
                if !self.dead {
                    meet(&mut exits, &known);
                }
                self.go(exit);
                self.known = known;
                self.continue_at(body);
                if counted > self.options.max_threads {
                    let bound = self.options.max_threads;
                    let message = format!("a loop creates threads more than {bound} times");
                    self.bound_reached(bound, message);
                    break;
                }
            }
            first = false;
            let step = self.node();
            if let Some(frame) = self.frames.last_mut() {
                for label in &labels {
                    frame.labels.remove(label);
                    frame.defined_labels.remove(label);
                }
                frame.breaks.push(exit);
                frame.continues.push(step);
            }
            self.statement(&inner.body);
            let falls_through = !self.dead;
            let jumps = self.reached[step.index()];
            self.edge(Action::Skip, step);
            if let Some(frame) = self.frames.last_mut() {
                frame.breaks.pop();
                frame.continues.pop();
            }
            if jumps || !falls_through {
                self.forget(&visit::assigned(&[&inner.body], &[]));
                self.known.forget_section();
            }
            self.continue_at(step);
            if let Some(step) = &inner.step {
                self.effects(step);
            }
        }
        self.edge(Action::Skip, exit);
        if !self.dead {
            let known = self.known.clone();
            meet(&mut exits, &known);
        }
        // A `break` may come from anywhere in the body.
        self.known = exits.unwrap_or_default();
        self.known.forget_section();
        if contains_break(&inner.body) {
            let exprs: Vec<&Expr> = inner.condition.iter().chain(&inner.step).collect();
            self.forget(&visit::assigned(&[&inner.body], &exprs));
        }
        self.continue_at(exit);
    }
}

fn meet(known: &mut Option<super::Known>, other: &super::Known) {
    match known {
        Some(known) => known.meet(other),
        None => *known = Some(other.clone()),
    }
}

fn contains_break(statement: &Statement) -> bool {
    let mut result = false;
    visit::statement(statement, &mut |item| {
        if let visit::Item::Statement(inner) = item {
            result |= matches!(inner.kind, StatementKind::Break);
        }
    });
    result
}

/// What is known at the cases of the switches around the current point.
pub(super) type CaseKnown = HashMap<LabelId, super::expression::Before>;
