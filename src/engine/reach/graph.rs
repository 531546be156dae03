//! The abstract reachability graph, for Graphviz.
//!
//! One node an abstract state: where the threads may be, and the predicates that hold. A
//! dashed frame is a state that another one covers, which a dotted arrow leads to; a double
//! frame is an error.

use super::exploration::Exploration;
use super::fixpoint::AbstractState;
use super::names::point_name;
use super::system::{Point, StepId};
use crate::graphviz::escaped;
use heddle_program::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

pub(crate) fn graph(program: &Program, exploration: &Exploration) -> String {
    let fixpoint = &exploration.fixpoint;
    let reached = fixpoint.reached();
    let covered: FxHashMap<AbstractState, AbstractState> = fixpoint.coverings().collect();
    let errors = fixpoint.errors();
    let errors: FxHashSet<AbstractState> = errors.into_iter().map(|(state, _)| state).collect();
    let numbers: FxHashMap<AbstractState, usize> = reached
        .iter()
        .enumerate()
        .map(|(n, &state)| (state, n))
        .collect();
    let mut text =
        String::from("digraph reachability {\n  node [shape=box, fontname=\"monospace\"];\n");
    for (number, state) in reached.iter().enumerate() {
        let label = label(program, exploration, *state);
        let style = match covered.contains_key(state) {
            true => ", style=dashed",
            false => "",
        };
        let frame = match errors.contains(state) {
            true => ", peripheries=2",
            false => "",
        };
        let _ = writeln!(
            text,
            "  s{number} [label=\"{}\"{style}{frame}];",
            escaped(&label)
        );
    }
    for (from, step, to) in fixpoint.transitions() {
        if covered.contains_key(&from) {
            continue;
        }
        let _ = writeln!(
            text,
            "  s{} -> s{} [label=\"{}\"];",
            numbers[&from],
            numbers[&to],
            escaped(&step_label(program, exploration, step))
        );
    }
    for state in reached.iter().filter(|state| covered.contains_key(state)) {
        let (covered, by) = (numbers[state], numbers[&covered[state]]);
        let _ = writeln!(text, "  s{covered} -> s{by} [style=dotted];");
    }
    text.push_str("}\n");
    text
}

fn label(program: &Program, exploration: &Exploration, state: AbstractState) -> String {
    let (control, valuation) = state;
    let mut lines = Vec::new();
    for (component, class) in exploration.fixpoint.digits(control) {
        let points = exploration.system.component(component).points.iter();
        let of_class = points
            .copied()
            .filter(|&point| i64::from(exploration.partition.class(point).0) == class);
        let of_class: Vec<_> = of_class.collect();
        if of_class
            .iter()
            .all(|point| exploration.system.points[point.index()] == Point::Owner(None))
        {
            continue;
        }
        let names = of_class.iter();
        let names: Vec<String> = names
            .map(|&point| point_name(program, &exploration.system, point))
            .collect();
        let thread = program.thread_ids().nth(component.index());
        lines.push(match thread {
            Some(thread) => format!("{}: {}", program.thread(thread).name, names.join(" ")),
            None => names.join(" "),
        });
    }
    let terms = &exploration.system.terms;
    for &literal in exploration.valuations.cube(valuation) {
        let term = exploration.predicates.term_of(literal);
        lines.push(terms.display(term).to_string());
    }
    lines.join("\n")
}

fn step_label(program: &Program, exploration: &Exploration, step: StepId) -> String {
    let edge = exploration.system.step(step).edge();
    edge.map_or(String::new(), |edge| {
        program.display_statement(&program.edge(edge).statement)
    })
}
