//! Times of several pieces of work, taken turn by turn so that they see the same machine.

use std::fs;
use std::time::{Duration, Instant};

const TURNS: u32 = 5;

/// How long one turn of one piece of work lasts: the system counts processor time in steps
/// of a few milliseconds.
const TURN: Duration = Duration::from_millis(60);

/// The mean time that each piece of work takes of a processor.
pub(crate) fn times<const N: usize>(mut work: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut total = [Duration::ZERO; N];
    let mut runs = [0; N];
    for turn in 0..=TURNS {
        for (index, work) in work.iter_mut().enumerate() {
            let start = Instant::now();
            let clock = Clock::start();
            let mut done = 0;
            while done == 0 || start.elapsed() < TURN {
                work();
                done += 1;
            }
            // The first turn warms up.
            if turn > 0 {
                total[index] += clock.elapsed();
                runs[index] += done;
            }
        }
    }
    std::array::from_fn(|index| total[index] / runs[index])
}

pub(crate) fn ratio(time: Duration, baseline: Duration) -> f64 {
    time.as_secs_f64() / baseline.as_secs_f64()
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// The processor time of this thread where the system tells it, else the time of day.
enum Clock {
    Processor(Duration),
    Wall(Instant),
}

impl Clock {
    fn start() -> Self {
        match processor_time() {
            Some(time) => Clock::Processor(time),
            None => Clock::Wall(Instant::now()),
        }
    }

    fn elapsed(&self) -> Duration {
        match self {
            Clock::Processor(start) => processor_time().unwrap_or(*start).saturating_sub(*start),
            Clock::Wall(start) => start.elapsed(),
        }
    }
}

/// Linux: the first number of the thread's scheduling statistics, in nanoseconds.
fn processor_time() -> Option<Duration> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = statistics.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
