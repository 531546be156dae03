//! Steps whose terms need not have values: an index may be outside of its array, or a divisor 0.
//!
//! Engines may give such a term any value, so none of them gets to see one. The step is taken only
//! where its terms have values, and another leads from the same location to where nothing is
//! known. An engine that says `SAFE` has proved that nobody gets there.

use super::defined::{defined, in_range};
use super::known::{Known, Needs, at_locations};
use heddle_diagnostics::{Sources, Span};
use heddle_program::{
    Edge, EdgeId, Location, LocationId, Op, Place, Program, Role, StateFormula, Statement, Term,
    TermId, Terms, Update,
};

/// The name of an edge, and the row that says what it does.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) row: Span,
}

/// Restricts the steps and the error condition of a well-formed program to where they have
/// values. `origins` are those of its edges.
pub(crate) fn insert(program: &mut Program, origins: &[Origin], sources: &Sources) {
    let needs: Vec<Needs> = program
        .edge_ids()
        .map(|edge| needs(program, edge))
        .collect();
    let known = at_locations(program, &needs);
    let mut inserted = false;
    for (id, origin) in program.edge_ids().zip(origins) {
        let source = program.edge(id).source;
        // No thread takes a step from a location that it does not get to.
        let Some(known) = known[source.index()].clone() else {
            continue;
        };
        let needs = open(program, id, known, &needs[id.index()]);
        let always = program.terms.bool(true);
        if needs.first == always && needs.then == always {
            continue;
        }
        let reason = format!(
            "{}: edge `{}` {}",
            sources.place(origin.row),
            origin.name,
            mistake(program, id)
        );
        restrict(program, id, &needs, reason);
        inserted = true;
    }
    if inserted {
        // It is what the other bounds were reached at, and says nothing of these.
        program.bound = None;
    }
    if let Some(mut error) = program.property.error.take() {
        error.formula = with_value(&mut program.terms, error.formula);
        program.property.error = Some(error);
    }
}

fn needs(program: &mut Program, edge: EdgeId) -> Needs {
    let statement = program.edge(edge).statement.clone();
    let always = program.terms.bool(true);
    let mut then: Vec<TermId> = Vec::new();
    for target in statement.targets() {
        if let Place::Element(variable, index) = target {
            let sort = program.variable(variable).sort.as_array();
            let sort = sort.expect("an array is indexed");
            then.push(defined(&mut program.terms, index));
            then.push(in_range(&mut program.terms, sort, index));
        }
    }
    let mut first = always;
    match &statement {
        Statement::Assign { value, .. } => then.push(defined(&mut program.terms, *value)),
        Statement::Assume(condition) | Statement::Assert { condition, .. } => {
            first = defined(&mut program.terms, *condition);
        }
        Statement::Guarded { guard, updates, .. } => {
            first = defined(&mut program.terms, *guard);
            for (_, update) in updates {
                if let Update::Value(value) = update {
                    then.push(defined(&mut program.terms, *value));
                }
            }
        }
        _ => {}
    }
    let then = program.terms.and(&then);
    Needs { first, then }
}

/// What is left of the needs of a step by what holds before it and by its own condition.
fn open(program: &mut Program, edge: EdgeId, mut known: Known, needs: &Needs) -> Needs {
    let terms = &mut program.terms;
    let first = known.open(terms, needs.first);
    if let Statement::Guarded { guard, .. } = program.edges[edge.index()].statement {
        known.add(terms, needs.first);
        known.add(terms, guard);
    }
    let then = known.open(terms, needs.then);
    Needs { first, then }
}

/// Lets the step be taken only where its needs are met; where they are not, another step leads
/// to a bound.
fn restrict(program: &mut Program, id: EdgeId, needs: &Needs, reason: String) {
    let Edge {
        source,
        statement,
        span,
        ..
    } = program.edge(id).clone();
    let terms = &mut program.terms;
    let (no_condition, no_value) = (terms.not(needs.first), terms.not(needs.then));
    let (restricted, otherwise) = match statement {
        Statement::Assume(condition) => (
            Statement::Assume(terms.and(&[needs.first, condition])),
            Statement::Assume(no_condition),
        ),
        // There is no assertion that waits. This one is passed where it has no value.
        Statement::Assert { condition, message } => (
            Statement::Assert {
                condition: terms.or(&[no_condition, condition]),
                message,
            },
            Statement::Assume(no_condition),
        ),
        Statement::Guarded {
            guard,
            updates,
            role,
        } => {
            let fails_behind = terms.and(&[guard, no_value]);
            let fails = terms.or(&[no_condition, fails_behind]);
            let restricted = Statement::Guarded {
                guard: terms.and(&[needs.first, guard, needs.then]),
                updates,
                role,
            };
            (restricted, Statement::command(fails, Vec::new()))
        }
        Statement::Assign { target, value } => {
            let updates = vec![(target, Update::Value(value))];
            let restricted = Statement::Guarded {
                guard: needs.then,
                updates,
                role: Role::Command,
            };
            (restricted, Statement::Assume(no_value))
        }
        Statement::Havoc { target } => {
            let restricted = Statement::command(needs.then, vec![(target, Update::Any)]);
            (restricted, Statement::Assume(no_value))
        }
        other => unreachable!("internal error: {other:?} has no terms"),
    };
    program.edges[id.index()].statement = restricted;
    let unknown = location(program, source, span);
    let end = location(program, source, span);
    edge(program, source, otherwise, unknown, span);
    edge(program, unknown, Statement::BoundReached(reason), end, span);
}

