//! Plans as operators.

use super::super::plan::Source;
use super::super::plan::{Arranging, Base, Emission, Input, LOOSE, Operation, Plan, Stage};
use super::super::running_maximum::running_maximum;
use super::super::time::Rounds;
use super::super::tuple::Tuple;
use super::super::{Diff, Pairs};
use super::arrangement::{Arrangement, Spine};
use super::emit::{Emit, Found, SeekLast, apply_loose};
use super::sources::Sources;
use differential_dataflow::trace::implementations::ValBuilder;
use heddle_language::ruleset::AggregateFunction;

/// Assignments on their way to the next stage.
pub(super) enum Flow<'scope, T: Rounds> {
    Pairs(Pairs<'scope, T>),
    Arranged(Arrangement<'scope, T>),
}

impl<'scope, T: Rounds> Flow<'scope, T> {
    pub(super) fn pairs(&self) -> Pairs<'scope, T> {
        match self {
            Flow::Pairs(pairs) => pairs.clone(),
            Flow::Arranged(arrangement) => arrangement.clone().pairs(),
        }
    }

    pub(super) fn arranged(&self) -> Arrangement<'scope, T> {
        match self {
            Flow::Pairs(pairs) => Arrangement::of(pairs.clone(), "Assignments"),
            Flow::Arranged(arrangement) => arrangement.clone(),
        }
    }
}

/// All that a plan finds. `given` are the rows to start from if the plan has no source.
pub(super) fn whole<'scope, T: Rounds>(
    sources: &mut impl Sources<'scope, T>,
    plan: &Plan,
    given: Option<Pairs<'scope, T>>,
) -> Pairs<'scope, T> {
    let start = start(sources, plan, given);
    stages(sources, &plan.stages, start).pairs()
}

/// The input of the plan's first stage.
pub(super) fn start<'scope, T: Rounds>(
    sources: &mut impl Sources<'scope, T>,
    plan: &Plan,
    given: Option<Pairs<'scope, T>>,
) -> Flow<'scope, T> {
    if let Some(Stage {
        input: Input::Shared(arranging),
        ..
    }) = plan.stages.first()
    {
        return Flow::Arranged(sources.arrangement(arranging));
    }
    let rows = match (plan.base, given) {
        (Base::Given, Some(given)) => given,
        (Base::Scan(source), _) => sources.pairs(source),
        (Base::Given, None) => unreachable!("such a plan is only used with given rows"),
    };
    let first = plan.first.clone();
    Flow::Pairs(rows.flat_map(move |(key, value)| {
        let row = joined(key, value);
        first.apply(Found {
            key: &Tuple::EMPTY,
            left: &row,
            right: &Tuple::EMPTY,
        })
    }))
}

/// A tuple that comes in two parts, in one.
pub(super) fn joined(key: Tuple, value: Tuple) -> Tuple {
    if value.len() == 0 {
        return key;
    }
    let width = key.len();
    Tuple::build(width + value.len(), |i| match i.checked_sub(width) {
        None => key.get(i),
        Some(i) => value.get(i),
    })
}

/// What becomes of the input of the first of some stages after the last.
pub(super) fn stages<'scope, T: Rounds>(
    sources: &mut impl Sources<'scope, T>,
    stages: &[Stage],
    input: Flow<'scope, T>,
) -> Flow<'scope, T> {
    let mut flow = input;
    for stage in stages {
        flow = Flow::Pairs(apply(sources, stage, &flow));
    }
    flow
}

