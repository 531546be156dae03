//! Numbers in groups that are all made at once.

/// Groups are numbered too.
pub(super) struct Groups {
    /// Where each group starts in the list, and where the last one ends.
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Groups {
    /// `groups` tells of each number, from zero on, which of `count` groups it is in, if any.
    pub(super) fn new(count: usize, groups: impl Iterator<Item = Option<u32>> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for group in groups.clone().flatten() {
            starts[group as usize + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut list = vec![0; starts[count] as usize];
        for (number, group) in (0..).zip(groups) {
            if let Some(group) = group {
                let place = &mut next[group as usize];
                list[*place as usize] = number;
                *place += 1;
            }
        }
        Groups { starts, list }
    }

    /// The numbers of a group, sorted.
    pub(super) fn get(&self, group: u32) -> &[u32] {
        let start = self.starts[group as usize];
        let end = self.starts[group as usize + 1];
        &self.list[start as usize..end as usize]
    }
}
