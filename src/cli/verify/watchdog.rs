//! The last resort where a time or memory limit is given.
//!
//! An engine looks at its deadline and at the stop flag as often as it can, and says what it
//! has found out so far. Where it cannot (inside a fixpoint of the incremental back end, or while
//! the operating system gives memory), a thread that does nothing but look ends the run all the same, soon after
//! the limit, with an honest verdict: what the engine has told of its work so far.

use super::Answer;
use super::presentation::Presentation;
use crate::cli::output;
use crate::cli::report::complaint;
use heddle_diagnostics::Report;
use heddle_program::Verdict;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often it looks.
const PERIOD: Duration = Duration::from_millis(20);

/// How long an engine has to end by itself: so long, and longer if it had much time.
const GRACE: Duration = Duration::from_secs(1);
const GRACE_SHARE: u32 = 20;

#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// When the engine is to end, and how long that is.
    pub(super) time: Option<(Instant, f64)>,
    /// In MiB.
    pub(super) memory: Option<u64>,
}

pub(super) struct Watchdog {
    limits: Limits,
    /// Set when an engine has to end before its deadline.
    stop: Arc<AtomicBool>,
    shared: Arc<Mutex<Shared>>,
}

/// What both threads know.
#[derive(Default)]
struct Shared {
    /// Whether there is a verdict: then nobody else says one.
    finished: bool,
    /// The answer if there were no more time, and how to show it, once the options are known.
    so_far: Option<(Arc<Presentation>, Answer)>,
}

impl Watchdog {
    pub(super) fn start(limits: Limits) -> Result<Self, Report> {
        if limits.memory.is_some() && resident_mib().is_none() {
            return Err(complaint(
                "`--memory-limit` needs /proc/self/status, which this system does not have".into(),
            ));
        }
        let watchdog = Watchdog {
            limits,
            stop: Arc::default(),
            shared: Arc::default(),
        };
        if limits.time.is_some() || limits.memory.is_some() {
            let (stop, shared) = (watchdog.stop.clone(), watchdog.shared.clone());
            thread::spawn(move || {
                if let Some(ending) = watch(limits, &stop, &shared) {
                    ending.say();
                }
            });
        }
        Ok(watchdog)
    }

    pub(super) fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Answers of the engine are shown like this.
    pub(super) fn present_by(&self, presentation: Arc<Presentation>, engine: &'static str) {
        let nothing = Answer::without_trace(Verdict::Unknown(String::new()), engine);
        lock(&self.shared).so_far = Some((presentation, nothing));
    }

    /// The answer if the engine has to be ended. An unknown verdict gets the limit as its
    /// reason.
    pub(super) fn so_far(&self, answer: Answer) {
        if let Some((_, so_far)) = &mut lock(&self.shared).so_far {
            *so_far = answer;
        }
    }

    /// From here on, the caller says the verdict: this one, with the limit as its reason if
    /// there was one that has been reached.
    pub(super) fn finish(&self, verdict: &mut Verdict) {
        lock(&self.shared).finished = true;
        let Verdict::Unknown(reason) = verdict else {
            return;
        };
        match self.limits {
            Limits {
                memory: Some(limit),
                ..
            } if self.stop.load(Ordering::Relaxed) => *reason = memory_reason(limit),
            Limits {
                time: Some((deadline, seconds)),
                ..
            } if Instant::now() >= deadline => *reason = time_reason(seconds),
            _ => {}
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn memory_reason(limit: u64) -> String {
    format!("memory limit of {limit} MiB reached")
}

fn time_reason(seconds: f64) -> String {
    format!("timeout after {seconds} s")
}

/// Looks until the process has to be ended; returns what to say then. Nothing if there is a
/// verdict by then.
fn watch(limits: Limits, stop: &AtomicBool, shared: &Mutex<Shared>) -> Option<Ending> {
    let mut stopped_at: Option<Instant> = None;
    loop {
        thread::sleep(PERIOD);
        let is_over = |end: Instant, grace: Duration| Instant::now() >= end + grace;
        let mut reason = None;
        if let Some(limit) = limits.memory {
            if stopped_at.is_none() && resident_mib().is_some_and(|used| used > limit) {
                stop.store(true, Ordering::Relaxed);
                stopped_at = Some(Instant::now());
            }
            let too_late = stopped_at.is_some_and(|at| is_over(at, GRACE));
            reason = too_late.then(|| memory_reason(limit));
        }
        if let Some((deadline, seconds)) = limits.time {
            let share = Duration::from_secs_f64(seconds) / GRACE_SHARE;
            let too_late = is_over(deadline, GRACE.max(share));
            reason = reason.or_else(|| too_late.then(|| time_reason(seconds)));
        }
        if let Some(reason) = reason {
            let mut shared = lock(shared);
            if shared.finished {
                return None;
            }
            shared.finished = true;
            return Some(Ending::new(shared.so_far.take(), Verdict::Unknown(reason)));
        }
    }
}

/// The last words of a process.
struct Ending {
    verdict: Verdict,
    answer: Option<(Arc<Presentation>, Answer)>,
}

impl Ending {
    fn new(mut answer: Option<(Arc<Presentation>, Answer)>, unknown: Verdict) -> Ending {
        let verdict = match &mut answer {
            None => unknown,
            Some((_, answer)) => {
                if let Verdict::Unknown(_) = answer.verdict {
                    answer.verdict = unknown;
                }
                answer.verdict.clone()
            }
        };
        Ending { verdict, answer }
    }

    fn say(&self) -> ! {
        let said = match &self.answer {
            None => {
                output::print(&format!("{}\n", self.verdict));
                Ok(())
            }
            Some((presentation, answer)) => presentation.show(answer, None),
        };
        let code = match said {
            Ok(()) => self.verdict.exit_code(),
            Err(report) => {
                output::show(&report);
                output::BAD_INPUT
            }
        };
        std::process::exit(code.into());
    }
}

/// How much memory the process has, if the system says so.
fn resident_mib() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_program::{Bound, Program};

    /// What is said of an engine that does not look at its limits.
    fn ending(limits: Limits, so_far: Option<Verdict>) -> Verdict {
        // No thread is started: this one watches.
        let watchdog = Watchdog {
            limits,
            stop: Arc::default(),
            shared: Arc::default(),
        };
        let presentation = Presentation::of(&Program::default(), Instant::now());
        watchdog.present_by(Arc::new(presentation), "schedule");
        if let Some(verdict) = so_far {
            watchdog.so_far(Answer::without_trace(verdict, "schedule"));
        }
        let ending = watch(limits, &watchdog.stop, &watchdog.shared);
        let ending = ending.expect("nobody else has said anything");
        let (_, answer) = ending.answer.expect("the program is known");
        assert_eq!(answer.verdict, ending.verdict);
        ending.verdict
    }

    #[test]
    fn a_bound_that_was_proved_is_not_forgotten() {
        let time = Limits {
            time: Some((Instant::now(), 0.0)),
            memory: None,
        };
        let memory = Limits {
            time: None,
            memory: Some(0),
        };
        for limits in [time, memory] {
            let proved = Verdict::SafeUpTo(Bound(4));
            assert_eq!(ending(limits, Some(proved.clone())), proved);
        }
        let nothing = Verdict::Unknown(String::new());
        let reason = |text: &str| Verdict::Unknown(text.to_owned());
        assert_eq!(ending(time, Some(nothing)), reason("timeout after 0 s"));
        assert_eq!(
            ending(memory, None),
            reason("memory limit of 0 MiB reached")
        );
    }
}
