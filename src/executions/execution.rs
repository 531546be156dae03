//! A small execution: who accesses what, which write each read takes, and no total order.

use std::fmt::Write as _;

/// Position in [`Execution::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    /// A read and a write of one variable in one step, with nothing in between.
    Update,
}

impl Access {
    pub fn reads(self) -> bool {
        self != Access::Write
    }

    pub fn writes(self) -> bool {
        self != Access::Read
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: usize,
    pub access: Access,
    pub variable: usize,
    /// Whether the event's guard is true. Only executed events are ordered.
    pub executed: bool,
    pub block: Option<usize>,
}

/// Events of one thread stand in program order, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    pub events: Vec<Event>,
    /// Order between threads: creation and joining. Counts if both ends are executed.
    pub po: Vec<(EventId, EventId)>,
    /// Read-from links, (write, read), each of two executed events; at most one a read.
    pub links: Vec<(EventId, EventId)>,
}

impl Execution {
    pub fn ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len()).map(EventId)
    }

    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.0]
    }

    pub fn source_of(&self, read: EventId) -> Option<EventId> {
        self.links
            .iter()
            .find(|(_, reader)| *reader == read)
            .map(|(write, _)| *write)
    }

    /// `Wx1`, `Ry2`, `Uz3`: the access, its variable, and a number that is unique.
    pub fn name(&self, id: EventId) -> String {
        let event = self.event(id);
        let access = match event.access {
            Access::Read => 'R',
            Access::Write => 'W',
            Access::Update => 'U',
        };
        format!("{access}{}{}", variable_name(event.variable), id.0 + 1)
    }

    /// `s_<variable>_<read>_<write>`, as the paper names link literals.
    pub fn link_literal(&self, (write, read): (EventId, EventId)) -> String {
        let variable = variable_name(self.event(read).variable);
        format!("s_{variable}_{}_{}", read.0 + 1, write.0 + 1)
    }

    pub fn guard_literal(&self, id: EventId) -> String {
        format!("g_{}", self.name(id))
    }

    /// One line a thread, then the orders and links between them.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        let threads = self.events.iter().map(|event| event.thread + 1).max();
        for thread in 0..threads.unwrap_or(0) {
            let mut items = Vec::new();
            let mut open = None;
            for id in self.ids().filter(|&id| self.event(id).thread == thread) {
                let event = self.event(id);
                if open != event.block {
                    if open.is_some() {
                        items.push("}".to_string());
                    }
                    if event.block.is_some() {
                        items.push("atomic {".to_string());
                    }
                    open = event.block;
                }
                let not = if event.executed {
                    ""
                } else {
                    " (not executed)"
                };
                items.push(format!("{}{not}", self.name(id)));
            }
            if open.is_some() {
                items.push("}".to_string());
            }
            if !items.is_empty() {
                let _ = writeln!(text, "  {}: {}", thread_name(thread), items.join("  "));
            }
        }
        for &(before, after) in &self.po {
            let _ = writeln!(text, "  po  {} -> {}", self.name(before), self.name(after));
        }
        for &(write, read) in &self.links {
            let _ = writeln!(text, "  rf  {} -> {}", self.name(write), self.name(read));
        }
        text
    }
}

pub fn variable_name(variable: usize) -> String {
    match ["x", "y", "z", "u", "v"].get(variable) {
        Some(name) => (*name).to_string(),
        None => format!("v{variable}_"),
    }
}

pub fn thread_name(thread: usize) -> String {
    format!("t{}", thread + 1)
}
