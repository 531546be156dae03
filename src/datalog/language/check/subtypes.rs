//! The declared types: a forest whose roots are `symbol` and `number`.

use crate::ruleset::{Type, ValueKind};
use crate::suggest::closest;
use crate::syntax::{Item, Name, TypeDeclaration};
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

/// Position in [`Types::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(usize);

impl TypeId {
    pub(crate) const SYMBOL: TypeId = TypeId(0);
    pub(crate) const NUMBER: TypeId = TypeId(1);
}

#[derive(Debug)]
struct TypeNode {
    name: String,
    parent: Option<TypeId>,
    kind: ValueKind,
    depth: u32,
}

#[derive(Debug)]
pub(crate) struct Types {
    types: Vec<TypeNode>,
    by_name: HashMap<String, TypeId>,
    /// Declared, but not readable; reported already.
    broken: HashSet<String>,
}

impl Types {
    pub(crate) fn collect(items: &[Item], diagnostics: &mut Vec<Diagnostic>) -> Types {
        let mut types = Types {
            types: Vec::new(),
            by_name: HashMap::new(),
            broken: HashSet::new(),
        };
        types.add("symbol", None, ValueKind::Symbol);
        types.add("number", None, ValueKind::Number);
        for item in items {
            if let Item::BrokenType(name) = item {
                types.broken.insert(name.text.clone());
            }
        }
        let declared = types.distinct(items, diagnostics);
        types.place_below_parents(declared, diagnostics);
        types
    }

    fn add(&mut self, name: &str, parent: Option<TypeId>, kind: ValueKind) {
        let depth = parent.map_or(0, |parent| self.types[parent.0].depth + 1);
        self.by_name
            .insert(name.to_string(), TypeId(self.types.len()));
        self.types.push(TypeNode {
            name: name.to_string(),
            parent,
            kind,
            depth,
        });
    }

    /// The declarations without repetitions. Two files may declare the same type, if they
    /// agree on it.
    fn distinct<'a>(
        &mut self,
        items: &'a [Item],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<&'a TypeDeclaration> {
        let mut first: HashMap<&str, &TypeDeclaration> = HashMap::new();
        let mut declared = Vec::new();
        for item in items {
            let Item::Type(declaration) = item else {
                continue;
            };
            let name = declaration.name.text.as_str();
            if self.by_name.contains_key(name) {
                diagnostics.push(Diagnostic::error(
                    declaration.name.span,
                    format!("the type `{name}` is built in"),
                ));
                continue;
            }
            match first.get(name) {
                None => {
                    first.insert(name, declaration);
                    declared.push(declaration);
                }
                Some(other)
                    if other.name.span.source != declaration.name.span.source
                        && other.parent.text == declaration.parent.text => {}
                Some(other) => {
                    diagnostics.push(declared_twice("type", &declaration.name, other.name.span))
                }
            }
        }
        declared
    }

    /// Adds every type after its parent, in source order otherwise.
    fn place_below_parents(
        &mut self,
        mut declared: Vec<&TypeDeclaration>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let names: HashSet<&str> = declared.iter().map(|d| d.name.text.as_str()).collect();
        declared.retain(|declaration| {
            let parent = &declaration.parent;
            let known =
                self.by_name.contains_key(&parent.text) || names.contains(parent.text.as_str());
            if !known {
                self.broken.insert(declaration.name.text.clone());
                if !self.broken.contains(&parent.text) {
                    let candidates = names.iter().copied().chain(["symbol", "number"]);
                    diagnostics.push(unknown_type(parent, candidates));
                }
            }
            known
        });
        let mut below: HashMap<&str, Vec<&TypeDeclaration>> = HashMap::new();
        for declaration in &declared {
            below
                .entry(&declaration.parent.text)
                .or_default()
                .push(declaration);
        }
        let mut parents: Vec<TypeId> = vec![TypeId::NUMBER, TypeId::SYMBOL];
        while let Some(parent) = parents.pop() {
            let parent_name = self.types[parent.0].name.clone();
            for declaration in below.remove(parent_name.as_str()).unwrap_or_default() {
                let kind = self.types[parent.0].kind;
                self.add(&declaration.name.text, Some(parent), kind);
                parents.push(self.by_name[&declaration.name.text]);
            }
        }
        declared.retain(|declaration| !self.by_name.contains_key(&declaration.name.text));
        self.report_cycles(&declared, diagnostics);
        let left = declared.iter().map(|d| d.name.text.clone());
        self.broken.extend(left);
    }

