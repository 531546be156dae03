//! Abstract reachability, by `rules/reach.dl`: what the engines for all executions share.
//!
//! [`system`] is the program as steps with control and actions on data; [`fixpoint`] the rule
//! set at work, which asks for abstract posts; [`abstract_post`] answers; [`exploration`] lets
//! the two talk until nothing is asked; [`path`] tells whether an abstract counterexample is
//! real; [`exclusion`] excludes one that is not, by [`new_predicates`] or by control; [`cegar`]
//! is the loop; and [`invariant`] is what it ends with.

mod abstract_post;
pub(crate) mod cegar;
mod consistency;
mod difference_graph;
mod differences;
mod effects;
mod error_cubes;
mod exclusion;
mod exploration;
mod fixpoint;
mod gave_up;
mod graph;
mod inequalities;
mod invariant;
mod linear_combination;
mod names;
mod new_predicates;
mod partition;
mod path;
mod precomputed;
mod predicates;
mod scopes;
mod shorter_cubes;
mod statistics;
mod strongest_postcondition;
mod system;
mod variable_set;
mod weakest_precondition;

pub use abstract_post::{Abstraction, Posts};
pub use heddle_solver::Limits;
pub use invariant::Certificate;
pub use new_predicates::Source;
pub use scopes::Scoping;
pub use statistics::{Refinement, Round, Statistics};

pub(crate) use cegar::{ControlRefinement, check};
pub(crate) use gave_up::GaveUp;
pub(crate) use names::point_name;
pub(crate) use partition::{Class, Partition};
pub(crate) use path::{DataFeasibility, Feasibility, Path, SymbolicState, whereabouts};
pub(crate) use system::{ComponentId, Origin, Point, PointId, StepId, System};

use heddle_datalog::theory::{BackendKind, built_in};
use heddle_interpret::Trace;
use heddle_language::RuleSet;
use heddle_program::{TermId, Terms, Value, VarId, Verdict};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Options {
    pub abstraction: Abstraction,
    pub posts: Posts,
    /// Tracked from the first round on: boolean terms of the program's arena.
    pub predicates: Vec<TermId>,
    /// States that are known, as values of variables: whatever one of them satisfies is possible,
    /// and no solver need be asked.
    pub witnesses: Vec<FxHashMap<VarId, Value>>,
    /// Where further predicates come from: the first source that excludes a path is used.
    pub sources: Vec<Source>,
    pub scoping: Scoping,
    pub limits: Limits,
    /// `rules/reach.dl`, or rules that declare the same relations.
    pub rules: Arc<RuleSet>,
    pub backend: BackendKind,
    /// Whether the abstract reachability graph is wanted.
    pub graph: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            abstraction: Abstraction::default(),
            posts: Posts::default(),
            predicates: Vec::new(),
            witnesses: Vec::new(),
            sources: Source::ALL.to_vec(),
            scoping: Scoping::default(),
            limits: Limits::default(),
            rules: built_in("reach").expect("a built-in rule set"),
            backend: BackendKind::Compiled,
            graph: false,
        }
    }
}

pub struct Outcome {
    pub verdict: Verdict,
    /// Replayed; there exactly if the verdict is unsafe.
    pub trace: Option<Trace>,
    /// An inductive invariant, checked; there exactly if the verdict is safe, perhaps only up
    /// to a bound.
    pub certificate: Option<Certificate>,
    pub statistics: Statistics,
    /// The predicates of the last round. Their arena has the variables of the program under
    /// the same ids.
    pub predicates: Vec<TermId>,
    pub terms: Terms,
    /// The abstract reachability graph of the last round for Graphviz, if it was wanted.
    pub graph: Option<String>,
}

/// What an engine tells while it works.
pub trait Progress {
    fn round(&mut self, number: usize, classes: usize, predicates: usize);
}

impl Progress for () {
    fn round(&mut self, _: usize, _: usize, _: usize) {}
}
