//! A rule set at work: the one interface through which engines and the command line load
//! rules, insert and retract facts, settle, query, and ask why.

use crate::backend::{Backend, SettleError};
use crate::compiled::Compiled;
use crate::constants::{Constants, Start};
use crate::facts::{Change, ChangeKind, Facts, LiteralName};
use crate::incremental::Incremental;
use crate::naive::{self, Naive};
use crate::provenance::{Explanation, Provenance, Reasons, Steps};
use crate::value::{Row, Symbols, Value};
use heddle_language::ruleset::{Conflict, RelationId, RuleSet};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Which evaluator to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendKind {
    /// Built-in rule sets only: fastest from scratch.
    Compiled,
    /// Any rule set: cheapest after small changes.
    Incremental,
    /// Any rule set: the oracle.
    Naive,
}

/// Facts, rules, and what follows from them.
///
/// Changes to the facts are collected until [`Theory::settle`]; queries answer as of the
/// last successful settle.
pub struct Theory {
    rules: Arc<RuleSet>,
    symbols: Symbols,
    facts: Facts,
    /// What the back end has not seen yet, in order; see [`net`]. `None` if it has seen
    /// nothing: then all facts are news, and loading them need not note each of them.
    pending: Option<Vec<Change>>,
    constants: Constants,
    backend: Box<dyn Backend>,
    provenance: Provenance,
    folders: Vec<PathBuf>,
}

impl Theory {
    /// `None` if the back end is [`BackendKind::Compiled`] and the rule set is not one of
    /// the built-in ones.
    pub fn new(rules: Arc<RuleSet>, kind: BackendKind) -> Option<Self> {
        Theory::with_backend(rules, |rules, symbols| {
            Some(match kind {
                BackendKind::Compiled => Box::new(Compiled::new(&rules, symbols)?),
                BackendKind::Incremental => Box::new(Incremental::new(rules, symbols)),
                BackendKind::Naive => Box::new(Naive::new(rules, symbols)),
            })
        })
    }

    /// With a back end that the caller makes, such as one of several workers.
    pub fn with_backend(
        rules: Arc<RuleSet>,
        make: impl FnOnce(Arc<RuleSet>, &mut Symbols) -> Option<Box<dyn Backend>>,
    ) -> Option<Self> {
        let Start {
            mut symbols,
            always,
            constants,
        } = Start::of(&rules);
        let facts = Facts::new(&rules, always);
        let backend = make(rules.clone(), &mut symbols)?;
        let provenance = Provenance::new(rules.clone(), &mut symbols);
        Some(Theory {
            rules,
            symbols,
            facts,
            pending: None,
            constants,
            backend,
            provenance,
            folders: Vec::new(),
        })
    }

    pub fn rules(&self) -> &Arc<RuleSet> {
        &self.rules
    }

    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    pub fn symbols_mut(&mut self) -> &mut Symbols {
        &mut self.symbols
    }

    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The folders that facts were read from: there the place of a fact can be found.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    pub(crate) fn note_folder(&mut self, folder: &Path) {
        self.folders.push(folder.to_path_buf());
    }

    /// A tuple that holds by itself.
    pub fn insert(&mut self, relation: RelationId, row: impl AsRef<[Value]>) {
        self.insert_by(relation, row, self.facts.always());
    }

    /// A tuple of a `choice` relation, that holds because `literal` is true.
    pub fn insert_by(
        &mut self,
        relation: RelationId,
        row: impl AsRef<[Value]>,
        literal: LiteralName,
    ) {
        let row = row.as_ref();
        if self.facts.insert(relation, row, literal)
            && let Some(pending) = &mut self.pending
        {
            pending.push(Change {
                relation,
                row: row.into(),
                kind: ChangeKind::Insert,
            });
        }
    }

    /// Makes room for so many more tuples of a relation.
    pub fn reserve(&mut self, relation: RelationId, additional: usize) {
        self.facts.reserve(relation, additional);
    }

    /// Takes back what [`Theory::insert`] put in; returns whether it was in.
    pub fn retract(&mut self, relation: RelationId, row: &[Value]) -> bool {
        self.retract_by(relation, row, self.facts.always())
    }

    /// Takes back what [`Theory::insert_by`] put in; returns whether it was in.
    pub fn retract_by(
        &mut self,
        relation: RelationId,
        row: &[Value],
        literal: LiteralName,
    ) -> bool {
        let known = self.facts.literals(relation, row).contains(&literal);
        if self.facts.remove(relation, row, literal)
            && let Some(pending) = &mut self.pending
        {
            pending.push(Change {
                relation,
                row: row.into(),
                kind: ChangeKind::Remove,
            });
        }
        known
    }

    /// Derives all that follows from the facts as they are.
    pub fn settle(&mut self) -> Result<(), SettleError> {
        let mut changes = match self.pending.take() {
            Some(changes) => changes,
            None => self.all_facts(),
        };
        net(&mut changes);
        let result = self.backend.settle(&self.facts, &changes);
        if result.is_ok() {
            changes.clear();
        }
        self.pending = Some(changes);
        result
    }

    fn all_facts(&self) -> Vec<Change> {
        let relations = self.rules.relation_ids();
        let facts = relations.flat_map(|id| self.facts.rows(id).map(move |row| (id, row)));
        facts
            .map(|(relation, row)| Change {
                relation,
                row: row.into(),
                kind: ChangeKind::Insert,
            })
            .collect()
    }

