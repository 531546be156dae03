//! The order in which relations can be derived, if there is one.
//!
//! Mutually dependent relations form a stratum (Tarjan's strongly connected components,
//! which come out with the lowest first). Whatever is negated or aggregated must be
//! complete before it is used, so it must lie in a lower stratum; likewise the `event`
//! and `executed` relations of an `order`.

use super::MAX_DIAGNOSTICS;
use super::clause::Use;
use super::dependencies::{Dependencies, Dependency, How};
use super::names::Relations;
use crate::ruleset::RelationId;
use heddle_diagnostics::Diagnostic;

/// The strata, lowest first.
pub(crate) fn strata(
    relations: &Relations,
    dependencies: &Dependencies,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Vec<RelationId>> {
    let components = components(relations, dependencies);
    let mut stratum_of = vec![0; relations.relations.len()];
    for (number, component) in components.iter().enumerate() {
        for relation in component {
            stratum_of[relation.index()] = number;
        }
    }
    let same =
        |left: RelationId, right: RelationId| stratum_of[left.index()] == stratum_of[right.index()];

    let mut shown: Vec<Dependency> = Vec::new();
    for dependency in dependencies.all() {
        let Dependency { from, to, how, .. } = *dependency;
        let is_shown = shown
            .iter()
            .any(|other| other.how == how && other.from == from && other.to == to);
        if !how.is_strict() || !same(from, to) || is_shown {
            continue;
        }
        if diagnostics.len() >= MAX_DIAGNOSTICS {
            break;
        }
        let back = dependencies.path(to, |relation| relation == from, |other| same(other, from));
        let mut cycle = vec![*dependency];
        cycle.extend(back.unwrap_or_default());
        diagnostics.push(describe(relations, &cycle));
        shown.extend(cycle);
    }
    components
}

/// How much of a long cycle or path is spelled out.
pub(crate) const MAX_SHOWN: usize = 10;

fn describe(relations: &Relations, cycle: &[Dependency]) -> Diagnostic {
    let name = |relation: RelationId| relations.get(relation).name.as_str();
    let first = cycle[0];
    let shown = &cycle[..cycle.len().min(MAX_SHOWN)];
    let mut text = name(first.from).to_string();
    for dependency in shown {
        text += " -> ";
        text += &used(name(dependency.to), dependency.how);
    }
    if shown.len() < cycle.len() {
        text += " -> … -> ";
        text += name(first.from);
    }
    let (what, hint) = match first.how {
        How::Rule(Use::Aggregated(_)) => (
            "an aggregate",
            "an aggregate is computed once its relations are complete",
        ),
        How::Rule(_) => ("a negation", "a relation is negated once it is complete"),
        How::Event | How::Executed => (
            "an order",
            "an order's chains must be complete before it is derived",
        ),
    };
    let mut error =
        Diagnostic::error(first.span, format!("{what} in a cycle: {text}")).label(format!(
            "`{}` needs all of `{}` here",
            name(first.from),
            name(first.to)
        ));
    for dependency in &shown[1..] {
        error = error.related(
            dependency.span,
            format!(
                "`{}` is derived from `{}`",
                name(dependency.from),
                name(dependency.to)
            ),
        );
    }
    error.hint(hint)
}

fn used(name: &str, how: How) -> String {
    match how {
        How::Rule(Use::Negated) => format!("!{name}"),
        How::Rule(Use::Aggregated(function)) => format!("{function}({name})"),
        How::Rule(Use::Positive) | How::Event | How::Executed => name.to_string(),
    }
}

/// Tarjan's algorithm, with its own stack: a chain of relations may be long.
fn components(relations: &Relations, dependencies: &Dependencies) -> Vec<Vec<RelationId>> {
    let count = relations.relations.len();
    let mut tarjan = Tarjan {
        numbers: vec![None; count],
        low: vec![0; count],
        on_stack: vec![false; count],
        stack: Vec::new(),
        next: 0,
        components: Vec::new(),
    };
    for root in relations.ids() {
        if tarjan.numbers[root.index()].is_none() {
            tarjan.visit(root, dependencies);
        }
    }
    tarjan.components
}

struct Tarjan {
    numbers: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<RelationId>,
    next: usize,
    components: Vec<Vec<RelationId>>,
}

impl Tarjan {
    fn visit(&mut self, root: RelationId, dependencies: &Dependencies) {
        // Each open relation with the number of its dependencies that were followed.
        let mut open = vec![(root, 0)];
        self.enter(root);
        while let Some((relation, followed)) = open.pop() {
            if let Some(dependency) = dependencies.of(relation).get(followed) {
                open.push((relation, followed + 1));
                let to = dependency.to;
                match self.numbers[to.index()] {
                    None => {
                        self.enter(to);
                        open.push((to, 0));
                    }
                    Some(number) if self.on_stack[to.index()] => {
                        let low = &mut self.low[relation.index()];
                        *low = (*low).min(number);
                    }
                    Some(_) => {}
                }
                continue;
            }
            if let Some((parent, _)) = open.last() {
                self.low[parent.index()] = self.low[parent.index()].min(self.low[relation.index()]);
            }
            if Some(self.low[relation.index()]) == self.numbers[relation.index()] {
                self.close(relation);
            }
        }
    }

    fn enter(&mut self, relation: RelationId) {
        self.numbers[relation.index()] = Some(self.next);
        self.low[relation.index()] = self.next;
        self.next += 1;
        self.stack.push(relation);
        self.on_stack[relation.index()] = true;
    }

    fn close(&mut self, root: RelationId) {
        let mut component = Vec::new();
        while let Some(relation) = self.stack.pop() {
            self.on_stack[relation.index()] = false;
            component.push(relation);
            if relation == root {
                break;
            }
        }
        component.sort();
        self.components.push(component);
    }
}
