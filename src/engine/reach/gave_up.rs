//! Why there is no verdict but `UNKNOWN`.

use super::error_cubes::TooManyCubes;
use super::fixpoint::Unusable;
use heddle_datalog::backend::SettleError;
use heddle_solver::Reason;

/// The reason, for people.
#[derive(Clone, Debug)]
pub(crate) struct GaveUp(pub(crate) String);

impl From<Reason> for GaveUp {
    fn from(reason: Reason) -> GaveUp {
        GaveUp(reason.to_string())
    }
}

impl From<SettleError> for GaveUp {
    fn from(error: SettleError) -> GaveUp {
        GaveUp(format!("the rules could not be evaluated: {error}"))
    }
}

impl From<TooManyCubes> for GaveUp {
    fn from(error: TooManyCubes) -> GaveUp {
        GaveUp(error.to_string())
    }
}

impl From<Unusable> for GaveUp {
    fn from(unusable: Unusable) -> GaveUp {
        GaveUp(match unusable {
            Unusable::Missing(relation) => {
                format!("the rules declare no relation `{relation}`")
            }
            Unusable::TooManyThreads => {
                "the threads have too many locations for abstract reachability".into()
            }
        })
    }
}
