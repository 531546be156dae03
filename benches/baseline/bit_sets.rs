//! Rules 1 to 3 of the scheduling-constraint paper over bit sets, by hand: the events after
//! each event, closed in rounds until no rule adds anything.

use super::executions::Execution;

pub(crate) struct Closure {
    words: usize,
    /// By event: which events come after it.
    after: Vec<u64>,
}

impl Closure {
    pub(crate) fn is_before(&self, a: u32, b: u32) -> bool {
        self.after[a as usize * self.words + b as usize / 64] >> (b % 64) & 1 == 1
    }

    fn add(&mut self, a: u32, b: u32) -> bool {
        let word = &mut self.after[a as usize * self.words + b as usize / 64];
        let before = *word;
        *word |= 1 << (b % 64);
        *word != before
    }

    /// Everything after `b` is after `a`.
    fn include(&mut self, a: u32, b: u32) -> bool {
        let mut grew = false;
        for word in 0..self.words {
            let more = self.after[b as usize * self.words + word];
            let own = &mut self.after[a as usize * self.words + word];
            grew |= more & !*own != 0;
            *own |= more;
        }
        grew
    }
}

pub(crate) fn close(execution: &Execution) -> Closure {
    let events = execution.places.len();
    let words = events.div_ceil(64);
    let mut closure = Closure {
        words,
        after: vec![0; events * words],
    };
    let mut edges: Vec<Vec<u32>> = vec![Vec::new(); events];
    let mut last_of_thread: Vec<Option<u32>> = vec![None; execution.threads];
    for (event, &(thread, _)) in (0..).zip(&execution.places) {
        if let Some(previous) = last_of_thread[thread as usize].replace(event) {
            edges[previous as usize].push(event);
        }
    }
    for &(a, b) in execution.creations.iter().chain(&execution.links) {
        edges[a as usize].push(b);
    }
    let mut written = vec![u32::MAX; events];
    let mut writes: Vec<Vec<u32>> = vec![Vec::new(); execution.variables];
    for &(event, variable) in &execution.writes {
        written[event as usize] = variable;
        writes[variable as usize].push(event);
    }
    loop {
        close_under_edges(&mut closure, &edges);
        let mut grew = false;
        for &(write, read) in &execution.links {
            for &other in &writes[written[write as usize] as usize] {
                if other == write {
                    continue;
                }
                if closure.is_before(other, read) && closure.add(other, write) {
                    edges[other as usize].push(write);
                    grew = true;
                }
                if closure.is_before(write, other) && closure.add(read, other) {
                    edges[read as usize].push(other);
                    grew = true;
                }
            }
        }
        if !grew {
            return closure;
        }
    }
}

/// Each event before those that lead to it, as far as edges make no cycle.
fn close_under_edges(closure: &mut Closure, edges: &[Vec<u32>]) {
    let order = depth_first(edges);
    loop {
        let mut grew = false;
        for &a in &order {
            for &b in &edges[a as usize] {
                grew |= closure.add(a, b);
                grew |= closure.include(a, b);
            }
        }
        if !grew {
            return;
        }
    }
}

/// The events in the order in which a depth-first search leaves them.
fn depth_first(edges: &[Vec<u32>]) -> Vec<u32> {
    let mut left = Vec::with_capacity(edges.len());
    let mut visited = vec![false; edges.len()];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..edges.len() as u32 {
        if !std::mem::replace(&mut visited[root as usize], true) {
            path.push((root, 0));
        }
        while let Some((event, step)) = path.last_mut() {
            match edges[*event as usize].get(*step) {
                Some(&next) => {
                    *step += 1;
                    if !std::mem::replace(&mut visited[next as usize], true) {
                        path.push((next, 0));
                    }
                }
                None => {
                    left.push(*event);
                    path.pop();
                }
            }
        }
    }
    left
}
