//! The answer about a program, as its last line and as an exit code.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No execution violates the property.
    Safe,
    /// A violating execution was found and replayed.
    Unsafe,
    /// No execution within the bound violates the property.
    SafeUpTo(Bound),
    /// With the reason.
    Unknown(String),
}

/// How far the executions were followed: the number of loop iterations, recursive calls or
/// dynamically created threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bound(pub u32);

impl Verdict {
    /// The exit code of the command that prints the verdict.
    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Safe => 0,
            Verdict::Unsafe => 10,
            Verdict::SafeUpTo(_) => 20,
            Verdict::Unknown(_) => 30,
        }
    }
}

/// The last line of the output.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Safe => write!(f, "VERDICT: SAFE"),
            Verdict::Unsafe => write!(f, "VERDICT: UNSAFE"),
            Verdict::SafeUpTo(Bound(bound)) => write!(f, "VERDICT: SAFE UP TO BOUND {bound}"),
            Verdict::Unknown(reason) => write!(f, "VERDICT: UNKNOWN ({reason})"),
        }
    }
}