    /// Reports each cycle among the declarations that do not come from a built-in type.
    fn report_cycles(&self, left: &[&TypeDeclaration], diagnostics: &mut Vec<Diagnostic>) {
        let by_name: HashMap<&str, &TypeDeclaration> =
            left.iter().map(|d| (d.name.text.as_str(), *d)).collect();
        // On which walk upwards each type was met first.
        let mut met: HashMap<&str, usize> = HashMap::new();
        for (walk, start) in left.iter().enumerate() {
            let mut at = Some(start);
            while let Some(declaration) = at {
                let name = declaration.name.text.as_str();
                match met.insert(name, walk) {
                    None => at = by_name.get(declaration.parent.text.as_str()),
                    Some(earlier) => {
                        if earlier == walk {
                            diagnostics.push(
                                Diagnostic::error(
                                    declaration.name.span,
                                    format!("the type `{name}` is a subtype of itself"),
                                )
                                .hint("every type comes from `symbol` or `number` in the end"),
                            );
                        }
                        at = None;
                    }
                }
            }
        }
    }

    /// The type of a column; `None` if it is unknown, which is reported once.
    pub(crate) fn resolve(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> Option<TypeId> {
        let found = self.by_name.get(&name.text).copied();
        if found.is_none() && !self.broken.contains(&name.text) {
            let candidates = self.types.iter().map(|node| node.name.as_str());
            diagnostics.push(unknown_type(name, candidates));
        }
        found
    }

    pub(crate) fn name(&self, id: TypeId) -> &str {
        &self.types[id.0].name
    }

    pub(crate) fn kind(&self, id: TypeId) -> ValueKind {
        self.types[id.0].kind
    }

    /// Whether every value of `sub` is one of `super_`.
    fn is_subtype(&self, mut sub: TypeId, super_: TypeId) -> bool {
        let depth = self.types[super_.0].depth;
        while self.types[sub.0].depth > depth {
            match self.types[sub.0].parent {
                Some(parent) => sub = parent,
                None => break,
            }
        }
        sub == super_
    }

    /// The narrower of two types, if one is a subtype of the other.
    pub(crate) fn common(&self, left: TypeId, right: TypeId) -> Option<TypeId> {
        if self.is_subtype(left, right) {
            Some(left)
        } else if self.is_subtype(right, left) {
            Some(right)
        } else {
            None
        }
    }

    /// The declared types, each after its parent.
    pub(crate) fn declared(&self) -> Vec<Type> {
        self.types
            .iter()
            .filter_map(|node| {
                Some(Type {
                    name: node.name.clone(),
                    parent: self.types[node.parent?.0].name.clone(),
                    kind: node.kind,
                })
            })
            .collect()
    }
}

/// A second declaration that is not the same in another file.
pub(crate) fn declared_twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    let error = Diagnostic::error(
        name.span,
        format!("the {what} `{}` is declared twice", name.text),
    )
    .related(first, "the first declaration");
    match name.span.source == first.source {
        true => error,
        false => error.hint(format!(
            "two files may declare the same {what}, if they say the same of it"
        )),
    }
}

fn unknown_type<'a>(name: &Name, candidates: impl Iterator<Item = &'a str>) -> Diagnostic {
    let error = Diagnostic::error(name.span, format!("unknown type `{}`", name.text));
    match name.text.as_str() {
        "unsigned" | "float" | "int" | "integer" | "string" | "bool" => {
            error.hint("the built-in types are `symbol` and `number`")
        }
        text => match closest(text, candidates) {
            Some(similar) => error.hint(format!("did you mean `{similar}`?")),
            None => error.hint(format!("declare it: `.type {text} <: symbol`")),
        },
    }
}
