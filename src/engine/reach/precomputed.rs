//! Precomputed posts: for each action, which truth values the predicates can have before and
//! after it.
//!
//! On the fly, a solver is asked about one valuation at a time, when the rules need it. The
//! other way is to let it list all combinations of truth values first, of everything that a
//! question can be about, and to look questions up. Conditions that share no variable, not even
//! by way of others, do not restrict each other, so they are listed apart.

use super::predicates::Predicates;
use super::variable_set::VariableSet;
use super::weakest_precondition::conjuncts;
use crate::action::Action;
use heddle_program::{Op, Term, TermId, Terms};
use heddle_solver::{Answer, Backend, Limits, Literal, Reason, Solver, Statistics};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Where there are more combinations than this, questions go to the solver.
const MOST_ROWS: usize = 1024;

/// What the solver was made to list so far.
pub(crate) struct Precomputation {
    solver: Box<dyn Solver>,
    tables: FxHashMap<Conditions, Option<Rc<Table>>>,
}

/// Conditions that are connected by variables.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Conditions {
    /// Parts of a guard: they hold.
    guard: Vec<TermId>,
    /// They may hold, or not.
    open: Vec<TermId>,
}

/// The truth values that open conditions can have together.
struct Table {
    /// A row is as long as there are open conditions, 64 of them a word.
    rows: Vec<Box<[u64]>>,
}

/// What can be before and after an action.
pub(crate) struct Transitions {
    /// In which table a condition is a column.
    columns: FxHashMap<TermId, (usize, Column)>,
    tables: Vec<Option<Rc<Table>>>,
}

#[derive(Clone, Copy)]
enum Column {
    /// It is part of the guard, and so is always true.
    Guard,
    Open(usize),
}

