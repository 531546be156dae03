//! The algorithm: abstraction, model checker, reconstruction, refinement, and recursion.
//!
//! Section 5 and Figure 1 of *Counter-Example Guided Program Verification*.

use super::abstraction::{Abstraction, abstraction};
use super::checker::{Answer, Checker};
use super::choice::{Dependencies, Reach, Variables};
use super::forbid::forbid;
use super::force::force;
use super::observer::observe;
use super::order::Order;
use super::reconstruction::{Reconstruction, reconstruction};
use super::refinement::Refinement;
use super::run::Run;
use super::statistics::Statistics;
use crate::schedule::MissingRelation;
use heddle_interpret::{Trace, replay};
use heddle_program::{Bound, Program, VarId, Verdict};
use std::collections::BTreeSet;
use std::time::Instant;

#[derive(Clone, Debug)]
pub struct Options {
    /// The shared variables to begin with, if they are chosen by hand.
    pub keep: Option<Vec<VarId>>,
    /// How far dependencies are followed otherwise.
    pub depth: u32,
    pub exclude: Exclude,
    pub deadline: Option<Instant>,
}

/// What is excluded with a spurious counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclude {
    /// The run, with its values (Section 5).
    Runs,
    /// All runs with the same steps, dependent ones in the same order (Section 6).
    Orders,
}

pub struct Outcome {
    pub verdict: Verdict,
    /// Replayed; there exactly if the verdict is unsafe.
    pub trace: Option<Trace>,
    pub statistics: Statistics,
}

/// What the engine tells while it works.
pub trait Progress {
    /// A program that it made, with a name that says from what.
    fn program(&mut self, _name: &str, _program: &Program) {}

    /// A counterexample of an abstraction, before it is known whether it is spurious.
    fn counterexample(&mut self, _level: usize, _number: usize) {}
}

impl Progress for () {}

/// Checks the program. The error says that the back end's rule set is no memory model.
pub fn check(
    program: &Program,
    options: &Options,
    checker: &mut dyn Checker,
    progress: &mut dyn Progress,
) -> Result<Outcome, MissingRelation> {
    let mut engine = Engine {
        original: program,
        options,
        checker,
        progress,
        statistics: Statistics::default(),
    };
    let mut proved: Option<Bound> = None;
    loop {
        let answer = engine.whole_program()?;
        let answer = match answer.verdict {
            Verdict::SafeUpTo(bound) if engine.in_time() && engine.checker.go_further() => {
                proved = proved.max(Some(bound));
                continue;
            }
            // What was proved with a smaller bound still holds.
            Verdict::Unknown(reason) => safe(match proved {
                Some(bound) if engine.gave_up() => Verdict::SafeUpTo(bound),
                _ => Verdict::Unknown(reason),
            }),
            _ => engine.replayed(answer),
        };
        return Ok(Outcome {
            verdict: answer.verdict,
            trace: answer.trace,
            statistics: engine.statistics,
        });
    }
}

fn safe(verdict: Verdict) -> Answer {
    Answer {
        verdict,
        trace: None,
    }
}

/// What came of checking a program with some variables sliced away.
enum Attempt {
    Decided(Answer),
    /// It would take more variables.
    Undecided(String),
}

struct Engine<'a> {
    original: &'a Program,
    options: &'a Options,
    checker: &'a mut dyn Checker,
    progress: &'a mut dyn Progress,
    statistics: Statistics,
}

