//! A refined abstraction, and the way back: counter-example mapping.

use super::pace::{Meaning, map_trace};
use heddle_interpret::{ReplayError, Trace, TraceStep, Violation, replay};
use heddle_program::{EdgeId, Program, Value, VarId};
use rustc_hash::FxHashMap;

/// The abstraction without runs that turned out to be spurious.
pub struct Refinement {
    pub program: Program,
    meaning: Vec<Meaning>,
    /// Where the run starts in the middle of one that was excluded: what came before, by the
    /// observer's step that says so.
    resumed: FxHashMap<EdgeId, Prefix>,
}

/// The beginning of a run of the abstraction.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    /// The values that variables without an initial value start with; `None` leaves them as
    /// they are.
    pub initial: Option<Vec<(VarId, Value)>>,
    pub steps: Vec<TraceStep>,
    /// The last step is an assertion that fails.
    pub fails: bool,
}

impl Refinement {
    pub(crate) fn paced(program: Program, meaning: Vec<Meaning>) -> Self {
        Refinement {
            program,
            meaning,
            resumed: FxHashMap::default(),
        }
    }

    pub(crate) fn observed(
        program: Program,
        meaning: Vec<Meaning>,
        resumed: FxHashMap<EdgeId, Prefix>,
    ) -> Self {
        Refinement {
            program,
            meaning,
            resumed,
        }
    }

    /// Counter-example mapping: the trace as one of the abstraction (Lemma 3).
    pub fn map(&self, abstraction: &Program, trace: &Trace) -> Result<Trace, ReplayError> {
        let start = replay(&self.program, trace)?.states.swap_remove(0);
        let mut mapped = map_trace(&self.meaning, trace, |_, _, place| {
            trace.steps[place].choices.clone()
        });
        for variable in abstraction.variable_ids() {
            if abstraction.variable(variable).initial.is_none() {
                let value = start.value(variable).clone();
                mapped.initial.push((variable, value));
            }
        }
        let observed = trace.steps.iter();
        let mut observed = observed.filter_map(|step| self.resumed.get(&step.edge));
        if let Some(prefix) = observed.next() {
            if let Some(initial) = &prefix.initial {
                mapped.initial = initial.clone();
            }
            let mut steps = prefix.steps.clone();
            steps.append(&mut mapped.steps);
            mapped.steps = steps;
            if prefix.fails
                && let Some(last) = mapped.steps.last()
            {
                mapped.violation = Violation::Assertion(last.edge);
            }
        }
        Ok(mapped)
    }
}
