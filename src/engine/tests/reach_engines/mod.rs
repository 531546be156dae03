//! The engines `predicate` and `control` in all their modes.

use heddle_engine::control::{self, Scheme};
use heddle_engine::predicate;
use heddle_engine::reach::{Abstraction, Options, Outcome};
use heddle_program::Program;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Predicate,
    Control(Scheme),
}

pub(crate) const ENGINES: [Engine; 3] = [
    Engine::Predicate,
    Engine::Control(Scheme::NonMonotonic),
    Engine::Control(Scheme::Monotonic),
];

pub(crate) const ABSTRACTIONS: [Abstraction; 2] = [Abstraction::Cartesian, Abstraction::Boolean];

impl Engine {
    pub(crate) fn check(self, program: &Program, reach: Options) -> Outcome {
        match self {
            Engine::Predicate => predicate::check(program, &reach, &mut ()),
            Engine::Control(scheme) => {
                control::check(program, &control::Options { scheme, reach }, &mut ())
            }
        }
    }
}
