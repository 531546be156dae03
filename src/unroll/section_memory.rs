//! Shared memory as an atomic section sees it.
//!
//! Nobody else takes a step before the section ends, so a cell that was read keeps its value
//! until the section itself writes it, and of several writes only the last one counts. A
//! section therefore reads each cell once, and writes each cell once, when it ends.

use crate::event_graph::{CellId, EventKind};
use crate::state::State;
use crate::unroller::Unroller;
use heddle_program::{TermId, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub(crate) struct Section(Rc<BTreeMap<CellId, Known>>);

/// What is known of a cell on all paths to here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    /// What the cell holds, if that was read or written on every path.
    value: Option<TermId>,
    written: Option<Written>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    /// Where the section has written the cell.
    condition: TermId,
    value: TermId,
}

impl Section {
    fn known(&self, cell: CellId) -> Known {
        self.0.get(&cell).copied().unwrap_or(Known {
            value: None,
            written: None,
        })
    }

    fn set(&mut self, cell: CellId, known: Known) {
        Rc::make_mut(&mut self.0).insert(cell, known);
    }

    /// What is known by whoever comes by one path, where `this_way` holds, or by the other.
    pub(crate) fn meet(self, other: Section, this_way: TermId, terms: &mut Terms) -> Section {
        if Rc::ptr_eq(&self.0, &other.0) {
            return self;
        }
        let mut choose = |a: TermId, b: TermId| if a == b { a } else { terms.ite(this_way, a, b) };
        let mut met: Vec<(CellId, Known, Known)> = Vec::new();
        for (&cell, &known) in self.0.iter() {
            met.push((cell, known, other.known(cell)));
        }
        for (&cell, &known) in other.0.iter() {
            if !self.0.contains_key(&cell) {
                met.push((cell, self.known(cell), known));
            }
        }
        let mut values = Vec::with_capacity(met.len());
        for &(_, a, b) in &met {
            values.push(a.value.zip(b.value).map(|(a, b)| choose(a, b)));
        }
        let mut result = BTreeMap::new();
        for ((cell, a, b), value) in met.into_iter().zip(values) {
            let written = match (a.written, b.written) {
                (None, None) => None,
                (a, b) => {
                    let never = terms.bool(false);
                    let condition = |written: Option<Written>| match written {
                        Some(written) => written.condition,
                        None => never,
                    };
                    // Where it was not written, what would have been written is of no interest.
                    let some = a.or(b).expect("one of them wrote");
                    let values = [a.unwrap_or(some).value, b.unwrap_or(some).value];
                    Some(Written {
                        condition: terms.ite(this_way, condition(a), condition(b)),
                        value: terms.ite(this_way, values[0], values[1]),
                    })
                }
            };
            result.insert(cell, Known { value, written });
        }
        Section(Rc::new(result))
    }
}

impl Unroller<'_> {
    /// What the cell holds, where the condition holds as well.
    pub(crate) fn read_in_section(
        &mut self,
        cell: CellId,
        condition: TermId,
        state: &mut State,
    ) -> TermId {
        let section = state.section.as_ref().expect("inside of a section");
        let known = section.known(cell);
        if let Some(value) = known.value {
            return value;
        }
        let value = match known.written {
            None => self.read_event(cell, condition, state),
            Some(written) => {
                let kept = self.graph.terms.not(written.condition);
                let outside = self.graph.terms.and(&[condition, kept]);
                let value = self.read_event(cell, outside, state);
                self.graph
                    .terms
                    .ite(written.condition, written.value, value)
            }
        };
        if self.graph.terms.is_true(condition) {
            let known = Known {
                value: Some(value),
                ..known
            };
            state.section.get_or_insert_default().set(cell, known);
        }
        value
    }

    /// Writes the cell where the condition holds as well.
    pub(crate) fn write_in_section(
        &mut self,
        cell: CellId,
        value: TermId,
        condition: TermId,
        state: &mut State,
    ) {
        let section = state.section.get_or_insert_default();
        let before = section.known(cell);
        let terms = &mut self.graph.terms;
        let known = if terms.is_true(condition) {
            Known {
                value: Some(value),
                written: Some(Written { condition, value }),
            }
        } else {
            Known {
                value: before.value.map(|old| terms.ite(condition, value, old)),
                written: Some(match before.written {
                    None => Written { condition, value },
                    Some(old) => Written {
                        condition: terms.or(&[condition, old.condition]),
                        value: terms.ite(condition, value, old.value),
                    },
                }),
            }
        };
        section.set(cell, known);
    }

    /// The section ends: what it has written becomes visible.
    pub(crate) fn leave_section(&mut self, state: &mut State) {
        let section = state.section.take().unwrap_or_default();
        for (&cell, known) in section.0.iter() {
            if let Some(Written { condition, value }) = known.written {
                let guard = self.guard_with(state, condition);
                if !self.graph.terms.is_false(guard) {
                    self.event(EventKind::Write { cell, value }, guard, state.block);
                }
            }
        }
    }
}
