//! The `auto` engine: several methods take turns at one program, and tell each other what
//! they learnt.
//!
//! `match` looks for bugs first, and is the fastest where few states suffice; `schedule`
//! decides what loops do up to a bound; `predicate` and `control` prove for all executions.
//! Each gets a short turn, then each a longer one, until somebody has an answer. They work
//! together as Section 8.7 of "Predicate Abstraction with Under-Approximation Refinement"
//! suggests. In every second round they are given predicates of each other: what one method
//! cannot find, another may. In the other rounds each has its own only, because predicates also
//! mislead. The abstract states that `match` has visited go to `predicate` and `control` in
//! every round: they answer questions that a solver would be asked otherwise.

mod exchange;

use crate::reach::Certificate;
use crate::{control, matching, predicate, reach, schedule};
use exchange::{Exchange, MOST_STATES};
use heddle_interpret::Trace;
use heddle_program::{Bound, Program, TermId, Terms, Verdict};
use heddle_solver::Limits;
use std::fmt;
use std::time::{Duration, Instant};

/// With the predicates of others, `match` also describes concrete states by predicates after
/// so many inexact iterations, so that it decides programs with finitely many states.
const CONCRETE_AFTER: u32 = 3;

/// A method that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Member {
    Match,
    Schedule,
    Predicate,
    Control,
}

impl Member {
    /// In the order of their turns.
    pub const ALL: [Member; 4] = [
        Member::Match,
        Member::Schedule,
        Member::Predicate,
        Member::Control,
    ];

    /// Whether what he proves comes with a [`Certificate`].
    fn gives_certificates(self) -> bool {
        matches!(self, Member::Predicate | Member::Control)
    }
}

/// As `--engine` names it.
impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Member::Match => "match",
            Member::Schedule => "schedule",
            Member::Predicate => "predicate",
            Member::Control => "control",
        })
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    /// Who takes part.
    pub members: Vec<Member>,
    /// The options of each; their deadlines are those of the turns.
    pub matching: matching::Options,
    pub schedule: schedule::Options,
    pub control: control::Options,
    pub limits: Limits,
    /// Whether a proof with a certificate is wanted: then one without is only the answer if
    /// nobody finds another in time.
    pub certified: bool,
    /// How long the first turns are. Those of each further round are twice as long.
    pub first_turn: Duration,
}

pub struct Outcome {
    pub verdict: Verdict,
    /// Who found it; nobody if it is unknown.
    pub answered_by: Option<Member>,
    /// Replayed; there exactly if the verdict is unsafe.
    pub trace: Option<Trace>,
    /// There if `predicate` or `control` proved the program.
    pub certificate: Option<Certificate>,
    pub turns: Vec<Turn>,
}

/// One call of one method.
#[derive(Clone, Debug)]
pub struct Turn {
    pub member: Member,
    pub time: Duration,
    pub verdict: Verdict,
    /// Predicates that it was given, and those that it had in the end.
    pub given: usize,
    pub predicates: usize,
    /// Abstract states that `match` visited and it was given, and the questions to a solver that
    /// they answered.
    pub states_given: usize,
    pub answered_by_states: u64,
}

/// What the engine tells while it works.
pub trait Progress {
    fn turn(&mut self, member: Member, at_most: Duration);

    /// What there is to say if the turn that goes on never ends: the turns before it, and the
    /// most that was proved, such as a bound, and by whom.
    fn so_far(&mut self, turns: &[Turn], proved: Option<(Member, Verdict)>);
}

impl Progress for () {
    fn turn(&mut self, _: Member, _: Duration) {}

    fn so_far(&mut self, _: &[Turn], _: Option<(Member, Verdict)>) {}
}

/// Tells of each bound as soon as it is proved, rather than at the end of the turn.
struct Bounds<'a> {
    progress: &'a mut dyn Progress,
    turns: &'a [Turn],
    safe_up_to: Option<Bound>,
}

impl schedule::Progress for Bounds<'_> {
    fn proved(&mut self, bound: Bound, _: &schedule::Statistics) {
        let largest = self.safe_up_to.map_or(bound, |known| known.max(bound));
        self.safe_up_to = Some(largest);
        let proved = (Member::Schedule, Verdict::SafeUpTo(largest));
        self.progress.so_far(self.turns, Some(proved));
    }
}