impl Engine<'_> {
    fn in_time(&self) -> bool {
        let deadline = self.options.deadline;
        deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    /// Whether a larger bound was not decided, rather than that the program was found to do what
    /// no bound decides.
    fn gave_up(&self) -> bool {
        self.checker.gave_up() || !self.in_time()
    }

    fn reach(&self) -> Reach {
        Reach {
            depth: self.options.depth,
            every_test: false,
        }
    }

    /// `UNSAFE` is only said of a trace that the interpreter executes on the program itself.
    fn replayed(&self, answer: Answer) -> Answer {
        let Some(trace) = &answer.trace else {
            return answer;
        };
        match replay(self.original, trace) {
            Ok(_) => answer,
            Err(error) => safe(Verdict::Unknown(format!(
                "a counterexample could not be replayed, which is a bug of this engine: {}",
                error.describe(self.original, trace)
            ))),
        }
    }

    fn whole_program(&mut self) -> Result<Answer, MissingRelation> {
        let program = self.original;
        let dependencies = Dependencies::new(program);
        let kept = match &self.options.keep {
            Some(by_hand) => dependencies.by_hand(by_hand),
            None => dependencies.choose(&Variables::default(), self.reach()),
        };
        let answer = self.check(program, &dependencies, kept, &Name::default())?;
        let sliced = self.statistics.levels.first();
        let sliced = sliced.is_some_and(|level| !level.sliced.is_empty());
        match answer.verdict {
            // Perhaps only the abstraction goes beyond the bound.
            Verdict::SafeUpTo(_) if sliced && self.in_time() => {
                let whole = self.back_end(program, 0)?;
                Ok(match whole.verdict {
                    Verdict::Unknown(_) if self.gave_up() => answer,
                    _ => whole,
                })
            }
            _ => Ok(answer),
        }
    }

    /// Checks the program by an abstraction that keeps these variables, and more of them
    /// where that is not enough.
    fn check(
        &mut self,
        program: &Program,
        dependencies: &Dependencies,
        mut kept: Variables,
        name: &Name,
    ) -> Result<Answer, MissingRelation> {
        loop {
            let mut shared = program.variable_ids().filter(|&id| program.is_shared(id));
            if shared.all(|variable| kept.contains(&variable)) {
                self.note_variables(program, &kept, name.level);
                return self.back_end(program, name.level);
            }
            match self.attempt(program, &kept, name)? {
                Attempt::Decided(answer) => return Ok(answer),
                Attempt::Undecided(reason) if !self.in_time() => {
                    return Ok(safe(Verdict::Unknown(reason)));
                }
                Attempt::Undecided(_) => kept = dependencies.choose_more(&kept, self.reach()),
            }
        }
    }

    fn attempt(
        &mut self,
        program: &Program,
        kept: &Variables,
        name: &Name,
    ) -> Result<Attempt, MissingRelation> {
        let sliced = abstraction(program, kept);
        self.note_abstraction(program, kept, &sliced, name);
        let mut excluded = Excluded::default();
        // The smallest bound up to which a reconstruction was found safe.
        let mut bound: Option<Bound> = None;
        for number in 1.. {
            let refined = excluded.refine(&sliced);
            let to_check = match &refined {
                Some(refined) => {
                    let name = name.refinement(number - 1);
                    self.progress.program(&name, &refined.program);
                    &refined.program
                }
                None => &sliced.program,
            };
            let answer = self.back_end(to_check, name.level)?;
            let run = match (answer.verdict, answer.trace) {
                (Verdict::Safe, _) => {
                    let verdict = bound.map_or(Verdict::Safe, Verdict::SafeUpTo);
                    return Ok(Attempt::Decided(safe(verdict)));
                }
                (Verdict::SafeUpTo(reached), _) => {
                    let bound = bound.map_or(reached, |bound| bound.min(reached));
                    return Ok(Attempt::Decided(safe(Verdict::SafeUpTo(bound))));
                }
                (Verdict::Unknown(reason), _) => return Ok(Attempt::Undecided(reason)),
                (Verdict::Unsafe, trace) => {
                    let mapped = trace.and_then(|trace| match &refined {
                        Some(refined) => refined.map(&sliced.program, &trace).ok(),
                        None => Some(trace),
                    });
                    mapped.and_then(|trace| Run::of(&sliced.program, trace).ok())
                }
            };
            let Some(run) = run else {
                let reason = "a counterexample of the abstraction could not be replayed";
                return Ok(Attempt::Undecided(reason.into()));
            };
            let level = self.statistics.level(name.level);
            level.counterexamples += 1;
            self.progress.counterexample(name.level, number);
            let reconstructed = excluded.reconstruct(program, &sliced, &run, self.options.exclude);
            let next = name.reconstruction(number);
            self.progress.program(&next.text, &reconstructed.program);
            let answer = self.reconstructed(&reconstructed, kept, &next)?;
            match (answer.verdict, answer.trace) {
                (Verdict::Unsafe, Some(trace)) => {
                    return Ok(match reconstructed.map(program, &trace) {
                        Ok(trace) => Attempt::Decided(Answer {
                            verdict: Verdict::Unsafe,
                            trace: Some(trace),
                        }),
                        Err(_) => Attempt::Undecided("a trace could not be mapped".into()),
                    });
                }
                (Verdict::Safe, _) => {}
                (Verdict::SafeUpTo(reached), _) => {
                    bound = Some(bound.map_or(reached, |bound| bound.min(reached)));
                }
                (Verdict::Unknown(reason), _) => return Ok(Attempt::Undecided(reason)),
                (Verdict::Unsafe, None) => {
                    return Ok(Attempt::Undecided("a back end gave no trace".into()));
                }
            }
            self.statistics.level(name.level).spurious += 1;
            excluded.exclude(run, &sliced, self.options.exclude);
            if !self.in_time() {
                return Ok(Attempt::Undecided("timeout".into()));
            }
        }
        unreachable!("the numbers do not end")
    }

    /// The recursion: the same for what a counterexample was reconstructed to.
    fn reconstructed(
        &mut self,
        reconstructed: &Reconstruction,
        kept: &Variables,
        name: &Name,
    ) -> Result<Answer, MissingRelation> {
        let program = &reconstructed.program;
        let dependencies = Dependencies::new(program);
        let mut required = reconstructed.counters.clone();
        let next = match self.options.exclude {
            Exclude::Runs => {
                required.extend(&reconstructed.required);
                let next = dependencies.choose(&required, self.reach());
                let is_new =
                    |id: &VarId| program.is_shared(*id) && !reconstructed.counters.contains(id);
                match next.iter().any(is_new) {
                    true => next,
                    false => dependencies.choose_more(&next, self.reach()),
                }
            }
            // All variables are there again, so the choice goes on from the last one.
            Exclude::Orders => {
                required.extend(kept);
                dependencies.choose_more(&required, self.reach())
            }
        };
        self.check(program, &dependencies, next, name)
    }

    fn back_end(&mut self, program: &Program, level: usize) -> Result<Answer, MissingRelation> {
        debug_assert!(program.validate().is_empty(), "{:?}", program.validate());
        let started = Instant::now();
        let answer = self.checker.check(program, self.options.deadline);
        let level = self.statistics.level(level);
        level.calls += 1;
        level.time += started.elapsed();
        answer
    }

    fn note_abstraction(
        &mut self,
        program: &Program,
        kept: &Variables,
        sliced: &Abstraction,
        name: &Name,
    ) {
        self.progress.program(&name.abstraction(), &sliced.program);
        self.note_variables(program, kept, name.level);
        let level = self.statistics.level(name.level);
        level.abstractions += 1;
        level.steps += program.edges.len();
        level.removed += sliced.removed(program);
    }

    fn note_variables(&mut self, program: &Program, kept: &Variables, level: usize) {
        let named = |kept_ones: bool| -> BTreeSet<String> {
            let shared = program.variable_ids().filter(|&id| program.is_shared(id));
            shared
                .filter(|id| kept.contains(id) == kept_ones)
                .map(|id| program.terms.name(id).to_owned())
                // Counters are none of the program's variables.
                .filter(|name| self.original.terms.lookup(name).is_some())
                .collect()
        };
        let (kept, sliced) = (named(true), named(false));
        let level = self.statistics.level(level);
        level.kept.extend(kept);
        level.sliced.extend(sliced);
        level.sliced.retain(|name| !level.kept.contains(name));
    }
}

