//! A run of a program, step by step, with every non-deterministic value spelt out.

use heddle_program::{Constant, EdgeId, Program, ThreadId, Value, VarId};

/// A run that ends in a violation, or claims to: [`replay`](crate::replay) finds out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The values of the variables that start with any value. One that is not listed starts
    /// with zero.
    pub initial: Vec<(VarId, Value)>,
    pub steps: Vec<TraceStep>,
    pub violation: Violation,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    pub edge: EdgeId,
    /// A value for each thing that the statement leaves open, in the order of
    /// [`choices`](crate::choices).
    pub choices: Vec<Constant>,
}

impl TraceStep {
    /// A step without non-deterministic values.
    pub fn new(edge: EdgeId) -> TraceStep {
        TraceStep {
            edge,
            choices: Vec::new(),
        }
    }

    pub fn thread(&self, program: &Program) -> ThreadId {
        program.thread_of(self.edge)
    }
}

/// What is wrong at the end of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// The last step of the trace is an assertion that does not hold.
    Assertion(EdgeId),
    /// The last state satisfies the error condition of the program.
    ErrorState,
    /// In the last state threads wait for each other.
    Deadlock,
}

/// A change of one variable, or of one element of an array, by a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub variable: VarId,
    pub element: Option<usize>,
    pub from: Value,
    pub to: Value,
}