    /// Settles, and returns how the given relations changed, sorted.
    pub fn settle_with_changes(
        &mut self,
        relations: &[RelationId],
    ) -> Result<Vec<Change>, SettleError> {
        let before: Vec<BTreeSet<Row>> = if self.backend.knows_changes() {
            Vec::new()
        } else {
            relations.iter().map(|&id| self.row_set(id)).collect()
        };
        self.settle()?;
        let mut changes = if self.backend.knows_changes() {
            self.backend.changes(relations)
        } else {
            relations
                .iter()
                .zip(&before)
                .flat_map(|(&id, before)| differences(id, before, &self.row_set(id)))
                .collect()
        };
        changes.sort();
        Ok(changes)
    }

    fn row_set(&self, relation: RelationId) -> BTreeSet<Row> {
        self.backend.rows(relation).into_iter().collect()
    }

    /// The conflicts that hold: what must never be the case, and is.
    pub fn violated_conflicts(&self) -> Vec<&Conflict> {
        let positions = self.backend.violated_conflicts().unwrap_or_else(|| {
            let model: Vec<BTreeSet<Row>> = self
                .rules
                .relation_ids()
                .map(|id| self.row_set(id))
                .collect();
            naive::violated_conflicts(&self.rules, &self.constants, &model)
        });
        let conflicts = positions.into_iter();
        conflicts
            .map(|index| &self.rules.conflicts[index])
            .collect()
    }

    /// Why a tuple follows from the facts, by a proof of least height, or why it does not.
    pub fn explain(
        &mut self,
        relation: RelationId,
        row: &[Value],
    ) -> Result<Explanation, SettleError> {
        self.provenance
            .explain(&self.symbols, &self.facts, relation, row)
    }

    /// [`Theory::explain`] for many tuples of one relation, at the price of little more than
    /// one.
    pub fn explain_all(
        &mut self,
        relation: RelationId,
        rows: &[Row],
    ) -> Result<Vec<Explanation>, SettleError> {
        self.provenance
            .explain_all(&self.symbols, &self.facts, relation, rows)
    }

    /// The kernel reasons of all conflicts that the facts violate, the shortest first, at
    /// most `limit`.
    pub fn reasons(&mut self, limit: usize) -> Result<Reasons, SettleError> {
        self.provenance.reasons(&self.symbols, &self.facts, limit)
    }

    /// [`Theory::reasons`] for a solver that waits: more often, shorter ones than those listed are
    /// missing, or there are fewer than could be found.
    pub fn quick_reasons(&mut self, limit: usize) -> Result<Reasons, SettleError> {
        self.provenance
            .quick_reasons(&self.symbols, &self.facts, limit)
    }

    /// From then on, searches for reasons end with what they have found, or, if they could not
    /// even begin, with [`SettleError::Stopped`]. So does [`Theory::settle`] by the compiled back
    /// end; the others derive all that follows, however long it takes.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.backend.set_deadline(deadline);
        self.provenance.set_deadline(deadline);
    }

    /// Violated conflicts, `limit` of them or more, cut into steps: each order that takes
    /// part, and what it rests on.
    pub fn conflict_steps(&mut self, limit: usize) -> Result<Steps, SettleError> {
        self.provenance
            .conflict_steps(&self.symbols, &self.facts, limit)
    }

    /// All kernel reasons of at most `size` literals, but at most `limit` of them; if the deadline
    /// came before all were found, their coverage says so. The facts may be all candidates of all choices at
    /// once: two literals of one of the `exclusive` groups are known never to go together, so no
    /// reason has both.
    pub fn lemmas(
        &mut self,
        size: usize,
        limit: usize,
        exclusive: &[Vec<LiteralName>],
    ) -> Result<Reasons, SettleError> {
        self.provenance
            .lemmas(&self.symbols, &self.facts, size, limit, exclusive)
    }

    /// All tuples of a relation, in no particular order.
    pub fn rows(&self, relation: RelationId) -> Vec<Row> {
        self.backend.rows(relation)
    }

    pub fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        self.backend.contains(relation, row)
    }
}

/// A rule set that heddle was built with: `rules/NAME.dl`.
pub fn built_in(name: &str) -> Option<Arc<RuleSet>> {
    let built_in = crate::compiled::built_in()
        .iter()
        .find(|built_in| built_in.name == name)?;
    let loaded = heddle_language::load_text(name, built_in.text);
    Some(Arc::new(
        loaded.expect("it was checked when heddle was built").rules,
    ))
}

/// Drops the changes that later ones undo: what is left names each tuple at most once.
fn net(changes: &mut Vec<Change>) {
    // Only a tuple that went can come twice.
    if changes
        .iter()
        .all(|change| change.kind == ChangeKind::Insert)
    {
        return;
    }
    let mut last: FxHashMap<(RelationId, Row), ChangeKind> = FxHashMap::default();
    for change in changes.drain(..) {
        let key = (change.relation, change.row);
        if last.remove(&key).is_none() {
            last.insert(key, change.kind);
        }
    }
    changes.extend(last.into_iter().map(|((relation, row), kind)| Change {
        relation,
        row,
        kind,
    }));
}

fn differences(relation: RelationId, before: &BTreeSet<Row>, after: &BTreeSet<Row>) -> Vec<Change> {
    let change = |row: &Row, kind| Change {
        relation,
        row: row.clone(),
        kind,
    };
    let gone = before.difference(after);
    let come = after.difference(before);
    gone.map(|row| change(row, ChangeKind::Remove))
        .chain(come.map(|row| change(row, ChangeKind::Insert)))
        .collect()
}
