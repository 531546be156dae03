//! Statements as edges, one step each.

use super::choices::Resolved;
use super::processes::Processes;
use super::scope::{Findings, Names};
use super::syntax::{Granularity, Process};
use super::terms::{Meant, Translation};
use super::typed::{Node, Target, Typed};
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{
    LocationId, Place, ProgramBuilder, Sort, Statement, TermId, ThreadId, Update, VarId,
};
use std::collections::HashMap;

/// Writes one process instance into the program.
pub(crate) struct Emitter<'a> {
    pub(crate) builder: &'a mut ProgramBuilder,
    pub(crate) findings: &'a mut Findings,
    pub(crate) globals: &'a Names,
    pub(crate) locals: &'a Names,
    pub(crate) processes: &'a Processes,
    pub(crate) process: &'a Process,
    pub(crate) thread: ThreadId,
    pub(crate) granularity: Granularity,
    /// Whether indices and divisors are known to be right.
    pub(crate) unchecked: bool,
    /// Where each statement that takes a step begins, by its number.
    pub(crate) locations: Vec<Option<LocationId>>,
    pub(crate) labels: HashMap<String, Label>,
    /// The outermost atomic block around, by the number of its statement.
    pub(crate) section: Option<usize>,
    /// Where a jump out of an atomic block ends the block, by block and target.
    pub(crate) exits: HashMap<(Option<usize>, LocationId), LocationId>,
    pub(crate) temporaries: HashMap<(Sort, usize), VarId>,
}

pub(crate) struct Label {
    pub(crate) location: LocationId,
    pub(crate) span: Span,
    pub(crate) section: Option<usize>,
}

/// What a step does while it waits for its condition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// `await`: waiting for ever is a deadlock.
    Await,
    /// `assume`, and the outcomes of `if` and `while`.
    Assume,
}

