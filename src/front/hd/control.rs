//! Control flow: which statement is where, and where it goes on.
//!
//! In a first pass every statement that takes a step gets its location, and labels get
//! theirs; then the edges are drawn. An unlabelled `goto l` and an unlabelled `while true`
//! take no step of their own.

use super::atomic::is_one_step;
use super::check::Checker;
use super::lower::{Emitter, Label, Waiting};
use super::scope::{Findings, suggest};
use super::syntax::*;
use super::typed::Typed;
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Bound, LocationId, Statement as Step, ThreadId};

impl Emitter<'_> {
    pub(crate) fn checker(&mut self) -> Checker<'_> {
        Checker {
            findings: &mut *self.findings,
            globals: self.globals,
            locals: Some(self.locals),
            processes: None,
        }
    }

    /// A process that is a list of statements.
    pub(crate) fn statements(&mut self, block: &Block) {
        let entry = self.builder.entry(self.thread);
        self.place(&block.statements, Some(entry));
        self.builder.at(block.end);
        let end = match block.statements.is_empty() {
            true => entry,
            false => self.location(),
        };
        self.name_location(end, &block.end_labels);
        self.sequence(&block.statements, end);
        self.note_reached(&block.statements);
    }

    /// Gives the statements their locations; the first one gets `first` if there is one.
    fn place(&mut self, statements: &[Statement], first: Option<LocationId>) {
        let mut designated = first;
        for statement in statements {
            let designated = designated.take();
            if is_plain_jump(statement) && designated.is_none() {
                continue;
            }
            self.builder.at(statement.span);
            let location = designated.unwrap_or_else(|| self.builder.location(self.thread));
            self.locations[statement.number] = Some(location);
            self.name_location(location, &statement.labels);
            match &statement.action {
                Action::If(_, then, otherwise) => {
                    self.place(&then.statements, None);
                    if let Some(otherwise) = otherwise {
                        self.place(&otherwise.statements, None);
                    }
                }
                Action::While(_, body) => {
                    let head = is_endless(statement).then_some(location);
                    self.place(&body.statements, head);
                }
                Action::Atomic(body) if is_one_step(body) => {}
                Action::Atomic(body) => {
                    let outer = self.section;
                    self.section = outer.or(Some(statement.number));
                    self.place(&body.statements, None);
                    self.section = outer;
                }
                Action::Choose(branches) => {
                    for branch in branches {
                        let shared = branch.statements.first().is_some_and(begins_at_choice);
                        self.place(&branch.statements, shared.then_some(location));
                    }
                }
                _ => {}
            }
        }
    }

    /// All labels mean the location; the first one is its name.
    fn name_location(&mut self, location: LocationId, labels: &[Name]) {
        for label in labels {
            if let Some(first) = self.labels.get(&label.text) {
                let message = format!(
                    "label `{}` stands twice in process `{}`",
                    label.text, self.process.name.text
                );
                self.findings.report(
                    Diagnostic::error(label.span, message).related(first.span, "first here"),
                );
                continue;
            }
            self.labels.insert(
                label.text.clone(),
                Label {
                    location,
                    span: label.span,
                    section: self.section,
                },
            );
            if self.builder.program().location(location).label.is_none() {
                self.builder.at(label.span).label(location, &label.text);
            }
        }
    }

    /// Draws the edges of statements that go on to `next`.
    fn sequence(&mut self, statements: &[Statement], next: LocationId) {
        for (position, statement) in statements.iter().enumerate() {
            let after = self.entry(&statements[position + 1..], next);
            if let Some(at) = self.locations[statement.number] {
                self.statement(statement, at, after);
            } else if let Action::Goto(targets) = &statement.action {
                self.target(&targets[0]);
            }
        }
    }

    /// Where statements begin that go on to `next`.
    fn entry(&mut self, statements: &[Statement], next: LocationId) -> LocationId {
        let Some(first) = statements.first() else {
            return next;
        };
        match (self.locations[first.number], &first.action) {
            (Some(location), _) => location,
            (None, Action::Goto(targets)) => self.target(&targets[0]).unwrap_or(next),
            (None, _) => next,
        }
    }

    /// Where an unlabelled `goto` leads.
    fn target(&mut self, name: &Name) -> Option<LocationId> {
        let (location, leaves) = self.destination(name)?;
        if !leaves {
            return Some(location);
        }
        // The jump leaves an atomic block, and so ends it.
        if let Some(&exit) = self.exits.get(&(self.section, location)) {
            return Some(exit);
        }
        self.builder.at(name.span);
        let exit = self.location();
        self.builder.edge(exit, Step::AtomicEnd, location);
        self.exits.insert((self.section, location), exit);
        Some(exit)
    }

    /// The location of a label after `goto`, and whether going there leaves an atomic block.
    fn destination(&mut self, name: &Name) -> Option<(LocationId, bool)> {
        let Some(label) = self.labels.get(&name.text) else {
            let message = format!(
                "process `{}` has no label `{}`",
                self.process.name.text, name.text
            );
            let known = self.labels.keys().map(String::as_str);
            let diagnostic = suggest(Diagnostic::error(name.span, message), &name.text, known);
            self.findings.report(diagnostic);
            return None;
        };
        let (location, span) = (label.location, label.span);
        let leaves = label.section != self.section;
        if leaves && label.section.is_some() {
            self.findings.report(
                Diagnostic::error(name.span, "a `goto` leads into an atomic block")
                    .related(span, "the label"),
            );
            return None;
        }
        Some((location, leaves))
    }

    fn statement(&mut self, statement: &Statement, at: LocationId, next: LocationId) {
        self.builder.at(statement.span);
        let split = self.granularity == Granularity::Access && self.section.is_none();
        match &statement.action {
            Action::Skip => {
                self.builder.edge(at, Step::Skip, next);
            }
            Action::Assign(assignments) => {
                let Some(assignments) = self.assignments(assignments) else {
                    return;
                };
                if split {
                    self.split_assign(at, &assignments, next);
                } else {
                    self.assign(at, &assignments, next);
                }
            }
            Action::Assume(condition) => {
                let Some(condition) = self.checker().condition(condition) else {
                    return;
                };
                if split {
                    self.split_assume(at, &condition, next);
                } else {
                    self.wait(at, &condition, Waiting::Assume, next);
                }
            }
            Action::Await(condition) => {
                let Some(condition) = self.checker().condition(condition) else {
                    return;
                };
                if split {
                    self.decide(at, &condition, next, at);
                } else {
                    self.wait(at, &condition, Waiting::Await, next);
                }
            }
            Action::Assert(condition) => {
                let message = self.assertion_text(condition.span);
                let Some(condition) = self.checker().condition(condition) else {
                    return;
                };
                if split {
                    self.split_assert(at, &condition, &message, next);
                } else {
                    self.assert(at, &condition, &message, next);
                }
            }
            Action::If(condition, then, otherwise) => {
                let yes = self.entry(&then.statements, next);
                let no = match otherwise {
                    Some(otherwise) => self.entry(&otherwise.statements, next),
                    None => next,
                };
                self.builder.at(statement.span);
                if let Some(condition) = self.checker().condition(condition) {
                    self.two_ways(split, at, &condition, yes, no);
                }
                self.sequence(&then.statements, next);
                if let Some(otherwise) = otherwise {
                    self.sequence(&otherwise.statements, next);
                }
            }
            Action::While(_, body) if is_endless(statement) => {
                if body.statements.is_empty() {
                    self.builder.edge(at, Step::Skip, at);
                }
                self.sequence(&body.statements, at);
            }
            Action::While(condition, body) => {
                let inside = self.entry(&body.statements, at);
                self.builder.at(statement.span);
                if let Some(condition) = self.checker().condition(condition) {
                    self.two_ways(split, at, &condition, inside, next);
                }
                self.sequence(&body.statements, at);
            }
            Action::Goto(targets) => {
                for target in targets {
                    if let Some((target, leaves)) = self.destination(target) {
                        let step = if leaves { Step::AtomicEnd } else { Step::Skip };
                        self.builder.edge(at, step, target);
                    }
                }
            }
            Action::Atomic(body) if is_one_step(body) => self.one_step(body, at, next),
            Action::Atomic(body) => self.atomic(statement, body, at, next),
            Action::Choose(branches) => {
                for branch in branches {
                    let entry = self.entry(&branch.statements, next);
                    if entry != at || branch.statements.is_empty() {
                        self.builder.at(statement.span);
                        self.builder.edge(at, Step::Skip, entry);
                    }
                    self.sequence(&branch.statements, next);
                }
            }
            Action::Start(process) => {
                if let Some(thread) = self.named_thread(process) {
                    self.builder.edge(at, Step::Create(thread), next);
                }
            }
            Action::Join(process) => {
                if let Some(thread) = self.named_thread(process) {
                    self.builder.edge(at, Step::Join(thread), next);
                }
            }
            Action::Bound(bound) => {
                let (first, first_span) =
                    *self.findings.bound.get_or_insert((*bound, statement.span));
                if first != *bound {
                    self.findings.report(
                        Diagnostic::error(statement.span, "a model ends at one bound")
                            .related(first_span, "at this one")
                            .hint("the verdict says one bound for all executions"),
                    );
                }
                if let Some(bound) = bound {
                    self.builder.bound(Bound(*bound));
                }
                let step = Step::BoundReached("the model ends at `bound`".to_owned());
                self.builder.edge(at, step, next);
            }
        }
    }

    fn two_ways(
        &mut self,
        split: bool,
        at: LocationId,
        condition: &Typed,
        yes: LocationId,
        no: LocationId,
    ) {
        if split {
            self.decide(at, condition, yes, no);
        } else {
            self.branch(at, condition, yes, no);
        }
    }

    /// An atomic block that is more than one step.
    fn atomic(&mut self, statement: &Statement, body: &Block, at: LocationId, next: LocationId) {
        if self.section.is_some() {
            let entry = self.entry(&body.statements, next);
            self.builder.at(statement.span);
            self.builder.edge(at, Step::Skip, entry);
            self.sequence(&body.statements, next);
            return;
        }
        self.builder.at(body.end);
        let exit = self.location();
        self.builder.edge(exit, Step::AtomicEnd, next);
        self.section = Some(statement.number);
        let entry = self.entry(&body.statements, exit);
        self.builder.at(statement.span);
        self.builder.edge(at, Step::AtomicBegin, entry);
        self.sequence(&body.statements, exit);
        self.section = None;
    }

    pub(crate) fn assertion_text(&self, span: Span) -> String {
        let text = self.builder.program().sources.snippet(span);
        format!("assertion `{text}` fails")
    }

    fn named_thread(&mut self, process: &Expression) -> Option<ThreadId> {
        let (name, index) = self.checker().process_name(process)?;
        match self.processes.find(name, index) {
            Some(instance) => Some(instance.thread),
            None => {
                let missing = self.processes.missing(process.span, name, index);
                self.findings.report(missing);
                None
            }
        }
    }

    /// Notes which statements control reaches in this instance.
    fn note_reached(&mut self, statements: &[Statement]) {
        let program = self.builder.program();
        let mut reached = vec![false; program.locations.len()];
        let mut pending = vec![self.builder.entry(self.thread)];
        while let Some(location) = pending.pop() {
            if !std::mem::replace(&mut reached[location.index()], true) {
                let targets = program.outgoing(location).iter();
                pending.extend(targets.map(|&edge| program.edge(edge).target));
            }
        }
        let is_reached = |statement: &Statement| {
            self.locations[statement.number].is_none_or(|location| reached[location.index()])
        };
        sort_by_reach(statements, &is_reached, self.findings);
    }
}

