//! The explored structure as a graph, for Graphviz.
//!
//! One node an abstract state: where the threads are, the rest of the program counter, the
//! predicates that hold, and in brackets the concrete state that stands for it.

use super::control::Control;
use super::predicates::Predicates;
use super::structure::{ControlState, StateId, Structure};
use crate::graphviz::escaped;
use heddle_interpret::Runner;
use heddle_program::{EdgeId, Value};
use std::fmt::Write;

/// A bold frame is a state at the start, a double one an error.
pub(crate) fn dot(
    runner: &Runner<'_>,
    control: &Control,
    predicates: &Predicates,
    structure: &Structure,
    transitions: &[(StateId, EdgeId, StateId)],
) -> String {
    let program = runner.program();
    let mut text =
        String::from("digraph structure {\n  node [shape=box, fontname=\"monospace\"];\n");
    for id in structure.state_ids() {
        let label = label(runner, control, predicates, structure, id);
        let error = structure.errors.iter().any(|(error, _)| *error == id);
        let frame = if error { ", peripheries=2" } else { "" };
        let initial = structure.state(id).reached.is_none();
        let style = if initial { ", style=bold" } else { "" };
        let _ = writeln!(
            text,
            "  s{} [label=\"{}\"{frame}{style}];",
            id.0,
            escaped(&label)
        );
    }
    for (from, edge, to) in transitions {
        let edge = program.edge(*edge);
        let step = match edge.span {
            Some(span) => {
                let (line, _) = program.sources.line_column(span);
                let words: Vec<&str> = program.sources.snippet(span).split_whitespace().collect();
                format!("{line}: {}", words.join(" "))
            }
            None => program.display_statement(&edge.statement),
        };
        let _ = writeln!(
            text,
            "  s{} -> s{} [label=\"{}\"];",
            from.0,
            to.0,
            escaped(&step)
        );
    }
    text.push_str("}\n");
    text
}

fn label(
    runner: &Runner<'_>,
    control: &Control,
    predicates: &Predicates,
    structure: &Structure,
    id: StateId,
) -> String {
    let program = runner.program();
    let state = structure.state(id);
    let words = structure.controls.get(state.control.0);
    let counter = ControlState::new(words, program.threads.len());
    let mut lines = Vec::new();
    for thread in program.thread_ids() {
        // A process of guarded commands has one location, which says nothing.
        let own = |location| program.location(location).thread == thread;
        if program
            .location_ids()
            .filter(|&location| own(location))
            .count()
            > 1
        {
            let name = &program.thread(thread).name;
            let place = counter.location(thread);
            let place = place.map_or("-".to_owned(), |place| program.location_name(place));
            lines.push(format!("{name}: {place}"));
        }
    }
    let values: Vec<String> = control
        .variables
        .iter()
        .enumerate()
        .map(|(position, &variable)| {
            let value = Value::Scalar(control.constant(position, counter.word(position)));
            let name = program.terms.name(variable);
            format!("{name} = {}", program.display_value(variable, &value))
        })
        .collect();
    if !values.is_empty() {
        lines.push(values.join(", "));
    }
    let valuation = structure.valuation(state.valuation);
    for conjunct in predicates.conjuncts(&valuation) {
        lines.push(program.terms.display(conjunct).to_string());
    }
    lines.extend(concrete(runner, control, structure, id));
    lines.join("\n")
}

/// The values that the program counter does not tell.
fn concrete(
    runner: &Runner<'_>,
    control: &Control,
    structure: &Structure,
    id: StateId,
) -> Option<String> {
    let program = runner.program();
    let (mut snapshot, _) = runner.start();
    runner.unpack(structure.packed(id), &mut snapshot);
    let variables = program.variable_ids();
    let values = variables
        .filter(|&v| control.position(v).is_none())
        .map(|variable| {
            let value = runner.value(&snapshot, variable);
            let name = program.terms.name(variable);
            format!("{name} = {}", program.display_value(variable, &value))
        });
    let values: Vec<String> = values.collect();
    (!values.is_empty()).then(|| format!("[{}]", values.join(", ")))
}