impl Emitter<'_> {
    /// The `position`-th temporary of this sort in a statement.
    pub(crate) fn temporary(&mut self, sort: Sort, position: usize) -> VarId {
        if let Some(&temporary) = self.temporaries.get(&(sort, position)) {
            return temporary;
        }
        let zero = self
            .builder
            .terms()
            .value(&heddle_program::Value::zero(sort));
        let temporary = self
            .builder
            .local(self.thread, "tmp", sort)
            .initial(zero)
            .id();
        self.temporaries.insert((sort, position), temporary);
        temporary
    }

    pub(crate) fn location(&mut self) -> LocationId {
        self.builder.location(self.thread)
    }

    pub(crate) fn meant(&mut self, typed: &Typed, choices: &[Resolved]) -> Meant {
        self.meant_all(&[typed], choices).remove(0)
    }

    pub(crate) fn meant_all(&mut self, typed: &[&Typed], choices: &[Resolved]) -> Vec<Meant> {
        let mut translation = Translation {
            unchecked: self.unchecked,
            terms: self.builder.terms(),
            choices: choices.iter(),
        };
        typed.iter().map(|typed| translation.of(typed)).collect()
    }

    /// An edge that is taken only if the condition holds.
    pub(crate) fn when(
        &mut self,
        from: LocationId,
        condition: TermId,
        waiting: Waiting,
        to: LocationId,
    ) {
        let statement = if self.builder.terms().is_true(condition) {
            Statement::Skip
        } else if self.section.is_some() {
            Statement::Assume(condition)
        } else {
            let plain = Statement::Assume(condition);
            if waiting == Waiting::Assume && self.builder.program().shared_accesses(&plain) <= 1 {
                plain
            } else {
                Statement::command(condition, Vec::new())
            }
        };
        self.builder.edge(from, statement, to);
    }

    /// Reports states in which the statement has no meaning: an assertion that fails.
    pub(crate) fn demand(&mut self, from: LocationId, defined: TermId, to: LocationId) {
        self.fail_unless(
            from,
            defined,
            "an index is out of range, or a divisor is zero",
            to,
        );
    }

    fn fail_unless(&mut self, from: LocationId, condition: TermId, message: &str, to: LocationId) {
        let otherwise = self.builder.terms().not(condition);
        if self.builder.terms().is_false(otherwise) {
            return;
        }
        let failed = self.location();
        self.when(from, otherwise, Waiting::Assume, failed);
        let never = self.builder.terms().bool(false);
        self.builder
            .edge(failed, Statement::assert(never, message), to);
    }

    /// `assume` or `await`.
    pub(crate) fn wait(
        &mut self,
        from: LocationId,
        condition: &Typed,
        waiting: Waiting,
        to: LocationId,
    ) {
        let (from, combinations) = self.resolve(from, &[condition]);
        for choices in combinations {
            let Meant { term, defined } = self.meant(condition, &choices);
            self.demand(from, defined, to);
            let both = self.builder.terms().and(&[defined, term]);
            self.when(from, both, waiting, to);
        }
    }

    /// The two outcomes of a condition, evaluated in one step.
    pub(crate) fn branch(
        &mut self,
        from: LocationId,
        condition: &Typed,
        yes: LocationId,
        no: LocationId,
    ) {
        let (from, combinations) = self.resolve(from, &[condition]);
        for choices in combinations {
            let Meant { term, defined } = self.meant(condition, &choices);
            self.demand(from, defined, yes);
            let negated = self.builder.terms().not(term);
            for (outcome, to) in [(term, yes), (negated, no)] {
                let both = self.builder.terms().and(&[defined, outcome]);
                if !self.builder.terms().is_false(both) {
                    self.when(from, both, Waiting::Assume, to);
                }
            }
        }
    }

    pub(crate) fn assert(
        &mut self,
        from: LocationId,
        condition: &Typed,
        message: &str,
        to: LocationId,
    ) {
        let (from, combinations) = self.resolve(from, &[condition]);
        for choices in combinations {
            let Meant { term, defined } = self.meant(condition, &choices);
            self.demand(from, defined, to);
            let condition = self.builder.terms().implies(defined, term);
            self.assert_term(from, condition, message, to);
        }
    }

    /// An assertion about several shared variables is still one step.
    pub(crate) fn assert_term(
        &mut self,
        from: LocationId,
        condition: TermId,
        message: &str,
        to: LocationId,
    ) {
        let plain = Statement::assert(condition, message);
        if self.section.is_some() || self.builder.program().shared_accesses(&plain) <= 1 {
            self.builder.edge(from, plain, to);
        } else {
            self.fail_unless(from, condition, message, to);
            self.when(from, condition, Waiting::Assume, to);
        }
    }

    /// All assignments at once.
    pub(crate) fn assign(
        &mut self,
        from: LocationId,
        assignments: &[(Target, Typed)],
        to: LocationId,
    ) {
        let always = self.builder.terms().bool(true);
        self.assign_if(from, None, always, assignments, to);
    }

    /// The step `guard -> assignments`; `usable` is where the guard has a value.
    pub(crate) fn assign_if(
        &mut self,
        from: LocationId,
        guard: Option<TermId>,
        usable: TermId,
        assignments: &[(Target, Typed)],
        to: LocationId,
    ) {
        let mut expressions: Vec<&Typed> = Vec::new();
        for (target, value) in assignments {
            if let Target::Element(_, position) = target {
                expressions.push(position);
            }
            if !is_any(value) {
                expressions.push(value);
            }
        }
        let (from, combinations) = self.resolve(from, &expressions);
        for choices in combinations {
            let (updates, defined) = self.updates(assignments, &choices);
            let terms = self.builder.terms();
            let guarded = guard.unwrap_or_else(|| terms.bool(true));
            let wrong = terms.not(defined);
            let wrong = terms.and(&[usable, guarded, wrong]);
            if !terms.is_false(wrong) {
                let right = self.builder.terms().not(wrong);
                self.demand(from, right, to);
            }
            let condition = self.builder.terms().and(&[usable, guarded, defined]);
            let statement = self.update_statement(guard, condition, updates);
            self.builder.edge(from, statement, to);
        }
    }

    fn updates(
        &mut self,
        assignments: &[(Target, Typed)],
        choices: &[Resolved],
    ) -> (Vec<(Place, Update)>, TermId) {
        let mut translation = Translation {
            unchecked: self.unchecked,
            terms: self.builder.terms(),
            choices: choices.iter(),
        };
        let mut defined = Vec::new();
        let mut updates = Vec::new();
        for (target, value) in assignments {
            let place = match target {
                Target::Variable(variable) => Place::Variable(*variable),
                Target::Element(variable, position) => {
                    let position = translation.of(position);
                    defined.push(position.defined);
                    Place::Element(*variable, position.term)
                }
            };
            let update = if is_any(value) {
                Update::Any
            } else {
                let value = translation.of(value);
                defined.push(value.defined);
                Update::Value(value.term)
            };
            if updates.iter().any(|&(earlier, _)| earlier == place) {
                let message = "one element is assigned twice in one step";
                self.findings.report(Diagnostic::error(value.span, message));
            }
            updates.push((place, update));
        }
        let defined = self.builder.terms().and(&defined);
        (updates, defined)
    }

    /// The plainest statement that makes the updates where the condition holds.
    pub(crate) fn update_statement(
        &mut self,
        guard: Option<TermId>,
        condition: TermId,
        updates: Vec<(Place, Update)>,
    ) -> Statement {
        if guard.is_none()
            && self.builder.terms().is_true(condition)
            && let [(target, update)] = updates[..]
        {
            let plain = match update {
                Update::Value(value) => Statement::Assign { target, value },
                Update::Any => Statement::Havoc { target },
            };
            if self.section.is_some() || self.builder.program().shared_accesses(&plain) <= 1 {
                return plain;
            }
        }
        Statement::command(condition, updates)
    }
}

/// `*` as a whole value needs no preparation.
pub(crate) fn is_any(value: &Typed) -> bool {
    matches!(value.node, Node::Any)
}