/// Of statements that are not reached, the first one of each stretch is noted.
fn sort_by_reach(
    statements: &[Statement],
    is_reached: &impl Fn(&Statement) -> bool,
    findings: &mut Findings,
) {
    let mut before = true;
    for statement in statements {
        let reached = is_reached(statement);
        if reached {
            findings.reached.insert(statement.span);
        } else if before {
            findings.unreached.push(statement.span);
        }
        before = reached;
        for block in statement.action.blocks() {
            if reached {
                sort_by_reach(&block.statements, is_reached, findings);
            }
        }
    }
}

/// An unlabelled `goto` with one target: what comes before leads straight there.
fn is_plain_jump(statement: &Statement) -> bool {
    statement.labels.is_empty()
        && matches!(&statement.action, Action::Goto(targets) if targets.len() == 1)
}

/// An unlabelled `while true`: its body begins where it stands.
fn is_endless(statement: &Statement) -> bool {
    statement.labels.is_empty()
        && matches!(&statement.action, Action::While(condition, _)
            if matches!(condition.form, Form::Truth(true)))
}

/// Whether a branch of `choose` is taken by the very step of its first statement. A label
/// or a loop needs a place of its own to come back to.
fn begins_at_choice(first: &Statement) -> bool {
    first.labels.is_empty() && !matches!(first.action, Action::While(..))
}
