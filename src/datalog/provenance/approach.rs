//! What a chain step to a row of a table leaves room for.
//!
//! The step takes the presence of the row's event, which may rest on a literal. Where sets are to be
//! small, the row is full with it, and most of what lies before it in the chain need not be looked
//! at.

use super::algebra::Algebra;
use super::orders::OrderStore;
use super::tables::SideRow;
use std::hash::Hash;

/// What can be combined with a row that a chain step leads to.
#[derive(Clone, Copy)]
pub(super) enum Approach<W> {
    /// Whatever it is.
    Open,
    /// What covers this weight, that of the row and of its event's presence.
    Full(W),
    Never,
}

impl<W: Copy + Eq + Hash> Approach<W> {
    pub(super) fn new<A: Algebra<Weight = W>>(
        algebra: &mut A,
        order: &OrderStore<W>,
        row: &SideRow<W>,
    ) -> Self {
        let event = order.event(row.event);
        let with_presence = match event.presence[..] {
            // Such a row may be in a table that stays while sets of other sizes are looked for.
            _ if event.is_certain && row.weight == A::NOTHING => return Approach::Open,
            _ if event.is_certain => Some(row.weight),
            [] => None,
            [presence] => algebra.and(row.weight, presence.weight),
            _ => return Approach::Open,
        };
        match with_presence {
            None => Approach::Never,
            Some(weight) if algebra.is_full(weight) => Approach::Full(weight),
            Some(_) => Approach::Open,
        }
    }
}
