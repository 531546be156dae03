//! Random consistent executions: a random interleaving is run, so that every read is
//! linked to the last write before it.
//!
//! Events are then numbered thread by thread, so that their numbers do not tell the
//! interleaving.

use fastrand::Rng;

/// Events are numbered from 0, and so are threads and variables.
pub(crate) struct Execution {
    pub(crate) threads: usize,
    pub(crate) variables: usize,
    /// By event: its thread and its place in the thread.
    pub(crate) places: Vec<(u32, u32)>,
    /// (event, variable)
    pub(crate) reads: Vec<(u32, u32)>,
    pub(crate) writes: Vec<(u32, u32)>,
    /// (write, read)
    pub(crate) links: Vec<(u32, u32)>,
    /// From the creation of each thread to its first event.
    pub(crate) creations: Vec<(u32, u32)>,
    /// (event, block): atomic blocks, if any.
    pub(crate) blocks: Vec<(u32, u32)>,
}

/// Thread 0 writes all variables and creates the others. `linked` is the share of the reads
/// that get their link, `in_blocks` the share of the other threads' steps that are atomic
/// blocks: a read and a write of one variable.
pub(crate) fn consistent(
    events: usize,
    threads: usize,
    linked: f64,
    in_blocks: f64,
    seed: u64,
) -> Execution {
    let mut rng = Rng::with_seed(seed);
    let variables = (events / 50).max(4);
    let mut run = Run {
        execution: Execution {
            threads,
            variables,
            places: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            links: Vec::new(),
            creations: Vec::new(),
            blocks: Vec::new(),
        },
        lengths: vec![0; threads],
        last_write: vec![0; variables],
        linked,
    };
    for variable in 0..variables {
        run.write(0, variable);
    }
    let created = run.execution.places.len() as u32 - 1;
    let mut block = 0;
    while run.execution.places.len() < events {
        let thread = rng.usize(1..threads);
        let variable = rng.usize(..variables);
        let first = run.execution.places.len() as u32;
        if run.lengths[thread] == 0 {
            run.execution.creations.push((created, first));
        }
        if rng.f64() < in_blocks {
            let read = run.read(thread, variable, &mut rng);
            let write = run.write(thread, variable);
            run.execution.blocks.extend([(read, block), (write, block)]);
            block += 1;
        } else if rng.bool() {
            run.write(thread, variable);
        } else {
            run.read(thread, variable, &mut rng);
        }
    }
    by_thread(run.execution)
}

impl Execution {
    /// Draws so many of the links again, from all writes of the read's variable: what a solver
    /// proposes that knows little of orders. They are the first then.
    pub(crate) fn draw_again(&mut self, count: usize, rng: &mut Rng) {
        let mut writes = vec![Vec::new(); self.variables];
        let mut variable = vec![0; self.places.len()];
        for &(event, written) in &self.writes {
            writes[written as usize].push(event);
            variable[event as usize] = written as usize;
        }
        rng.shuffle(&mut self.links);
        for (write, _) in self.links.iter_mut().take(count) {
            let all = &writes[variable[*write as usize]];
            *write = *rng.choice(all).expect("it is one of them");
        }
    }
}

/// Numbers the events thread by thread.
fn by_thread(mut execution: Execution) -> Execution {
    let mut order: Vec<u32> = (0..execution.places.len() as u32).collect();
    order.sort_by_key(|&event| execution.places[event as usize]);
    let mut number = vec![0; order.len()];
    for (new, &old) in (0..).zip(&order) {
        number[old as usize] = new;
    }
    execution.places.sort_unstable();
    let renumber = |event: &mut u32| *event = number[*event as usize];
    for rows in [
        &mut execution.reads,
        &mut execution.writes,
        &mut execution.blocks,
    ] {
        rows.iter_mut().for_each(|(event, _)| renumber(event));
    }
    for rows in [&mut execution.links, &mut execution.creations] {
        for (a, b) in rows {
            renumber(a);
            renumber(b);
        }
    }
    execution
}

struct Run {
    execution: Execution,
    lengths: Vec<u32>,
    last_write: Vec<u32>,
    linked: f64,
}

impl Run {
    fn step(&mut self, thread: usize) -> u32 {
        let event = self.execution.places.len() as u32;
        self.execution
            .places
            .push((thread as u32, self.lengths[thread]));
        self.lengths[thread] += 1;
        event
    }

    fn write(&mut self, thread: usize, variable: usize) -> u32 {
        let event = self.step(thread);
        self.execution.writes.push((event, variable as u32));
        self.last_write[variable] = event;
        event
    }

    fn read(&mut self, thread: usize, variable: usize, rng: &mut Rng) -> u32 {
        let event = self.step(thread);
        self.execution.reads.push((event, variable as u32));
        if rng.f64() < self.linked {
            self.execution
                .links
                .push((self.last_write[variable], event));
        }
        event
    }
}
