//! RefinementSearch (Fig. 3): search, and search again with more predicates, until an error is
//! found or nothing more has to be known.

mod new_predicates;

use super::bisimulation::{self, Certificate, Rejection};
use super::dot::dot;
use super::exactness::{Exactness, Findings};
use super::exchange::{VisitedState, visited_states};
use super::inputs::{Inputs, Oracle};
use super::model::Model;
use super::predicates::Predicates;
use super::prover::{Prover, Questions};
use super::relations::Relations;
use super::search::{Task, search};
use super::statistics::{Iteration, Statistics};
use super::structure::{StateId, Structure};
use super::trace::trace;
use super::{InputValues, Options, Outcome, Progress};
use heddle_datalog::backend::SettleError;
use heddle_interpret::{Runner, Trace, Violation, replay};
use heddle_program::{EdgeId, EvalError, Program, Statement, Verdict};
use new_predicates::Numbers;
use std::time::Instant;

/// Why there is no verdict but `UNKNOWN`.
enum GaveUp {
    OutOfTime,
    Other(String),
}

impl From<super::search::OutOfTime> for GaveUp {
    fn from(_: super::search::OutOfTime) -> Self {
        GaveUp::OutOfTime
    }
}

impl From<super::prover::OutOfTime> for GaveUp {
    fn from(_: super::prover::OutOfTime) -> Self {
        GaveUp::OutOfTime
    }
}

impl From<EvalError> for GaveUp {
    fn from(error: EvalError) -> Self {
        GaveUp::Other(error.to_string())
    }
}

impl From<SettleError> for GaveUp {
    fn from(error: SettleError) -> Self {
        GaveUp::Other(format!("the rules did not settle: {error:?}"))
    }
}

/// What an iteration leads to.
enum Next {
    Unsafe(Trace),
    /// The structure is exact.
    Exact(Verdict),
    Again,
}

pub(super) fn refinement_search(
    program: &Program,
    options: &Options,
    progress: &mut dyn Progress,
) -> Outcome {
    let mut work = program.clone();
    let mut statistics = Statistics::default();
    let mut kept = Kept::default();
    let result = Model::new(&mut work, options.interleavings).map_err(GaveUp::from);
    let result = result.and_then(|model| {
        let mut refinement = Refinement {
            original: program,
            options,
            exactness: Exactness::new(
                &work,
                &model,
                options.proof,
                options.inputs == InputValues::Solver,
            ),
            model: &model,
            prover: Prover::new(options.deadline),
            relations: Relations::new(options.concrete_after),
            numbers: Numbers::default(),
            program: &mut work,
            kept: &mut kept,
            statistics: &mut statistics,
        };
        refinement.start();
        refinement.run(progress)
    });
    let (verdict, trace) = match result {
        Ok((verdict, trace)) => (verdict, trace),
        Err(GaveUp::OutOfTime) => (Verdict::Unknown("out of time".to_owned()), None),
        Err(GaveUp::Other(reason)) => (Verdict::Unknown(reason), None),
    };
    Outcome {
        verdict,
        trace,
        statistics,
        predicates: kept.predicates.all.iter().map(|p| p.term).collect(),
        states: kept.states,
        dot: kept.dot,
        terms: work.terms,
    }
}

/// What outlives the refinement, however it ends.
#[derive(Default)]
struct Kept {
    predicates: Predicates,
    states: Vec<VisitedState>,
    dot: Option<String>,
}

struct Refinement<'a> {
    /// The program as it was given, on which traces are replayed.
    original: &'a Program,
    /// The same with the terms that were made since.
    program: &'a mut Program,
    options: &'a Options,
    model: &'a Model,
    exactness: Exactness<'a>,
    prover: Prover,
    relations: Relations,
    numbers: Numbers,
    kept: &'a mut Kept,
    statistics: &'a mut Statistics,
}

