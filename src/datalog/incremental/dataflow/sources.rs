//! What plans draw on: sources as collections, and as arrangements that rules share.

use super::super::Pairs;
use super::super::plan::{Arranging, CandidateSet, Source};
use super::super::running_maximum::running_maximum;
use super::super::time::{Epoch, Round, Rounds};
use super::super::tuple::Tuple;
use super::arrangement::Arrangement;
use super::clocks;
use super::render;
use heddle_language::ruleset::RelationId;
use rustc_hash::FxHashMap;
use timely::dataflow::Scope;

/// The sources as a scope sees them.
pub(super) trait Sources<'scope, T: Rounds> {
    /// The tuples of a source. A tuple may come in two parts, a key and a value.
    fn pairs(&mut self, source: Source) -> Pairs<'scope, T>;

    fn arrangement(&mut self, arranging: &Arranging) -> Arrangement<'scope, T>;

    /// The keys of an arrangement, each once, with empty values.
    fn presence(&mut self, arranging: &Arranging) -> Arrangement<'scope, T>;

    /// Candidates by kind, chain and what they depend on, as sorted lists.
    fn candidates(&mut self, set: &CandidateSet) -> Arrangement<'scope, T>;
}

/// Sources that are collections of this scope.
struct Own<'scope, T: Rounds> {
    pairs: FxHashMap<Source, Pairs<'scope, T>>,
    arrangements: FxHashMap<Arranging, Arrangement<'scope, T>>,
    presences: FxHashMap<Arranging, Arrangement<'scope, T>>,
}

impl<T: Rounds> Default for Own<'_, T> {
    fn default() -> Self {
        Own {
            pairs: FxHashMap::default(),
            arrangements: FxHashMap::default(),
            presences: FxHashMap::default(),
        }
    }
}

impl<'scope, T: Rounds> Own<'scope, T> {
    fn arrangement(&mut self, arranging: &Arranging) -> Arrangement<'scope, T> {
        let pairs = &self.pairs[&arranging.source];
        let make = || Arrangement::of(by_columns(pairs.clone(), arranging), &name(arranging));
        self.arrangements
            .entry(arranging.clone())
            .or_insert_with(make)
            .clone()
    }

    fn presence(&mut self, arranging: &Arranging) -> Arrangement<'scope, T> {
        let pairs = &self.pairs[&arranging.source];
        let make = || {
            let name = name(arranging);
            let keys = by_columns(pairs.clone(), arranging).map(|(key, _)| (key, Tuple::EMPTY));
            Arrangement::of(running_maximum(keys, &name), &name)
        };
        self.presences
            .entry(arranging.clone())
            .or_insert_with(make)
            .clone()
    }
}

/// Splits tuples into the key columns and the others.
fn by_columns<'scope, T: Rounds>(
    pairs: Pairs<'scope, T>,
    arranging: &Arranging,
) -> Pairs<'scope, T> {
    let key = arranging.key.clone();
    pairs.map(move |(first, second)| {
        let width = first.len();
        let get = |column: usize| match column.checked_sub(width) {
            None => first.get(column),
            Some(column) => second.get(column),
        };
        let mut others = [0_usize; 8];
        let mut more = Vec::new();
        let mut count = 0;
        for column in (0..width + second.len()).filter(|column| !key.contains(column)) {
            match others.get_mut(count) {
                Some(other) => *other = column,
                None => more.push(column),
            }
            count += 1;
        }
        let other = |i: usize| {
            others
                .get(i)
                .copied()
                .unwrap_or_else(|| more[i - others.len()])
        };
        (
            Tuple::build(key.len(), |i| get(key[i])),
            Tuple::build(count, |i| get(other(i))),
        )
    })
}

fn name(arranging: &Arranging) -> String {
    format!("{:?} by {:?}", arranging.source, arranging.key)
}

/// The sources of the outermost scope.
pub(super) struct OuterSources<'scope> {
    pub(super) scope: Scope<'scope, Epoch>,
    arities: Vec<usize>,
    own: Own<'scope, Epoch>,
    candidates: FxHashMap<CandidateSet, Arrangement<'scope, Epoch>>,
}

impl<'scope> OuterSources<'scope> {
    pub(super) fn new(scope: Scope<'scope, Epoch>, arities: Vec<usize>) -> Self {
        OuterSources {
            scope,
            arities,
            own: Own::default(),
            candidates: FxHashMap::default(),
        }
    }

