//! The clocks against going round the edges until nothing changes.

use super::*;
use fastrand::Rng;
use std::collections::BTreeMap;

const EVENTS: i64 = 7;
const ROUNDS: u32 = 4;

/// Events 0, 2, 4, 6 are one chain, 1 and 3 another, and 5 is in none.
fn edge(from: i64, to: i64) -> Edge {
    let (kind, chain, index) = match from {
        5 => (1, 5, 0),
        _ => (0, from % 2, from / 2),
    };
    let chain = ChainName { kind, chain };
    Edge {
        from,
        to,
        chain,
        index,
    }
}

/// How far the events before each event reach in a round, by going round the edges until
/// nothing changes.
fn reached(births: &BTreeMap<(i64, i64), u32>, round: u32) -> BTreeMap<(i64, i64, i64), i64> {
    let mut clocks: BTreeMap<(i64, i64, i64), i64> = BTreeMap::new();
    loop {
        let before = clocks.clone();
        for (&(from, to), _) in births.iter().filter(|(_, birth)| **birth <= round) {
            let Edge { chain, index, .. } = edge(from, to);
            let mut raise = |kind, chain, index| {
                let entry = clocks.entry((to, kind, chain)).or_insert(index);
                *entry = index.max(*entry);
            };
            raise(chain.kind, chain.chain, index);
            for (&(event, kind, chain), &index) in &before {
                if event == from {
                    raise(kind, chain, index);
                }
            }
        }
        if clocks == before {
            return clocks;
        }
    }
}

/// Two events, in the order of their numbers but for so many in twenty.
fn pair(rng: &mut Rng, backwards: u64) -> (i64, i64) {
    if rng.u64(0..20) < backwards {
        return (rng.i64(0..EVENTS), rng.i64(0..EVENTS));
    }
    let from = rng.i64(0..EVENTS - 1);
    (from, rng.i64(from + 1..EVENTS))
}

#[test]
fn clocks_follow_edges_that_come_and_go_in_any_round() {
    for seed in 0..600 {
        let mut rng = Rng::with_seed(seed);
        let workers = 1 + seed % 3;
        let mut closures: Vec<Closure> = (0..workers)
            .map(|worker| Closure::new(Share { worker, workers }))
            .collect();
        let mut counts: BTreeMap<(i64, i64), BTreeMap<u32, Diff>> = BTreeMap::new();
        for _ in 0..12 {
            for _ in 0..rng.usize(1..6) {
                let backwards = [0, 1, 5, 20][seed as usize % 4];
                let pair = pair(&mut rng, backwards);
                let rounds = counts.entry(pair).or_default();
                let present = rounds.iter().find(|(_, count)| **count > 0);
                let (round, diff) = match present {
                    Some((&round, _)) if rng.bool() => (round, -1),
                    _ => (rng.u32(0..ROUNDS), 1),
                };
                *rounds.entry(round).or_default() += diff;
                for closure in &mut closures {
                    closure.change(edge(pair.0, pair.1), round, diff);
                }
            }
            closures.iter_mut().for_each(Closure::settle);
            let births: BTreeMap<(i64, i64), u32> = counts
                .iter()
                .filter_map(|(pair, rounds)| {
                    let birth = rounds.iter().find(|(_, count)| **count > 0)?;
                    Some((*pair, *birth.0))
                })
                .collect();
            for round in 0..ROUNDS {
                let mut actual = BTreeMap::new();
                for closure in &closures {
                    for (number, node) in closure.nodes.iter().enumerate() {
                        for &(column, _) in &node.clock {
                            let entry = (Node(number as u32), column);
                            let steps = closure.steps(entry);
                            let (event, ChainName { kind, chain }) = closure.name(entry);
                            let step = steps.iter().rfind(|step| step.round <= round);
                            if let Some(step) = step {
                                actual.insert((event, kind, chain), step.index);
                            }
                        }
                    }
                }
                assert_eq!(
                    actual,
                    reached(&births, round),
                    "seed {seed}, round {round}"
                );
            }
        }
    }
}
