//! What holds whenever a thread is at a location, as far as the conditions say that it has
//! come by: a program that checks an index before it uses it needs no further check.

use heddle_program::{
    Constant, LocationId, Op, Place, Program, Statement, Term, TermId, Terms, VarId,
};
use std::collections::{BTreeSet, HashSet};

/// Conditions that hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known(BTreeSet<TermId>);

impl Known {
    pub(crate) fn add(&mut self, terms: &Terms, condition: TermId) {
        self.0.extend(conjuncts(terms, condition));
    }

    /// Those of the conjuncts that do not follow.
    pub(crate) fn open(&self, terms: &mut Terms, condition: TermId) -> TermId {
        let mut open = conjuncts(terms, condition);
        open.retain(|&conjunct| !self.implies(terms, conjunct));
        terms.and(&open)
    }

    /// Whether the condition is plain to see from what holds.
    pub(crate) fn implies(&self, terms: &Terms, condition: TermId) -> bool {
        if terms.is_true(condition) || self.0.contains(&condition) {
            return true;
        }
        if let Term::Apply { op, arguments } = terms.get(condition) {
            let follows = |argument: &TermId| self.implies(terms, *argument);
            match op {
                Op::And => return arguments.iter().all(follows),
                Op::Or => return arguments.iter().any(follows),
                Op::Ite => return arguments[1..].iter().all(follows),
                _ => {}
            }
        }
        let wanted = limits(terms, condition);
        let held = || self.0.iter().flat_map(|&held| limits(terms, held));
        !wanted.is_empty()
            && wanted
                .iter()
                .all(|wanted| held().any(|held| held.is_within(wanted)))
            || nonzero(terms, condition).is_some_and(|(subject, zero)| {
                held().any(|held| held.subject == subject && held.excludes(zero))
            })
    }

    /// Drops what mentions a variable of which this is said.
    fn forget(&mut self, terms: &Terms, is_meant: impl Fn(VarId) -> bool) {
        self.0
            .retain(|&held| !terms.variables_of(held).into_iter().any(&is_meant));
    }
}

/// What a step needs for its terms to have values.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    /// For its condition.
    pub(crate) first: TermId,
    /// For all else, which is evaluated if the condition holds.
    pub(crate) then: TermId,
}

/// For each location what holds there; `None` for those that no thread gets to. The needs are
/// those of the edges: a thread that has taken a step had values for it.
pub(crate) fn at_locations(program: &Program, needs: &[Needs]) -> Vec<Option<Known>> {
    let terms = &program.terms;
    let inside = program.inside_atomic();
    let wanted = Wanted::new(terms, needs);
    let mut known: Vec<Option<Known>> = vec![None; program.locations.len()];
    let mut pending: Vec<LocationId> = Vec::new();
    for thread in &program.threads {
        known[thread.entry.index()] = Some(Known::default());
        pending.push(thread.entry);
    }
    while let Some(location) = pending.pop() {
        for &id in program.outgoing(location) {
            let before = known[location.index()].clone();
            let mut after = before.expect("only what was reached is pending");
            let edge = program.edge(id);
            pass(program, &edge.statement, &needs[id.index()], &mut after);
            if !inside[edge.target.index()] {
                after.forget(terms, |variable| program.is_shared(variable));
            }
            after.0.retain(|&held| wanted.matters(terms, held));
            let target = &mut known[edge.target.index()];
            let both = match target {
                None => after,
                Some(earlier) => Known(earlier.0.intersection(&after.0).copied().collect()),
            };
            if target.as_ref() != Some(&both) {
                *target = Some(both);
                pending.push(edge.target);
            }
        }
    }
    known
}

/// Turns what holds before a step into what holds behind it.
fn pass(program: &Program, statement: &Statement, needs: &Needs, known: &mut Known) {
    let terms = &program.terms;
    match statement {
        // It is passed, too, where it has no value.
        Statement::Assert { .. } if !known.implies(terms, needs.first) => {}
        Statement::Assert { condition, .. } | Statement::Assume(condition) => {
            known.add(terms, needs.first);
            known.add(terms, *condition);
        }
        Statement::Guarded { guard, .. } => {
            known.add(terms, needs.first);
            known.add(terms, *guard);
        }
        _ => {}
    }
    known.add(terms, needs.then);
    let written: Vec<VarId> = statement
        .targets()
        .into_iter()
        .map(Place::variable)
        .collect();
    known.forget(terms, |variable| written.contains(&variable));
}

/// What may be of use for the needs; all else is not kept.
struct Wanted {
    conditions: HashSet<TermId>,
    subjects: HashSet<TermId>,
}

impl Wanted {
    fn new(terms: &Terms, needs: &[Needs]) -> Wanted {
        let roots: Vec<TermId> = needs
            .iter()
            .flat_map(|needs| [needs.first, needs.then])
            .collect();
        let conditions: HashSet<TermId> = terms.subterms(&roots).into_iter().collect();
        let subjects = conditions.iter().flat_map(|&condition| {
            let limited = limits(terms, condition)
                .into_iter()
                .map(|limit| limit.subject);
            limited.chain(nonzero(terms, condition).map(|(subject, _)| subject))
        });
        let subjects = subjects.collect();
        Wanted {
            conditions,
            subjects,
        }
    }

