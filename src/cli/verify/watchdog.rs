//! The last resort where a time or memory limit is given.
//!
//! An engine looks at its deadline and at the stop flag as often as it can, and says what it
//! has found out so far. Where it cannot (inside a fixpoint, or while the operating system
//! gives memory), a thread that does nothing but look ends the run all the same, soon after
//! the limit, with an honest verdict.

use crate::cli::output;
use crate::cli::report::complaint;
use heddle_diagnostics::Report;
use heddle_program::Verdict;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Whether there is a verdict: then nobody else says one.
    finished: Arc<Mutex<bool>>,
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
            finished: Arc::default(),
        };
        if limits.time.is_some() || limits.memory.is_some() {
            let (stop, finished) = (watchdog.stop.clone(), watchdog.finished.clone());
            thread::spawn(move || watch(limits, &stop, &finished));
        }
        Ok(watchdog)
    }

    pub(super) fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// From here on, the caller says the verdict: this one, with the limit as its reason if
    /// there was one that has been reached.
    pub(super) fn finish(&self, verdict: &mut Verdict) {
        *self.finished.lock().unwrap_or_else(PoisonError::into_inner) = true;
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

fn memory_reason(limit: u64) -> String {
    format!("memory limit of {limit} MiB reached")
}

fn time_reason(seconds: f64) -> String {
    format!("timeout after {seconds} s")
}

fn watch(limits: Limits, stop: &AtomicBool, finished: &Mutex<bool>) {
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
            let finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
            if *finished {
                return;
            }
            let verdict = Verdict::Unknown(reason);
            output::print(&format!("{verdict}\n"));
            std::process::exit(verdict.exit_code().into());
        }
    }
}

/// How much memory the process has, if the system says so.
fn resident_mib() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib >> 10)
}
