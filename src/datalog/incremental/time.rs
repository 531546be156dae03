//! Times of the dataflow: an epoch for each `settle`, and rounds within a recursive stratum.

use differential_dataflow::lattice::Lattice;
use timely::order::Product;
use timely::progress::Timestamp;
use timely::progress::timestamp::Refines;

/// The number of a `settle`.
pub(super) type Epoch = u32;

/// A round of an iteration within an epoch.
pub(super) type Round = Product<Epoch, u32>;

/// A time that consists of an epoch and a round.
pub(super) trait Rounds: Timestamp + Lattice + Refines<Epoch> + Ord {
    fn epoch(&self) -> u32;
    fn round(&self) -> u32;
    fn at(epoch: u32, round: u32) -> Self;
}

/// Outside of recursion there is one round.
impl Rounds for Epoch {
    fn epoch(&self) -> u32 {
        *self
    }

    fn round(&self) -> u32 {
        0
    }

    fn at(epoch: u32, _round: u32) -> Self {
        epoch
    }
}

impl Rounds for Round {
    fn epoch(&self) -> u32 {
        self.outer
    }

    fn round(&self) -> u32 {
        self.inner
    }

    fn at(epoch: u32, round: u32) -> Self {
        Product::new(epoch, round)
    }
}
