//! The `schedule` engine: bounded checking with the scheduling constraint abstracted away.
//!
//! *Scheduling Constraint Based Abstraction Refinement for Multi-Threaded Program
//! Verification*. A solver looks for an execution of the abstraction that violates an
//! assertion; rules decide whether its events can be ordered at all; where they cannot, the
//! kernel reasons refine the abstraction; where the rules are not sure, all orders are
//! checked exactly; and an order that exists is replayed before anything is called unsafe.

mod abstraction;
mod candidates;
mod counterexample_trace;
mod event_facts;
#[cfg(test)]
mod every_clause_holds;
mod exact_order;
mod forced;
mod levels;
mod orders;
mod statistics;
mod unwatched;
mod validation;

pub use event_facts::event_facts;
pub(crate) use levels::{LevelCounts, Levels};
pub use statistics::Statistics;
pub use validation::MissingRelation;

use abstraction::{Abstraction, Count, Counterexample, Reads, at_most_one};
use counterexample_trace::trace_of;
use exact_order::{Order, Requirements, exact_order};
use heddle_datalog::backend::SettleError;
use heddle_interpret::{Trace, replay};
use heddle_language::RuleSet;
use heddle_program::{Bound, Program, Verdict};
use heddle_solver::{Answer, Backend, Limits, Literal, Reason};
use heddle_unroll::{EventGraph, EventId, Limit, unroll};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use validation::{KernelReason, Validation};

#[derive(Clone, Debug)]
pub struct Options {
    /// How often loops go round. `None` grows the bound until it is proved enough.
    pub unwind: Option<u32>,
    /// The memory model: which orders follow, and what is a conflict.
    pub rules: Arc<RuleSet>,
    pub deadline: Option<Instant>,
    /// Set from another thread to make the check give up.
    pub stop: Option<Arc<AtomicBool>>,
    /// The most reasons taken from one counterexample.
    pub reasons_a_round: usize,
    /// Reasons of at most so many literals are looked for before the first solver call.
    pub lemma_size: usize,
    pub reasons: Reasons,
    /// The one to use; otherwise CaDiCaL, or Z3 where there are large integers. With Z3 all
    /// integers stay integers, so that the two have little in common.
    pub solver: Option<Backend>,
}

impl Options {
    /// What is best for most programs.
    pub fn new(rules: Arc<RuleSet>) -> Self {
        Options {
            unwind: None,
            rules,
            deadline: None,
            stop: None,
            reasons_a_round: 64,
            lemma_size: 2,
            reasons: Reasons::Named,
            solver: None,
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            deadline: self.deadline,
            stop: self.stop.clone(),
        }
    }
}

/// What a refinement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasons {
    /// Minimal sets of guards and links, as in the paper.
    Kernel,
    /// The same by way of names for derived orders (`orders.rs`): far fewer and shorter.
    Named,
}

pub struct Outcome {
    pub verdict: Verdict,
    /// Replayed; there exactly if the verdict is unsafe.
    pub trace: Option<Trace>,
    pub statistics: Statistics,
}

const MOST_EVENTS: usize = 20_000;
/// Steps that touch nothing shared cost little, but a loop of them may have no end.
const MOST_STEPS: usize = 4_000_000;
/// As far as memory goes; there are far fewer.
const MOST_LEMMAS: usize = 1_000_000;

/// What the engine tells while it works.
pub trait Progress {
    /// The program is unrolled to another bound, and the solver has its abstraction.
    fn encoded(&mut self, _: &Statistics) {}

    /// A refinement round has ended.
    fn round(&mut self, _: &Statistics) {}

    /// No execution within the bound violates an assertion, and the next one is tried.
    fn proved(&mut self, _: Bound, _: &Statistics) {}
}

impl Progress for () {}

/// Why there is no verdict but `UNKNOWN`.
enum GaveUp {
    Solver(Reason),
    Rules(SettleError),
    Other(String),
}

impl GaveUp {
    fn reason(&self) -> String {
        match self {
            GaveUp::Solver(reason) => reason.to_string(),
            GaveUp::Rules(error) => format!("the rules did not settle: {error}"),
            GaveUp::Other(reason) => reason.clone(),
        }
    }
}

impl From<SettleError> for GaveUp {
    fn from(error: SettleError) -> Self {
        GaveUp::Rules(error)
    }
}

