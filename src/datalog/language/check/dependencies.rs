//! Which relation is derived from which, and where the rules say so.

use super::clause::{Clause, Use};
use super::names::Relations;
use crate::ruleset::{RelationId, RelationKind};
use heddle_diagnostics::Span;

/// `from` is derived from `to`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependency {
    pub(crate) from: RelationId,
    pub(crate) to: RelationId,
    pub(crate) how: How,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// By a rule.
    Rule(Use),
    /// By `order(event, …)`.
    Event,
    /// By `order(…, executed)`.
    Executed,
}

impl How {
    /// Whether `to` must be complete before `from` is derived.
    pub(crate) fn is_strict(self) -> bool {
        self != How::Rule(Use::Positive)
    }
}

#[derive(Debug)]
pub(crate) struct Dependencies {
    /// For each relation: what it is derived from.
    of: Vec<Vec<Dependency>>,
}

impl Dependencies {
    pub(crate) fn collect(relations: &Relations, clauses: &[Clause]) -> Self {
        let mut of: Vec<Vec<Dependency>> = vec![Vec::new(); relations.relations.len()];
        for from in relations.ids() {
            let RelationKind::Order(order) = relations.get(from).kind else {
                continue;
            };
            let span = relations.order_spans[&from];
            let mut add = |to, how| {
                of[from.index()].push(Dependency {
                    from,
                    to,
                    how,
                    span,
                })
            };
            add(order.event, How::Event);
            if let Some(executed) = order.executed {
                add(executed, How::Executed);
            }
        }
        for clause in clauses {
            let Some(from) = clause.head.as_ref().and_then(|head| head.relation) else {
                continue;
            };
            clause.for_each_atom(&mut |atom, usage| {
                if let Some(to) = atom.relation {
                    of[from.index()].push(Dependency {
                        from,
                        to,
                        how: How::Rule(usage),
                        span: atom.span,
                    });
                }
            });
        }
        Dependencies { of }
    }

    pub(crate) fn of(&self, relation: RelationId) -> &[Dependency] {
        &self.of[relation.index()]
    }

    /// All dependencies.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Dependency> {
        self.of.iter().flatten()
    }

    /// A shortest way along the dependencies from `start` to a relation that is a `goal`,
    /// through relations that are `allowed`. Empty if `start` is one.
    pub(crate) fn path(
        &self,
        start: RelationId,
        goal: impl Fn(RelationId) -> bool,
        allowed: impl Fn(RelationId) -> bool,
    ) -> Option<Vec<Dependency>> {
        let mut reached_by: Vec<Option<Dependency>> = vec![None; self.of.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(relation) = queue.pop_front() {
            if goal(relation) {
                let mut path = Vec::new();
                let mut at = relation;
                while at != start
                    && let Some(dependency) = reached_by[at.index()]
                {
                    path.push(dependency);
                    at = dependency.from;
                }
                path.reverse();
                return Some(path);
            }
            for dependency in self.of(relation) {
                let to = dependency.to;
                if to != start && reached_by[to.index()].is_none() && allowed(to) {
                    reached_by[to.index()] = Some(*dependency);
                    queue.push_back(to);
                }
            }
        }
        None
    }
}