fn apply<'scope, T: Rounds>(
    sources: &mut impl Sources<'scope, T>,
    stage: &Stage,
    flow: &Flow<'scope, T>,
) -> Pairs<'scope, T> {
    let emission = stage.emission.clone();
    match &stage.operation {
        Operation::Join(arranging) => {
            let right = sources.arrangement(arranging);
            flow.arranged().join(right, Emit::Once(emission))
        }
        Operation::Absent {
            arranging,
            several,
            tests,
        } => {
            let right = if *several {
                sources.presence(arranging)
            } else {
                sources.arrangement(arranging)
            };
            let emit = Emit::If(tests.clone(), emission.clone());
            let present = flow.arranged().join(right, emit);
            emit_alone(flow.pairs(), emission).concat(present.negate())
        }
        Operation::Locate { order } => {
            let places = Arranging {
                source: Source::Places(*order),
                key: vec![0],
            };
            let right = sources.arrangement(&places);
            let emit = Emit::InsteadOfLoose(emission.clone());
            let chained = flow.arranged().join(right, emit);
            let loose = flow
                .pairs()
                .flat_map(move |(key, left)| apply_loose(&emission, &key, &left));
            chained.concat(loose)
        }
        Operation::Expand { order } => {
            let chains = Arranging {
                source: Source::Places(*order),
                key: vec![1, 2],
            };
            let right = sources.arrangement(&chains);
            let chained = flow.arranged().join(right, Emit::Once(emission.clone()));
            let loose = loose(flow).flat_map(move |(key, left)| {
                let right = &Tuple::of(&[key.get(1), 0]);
                let (key, left) = (&key, &left);
                emission.apply(Found { key, left, right })
            });
            chained.concat(loose)
        }
        Operation::Seek {
            candidates,
            limit,
            split,
            tests,
        } => {
            let seek = SeekLast {
                limit: *limit,
                split: *split,
                tests: tests.clone(),
                emission,
            };
            let right = sources.candidates(candidates);
            let found = flow.arranged().join(right, Emit::Last(seek.clone()));
            if candidates.has_all_loose_events() {
                found.concat(loose(flow).flat_map(move |(key, left)| seek.loose(&key, &left)))
            } else {
                found
            }
        }
        Operation::Aggregate { function, body } => {
            let groups = flow.pairs().map(|(groups, _)| (groups, Tuple::EMPTY));
            let groups = running_maximum(groups, "Groups");
            let values = whole(sources, body, Some(groups.clone()));
            let results = aggregate(*function, groups, values);
            flow.arranged().join(results, Emit::Once(emission))
        }
    }
}

/// The emission where nothing was found.
fn emit_alone<'scope, T: Rounds>(pairs: Pairs<'scope, T>, emission: Emission) -> Pairs<'scope, T> {
    pairs.flat_map(move |(key, left)| {
        emission.apply(Found {
            key: &key,
            left: &left,
            right: &Tuple::EMPTY,
        })
    })
}

/// The assignments whose key begins with the kind of an event in no chain.
fn loose<'scope, T: Rounds>(flow: &Flow<'scope, T>) -> Pairs<'scope, T> {
    flow.pairs().filter(|(key, _)| key.get(0) == LOOSE)
}

/// The result for each group. The values come with their groups, as often as there are
/// assignments with this value.
fn aggregate<'scope, T: Rounds>(
    function: AggregateFunction,
    groups: Pairs<'scope, T>,
    values: Pairs<'scope, T>,
) -> Arrangement<'scope, T> {
    // The empty value says that the group is there, be it without values.
    let grouped = groups.concat(values).arrange_by_key_named("Aggregate");
    let results = grouped.reduce_abelian::<_, ValBuilder<_, _, _, _>, Spine<T>, _, _>(
        "Aggregate",
        move |_, values, results| {
            let values = values.iter().filter(|(value, _)| value.len() == 1);
            let values = values.map(|(value, count)| (value.get(0), *count));
            let result = match function {
                AggregateFunction::Count => Some(values.map(|(_, count)| count as i64).sum()),
                AggregateFunction::Sum => Some(values.fold(0_i64, |sum, (value, count)| {
                    sum.wrapping_add(value.wrapping_mul(count as i64))
                })),
                AggregateFunction::Min => values.map(|(value, _)| value).min(),
                AggregateFunction::Max => values.map(|(value, _)| value).max(),
            };
            results.extend(result.map(|result| (Tuple::of(&[result]), 1)));
        },
        |batch: &mut Vec<((Tuple, Tuple), T, Diff)>, key: &Tuple, updates| {
            batch.clear();
            let updates = updates.drain(..);
            batch.extend(updates.map(|(value, time, diff)| ((key.clone(), value), time, diff)));
        },
    );
    Arrangement::Own(results)
}
