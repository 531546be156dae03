//! Which name means what where (C11 6.2.1).

use super::super::typed::{FunctionId, VariableId};
use super::super::types::{Qualified, RecordId, Type};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Typedef(Qualified),
    Variable(VariableId),
    Function(FunctionId),
    Enumerator(i128, Type),
}

#[derive(Clone, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(Type),
}

#[derive(Default)]
struct Scope {
    symbols: HashMap<String, Symbol>,
    tags: HashMap<String, Tag>,
}

/// The file scope and the blocks inside it.
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        Scopes {
            stack: vec![Scope::default()],
        }
    }

    pub(super) fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(super) fn leave(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    pub(super) fn is_file_scope(&self) -> bool {
        self.stack.len() == 1
    }

    /// Leaves all blocks, as after a function that could not be elaborated to its end.
    pub(super) fn leave_all(&mut self) {
        self.stack.truncate(1);
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Symbol> {
        self.stack
            .iter()
            .rev()
            .find_map(|scope| scope.symbols.get(name))
    }

    /// What the name means because of a declaration in the innermost block.
    pub(super) fn lookup_here(&self, name: &str) -> Option<&Symbol> {
        self.stack.last().and_then(|scope| scope.symbols.get(name))
    }

    pub(super) fn declare(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.stack.last_mut() {
            scope.symbols.insert(name.to_owned(), symbol);
        }
    }

    pub(super) fn declare_at_file_scope(&mut self, name: &str, symbol: Symbol) {
        self.stack[0].symbols.insert(name.to_owned(), symbol);
    }

    pub(super) fn lookup_tag(&self, name: &str) -> Option<&Tag> {
        self.stack
            .iter()
            .rev()
            .find_map(|scope| scope.tags.get(name))
    }

    pub(super) fn lookup_tag_here(&self, name: &str) -> Option<&Tag> {
        self.stack.last().and_then(|scope| scope.tags.get(name))
    }

    pub(super) fn declare_tag(&mut self, name: &str, tag: Tag) {
        if let Some(scope) = self.stack.last_mut() {
            scope.tags.insert(name.to_owned(), tag);
        }
    }
}