    fn matters(&self, terms: &Terms, held: TermId) -> bool {
        let limits = limits(terms, held);
        self.conditions.contains(&held)
            || limits
                .iter()
                .any(|limit| self.subjects.contains(&limit.subject))
    }
}

fn conjuncts(terms: &Terms, condition: TermId) -> Vec<TermId> {
    let mut conjuncts = Vec::new();
    let mut pending = vec![condition];
    while let Some(condition) = pending.pop() {
        match terms.get(condition) {
            Term::Apply {
                op: Op::And,
                arguments,
            } => pending.extend(arguments.iter().rev()),
            _ if terms.is_true(condition) => {}
            _ => conjuncts.push(condition),
        }
    }
    conjuncts
}

/// That an integer or, unsigned, a bit-vector is at least or at most a number.
#[derive(Clone, Copy, Debug)]
struct Limit {
    subject: TermId,
    side: Side,
    number: i128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    AtLeast,
    AtMost,
}

impl Limit {
    fn is_within(&self, wanted: &Limit) -> bool {
        self.subject == wanted.subject
            && self.side == wanted.side
            && match self.side {
                Side::AtLeast => self.number >= wanted.number,
                Side::AtMost => self.number <= wanted.number,
            }
    }

    fn excludes(&self, number: i128) -> bool {
        match self.side {
            Side::AtLeast => self.number > number,
            Side::AtMost => self.number < number,
        }
    }
}

/// The limits that a comparison with a constant sets.
fn limits(terms: &Terms, condition: TermId) -> Vec<Limit> {
    let Term::Apply { op, arguments } = terms.get(condition) else {
        return Vec::new();
    };
    let comparison = |op: Op, arguments: &[TermId], holds: bool| {
        let (a, b) = match (holds, arguments) {
            (true, &[a, b]) | (false, &[b, a]) => (a, b),
            _ => return None,
        };
        // `a` is below `b`, by one at least if the comparison is strict.
        let strict = matches!(op, Op::Lt | Op::BvUlt) == holds;
        let gap = i128::from(strict);
        match (terms.as_constant(a), terms.as_constant(b)) {
            (None, Some(most)) => limit(terms, a, Side::AtMost, most, -gap),
            (Some(least), None) => limit(terms, b, Side::AtLeast, least, gap),
            _ => None,
        }
    };
    match (op, &arguments[..]) {
        (Op::Lt | Op::Le | Op::BvUlt | Op::BvUle, _) => {
            comparison(*op, arguments, true).into_iter().collect()
        }
        (Op::Eq, &[subject, constant]) => match terms.as_constant(constant) {
            Some(constant) => [Side::AtLeast, Side::AtMost]
                .into_iter()
                .filter_map(|side| limit(terms, subject, side, constant, 0))
                .collect(),
            None => Vec::new(),
        },
        (Op::Not, &[inner]) => match terms.get(inner) {
            Term::Apply {
                op: op @ (Op::Lt | Op::Le | Op::BvUlt | Op::BvUle),
                arguments,
            } => comparison(*op, arguments, false).into_iter().collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn limit(terms: &Terms, term: TermId, side: Side, constant: Constant, more: i128) -> Option<Limit> {
    let number = constant.as_index()?.checked_add(more)?;
    let (subject, offset) = without_offset(terms, term);
    let number = number.checked_sub(offset)?;
    Some(Limit {
        subject,
        side,
        number,
    })
}

/// `x` and `k` for the integer `x + k` or `x - (-k)`: an index is often one more or less than
/// what was compared.
fn without_offset(terms: &Terms, term: TermId) -> (TermId, i128) {
    if let Term::Apply { op, arguments } = terms.get(term)
        && let (Op::Add | Op::Sub, &[x, offset]) = (op, &arguments[..])
        && let Some(Constant::Int(offset)) = terms.as_constant(offset)
        && let Some(negative) = offset.checked_neg()
    {
        let offset = if *op == Op::Add { offset } else { negative };
        return (x, offset);
    }
    (term, 0)
}

/// `x` and `-k` for the condition that the integer `x + k` is not 0: that `x` is not `-k`.
fn nonzero(terms: &Terms, condition: TermId) -> Option<(TermId, i128)> {
    let Term::Apply {
        op: Op::Not,
        arguments,
    } = terms.get(condition)
    else {
        return None;
    };
    let Term::Apply {
        op: Op::Eq,
        arguments,
    } = terms.get(arguments[0])
    else {
        return None;
    };
    match terms.as_constant(arguments[1])? {
        Constant::Int(value) => {
            let (subject, offset) = without_offset(terms, arguments[0]);
            Some((subject, value.checked_sub(offset)?))
        }
        _ => None,
    }
}
