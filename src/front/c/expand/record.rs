//! Structures and unions as values: copied part by part.

use super::super::ir::{Access, Action, Initial, InitialValue, ObjectId, Value};
use super::super::layout::{self, Cell};
use super::super::typed::{Expr, ExprKind, Initializer, LocalId};
use super::super::types::Type;
use super::super::visit;
use super::place::Place;
use super::{Expander, Slot, call::CallResult};

/// The parts of a structure and their values.
pub(super) type Cells = Vec<(Cell, Value)>;

impl Expander<'_> {
    /// The value of an expression of structure type; `None` where no execution gets.
    pub(super) fn record(&mut self, expr: &Expr) -> Option<Cells> {
        if self.dead {
            return None;
        }
        let outer = std::mem::replace(&mut self.span, expr.span);
        let cells = self.evaluate_record(expr);
        self.span = outer;
        cells
    }

    fn evaluate_record(&mut self, expr: &Expr) -> Option<Cells> {
        match &expr.kind {
            ExprKind::Load(lvalue) => match self.place(lvalue) {
                Place::Memory(access) => self.load_record(&access),
                _ => None,
            },
            ExprKind::Assign(target, value) => {
                let place = self.place(target);
                let cells = self.record(value)?;
                if let Place::Memory(access) = place {
                    self.store_record(&access, cells.clone());
                }
                Some(cells)
            }
            ExprKind::Call(callee, arguments) => match self.call(callee, arguments, expr) {
                CallResult::Record(object) => {
                    let access = self.object_access(object, expr.ty.clone());
                    self.load_record(&access)
                }
                _ => {
                    if !self.dead {
                        self.unsupported(expr.span, "a structure as the result of this function");
                    }
                    None
                }
            },
            ExprKind::Comma(a, b) => {
                self.effects(a);
                self.record(b)
            }
            ExprKind::Statements(statement, last) => {
                self.statement(statement);
                self.record(last.as_ref()?)
            }
            ExprKind::Conditional(condition, Some(then), otherwise) => {
                let object = self.local_object("choice", &expr.ty, expr.span);
                let access = self.object_access(object, expr.ty.clone());
                let (yes, no, end) = (self.node(), self.node(), self.node());
                self.branch(condition, yes, no);
                let before = self.before();
                self.continue_at(yes);
                if let Some(cells) = self.record(then) {
                    self.store_record(&access, cells);
                }
                let second = access.clone();
                self.join_branch(end, before, no, |this| {
                    if let Some(cells) = this.record(otherwise) {
                        this.store_record(&second, cells);
                    }
                });
                self.load_record(&access)
            }
            _ => {
                self.unsupported(expr.span, "this expression of structure type");
                None
            }
        }
    }

    fn cells_of(&mut self, ty: &Type) -> Option<Vec<Cell>> {
        let cells = layout::cells(&self.program.types, ty);
        if cells.is_none() {
            self.unsupported(self.span, "copying a structure of this size or type");
        }
        cells
    }

    pub(super) fn cell_access(&self, access: &Access, cell: &Cell) -> Access {
        let bytes = i64::try_from(cell.offset / 8).unwrap_or(0);
        Access {
            pointer: access.pointer.clone().moved(bytes),
            bits: cell.bits.map(|width| (cell.offset % 8, width)),
            ty: cell.ty.clone(),
        }
    }

    pub(super) fn load_record(&mut self, access: &Access) -> Option<Cells> {
        let cells = self.cells_of(&access.ty)?;
        let mut values = Vec::new();
        for cell in cells {
            let part = self.cell_access(access, &cell);
            let value = self.load(part);
            values.push((cell, value));
        }
        Some(values)
    }

    pub(super) fn store_record(&mut self, access: &Access, cells: Cells) {
        for (cell, value) in cells {
            let part = self.cell_access(access, &cell);
            self.store(part, value);
        }
    }

    /// Any contents.
    pub(super) fn havoc_record(&mut self, access: &Access) {
        let Some(cells) = self.cells_of(&access.ty) else {
            return;
        };
        for cell in cells {
            let part = self.cell_access(access, &cell);
            self.note_store(&part, None);
            self.emit(Action::StoreAny(part));
        }
    }

    /// An object for a local variable that must have an address.
    pub(super) fn declare_object(&mut self, local: LocalId) -> ObjectId {
        let (name, ty, span, private) = self.local_info(local);
        let object = self.local_object(&name, &ty, span);
        if private {
            self.mark_private(object, &ty);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.slots[local.index()] = Slot::Object(object);
        }
        object
    }

    /// Gives an object its initial contents.
    pub(super) fn initialize(&mut self, object: ObjectId, ty: &Type, initializer: &Initializer) {
        if self.dead {
            return;
        }
        // Evaluate everything first: an initialiser may read what it initialises.
        let mut items = Vec::new();
        let keep = initializer.items.len() > 1
            && (initializer.items.iter()).any(|item| !visit::has_no_effect(&item.value));
        for item in &initializer.items {
            if matches!(item.value.ty, Type::Record(_)) {
                for (cell, value) in self.record(&item.value).unwrap_or_default() {
                    let offset = item.offset + cell.offset;
                    items.push((Cell { offset, ..cell }, value));
                }
            } else {
                let target = self.initialized_type(ty, item.offset, &item.value.ty);
                let value = self.value(&item.value);
                let value = match keep {
                    true => self.kept(value, &item.value.ty),
                    false => value,
                };
                let value = self.opaque_value(&target, value);
                let cell = Cell {
                    offset: item.offset,
                    ty: target,
                    bits: item.bits,
                };
                items.push((cell, value));
            }
        }
        let access = self.object_access(object, ty.clone());
        let constant = items
            .iter()
            .all(|(_, value)| self.terms.as_constant(value.term).is_some());
        if constant && self.loops == 0 && initializer.zero_rest {
            // It happens once, before anybody knows the object.
            let values = items
                .iter()
                .map(|(cell, value)| InitialValue {
                    offset: cell.offset,
                    bits: cell.bits,
                    ty: cell.ty.clone(),
                    value: value.clone(),
                })
                .collect();
            self.objects[object.index()].initial = Initial::Values(values);
            for (cell, value) in &items {
                let part = self.cell_access(&access, cell);
                self.note_store(&part, Some(value));
            }
            return;
        }
        if initializer.zero_rest {
            self.known.forget_object(object);
            self.emit(Action::Fill { object, zero: true });
        }
        self.store_record(&access, items);
    }
}
