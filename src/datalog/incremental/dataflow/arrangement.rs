//! Arranged collections, and joins of them.

use super::super::time::{Epoch, Rounds};
use super::super::tuple::Tuple;
use super::super::{Diff, Pairs};
use super::emit::{Emit, Found};
use differential_dataflow::AsCollection;
use differential_dataflow::consolidation::ConsolidatingContainerBuilder;
use differential_dataflow::operators::arrange::{Arranged, TraceAgent};
use differential_dataflow::operators::join::join_traces;
use differential_dataflow::trace::implementations::ValSpine;
use differential_dataflow::trace::wrappers::enter::TraceEnter;
use timely::container::PushInto;
use timely::dataflow::Scope;

pub(super) type Spine<T> = ValSpine<Tuple, Tuple, T, Diff>;
type Agent<T> = TraceAgent<Spine<T>>;

/// A collection arranged by its keys, which any number of joins may share.
pub(super) enum Arrangement<'scope, T: Rounds> {
    Own(Arranged<'scope, Agent<T>>),
    /// One of the scope around this one, which no round of this one changes.
    Outer(Arranged<'scope, TraceEnter<Agent<Epoch>, T>>),
}

impl<T: Rounds> Clone for Arrangement<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Arrangement::Own(arranged) => Arrangement::Own(arranged.clone()),
            Arrangement::Outer(arranged) => Arrangement::Outer(arranged.clone()),
        }
    }
}

impl<'scope, T: Rounds> Arrangement<'scope, T> {
    pub(super) fn of(pairs: Pairs<'scope, T>, name: &str) -> Self {
        Arrangement::Own(pairs.arrange_by_key_named(name))
    }

    pub(super) fn pairs(self) -> Pairs<'scope, T> {
        match self {
            Arrangement::Own(arranged) => {
                arranged.as_collection(|key, value| (key.clone(), value.clone()))
            }
            Arrangement::Outer(arranged) => {
                arranged.as_collection(|key, value| (key.clone(), value.clone()))
            }
        }
    }

    /// What `emit` makes of each two pairs with the same key, the left one of this
    /// arrangement.
    pub(super) fn join(self, right: Arrangement<'scope, T>, emit: Emit) -> Pairs<'scope, T> {
        match (self, right) {
            (Arrangement::Own(left), Arrangement::Own(right)) => {
                join_traces::<_, _, _, _, Consolidating<T>>(
                    left,
                    right,
                    move |key, left, right, time, m, n, output| {
                        give(&emit, Found { key, left, right }, (&time, m * n), output);
                    },
                )
            }
            (Arrangement::Own(left), Arrangement::Outer(right)) => {
                join_traces::<_, _, _, _, Consolidating<T>>(
                    left,
                    right,
                    move |key, left, right, time, m, n, output| {
                        give(&emit, Found { key, left, right }, (&time, m * n), output);
                    },
                )
            }
            (Arrangement::Outer(left), Arrangement::Own(right)) => {
                join_traces::<_, _, _, _, Consolidating<T>>(
                    right,
                    left,
                    move |key, right, left, time, m, n, output| {
                        give(&emit, Found { key, left, right }, (&time, m * n), output);
                    },
                )
            }
            (left @ Arrangement::Outer(_), right @ Arrangement::Outer(_)) => {
                return Arrangement::of(left.pairs(), "OuterWithOuter").join(right, emit);
            }
        }
        .as_collection()
    }
}

/// Puts out what becomes of two pairs that meet at a time, so often.
fn give<T: Rounds>(
    emit: &Emit,
    found: Found,
    (time, count): (&T, Diff),
    output: &mut Consolidating<T>,
) {
    emit.each(found, |pair, sign| {
        output.push_into((pair, time.clone(), count * sign));
    });
}

type Consolidating<T> = ConsolidatingContainerBuilder<Vec<((Tuple, Tuple), T, Diff)>>;

impl<'outer> Arrangement<'outer, Epoch> {
    pub(super) fn enter<'scope, T: Rounds>(
        self,
        scope: Scope<'scope, T>,
    ) -> Arrangement<'scope, T> {
        match self {
            Arrangement::Own(arranged) => Arrangement::Outer(arranged.enter(scope)),
            Arrangement::Outer(_) => unreachable!("nothing is around the outermost scope"),
        }
    }
}