impl Refinement<'_> {
    fn run(&mut self, progress: &mut dyn Progress) -> Result<(Verdict, Option<Trace>), GaveUp> {
        for number in 1.. {
            if self
                .options
                .max_iterations
                .is_some_and(|most| number > most)
            {
                let reason = format!("no exact abstraction after {} iterations", number - 1);
                return Err(GaveUp::Other(reason));
            }
            let predicates = self.kept.predicates.len();
            let last = self.statistics.iterations.last();
            progress.iteration(number as usize, predicates, last);
            match self.iterate(number)? {
                Next::Unsafe(trace) => return Ok((Verdict::Unsafe, Some(trace))),
                Next::Exact(verdict) => return Ok((verdict, None)),
                Next::Again => {}
            }
        }
        unreachable!("there are more numbers than iterations")
    }

    fn iterate(&mut self, number: u32) -> Result<Next, GaveUp> {
        let before = self.prover.questions();
        let started = Instant::now();
        let (structure, chosen) = self.search()?;
        self.statistics.search_time += started.elapsed();
        self.statistics.iterations.push(Iteration {
            concrete_states: structure.generated,
            abstract_states: structure.visited,
            transitions: structure.transitions() as u64,
            questions: chosen,
            ..Iteration::default()
        });
        if let Some(&(error, violation)) = structure.errors.first() {
            let trace = self.trace(&structure, error, violation)?;
            self.keep(&structure)?;
            return Ok(Next::Unsafe(trace));
        }
        let started = Instant::now();
        let findings = self.exactness.check(
            &mut self.program.terms,
            &mut self.prover,
            &self.kept.predicates,
            &structure,
            self.options.concrete_after.is_some(),
        );
        self.statistics.exactness_time += started.elapsed();
        let mut asked = difference(self.prover.questions(), before);
        asked.cache_hits += findings.as_ref().map_or(0, |findings| findings.known);
        self.iteration().questions = sum(chosen, asked);
        let findings = findings?;
        if findings.unproved.is_empty() {
            let verdict = self.verdict(&structure)?;
            self.keep(&structure)?;
            return Ok(Next::Exact(verdict));
        }
        if !self.refine(number, &structure, &findings)? {
            self.keep(&structure)?;
            return Err(GaveUp::Other(self.at_a_loss(&findings)));
        }
        let is_last = self.options.max_iterations == Some(number);
        if is_last {
            self.keep(&structure)?;
        }
        Ok(Next::Again)
    }

    fn iteration(&mut self) -> &mut Iteration {
        self.statistics
            .iterations
            .last_mut()
            .expect("an iteration is under way")
    }

    fn search(&mut self) -> Result<(Structure, Questions), GaveUp> {
        let program = &*self.program;
        let mut runner = Runner::new(program, self.options.interleavings)?;
        let task = Task {
            model: self.model,
            predicates: &self.kept.predicates,
            order: self.options.order,
            after_error: self.options.after_error,
            deadline: self.options.deadline,
        };
        let mut inputs = match self.options.inputs {
            InputValues::Range(range) => Inputs::Range(range),
            InputValues::Solver => Inputs::Solver(Box::new(Oracle::new(
                program.terms.clone(),
                &self.kept.predicates,
                &self.model.actions,
                self.options.deadline,
            ))),
        };
        let structure = search(&mut runner, &task, &mut inputs)?;
        self.kept.states = visited_states(&runner, &structure, self.options.states);
        let asked = match inputs {
            Inputs::Range(_) => Questions::default(),
            Inputs::Solver(oracle) => oracle.questions(),
        };
        Ok((structure, asked))
    }

    fn at_a_loss(&self, findings: &Findings) -> String {
        let edge = findings
            .at_a_loss
            .or(findings.unproved.first().map(|step| step.edge));
        let step = edge.map(|edge| self.place(edge)).unwrap_or_default();
        format!("{step}no predicate is known that would make this step exact")
    }

    fn place(&self, edge: EdgeId) -> String {
        let span = self.program.edge(edge).span;
        span.map_or(String::new(), |span| {
            format!("{}: ", self.program.sources.place(span))
        })
    }

    /// What may be said of a program whose structure is exact and has no error.
    fn verdict(&mut self, structure: &Structure) -> Result<Verdict, GaveUp> {
        if let Some((edge, error)) = &structure.failure {
            let place = edge.map(|edge| self.place(edge)).unwrap_or_default();
            let reason = format!("{place}{}", error.describe(self.program));
            return Err(GaveUp::Other(reason));
        }
        if structure.range_used
            && let InputValues::Range(range) = self.options.inputs
        {
            let reason = format!("safe for inputs in {range} only");
            return Err(GaveUp::Other(reason));
        }
        if structure.inputs_missed {
            let reason = "the solver could not choose all inputs";
            return Err(GaveUp::Other(reason.to_owned()));
        }
        let started = Instant::now();
        let certificate = self.certificate(structure);
        self.statistics.check_time += started.elapsed();
        self.statistics.certificate = Some(certificate?);
        Ok(match (&structure.bounds[..], self.program.bound) {
            ([], _) => Verdict::Safe,
            (_, Some(bound)) => Verdict::SafeUpTo(bound),
            (&[edge, ..], None) => match &self.program.edge(edge).statement {
                Statement::BoundReached(reason) => Verdict::Unknown(reason.clone()),
                _ => unreachable!("only a bound is noted as one"),
            },
        })
    }

    fn certificate(&self, structure: &Structure) -> Result<Certificate, GaveUp> {
        let runner = Runner::new(self.program, self.options.interleavings)?;
        let predicates = &self.kept.predicates;
        let deadline = self.options.deadline;
        bisimulation::check(
            &runner,
            &self.model.control,
            predicates,
            structure,
            deadline,
        )
        .map_err(|rejection| match rejection {
            Rejection::OutOfTime => GaveUp::OutOfTime,
            Rejection::Undecided(why) => {
                GaveUp::Other(format!("the structure could not be checked: {why}"))
            }
            Rejection::Wrong(what, edge) => {
                let place = edge.map(|edge| self.place(edge)).unwrap_or_default();
                GaveUp::Other(format!(
                    "{place}{what}, says the check of the structure; this is a bug of heddle"
                ))
            }
        })
    }

    fn trace(
        &mut self,
        structure: &Structure,
        error: StateId,
        violation: Violation,
    ) -> Result<Trace, GaveUp> {
        let started = Instant::now();
        self.relations.load(structure, self.options.dot);
        let states = self.relations.run_to(error)?;
        self.statistics.rules_time += started.elapsed();
        let runner = Runner::new(self.program, self.options.interleavings)?;
        let trace = trace(&runner, structure, &states, violation);
        if let Err(error) = replay(self.original, &trace) {
            panic!(
                "internal error: a run to an error cannot be replayed: {}",
                error.describe(self.original, &trace)
            );
        }
        Ok(trace)
    }

    /// What is wanted of the last structure besides a verdict.
    fn keep(&mut self, structure: &Structure) -> Result<(), GaveUp> {
        if !self.options.dot {
            return Ok(());
        }
        if structure.errors.is_empty() {
            self.relations.load(structure, true);
        }
        let transitions = self.relations.transitions()?;
        let runner = Runner::new(self.program, self.options.interleavings)?;
        self.kept.dot = Some(dot(
            &runner,
            &self.model.control,
            &self.kept.predicates,
            structure,
            &transitions,
        ));
        Ok(())
    }
}

fn difference(now: Questions, before: Questions) -> Questions {
    Questions {
        queries: now.queries - before.queries,
        cache_hits: now.cache_hits - before.cache_hits,
        conclusions: now.conclusions - before.conclusions,
        time: now.time - before.time,
    }
}

fn sum(a: Questions, b: Questions) -> Questions {
    Questions {
        queries: a.queries + b.queries,
        cache_hits: a.cache_hits + b.cache_hits,
        conclusions: a.conclusions + b.conclusions,
        time: a.time + b.time,
    }
}
