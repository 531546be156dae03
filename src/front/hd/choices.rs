//! Open places in expressions: `*` and `any(1..3)`.
//!
//! A place with few values becomes one edge a value, which keeps the statement one step
//! and its values exact. One with many becomes a temporary that is set to any value just
//! before; nobody else sees a temporary, so nobody can tell the difference.

use super::lower::Emitter;
use super::typed::{Kind, Node, Type, Typed};
use heddle_program::{Constant, LocationId, Sort, Statement, VarId};

/// The most edges that one statement is split into.
const MOST_EDGES: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Resolved {
    Value(Constant),
    Variable(VarId),
}

enum Place {
    Each(Vec<Constant>),
    Temporary(VarId),
}

impl Emitter<'_> {
    /// Prepares the open places of the expressions. Returns where the statement goes on,
    /// and the ways to fill the places, in order of evaluation.
    pub(crate) fn resolve(
        &mut self,
        from: LocationId,
        expressions: &[&Typed],
    ) -> (LocationId, Vec<Vec<Resolved>>) {
        let mut open: Vec<(Option<Vec<Constant>>, Sort)> = Vec::new();
        for expression in expressions {
            expression.walk(&mut |typed| {
                let values = match &typed.node {
                    Node::OneOf(values) => Some(values.clone()),
                    Node::Any if typed.kind == Type::Plain(Kind::Bool) => {
                        Some(vec![Constant::Bool(true), Constant::Bool(false)])
                    }
                    Node::Any => None,
                    _ => return,
                };
                open.push((values, typed.kind.sort()));
            });
        }
        let edges = open.iter().fold(1usize, |edges, (values, _)| {
            edges.saturating_mul(values.as_ref().map_or(1, Vec::len))
        });
        let mut from = from;
        let mut places = Vec::new();
        for (position, (values, sort)) in open.into_iter().enumerate() {
            match values {
                Some(values) if edges <= MOST_EDGES => places.push(Place::Each(values)),
                values => {
                    let temporary = self.temporary(sort, position);
                    from = self.builder.step(from, Statement::havoc(temporary));
                    if let Some(values) = values.filter(|_| sort == Sort::Int) {
                        from = self.among(from, temporary, &values);
                    }
                    places.push(Place::Temporary(temporary));
                }
            }
        }
        (from, combinations(&places))
    }

    /// Goes on only if the temporary is one of the values, which are consecutive.
    fn among(&mut self, from: LocationId, temporary: VarId, values: &[Constant]) -> LocationId {
        let value = self.builder.read(temporary);
        let terms = self.builder.terms();
        let low = terms.constant(values[0]);
        let high = terms.constant(values[values.len() - 1]);
        let (from_low, to_high) = (terms.le(low, value), terms.le(value, high));
        let inside = terms.and(&[from_low, to_high]);
        self.builder.step(from, Statement::Assume(inside))
    }
}

fn combinations(places: &[Place]) -> Vec<Vec<Resolved>> {
    let mut all = vec![Vec::new()];
    for place in places {
        let resolved: Vec<Resolved> = match place {
            Place::Each(values) => values.iter().copied().map(Resolved::Value).collect(),
            Place::Temporary(variable) => vec![Resolved::Variable(*variable)],
        };
        all = all
            .into_iter()
            .flat_map(|filled| {
                resolved.iter().map(move |&next| {
                    let mut filled: Vec<Resolved> = filled.clone();
                    filled.push(next);
                    filled
                })
            })
            .collect();
    }
    all
}
