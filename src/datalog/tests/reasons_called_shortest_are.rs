//! What is called the shortest reasons are the shortest, where few choices are wrong: compared
//! with all sets of few literals.

#[path = "../../../benches/baseline/mod.rs"]
mod baseline;

use baseline::executions::{Execution, consistent};
use baseline::{chain_clocks, facts};
use fastrand::Rng;
use heddle_datalog::provenance::{Coverage, Reasons};
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use std::collections::BTreeSet;

/// Literals by their names.
type Set = BTreeSet<String>;

fn spoilt(events: usize, threads: usize, in_blocks: f64, wrong: usize, seed: u64) -> Execution {
    let mut execution = consistent(events, threads, 0.7, in_blocks, seed);
    execution.draw_again(wrong, &mut Rng::with_seed(seed));
    execution
}

fn theory(execution: &Execution) -> Theory {
    let mut theory = Theory::new(built_in("sc").unwrap(), BackendKind::Compiled).unwrap();
    facts::insert(&mut theory, execution, facts::Links::ByLiteral);
    theory
}

fn named(theory: &Theory, reasons: &Reasons) -> Vec<Set> {
    let name = |&literal| theory.symbols().name(literal).to_string();
    let reasons = reasons.list.iter();
    reasons
        .map(|reason| reason.literals.iter().map(name).collect())
        .collect()
}

/// Compares `limit` reasons, and those for a solver, with all those of at most `size` literals.
/// Returns whether they were called the shortest.
fn compare(
    theory: &mut Theory,
    expected: &BTreeSet<Set>,
    (size, limit): (usize, usize),
    what: &str,
) -> bool {
    let quick = theory.quick_reasons(limit).unwrap();
    agree(theory, &quick, expected, (size, limit), what);
    let reasons = theory.reasons(limit).unwrap();
    agree(theory, &reasons, expected, (size, limit), what)
}

fn agree(
    theory: &Theory,
    reasons: &Reasons,
    expected: &BTreeSet<Set>,
    (size, limit): (usize, usize),
    what: &str,
) -> bool {
    let list = named(theory, reasons);
    for set in list.iter().filter(|set| set.len() <= size) {
        assert!(expected.contains(set), "{what}: {set:?} is no reason");
    }
    let longest = match reasons.coverage {
        Coverage::Some => return false,
        Coverage::Shortest => list.last().map_or(0, Set::len),
        Coverage::All => usize::MAX,
    };
    for set in expected.iter().filter(|set| set.len() < longest) {
        assert!(list.contains(set), "{what}: {set:?} is missing");
    }
    assert!(list.len() == limit || reasons.coverage == Coverage::All);
    true
}

/// All minimal sets of at most `size` links that violate a conflict, by trying all sets.
fn by_brute_force(execution: &Execution, size: usize) -> BTreeSet<Set> {
    let mut minimal: Vec<Vec<usize>> = Vec::new();
    let mut level: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let mut next = Vec::new();
        for set in &level {
            for link in set.last().map_or(0, |last| last + 1)..execution.links.len() {
                let mut larger = set.clone();
                larger.push(link);
                let contains = |other: &Vec<usize>| other.iter().all(|link| larger.contains(link));
                if minimal.iter().any(contains) {
                    continue;
                }
                match violates(execution, &larger) {
                    true => minimal.push(larger),
                    false => next.push(larger),
                }
            }
        }
        level = next;
    }
    let name = |&link: &usize| facts::literal_name(execution.links[link]);
    let sets = minimal.iter();
    sets.map(|set| set.iter().map(name).collect()).collect()
}

fn violates(execution: &Execution, links: &[usize]) -> bool {
    let part = Execution {
        links: links.iter().map(|&link| execution.links[link]).collect(),
        places: execution.places.clone(),
        reads: execution.reads.clone(),
        writes: execution.writes.clone(),
        creations: execution.creations.clone(),
        blocks: Vec::new(),
        ..*execution
    };
    let closure = chain_clocks::close(&part);
    (0..execution.places.len() as u32).any(|event| closure.is_before(event, event))
}

#[test]
fn among_all_sets_of_three_literals() {
    let mut exact = 0;
    for (seed, limit) in (0..8).zip([3, 6].into_iter().cycle()) {
        let execution = spoilt(130, 5, 0.0, 3, seed);
        let expected = by_brute_force(&execution, 3);
        let what = format!("seed {seed}");
        let is_exact = compare(&mut theory(&execution), &expected, (3, limit), &what);
        exact += usize::from(is_exact);
    }
    assert!(exact >= 6, "only {exact} were exact");
}