/// A further location of the thread.
fn location(program: &mut Program, of: LocationId, span: Option<Span>) -> LocationId {
    let location = LocationId::from_index(program.locations.len());
    program.locations.push(Location {
        thread: program.location(of).thread,
        label: None,
        outgoing: Vec::new(),
        span,
    });
    location
}

fn edge(
    program: &mut Program,
    source: LocationId,
    statement: Statement,
    target: LocationId,
    span: Option<Span>,
) {
    let id = EdgeId::from_index(program.edges.len());
    program.edges.push(Edge {
        source,
        target,
        statement,
        span,
    });
    program.locations[source.index()].outgoing.push(id);
}

/// What can go wrong with the step, as the end of a sentence.
fn mistake(program: &Program, edge: EdgeId) -> &'static str {
    let statement = &program.edge(edge).statement;
    let terms = &program.terms;
    let subterms = terms.subterms(&statement.terms());
    let applies = |wanted: &[Op]| {
        subterms.iter().any(|&term| match terms.get(term) {
            Term::Apply { op, .. } => wanted.contains(op),
            _ => false,
        })
    };
    let writes_element = |target: &Place| matches!(target, Place::Element(..));
    let indexes =
        statement.targets().iter().any(writes_element) || applies(&[Op::Select, Op::Store]);
    match (indexes, applies(&[Op::Div, Op::Mod])) {
        (true, false) => "uses an index outside of its array",
        (false, _) => "divides by zero",
        (true, true) => "uses an index outside of its array or divides by zero",
    }
}

/// The formula, which also holds where it has no value of its own.
fn with_value(terms: &mut Terms, formula: StateFormula) -> StateFormula {
    let (formula, fails) = total(terms, formula);
    match fails {
        Some(fails) => StateFormula::Or(vec![formula, fails]),
        None => formula,
    }
}

/// A formula that has a value in every state, and the one of the formula where that has one;
/// and, if there are others, where it has none.
fn total(terms: &mut Terms, formula: StateFormula) -> (StateFormula, Option<StateFormula>) {
    match formula {
        StateFormula::At(..) => (formula, None),
        StateFormula::Term(term) => {
            let condition = defined(terms, term);
            let fails = terms.not(condition);
            (
                StateFormula::Term(terms.and(&[condition, term])),
                (!terms.is_false(fails)).then_some(StateFormula::Term(fails)),
            )
        }
        StateFormula::Not(inner) => {
            let (inner, fails) = total(terms, *inner);
            (StateFormula::Not(Box::new(inner)), fails)
        }
        StateFormula::And(parts) => {
            let (parts, fails) = total_parts(terms, parts, |part| part);
            (StateFormula::And(parts), fails)
        }
        StateFormula::Or(parts) => {
            let (parts, fails) =
                total_parts(terms, parts, |part| StateFormula::Not(Box::new(part)));
            (StateFormula::Or(parts), fails)
        }
    }
}

/// [`total`] for what is joined: it has no value where some part has none and every other part
/// is `undecided`.
fn total_parts(
    terms: &mut Terms,
    parts: Vec<StateFormula>,
    undecided: fn(StateFormula) -> StateFormula,
) -> (Vec<StateFormula>, Option<StateFormula>) {
    let parts: Vec<_> = parts.into_iter().map(|part| total(terms, part)).collect();
    let fails: Vec<StateFormula> = parts
        .iter()
        .filter_map(|(_, fails)| fails.clone())
        .collect();
    let fails = (!fails.is_empty()).then(|| {
        let all = parts.iter().map(|(part, fails)| {
            let part = undecided(part.clone());
            match fails {
                Some(fails) => StateFormula::Or(vec![fails.clone(), part]),
                None => part,
            }
        });
        let some = StateFormula::Or(fails.clone());
        StateFormula::And([some].into_iter().chain(all).collect())
    });
    (parts.into_iter().map(|(part, _)| part).collect(), fails)
}