    pub(super) fn insert(&mut self, source: Source, pairs: Pairs<'scope, Epoch>) {
        self.own.pairs.insert(source, pairs);
    }

    /// Makes what few rules ask for when the first one does.
    fn make(&mut self, source: Source) {
        if self.own.pairs.contains_key(&source) {
            return;
        }
        match source {
            Source::Reach(order) => {
                let clocks = self.own.pairs[&Source::Clocks(order)].clone();
                self.insert(source, clocks::reach(clocks));
            }
            Source::Placed {
                relation,
                column,
                order,
            } => {
                let placed = clocks::placed(self, relation, column, order);
                self.insert(source, placed);
            }
            _ => {}
        }
    }

    pub(super) fn arity(&self, relation: RelationId) -> usize {
        self.arities[relation.index()]
    }
}

impl<'scope> Sources<'scope, Epoch> for OuterSources<'scope> {
    fn pairs(&mut self, source: Source) -> Pairs<'scope, Epoch> {
        self.make(source);
        self.own.pairs[&source].clone()
    }

    fn arrangement(&mut self, arranging: &Arranging) -> Arrangement<'scope, Epoch> {
        self.make(arranging.source);
        self.own.arrangement(arranging)
    }

    fn presence(&mut self, arranging: &Arranging) -> Arrangement<'scope, Epoch> {
        self.make(arranging.source);
        self.own.presence(arranging)
    }

    fn candidates(&mut self, set: &CandidateSet) -> Arrangement<'scope, Epoch> {
        if let Some(known) = self.candidates.get(set) {
            return known.clone();
        }
        let members = render::whole(self, &set.plan(), None);
        let lists = clocks::candidate_lists(members);
        self.candidates.insert(set.clone(), lists.clone());
        lists
    }
}

/// The sources of a recursive stratum: its own relations, and those of the scope around it.
pub(super) struct InnerSources<'scope, 'a, 'outer> {
    pub(super) scope: Scope<'scope, Round>,
    own: Own<'scope, Round>,
    imported: FxHashMap<Arranging, Arrangement<'scope, Round>>,
    imported_presences: FxHashMap<Arranging, Arrangement<'scope, Round>>,
    imported_candidates: FxHashMap<CandidateSet, Arrangement<'scope, Round>>,
    pub(super) outer: &'a mut OuterSources<'outer>,
}

impl<'scope, 'a, 'outer> InnerSources<'scope, 'a, 'outer> {
    pub(super) fn new(scope: Scope<'scope, Round>, outer: &'a mut OuterSources<'outer>) -> Self {
        InnerSources {
            scope,
            own: Own::default(),
            imported: FxHashMap::default(),
            imported_presences: FxHashMap::default(),
            imported_candidates: FxHashMap::default(),
            outer,
        }
    }

    pub(super) fn insert(&mut self, source: Source, pairs: Pairs<'scope, Round>) {
        self.own.pairs.insert(source, pairs);
    }
}

impl<'scope> Sources<'scope, Round> for InnerSources<'scope, '_, '_> {
    fn pairs(&mut self, source: Source) -> Pairs<'scope, Round> {
        match self.own.pairs.get(&source) {
            Some(pairs) => pairs.clone(),
            None => self.outer.pairs(source).enter(self.scope),
        }
    }

    fn arrangement(&mut self, arranging: &Arranging) -> Arrangement<'scope, Round> {
        if self.own.pairs.contains_key(&arranging.source) {
            return self.own.arrangement(arranging);
        }
        let import = || self.outer.arrangement(arranging).enter(self.scope);
        self.imported
            .entry(arranging.clone())
            .or_insert_with(import)
            .clone()
    }

    fn presence(&mut self, arranging: &Arranging) -> Arrangement<'scope, Round> {
        if self.own.pairs.contains_key(&arranging.source) {
            return self.own.presence(arranging);
        }
        let import = || self.outer.presence(arranging).enter(self.scope);
        self.imported_presences
            .entry(arranging.clone())
            .or_insert_with(import)
            .clone()
    }

    fn candidates(&mut self, set: &CandidateSet) -> Arrangement<'scope, Round> {
        let import = || self.outer.candidates(set).enter(self.scope);
        self.imported_candidates
            .entry(set.clone())
            .or_insert_with(import)
            .clone()
    }
}
