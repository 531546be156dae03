//! Verdicts, traces and assumptions as JSON.

use heddle_diagnostics::Span;
use heddle_interpret::{Trace, Violation, replay};
use heddle_program::{Bound, Program, Statement, Verdict};
use serde_json::{Value, json};

pub(crate) fn verdict(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Safe => json!({ "kind": "safe" }),
        Verdict::Unsafe => json!({ "kind": "unsafe" }),
        Verdict::SafeUpTo(Bound(bound)) => json!({ "kind": "safe up to bound", "bound": bound }),
        Verdict::Unknown(reason) => json!({ "kind": "unknown", "reason": reason }),
    }
}

/// A trace with the changes that each step makes. Values are texts, as people read them.
pub(crate) fn trace(program: &Program, trace: &Trace) -> Value {
    let replayed = replay(program, trace).expect("only replayed traces are shown");
    let initial: Vec<Value> = trace
        .initial
        .iter()
        .map(|(variable, value)| {
            json!({
                "variable": program.terms.name(*variable),
                "value": program.display_value(*variable, value),
            })
        })
        .collect();
    let steps: Vec<Value> = trace
        .steps
        .iter()
        .enumerate()
        .map(|(number, step)| {
            let edge = program.edge(step.edge);
            let changes: Vec<Value> = replayed
                .changes(number)
                .iter()
                .map(|change| {
                    json!({
                        "variable": program.terms.name(change.variable),
                        "element": change.element,
                        "from": program.display_value(change.variable, &change.from),
                        "to": program.display_value(change.variable, &change.to),
                    })
                })
                .collect();
            json!({
                "thread": program.thread(step.thread(program)).name,
                "statement": program.display_statement(&edge.statement),
                "from": program.location_name(edge.source),
                "to": program.location_name(edge.target),
                "place": place(program, edge.span),
                "choices": step.choices.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "changes": changes,
            })
        })
        .collect();
    json!({
        "initial": initial,
        "steps": steps,
        "violation": violation(program, trace.violation),
    })
}

fn violation(program: &Program, violation: Violation) -> Value {
    match violation {
        Violation::Assertion(edge) => {
            let edge = program.edge(edge);
            let message = match &edge.statement {
                Statement::Assert { message, .. } => message.as_str(),
                _ => "",
            };
            json!({
                "kind": "assertion",
                "statement": program.display_statement(&edge.statement),
                "message": message,
                "place": place(program, edge.span),
            })
        }
        Violation::ErrorState => {
            let error = program.property.error.as_ref();
            json!({
                "kind": "error state",
                "condition": error.map(|error| program.display_formula(&error.formula)),
                "place": place(program, error.and_then(|error| error.span)),
            })
        }
        Violation::Deadlock => json!({ "kind": "deadlock" }),
    }
}

/// What the verdict rests on beyond the program's text, and where that is the case.
pub(crate) fn assumptions(program: &Program) -> Value {
    let assumptions = program.assumptions.iter().map(|assumption| {
        json!({
            "text": assumption.text,
            "place": place(program, assumption.span),
        })
    });
    assumptions.collect()
}

fn place(program: &Program, span: Option<Span>) -> Value {
    let Some(span) = span else {
        return Value::Null;
    };
    let (line, column) = program.sources.line_column(span);
    json!({
        "file": program.sources.name(span.source),
        "line": line,
        "column": column,
        "text": program.sources.snippet(span),
    })
}