/// The spurious counterexamples of one abstraction.
#[derive(Default)]
struct Excluded {
    runs: Vec<Run>,
    orders: Vec<Order>,
}

impl Excluded {
    /// The abstraction without them, if there are any.
    fn refine(&self, sliced: &Abstraction) -> Option<Refinement> {
        if !self.runs.is_empty() {
            return Some(observe(&sliced.program, &self.runs));
        }
        (!self.orders.is_empty()).then(|| forbid(sliced, &self.orders))
    }

    fn reconstruct(
        &self,
        program: &Program,
        sliced: &Abstraction,
        run: &Run,
        exclude: Exclude,
    ) -> Reconstruction {
        match exclude {
            Exclude::Runs => reconstruction(program, sliced, run),
            Exclude::Orders => force(program, sliced, &Order::of(run, sliced)),
        }
    }

    fn exclude(&mut self, run: Run, sliced: &Abstraction, exclude: Exclude) {
        match exclude {
            Exclude::Runs => self.runs.push(run),
            Exclude::Orders => self.orders.push(Order::of(&run, sliced)),
        }
    }
}

/// How a program came about: `reconstruction-1-abstraction`.
#[derive(Clone, Default)]
struct Name {
    level: usize,
    text: String,
}

impl Name {
    fn with(&self, part: &str) -> String {
        match self.text.is_empty() {
            true => part.to_owned(),
            false => format!("{}-{part}", self.text),
        }
    }

    fn abstraction(&self) -> String {
        self.with("abstraction")
    }

    fn refinement(&self, number: usize) -> String {
        self.with(&format!("refinement-{number}"))
    }

    fn reconstruction(&self, number: usize) -> Name {
        Name {
            level: self.level + 1,
            text: self.with(&format!("reconstruction-{number}")),
        }
    }
}
