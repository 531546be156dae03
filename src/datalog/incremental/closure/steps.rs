//! The steps of an entry: in which round it reached which index.

use super::super::Diff;
use smallvec::SmallVec;

/// In this round the index is reached. Steps are sorted by round, and by index as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Step {
    pub(in super::super) round: u32,
    pub(in super::super) index: i64,
}

pub(super) type Steps = SmallVec<[Step; 2]>;

/// The round of what never happens.
pub(super) const NEVER: u32 = u32::MAX;

/// The first round in which something is there.
pub(super) fn birth(counts: &[(u32, Diff)]) -> u32 {
    let mut sum = 0;
    let first = counts.iter().find(|(_, diff)| {
        sum += diff;
        sum > 0
    });
    first.map_or(NEVER, |(round, _)| *round)
}

/// The steps that arrive at the other end of an edge.
pub(super) fn passed(steps: &[Step], birth: u32) -> Steps {
    let mut passed = Steps::new();
    if birth != NEVER {
        for step in steps {
            raise(&mut passed, step.round.max(birth), step.index);
        }
    }
    passed
}

/// Whether the index is not reached by then.
pub(super) fn is_news(steps: &[Step], Step { round, index }: Step) -> bool {
    let place = steps.partition_point(|step| step.round <= round);
    place == 0 || steps[place - 1].index < index
}

/// Reaches an index in a round, if it was not reached before; returns whether that is news.
pub(super) fn raise(steps: &mut Steps, round: u32, index: i64) -> bool {
    let place = steps.partition_point(|step| step.round <= round);
    if place > 0 && steps[place - 1].index >= index {
        return false;
    }
    // What comes in the same round or later and does not reach further is superseded.
    let from = if place > 0 && steps[place - 1].round == round {
        place - 1
    } else {
        place
    };
    let until = from
        + steps[from..]
            .iter()
            .take_while(|step| step.index <= index)
            .count();
    steps.drain(from..until);
    steps.insert(from, Step { round, index });
    true
}