/// Checks the program. The error says that the rule set is no memory model.
pub fn check(
    program: &Program,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Outcome, MissingRelation> {
    check_by_levels(program, options, &mut Levels::none(), progress)
}

/// Checks the program with some of its reads unconstrained at first, as the levels say.
pub(crate) fn check_by_levels(
    program: &Program,
    options: &Options,
    levels: &mut Levels,
    progress: &mut dyn Progress,
) -> Result<Outcome, MissingRelation> {
    let mut statistics = Statistics::default();
    let mut unwind = options.unwind.unwrap_or(1);
    let mut proved: Option<Reached> = None;
    let mut created_twice: Option<String> = None;
    loop {
        statistics.unwind = unwind;
        let attempt = Attempt {
            unwind,
            front_end: proved
                .as_ref()
                .and_then(|reached| reached.front_end.clone()),
        };
        let result = check_bounded(program, options, attempt, levels, &mut statistics, progress)?;
        let finished = |verdict, trace, statistics| {
            Ok(Outcome {
                verdict,
                trace,
                statistics,
            })
        };
        match result {
            Ok(Bounded::Unsafe(trace)) => {
                return finished(Verdict::Unsafe, Some(trace), statistics);
            }
            Ok(Bounded::Safe) => return finished(Verdict::Safe, None, statistics),
            // A violation may still be found with a larger bound.
            Ok(Bounded::CreatedTwice {
                reason,
                grows: true,
            }) if options.unwind.is_none() => {
                created_twice = Some(reason);
                unwind *= 2;
            }
            Ok(Bounded::CreatedTwice { reason, .. }) => {
                return finished(Verdict::Unknown(reason), None, statistics);
            }
            Ok(Bounded::SafeUpTo(reached)) if reached.grows() && options.unwind.is_none() => {
                if let Verdict::SafeUpTo(bound) = reached.verdict(program) {
                    progress.proved(bound, &statistics);
                }
                proved = Some(reached);
                unwind *= 2;
            }
            Ok(Bounded::SafeUpTo(reached)) => {
                return finished(reached.verdict(program), None, statistics);
            }
            // What was proved with a smaller bound still holds.
            Err(gave_up) => {
                let reason = gave_up.reason();
                statistics.gave_up = Some(reason.clone());
                let verdict = match (created_twice, proved) {
                    (Some(reason), _) => Verdict::Unknown(reason),
                    (None, Some(reached)) => reached.verdict(program),
                    (None, None) => Verdict::Unknown(reason),
                };
                return finished(verdict, None, statistics);
            }
        }
    }
}

/// A bound to try.
struct Attempt {
    unwind: u32,
    /// What a bound of the front end says that executions are known to go beyond.
    front_end: Option<String>,
}

/// Which bounds executions go beyond: at least one.
struct Reached {
    /// How often loops were unrolled, if some go round more often.
    unwind: Option<u32>,
    /// What a bound of the front end says, if some go on beyond it.
    front_end: Option<String>,
}

impl Reached {
    /// Whether a larger bound may be enough.
    fn grows(&self) -> bool {
        self.unwind.is_some()
    }

    /// What is safe is so up to the smallest bound that is reached.
    fn verdict(&self, program: &Program) -> Verdict {
        let unwind = self.unwind.map(Bound);
        match (&self.front_end, program.bound) {
            (None, _) => Verdict::SafeUpTo(unwind.expect("some bound is reached")),
            (Some(_), Some(bound)) => Verdict::SafeUpTo(unwind.map_or(bound, |it| it.min(bound))),
            (Some(reason), None) => Verdict::Unknown(reason.clone()),
        }
    }
}

enum Bounded {
    Unsafe(Trace),
    Safe,
    /// Some execution goes beyond a bound.
    SafeUpTo(Reached),
    /// Some execution creates a thread that was created before, so that nothing can be said of
    /// what comes then.
    CreatedTwice {
        reason: String,
        grows: bool,
    },
}

fn check_bounded(
    program: &Program,
    options: &Options,
    attempt: Attempt,
    levels: &mut Levels,
    statistics: &mut Statistics,
    progress: &mut dyn Progress,
) -> Result<Result<Bounded, GaveUp>, MissingRelation> {
    let started = Instant::now();
    let unrolled = unroll(
        program,
        heddle_unroll::Options {
            unwind: attempt.unwind,
            most_events: MOST_EVENTS,
            most_steps: MOST_STEPS,
            deadline: options.deadline,
            small_integers: options.solver != Some(Backend::Z3),
        },
    );
    let (mut graph, observed) = match unrolled {
        Ok(unrolled) => unrolled,
        Err(error) => return Ok(Err(GaveUp::Other(error.to_string()))),
    };
    statistics.unroll_time += started.elapsed();
    levels.count(program, &graph);
    statistics.events = graph.chains.iter().map(|chain| chain.events.len()).sum();
    let validation = Validation::new(options.rules.clone(), &observed, &graph, options.deadline)?;
    let started = Instant::now();
    let candidates = match candidates::candidates(&observed, &graph, options.deadline) {
        Ok(candidates) => candidates,
        Err(error) => return Ok(Err(error.into())),
    };
    statistics.links = candidates.len();
    let reads = match levels.are_none() {
        true => Reads::Linked,
        false => Reads::LinkedIfAssumed,
    };
    let limits = options.limits();
    let abstraction = Abstraction::new(&mut graph, &candidates, options.solver, reads, limits);
    let abstraction = match abstraction {
        Ok(abstraction) => abstraction,
        Err(error) => return Ok(Err(GaveUp::Other(error.to_string()))),
    };
    statistics.encode_time += started.elapsed();
    let solver = abstraction.solver.statistics();
    (statistics.variables, statistics.clauses) = (solver.variables, solver.clauses);
    progress.encoded(statistics);
    let mut refinement = Refinement {
        program,
        observed: &observed,
        graph: &graph,
        abstraction,
        validation,
        options,
        statistics,
        progress,
        levels,
    };
    Ok(refinement.run(attempt))
}

struct Refinement<'a> {
    program: &'a Program,
    observed: &'a Program,
    graph: &'a EventGraph,
    abstraction: Abstraction,
    validation: Validation,
    options: &'a Options,
    statistics: &'a mut Statistics,
    progress: &'a mut dyn Progress,
    levels: &'a mut Levels,
}

