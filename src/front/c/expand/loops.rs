//! Loops: plain ones stay loops, those that create threads are unrolled.

use super::super::elaborate::evaluate;
use super::super::ir::Action;
use super::super::typed::{Expr, LabelId, Loop, Statement, StatementKind};
use super::super::visit;
use super::{Expander, Known, Node};
use std::collections::HashSet;

/// Iterations of a loop with a constant number of them that are unrolled.
const MAX_EVIDENT_ITERATIONS: u32 = 256;

impl Expander<'_> {
    pub(super) fn loop_statement(&mut self, inner: &Loop) {
        let exprs: Vec<&Expr> = inner.condition.iter().chain(&inner.step).collect();
        let parts = visit::summarize_parts(&[&inner.body], &exprs);
        let parts = self.with_callees(parts);
        let (creates, joins) = (parts.effects.creates_threads, parts.effects.joins_threads);
        let jumped_into = self.jumped_into(&inner.body, &[]);
        let atomic = self.atomic && jumped_into.is_none();
        let never_repeats = inner.body_first
            && inner
                .condition
                .as_ref()
                .is_some_and(|condition| evaluate(&self.program.types, condition) == Some(0));
        if never_repeats {
            self.block_once(inner, jumped_into.is_some());
        } else if creates && let Some(label) = jumped_into {
            self.report_jump_into_unrolled(&inner.body, label);
        } else if creates || joins && jumped_into.is_none() && self.is_evident(inner) {
            self.unrolled_loop(inner, creates);
        } else {
            self.plain_loop(inner, jumped_into.is_some());
        }
        self.after_jumps(atomic, &parts);
    }

    /// Behind a statement that can be left in several ways it is only certain to be in an
    /// atomic section if it was before and the statement neither begins nor ends one.
    fn after_jumps(&mut self, atomic_before: bool, parts: &visit::Summary) {
        self.atomic = match parts.effects.marks_sections {
            true => self.atomic_functions > 0,
            false => atomic_before || self.atomic_functions > 0,
        };
    }

    /// What a piece of the program does, with all that it calls.
    pub(super) fn with_callees(&self, parts: visit::Summary) -> visit::Summary {
        let by_pointer: &[_] = match parts.calls_pointer {
            true => &self.program.addressed_functions,
            false => &[],
        };
        let mut result = parts.clone();
        for callee in parts.calls.iter().chain(by_pointer) {
            result.inherit(self.summaries[callee.index()].effects);
        }
        result
    }

    /// `do … while (0)`
    fn block_once(&mut self, inner: &Loop, jumped_into: bool) {
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
        if jumped_into {
            self.forget_before_jump();
        }
        self.continue_at(end);
    }

    fn plain_loop(&mut self, inner: &Loop, jumped_into: bool) {
        let exprs: Vec<&Expr> = inner.condition.iter().chain(&inner.step).collect();
        let assigned = visit::assigned(&[&inner.body], &exprs);
        let (head, body, step, exit) = (self.node(), self.node(), self.node(), self.node());
        let entry = if inner.body_first { body } else { head };
        self.edge(Action::Skip, entry);
        if self.dead && !jumped_into {
            return;
        }
        self.loops += 1;
        self.forget(&assigned);
        self.known.forget_section();
        if jumped_into {
            self.reach(entry);
            self.forget_before_jump();
        }
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
        let is_literal = evaluate(&self.program.types, condition).is_some();
        if self.dead || is_literal || !self.is_eager(condition) {
            return false;
        }
        let truth = self.truth(condition);
        self.terms.as_constant(truth).is_some()
    }

    /// Whether only a jump ends the loop.
    fn is_endless(&self, inner: &Loop) -> bool {
        match &inner.condition {
            None => true,
            Some(condition) => evaluate(&self.program.types, condition).is_some_and(|n| n != 0),
        }
    }

    /// Whether one of the edges from this number on leaves the loop.
    fn leads_out(&self, from: usize, exit: Node, inside: &[LabelId]) -> bool {
        let Some(frame) = self.frames.last() else {
            return true;
        };
        let labels = frame.labels.iter();
        let outside = labels.filter(|(label, _)| !inside.contains(label));
        let mut outside: HashSet<Node> = outside.map(|(_, node)| *node).collect();
        outside.extend([exit, frame.return_node]);
        self.edges[from..]
            .iter()
            .any(|edge| outside.contains(&edge.to))
    }

    /// What creates more threads than the bound allows was not unfolded.
    pub(super) fn too_many_threads(&mut self) {
        let bound = self.options.max_threads;
        let message = format!("a loop creates threads more than {bound} times");
        self.bound_reached(bound, message);
    }

    /// Iterations one after the other: as many as there evidently are, otherwise up to the
    /// bound on threads. A loop that only joins threads becomes a plain loop where the number
    /// of its iterations is not evident any more.
    fn unrolled_loop(&mut self, inner: &Loop, creates: bool) {
        let exit = self.node();
        let labels = visit::labels(&inner.body);
        let (mut evident, mut counted) = (0, 0);
        let mut first = true;
        let mut exits: Option<Known> = None;
        // `while (1) { if (i == 4) break; … }` goes on as long as nothing leads out of it.
        let mut goes_on = self.is_endless(inner) && jumps_out(&inner.body, &labels);
        while !self.dead {
            let is_evident = goes_on || self.is_evident(inner);
            if !(first && inner.body_first) {
                if is_evident && evident < MAX_EVIDENT_ITERATIONS {
                    evident += 1;
                } else if !creates {
                    let rest = Loop {
                        initializer: inner.initializer.clone(),
                        body_first: false,
                        ..inner.clone()
                    };
                    self.plain_loop(&rest, false);
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
            }
            first = false;
            // One more iteration may find out that it is the end before it creates a thread.
            let is_last = counted > self.options.max_threads;
            self.no_more_threads += u32::from(is_last);
            let step = self.node();
            let before = self.edges.len();
            if let Some(frame) = self.frames.last_mut() {
                for label in &labels {
                    frame.labels.remove(label);
                    frame.defined_labels.remove(label);
                }
                frame.breaks.push(exit);
                frame.continues.push(step);
            }
            self.statement(&inner.body);
            goes_on &= !self.leads_out(before, exit, &labels);
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
            self.no_more_threads -= u32::from(is_last);
            if is_last {
                self.too_many_threads();
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

fn meet(known: &mut Option<Known>, other: &Known) {
    match known {
        Some(known) => known.meet(other),
        None => *known = Some(other.clone()),
    }
}

/// Whether a jump in the body of a loop may lead out of it.
fn jumps_out(body: &Statement, labels: &[LabelId]) -> bool {
    let mut result = contains_break(body);
    visit::statement(body, &mut |item| {
        if let visit::Item::Statement(inner) = item {
            result |= match &inner.kind {
                StatementKind::Goto(label) => !labels.contains(label),
                StatementKind::Return(_) => true,
                _ => false,
            };
        }
    });
    result
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