/// Larger graphs, by the exhaustive search for lemmas, which knows nothing of suspects.
#[test]
fn among_all_that_follows_from_few_literals() {
    let mut exact = 0;
    for (events, threads, in_blocks, wrong, size) in [
        (150, 5, 0.0, 2, 3),
        (160, 5, 0.1, 3, 2),
        (700, 10, 0.0, 4, 2),
        (300, 8, 0.05, 4, 2),
        (1_200, 16, 0.0, 6, 2),
    ] {
        for (seed, limit) in (0..8).zip([5, 20].into_iter().cycle()) {
            let mut theory = theory(&spoilt(events, threads, in_blocks, wrong, seed));
            let lemmas = theory.lemmas(size, usize::MAX, &[]).unwrap();
            assert_ne!(lemmas.coverage, Coverage::Some, "{events} events");
            let expected: BTreeSet<Set> = named(&theory, &lemmas).into_iter().collect();
            let what = format!("{events} events, {in_blocks} in blocks, seed {seed}");
            let is_exact = compare(&mut theory, &expected, (size, limit), &what);
            exact += usize::from(is_exact);
        }
    }
    assert!(exact >= 25, "only {exact} were exact");
}

/// Graphs with few reasons, some of them long, by a tree of corrections over closures by hand.
#[test]
fn among_all_that_a_tree_of_corrections_finds() {
    let mut exact = 0;
    let mut longest = 0;
    for (events, threads, wrong) in [(120, 5, 1), (160, 6, 1), (200, 8, 2)] {
        let cases = (0..10).zip([6, 12, 20].into_iter().cycle());
        // With 200 events, after a step among few literals comes one among all.
        for (seed, limit) in cases.chain([(315, 6)]) {
            let execution = spoilt(events, threads, 0.0, wrong, seed);
            let mut theory = theory(&execution);
            let reasons = theory.reasons(limit).unwrap();
            let list = named(&theory, &reasons);
            let last = list.last().map_or(0, Set::len);
            let size = match reasons.coverage {
                Coverage::Some => continue,
                Coverage::Shortest => last - 1,
                Coverage::All => last + 2,
            };
            let size = size.min(5);
            let what = format!("{events} events, seed {seed}");
            let expected = Tree::new(&execution, size).search();
            compare(&mut theory, &expected, (size, limit), &what);
            exact += 1;
            longest = longest.max(last);
        }
    }
    assert!(exact >= 25, "only {exact} were exact");
    assert!(longest >= 4, "none was longer than {longest}");
}

/// All minimal conflicting sets of few links: a set that violates nothing has to get one of the
/// links without which it can be as large as possible.
struct Tree<'a> {
    execution: &'a Execution,
    size: usize,
    corrections: Vec<Vec<usize>>,
    seen: BTreeSet<Vec<usize>>,
    found: BTreeSet<Vec<usize>>,
}

impl<'a> Tree<'a> {
    fn new(execution: &'a Execution, size: usize) -> Self {
        Tree {
            execution,
            size,
            corrections: Vec::new(),
            seen: BTreeSet::new(),
            found: BTreeSet::new(),
        }
    }

    fn search(mut self) -> BTreeSet<Set> {
        self.visit(Vec::new());
        let name = |&link: &usize| facts::literal_name(self.execution.links[link]);
        let found = self.found.iter();
        found.map(|set| set.iter().map(name).collect()).collect()
    }

    fn visit(&mut self, set: Vec<usize>) {
        if !self.seen.insert(set.clone()) {
            return;
        }
        if violates(self.execution, &set) {
            let is_needed = |without: usize| {
                let mut rest = set.clone();
                rest.remove(without);
                !violates(self.execution, &rest)
            };
            if (0..set.len()).all(is_needed) {
                self.found.insert(set);
            }
            return;
        }
        if set.len() == self.size {
            return;
        }
        for link in self.correction(&set) {
            let mut larger = set.clone();
            larger.push(link);
            larger.sort_unstable();
            self.visit(larger);
        }
    }

    fn correction(&mut self, set: &[usize]) -> Vec<usize> {
        let is_disjoint =
            |correction: &&Vec<usize>| !set.iter().any(|each| correction.contains(each));
        if let Some(known) = self.corrections.iter().find(is_disjoint) {
            return known.clone();
        }
        let mut kept = set.to_vec();
        let mut correction = Vec::new();
        for link in (0..self.execution.links.len()).filter(|link| !set.contains(link)) {
            kept.push(link);
            if violates(self.execution, &kept) {
                kept.pop();
                correction.push(link);
            }
        }
        self.corrections.push(correction.clone());
        correction
    }
}