/// What a turn ends with.
struct Answer {
    verdict: Verdict,
    trace: Option<Trace>,
    certificate: Option<Certificate>,
    /// Predicates, and the arena that they belong to.
    learnt: Option<(Vec<TermId>, Terms)>,
    /// Abstract states that were visited.
    visited: Vec<matching::VisitedState>,
    /// Questions that such states answered.
    witnessed: u64,
}

/// Checks the program. The error says that the rule set of `schedule` is no memory model.
pub fn check(
    program: &Program,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Outcome, schedule::MissingRelation> {
    let mut portfolio = Portfolio {
        options,
        exchange: Exchange::default(),
        // What the program is given as predicates belongs to its arena.
        program: program.clone(),
        turns: Vec::new(),
        together: false,
        safe_up_to: None,
        uncertified: None,
        reasons: Vec::new(),
    };
    portfolio.run(progress)
}

struct Portfolio<'a> {
    options: &'a Options,
    program: Program,
    exchange: Exchange,
    turns: Vec<Turn>,
    /// Whether predicates are shared in this round.
    together: bool,
    /// What `schedule` has proved of loops.
    safe_up_to: Option<Bound>,
    /// A proof without the certificate that is wanted, and who found it.
    uncertified: Option<(Member, Verdict)>,
    /// Who gave up by himself, and why; and with which version of what is shared.
    reasons: Vec<(Member, String, u32)>,
}

