//! Steps that are taken only when it is their turn, and count.
//!
//! What reconstruction and refinement have in common: a step gets a further condition, and
//! counters move on in the same step.

use super::assembly::{Assembly, Way, plainest};
use heddle_interpret::{Trace, TraceStep, Violation};
use heddle_program::{Constant, EdgeId, Place, Statement, TermId, Terms, Update};

/// What a step means in the program before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// No step: it only counts, or delimits a section.
    Nothing,
    Step(EdgeId),
    /// The step of a run with this number.
    Followed(EdgeId, usize),
    /// An assertion, which fails here.
    Fails(EdgeId),
}

/// When a step is taken, and what moves on with it.
pub(crate) struct Pace {
    pub condition: TermId,
    pub ticks: Vec<(Place, Update)>,
    /// For assertions: whether the thread goes on where they hold.
    pub passes: bool,
    /// For assertions: a further condition for failing.
    pub may_fail: TermId,
}

impl Pace {
    /// Without counting.
    pub(crate) fn when(condition: TermId, terms: &mut Terms) -> Pace {
        Pace {
            condition,
            ticks: Vec::new(),
            passes: true,
            may_fail: terms.bool(true),
        }
    }
}

impl Assembly<Meaning> {
    /// A step at its pace. A section around it is needed where two steps become of one,
    /// unless there is one already.
    pub(crate) fn paced(
        &mut self,
        way: Way,
        inside: bool,
        statement: &Statement,
        meaning: Meaning,
        pace: Pace,
    ) {
        let always = self.program.terms.bool(true);
        let unchanged =
            [pace.condition, pace.may_fail] == [always; 2] && pace.ticks.is_empty() && pace.passes;
        if unchanged && (inside || self.is_one_step(statement)) {
            self.step(way, statement.clone(), meaning);
            return;
        }
        let terms = &mut self.program.terms;
        if let Some((guard, mut updates)) = statement.as_guarded(terms) {
            let guard = terms.and(&[pace.condition, guard]);
            updates.extend(pace.ticks);
            let statement = plainest(&mut self.program, guard, updates);
            self.step(way, statement, meaning);
            return;
        }
        if let Statement::Assert { condition, message } = statement {
            return self.paced_assertion(way, *condition, message, meaning, pace);
        }
        let tick = plainest(&mut self.program, pace.condition, pace.ticks);
        let tick = (tick, Meaning::Nothing);
        let step = (statement.clone(), meaning);
        let steps = match statement {
            Statement::AtomicBegin => vec![step, tick],
            _ if inside => vec![tick, step],
            _ => vec![
                (Statement::AtomicBegin, Meaning::Nothing),
                tick,
                step,
                (Statement::AtomicEnd, Meaning::Nothing),
            ],
        };
        self.sequence(way, steps);
    }

    /// Whether the statement is a step of its own also outside of sections.
    fn is_one_step(&self, statement: &Statement) -> bool {
        matches!(statement, Statement::Guarded { .. })
            || self.program.shared_accesses(statement) <= 1
    }

    fn paced_assertion(
        &mut self,
        way: Way,
        condition: TermId,
        message: &str,
        meaning: Meaning,
        pace: Pace,
    ) {
        let terms = &mut self.program.terms;
        let violated = terms.not(condition);
        let passes = terms.and(&[pace.condition, condition]);
        let fails = terms.and(&[pace.condition, violated, pace.may_fail]);
        let never = terms.bool(false);
        if pace.passes && passes != never {
            let statement = plainest(&mut self.program, passes, pace.ticks);
            self.step(way, statement, meaning);
        }
        let (Meaning::Step(edge) | Meaning::Followed(edge, _)) = meaning else {
            unreachable!("an assertion is a step of the program");
        };
        if fails != never {
            let fails = plainest(&mut self.program, fails, Vec::new());
            let assertion = Statement::assert(never, message);
            self.sequence(
                way,
                vec![(fails, Meaning::Fails(edge)), (assertion, Meaning::Nothing)],
            );
        }
    }
}

/// The trace in the program before: each step that means one, with the choices that
/// `choices` makes of those at the given place of the trace. It ends where an assertion
/// fails.
pub(crate) fn map_trace(
    meaning: &[Meaning],
    trace: &Trace,
    mut choices: impl FnMut(EdgeId, Option<usize>, usize) -> Vec<Constant>,
) -> Trace {
    let mut steps = Vec::new();
    let mut violation = trace.violation;
    for (place, step) in trace.steps.iter().enumerate() {
        match meaning[step.edge.index()] {
            Meaning::Nothing => {}
            Meaning::Step(edge) => steps.push(TraceStep {
                edge,
                choices: choices(edge, None, place),
            }),
            Meaning::Followed(edge, number) => steps.push(TraceStep {
                edge,
                choices: choices(edge, Some(number), place),
            }),
            Meaning::Fails(edge) => {
                steps.push(TraceStep::new(edge));
                violation = Violation::Assertion(edge);
                break;
            }
        }
        if trace.violation == Violation::Assertion(step.edge)
            && place + 1 == trace.steps.len()
            && let Some(last) = steps.last()
        {
            violation = Violation::Assertion(last.edge);
        }
    }
    Trace {
        initial: Vec::new(),
        steps,
        violation,
    }
}