impl Precomputation {
    pub(crate) fn new(backend: Backend, limits: Limits) -> Precomputation {
        let mut solver = backend.open();
        solver.set_limits(limits);
        Precomputation {
            solver,
            tables: FxHashMap::default(),
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }

    /// Lists what the predicates can be before and after the action.
    pub(crate) fn transitions(
        &mut self,
        terms: &mut Terms,
        action: &Action,
        predicates: &Predicates,
    ) -> Result<Transitions, Reason> {
        let guard = conjuncts(terms, action.guard);
        let mut open = BTreeSet::new();
        for id in predicates.ids() {
            let now = predicates.get(id).term;
            let before = action.before(terms, now);
            let conditions = [now, before].map(|term| atom(terms, term).0);
            open.extend(conditions.into_iter().filter(|term| !guard.contains(term)));
        }
        open.retain(|&term| terms.as_constant(term).is_none());
        let mut transitions = Transitions {
            columns: FxHashMap::default(),
            tables: Vec::new(),
        };
        for conditions in connected(terms, &guard, &open) {
            let index = transitions.tables.len();
            for &term in &conditions.guard {
                transitions.columns.insert(term, (index, Column::Guard));
            }
            for (place, &term) in conditions.open.iter().enumerate() {
                let column = Column::Open(place);
                transitions.columns.insert(term, (index, column));
            }
            let table = self.table(terms, conditions)?;
            transitions.tables.push(table);
        }
        Ok(transitions)
    }

    /// `None` if there are too many rows, or the solver cannot tell.
    fn table(
        &mut self,
        terms: &Terms,
        conditions: Conditions,
    ) -> Result<Option<Rc<Table>>, Reason> {
        if let Some(known) = self.tables.get(&conditions) {
            return Ok(known.clone());
        }
        let rows = self.rows(terms, &conditions)?;
        let table = rows.map(|rows| Rc::new(Table { rows }));
        self.tables.insert(conditions, table.clone());
        Ok(table)
    }

    fn rows(
        &mut self,
        terms: &Terms,
        conditions: &Conditions,
    ) -> Result<Option<Vec<Box<[u64]>>>, Reason> {
        let solver = &mut self.solver;
        let mut literals = |conditions: &[TermId]| -> Option<Vec<Literal>> {
            let literals = conditions.iter();
            literals
                .map(|&term| solver.literal(terms, term).ok())
                .collect()
        };
        let (Some(guard), Some(open)) = (literals(&conditions.guard), literals(&conditions.open))
        else {
            return Ok(None);
        };
        // Rows that were found are excluded only as long as this one is assumed.
        let listing = solver.new_literal();
        let mut assumptions = guard;
        assumptions.push(listing);
        let mut rows = Vec::new();
        loop {
            match solver.check(&assumptions) {
                Answer::Unsat => return Ok(Some(rows)),
                Answer::Unknown(Reason::Incomplete(_)) => return Ok(None),
                Answer::Unknown(reason) => return Err(reason),
                Answer::Sat if rows.len() == MOST_ROWS => return Ok(None),
                Answer::Sat => {}
            }
            let mut row = vec![0; open.len().div_ceil(64)];
            let mut differently = vec![!listing];
            for (place, &literal) in open.iter().enumerate() {
                let holds = solver.literal_value(literal);
                row[place / 64] |= u64::from(holds) << (place % 64);
                differently.push(if holds { !literal } else { literal });
            }
            rows.push(row.into());
            solver.add_clause(&differently);
        }
    }
}

impl Transitions {
    /// Whether all conjuncts can be true together when the action is possible. `None` if that
    /// was not listed.
    pub(crate) fn consistent(&self, terms: &Terms, conjuncts: &[TermId]) -> Option<bool> {
        let mut wanted: FxHashMap<usize, Vec<(usize, bool)>> = FxHashMap::default();
        for &term in conjuncts {
            if let Some(constant) = terms.as_constant(term) {
                match constant.as_bool()? {
                    true => continue,
                    false => return Some(false),
                }
            }
            let found = self.columns.get(&term).map(|&found| (found, true));
            let ((table, column), holds) = match found {
                Some(found) => found,
                None => {
                    let (condition, holds) = atom(terms, term);
                    (*self.columns.get(&condition)?, holds)
                }
            };
            let wanted = wanted.entry(table).or_default();
            match column {
                Column::Open(place) => wanted.push((place, holds)),
                Column::Guard if holds => {}
                Column::Guard => return Some(false),
            }
        }
        let mut listed = true;
        for (table, wanted) in wanted {
            match &self.tables[table] {
                Some(table) if !table.has(&wanted) => return Some(false),
                Some(_) => {}
                None => listed = false,
            }
        }
        listed.then_some(true)
    }
}

impl Table {
    /// Whether there is a row with these truth values.
    fn has(&self, wanted: &[(usize, bool)]) -> bool {
        self.rows.iter().any(|row| {
            let mut wanted = wanted.iter();
            wanted.all(|&(place, holds)| (row[place / 64] >> (place % 64) & 1 == 1) == holds)
        })
    }
}

/// The condition without its negation, and whether the term says that it holds.
fn atom(terms: &Terms, term: TermId) -> (TermId, bool) {
    match terms.get(term) {
        Term::Apply {
            op: Op::Not,
            arguments,
        } => (arguments[0], false),
        _ => (term, true),
    }
}

/// The conditions, those that share variables together.
fn connected(terms: &Terms, guard: &[TermId], open: &BTreeSet<TermId>) -> Vec<Conditions> {
    let mut groups: Vec<(VariableSet, Conditions)> = Vec::new();
    let guard = guard.iter().map(|&term| (term, true));
    let open = open.iter().map(|&term| (term, false));
    for (term, is_guard) in guard.chain(open) {
        let mut variables = VariableSet::of(terms, term);
        let mut conditions = Conditions {
            guard: Vec::new(),
            open: Vec::new(),
        };
        match is_guard {
            true => conditions.guard.push(term),
            false => conditions.open.push(term),
        }
        let (met, apart) = groups
            .into_iter()
            .partition(|(others, _)| others.meets(&variables));
        groups = apart;
        let met: Vec<(VariableSet, Conditions)> = met;
        for (others, more) in met {
            variables.add(&others);
            conditions.guard.extend(more.guard);
            conditions.open.extend(more.open);
        }
        groups.push((variables, conditions));
    }
    let groups = groups.into_iter().map(|(_, mut conditions)| {
        conditions.guard.sort_unstable();
        conditions.open.sort_unstable();
        conditions
    });
    groups.collect()
}
