//! The best paths from one chain to another where paths have costs and chain steps have
//! none: for each cost, the path that begins last among those that end early enough. A chain
//! clock for each cost.

use super::paths::PathId;

/// Paths are added in the order of their costs.
#[derive(Default)]
pub(super) struct Closest {
    levels: Vec<Level>,
}

struct Level {
    cost: u32,
    /// By the position at which a path has to end at the latest, up to where nothing changes
    /// any more: the path of at most this cost that begins last.
    latest: Vec<Option<Best>>,
}

#[derive(Clone, Copy)]
struct Best {
    begin: u32,
    path: PathId,
}

impl Level {
    fn best(&self, end: u32) -> Option<Best> {
        let place = (end as usize).min(self.latest.len().checked_sub(1)?);
        self.latest[place]
    }
}

impl Closest {
    pub(super) fn add(&mut self, cost: u32, begin: u32, end: u32, path: PathId) {
        if self.levels.last().is_none_or(|level| level.cost < cost) {
            let latest = self.levels.last().map(|level| level.latest.clone());
            self.levels.push(Level {
                cost,
                latest: latest.unwrap_or_default(),
            });
        }
        let level = self.levels.last_mut().expect("it was just added");
        let last = level.latest.last().copied().flatten();
        if level.latest.len() <= end as usize {
            level.latest.resize(end as usize + 1, last);
        }
        for best in &mut level.latest[end as usize..] {
            if best.is_some_and(|best| best.begin >= begin) {
                break;
            }
            *best = Some(Best { begin, path });
        }
    }

    /// Whether some path begins no earlier and ends no later.
    pub(super) fn covers(&self, begin: u32, end: u32) -> bool {
        let best = self.levels.last().and_then(|level| level.best(end));
        best.is_some_and(|best| best.begin >= begin)
    }

    /// The first position behind the end of a path from which another one, that begins later,
    /// is as good.
    pub(super) fn shadow(&self, begin: u32, end: u32) -> u32 {
        let Some(level) = self.levels.last() else {
            return u32::MAX;
        };
        let begins_later = |best: &Option<Best>| best.is_some_and(|best| best.begin > begin);
        let place = level.latest.partition_point(|best| !begins_later(best));
        if place == level.latest.len() {
            return u32::MAX;
        }
        (place as u32).max(end + 1)
    }

    /// The paths that end there or earlier, each of which begins later than all cheaper ones.
    pub(super) fn arrivals(&self, end: u32) -> impl Iterator<Item = PathId> {
        let mut begins = None;
        self.levels.iter().filter_map(move |level| {
            let best = level.best(end)?;
            let is_later = begins.is_none_or(|earlier| best.begin > earlier);
            begins = Some(best.begin);
            is_later.then_some(best.path)
        })
    }

    /// The cheapest path that begins no earlier and ends no later, and its cost.
    pub(super) fn cheapest(&self, begin: u32, end: u32) -> Option<(u32, PathId)> {
        self.levels.iter().find_map(|level| {
            let best = level.best(end)?;
            (best.begin >= begin).then_some((level.cost, best.path))
        })
    }

    pub(super) fn clear(&mut self) {
        self.levels.clear();
    }
}