impl Portfolio<'_> {
    fn run(&mut self, progress: &mut dyn Progress) -> Result<Outcome, schedule::MissingRelation> {
        let mut at_most = self.options.first_turn;
        loop {
            let anybody = self.options.members.iter();
            let anybody = anybody.copied().any(|member| !self.is_done(member));
            if !anybody && self.together {
                return Ok(self.undecided());
            }
            for &member in &self.options.members {
                if self.is_done(member) {
                    continue;
                }
                if self.time_is_up() {
                    return Ok(self.undecided());
                }
                progress.turn(member, at_most);
                if let Some(outcome) = self.turn(member, at_most, progress)? {
                    return Ok(outcome);
                }
                progress.so_far(&self.turns, self.proved());
            }
            at_most *= 2;
            self.together = !self.together;
        }
    }

    fn time_is_up(&self) -> bool {
        self.options.limits.exceeded().is_some()
    }

    /// The most that is proved, and who proved it.
    fn proved(&self) -> Option<(Member, Verdict)> {
        let bound = self.safe_up_to.map(Verdict::SafeUpTo);
        let bound = bound.map(|verdict| (Member::Schedule, verdict));
        self.uncertified.clone().or(bound)
    }

    /// Whether he gave up, and there is nothing new that could help him; or nothing but a
    /// certificate is missing, which he does not give.
    fn is_done(&self, member: Member) -> bool {
        if self.uncertified.is_some() && !member.gives_certificates() {
            return true;
        }
        let version = self.exchange.version();
        let mut reasons = self.reasons.iter();
        let gave_up = reasons.find(|(who, ..)| *who == member);
        gave_up.is_some_and(|&(_, _, known)| match member {
            Member::Schedule => true,
            _ => !self.together || known == version,
        })
    }

    fn turn(
        &mut self,
        member: Member,
        at_most: Duration,
        progress: &mut dyn Progress,
    ) -> Result<Option<Outcome>, schedule::MissingRelation> {
        let started = Instant::now();
        let end = started + at_most;
        let last = self.options.limits.deadline;
        let deadline = last.map_or(end, |last| last.min(end));
        let shared: Vec<TermId> = match self.together {
            true => self.exchange.shared(),
            false => Vec::new(),
        };
        let (given, version) = (shared.len(), self.exchange.version());
        let states_given = match member {
            Member::Predicate | Member::Control => self.exchange.visited().len(),
            Member::Match | Member::Schedule => 0,
        };
        let answer = self.ask(member, shared, deadline, progress)?;
        let predicates = answer.learnt.as_ref().map_or(0, |(terms, _)| terms.len());
        self.turns.push(Turn {
            member,
            time: started.elapsed(),
            verdict: answer.verdict.clone(),
            given,
            predicates,
            states_given,
            answered_by_states: answer.witnessed,
        });
        self.exchange.take_in_states(answer.visited);
        if let (Some((predicates, terms)), false) = (&answer.learnt, self.together) {
            let program = &mut self.program;
            self.exchange.take_in(program, member, terms, predicates);
        }
        match answer.verdict {
            Verdict::SafeUpTo(bound) if member == Member::Schedule => {
                self.safe_up_to = self.safe_up_to.max(Some(bound));
                if Instant::now() < deadline {
                    let reason = format!("safe up to bound {}", bound.0);
                    self.reasons.push((member, reason, version));
                }
                Ok(None)
            }
            Verdict::Unknown(reason) => {
                if Instant::now() < deadline {
                    self.reasons.retain(|(who, ..)| *who != member);
                    self.reasons.push((member, reason, version));
                }
                Ok(None)
            }
            verdict @ (Verdict::Safe | Verdict::SafeUpTo(_))
                if self.options.certified && answer.certificate.is_none() =>
            {
                self.uncertified = Some((member, verdict));
                Ok(None)
            }
            verdict => Ok(Some(Outcome {
                verdict,
                answered_by: Some(member),
                trace: answer.trace,
                certificate: answer.certificate,
                turns: std::mem::take(&mut self.turns),
            })),
        }
    }

    fn ask(
        &self,
        member: Member,
        shared: Vec<TermId>,
        deadline: Instant,
        progress: &mut dyn Progress,
    ) -> Result<Answer, schedule::MissingRelation> {
        Ok(match member {
            Member::Match => {
                let mut options = self.options.matching.clone();
                options.deadline = Some(deadline);
                options.predicates.extend(shared);
                options.states = MOST_STATES;
                if self.together {
                    options.concrete_after.get_or_insert(CONCRETE_AFTER);
                }
                let outcome = matching::check(&self.program, &options, &mut ());
                Answer {
                    verdict: outcome.verdict,
                    trace: outcome.trace,
                    certificate: None,
                    learnt: Some((outcome.predicates, outcome.terms)),
                    visited: outcome.states,
                    witnessed: 0,
                }
            }
            Member::Schedule => {
                let mut options = self.options.schedule.clone();
                options.deadline = Some(deadline);
                let mut bounds = Bounds {
                    progress,
                    turns: &self.turns,
                    safe_up_to: self.safe_up_to,
                };
                let outcome = schedule::check(&self.program, &options, &mut bounds)?;
                Answer {
                    verdict: outcome.verdict,
                    trace: outcome.trace,
                    certificate: None,
                    learnt: None,
                    visited: Vec::new(),
                    witnessed: 0,
                }
            }
            Member::Predicate => {
                let options = self.reach_options(shared, deadline);
                self.proof(predicate::check(&self.program, &options, &mut ()))
            }
            Member::Control => {
                let options = control::Options {
                    scheme: self.options.control.scheme,
                    reach: self.reach_options(shared, deadline),
                };
                self.proof(control::check(&self.program, &options, &mut ()))
            }
        })
    }

    fn reach_options(&self, shared: Vec<TermId>, deadline: Instant) -> reach::Options {
        let mut options = self.options.control.reach.clone();
        options.limits.deadline = Some(deadline);
        options.predicates.extend(shared);
        options.witnesses = self.exchange.visited().to_vec();
        options
    }

    fn proof(&self, outcome: reach::Outcome) -> Answer {
        Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
            certificate: outcome.certificate,
            learnt: Some((outcome.predicates, outcome.terms)),
            visited: Vec::new(),
            witnessed: outcome.statistics.witnessed,
        }
    }

    /// Nobody knows for all executions.
    fn undecided(&mut self) -> Outcome {
        let reasons = self.reasons.iter();
        let reasons: Vec<String> = reasons
            .map(|(member, reason, _)| format!("{member}: {reason}"))
            .collect();
        let (verdict, answered_by) = match self.proved() {
            Some((member, verdict)) => (verdict, Some(member)),
            None if reasons.is_empty() => (Verdict::Unknown("no time is left".into()), None),
            None => (Verdict::Unknown(reasons.join("; ")), None),
        };
        Outcome {
            verdict,
            answered_by,
            trace: None,
            certificate: None,
            turns: std::mem::take(&mut self.turns),
        }
    }
}