/// A feasible execution of the program.
struct Feasible {
    order: Vec<EventId>,
    counterexample: Counterexample,
}

/// What came of looking for one.
enum Search {
    Found(Feasible),
    /// There is none in which all of these literals, which were asked for, are true.
    Impossible(Vec<Literal>),
    /// There was none within the rounds that it was given.
    NotYet,
}

impl Refinement<'_> {
    fn run(&mut self, attempt: Attempt) -> Result<Bounded, GaveUp> {
        if self.options.lemma_size > 0 {
            self.add_lemmas()?;
        }
        let mut goal = vec![self.abstraction.violation];
        goal.extend(self.whole_sections(|_| true));
        if let Some(feasible) = self.find(&goal)? {
            return self.replayed(&feasible);
        }
        let mut goal = vec![self.abstraction.second_creation];
        goal.extend(self.whole_sections(|limit| limit != Limit::SecondCreation));
        if self.find(&goal)?.is_some() {
            let reason = self.reason_of_cut(Limit::SecondCreation);
            let grows = self.find(&[self.abstraction.loop_cut])?.is_some();
            return Ok(Bounded::CreatedTwice { reason, grows });
        }
        let grows = self.find(&[self.abstraction.loop_cut])?.is_some();
        let front_end = match attempt.front_end {
            Some(known) => Some(known),
            None => {
                let found = self.find(&[self.abstraction.front_end_cut])?;
                found.map(|_| self.reason_of_cut(Limit::FrontEnd))
            }
        };
        if !grows && front_end.is_none() {
            return Ok(Bounded::Safe);
        }
        Ok(Bounded::SafeUpTo(Reached {
            unwind: grows.then_some(attempt.unwind),
            front_end,
        }))
    }

    /// No execution is cut inside an atomic section by such a limit.
    fn whole_sections(&self, by: impl Fn(Limit) -> bool) -> Vec<Literal> {
        let cuts = self.graph.cuts.iter().zip(&self.abstraction.cuts);
        cuts.filter(|(cut, _)| cut.in_block && by(cut.limit))
            .map(|(_, &literal)| !literal)
            .collect()
    }

    /// Why the execution of the model ends, by such a limit. Only after the solver has found one.
    fn reason_of_cut(&mut self, limit: Limit) -> String {
        let cuts = self.graph.cuts.iter().zip(&self.abstraction.cuts);
        let mut cuts = cuts.filter(|(cut, _)| cut.limit == limit);
        let solver = &mut self.abstraction.solver;
        let found = cuts.find(|&(_, &literal)| solver.literal_value(literal));
        found.map_or(String::new(), |(cut, _)| cut.reason.clone())
    }

    fn replayed(&mut self, feasible: &Feasible) -> Result<Bounded, GaveUp> {
        let trace = trace_of(
            self.program,
            self.observed,
            self.graph,
            &mut *self.abstraction.solver,
            &feasible.order,
        );
        let trace = trace
            .ok_or_else(|| GaveUp::Other("a counterexample names no failing assertion".into()))?;
        match replay(self.program, &trace) {
            Ok(_) => Ok(Bounded::Unsafe(trace)),
            Err(error) => Err(GaveUp::Other(format!(
                "a counterexample could not be replayed, which is a bug of this engine: {}",
                error.describe(self.program, &trace)
            ))),
        }
    }

    /// Tells the solver the reasons of few literals. Most of those of two are that a read takes
    /// its value from one write only, which takes fewer clauses than reasons.
    fn add_lemmas(&mut self) -> Result<(), GaveUp> {
        let started = Instant::now();
        let choices = match self.options.lemma_size {
            1 => Vec::new(),
            _ => self.abstraction.choices(),
        };
        let (lemmas, are_all) = self.validation.lemmas(
            self.graph,
            &self.abstraction,
            &choices,
            self.options.lemma_size,
            MOST_LEMMAS,
        )?;
        self.statistics.fixpoint_time += started.elapsed();
        self.statistics.lemmas += lemmas.len();
        self.statistics.lemmas_given_up |= !are_all;
        for choice in &choices {
            self.statistics.lemmas += at_most_one(&mut *self.abstraction.solver, choice);
        }
        for lemma in &lemmas {
            self.refine(&lemma.literals);
        }
        Ok(())
    }

    /// Never all of these together.
    fn refine(&mut self, literals: &[Literal]) {
        let clause: Vec<Literal> = literals.iter().map(|&literal| !literal).collect();
        self.abstraction.solver.add_clause(&clause);
    }

    /// Looks for a feasible execution in which the goal's literals are true.
    fn find(&mut self, goal: &[Literal]) -> Result<Option<Feasible>, GaveUp> {
        let found = match self.levels.are_none() {
            true => self.search_at_once(goal)?,
            false => self.search_by_levels(goal)?,
        };
        Ok(match found {
            Search::Found(feasible) => Some(feasible),
            Search::Impossible(_) => None,
            Search::NotYet => unreachable!("internal error: the search has no limit"),
        })
    }

    /// Looks for an execution, in which the goal's literals are true, that is feasible as far
    /// as the events go that count; for so many rounds.
    fn search(
        &mut self,
        goal: &[Literal],
        counts: impl Fn(EventId) -> Count,
        rounds: usize,
    ) -> Result<Search, GaveUp> {
        for _ in 0..rounds {
            let started = Instant::now();
            let answer = self.abstraction.solver.check(goal);
            self.statistics.solver_time += started.elapsed();
            match answer {
                Answer::Unsat => {
                    return Ok(Search::Impossible(self.abstraction.solver.core().to_vec()));
                }
                Answer::Unknown(reason) => return Err(GaveUp::Solver(reason)),
                Answer::Sat => {}
            }
            let counterexample = self.abstraction.counterexample(&counts);
            let started = Instant::now();
            let reasons = self.reasons(&counterexample)?;
            self.statistics.fixpoint_time += started.elapsed();
            if !reasons.is_empty() {
                self.record(&reasons);
                for reason in &reasons {
                    self.refine(&reason.literals);
                }
                continue;
            }
            let started = Instant::now();
            let order = exact_order(
                &Requirements {
                    graph: self.graph,
                    guards: &self.abstraction.guards,
                    links: &self.abstraction.links,
                    counterexample: &counterexample,
                },
                self.options.limits(),
            );
            self.statistics.exact_time += started.elapsed();
            match order {
                Order::Feasible(order) => {
                    return Ok(Search::Found(Feasible {
                        order,
                        counterexample,
                    }));
                }
                Order::Unknown(reason) => return Err(GaveUp::Solver(reason)),
                Order::Infeasible(core) => {
                    self.statistics.exact_conflicts += 1;
                    let reason = KernelReason {
                        literals: core,
                        rules: Vec::new(),
                    };
                    self.record(std::slice::from_ref(&reason));
                    self.refine(&reason.literals);
                }
            }
        }
        Ok(Search::NotYet)
    }

    /// Why the rules exclude the counterexample; the definitions of orders that the reasons
    /// name are handed to the solver.
    fn reasons(&mut self, counterexample: &Counterexample) -> Result<Vec<KernelReason>, GaveUp> {
        let limit = self.options.reasons_a_round;
        if self.options.reasons == Reasons::Kernel {
            let reasons =
                self.validation
                    .reasons(self.graph, &self.abstraction, counterexample, limit)?;
            return Ok(reasons);
        }
        let named = self.validation.reasons_by_name(
            self.graph,
            &mut self.abstraction,
            counterexample,
            limit,
        )?;
        self.statistics.definitions += named.definitions.len();
        for definition in &named.definitions {
            self.abstraction.solver.add_clause(definition);
        }
        if named.reasons.is_empty() && !named.is_complete {
            return Err(GaveUp::Solver(Reason::Time));
        }
        Ok(named.reasons)
    }

    fn record(&mut self, reasons: &[KernelReason]) {
        self.statistics.reasons.push(reasons.len());
        for reason in reasons {
            *self
                .statistics
                .sizes
                .entry(reason.literals.len())
                .or_default() += 1;
            for rule in &reason.rules {
                *self.statistics.rules.entry(rule.clone()).or_default() += 1;
            }
        }
        self.progress.round(self.statistics);
    }
}
