//! Symbols whose definition is a constant.

use crate::event_graph::EventGraph;
use heddle_program::{Op, Term};
use rustc_hash::FxHashMap;

/// A definition that gives a symbol a constant value (a thread that always ends) is put to
/// use everywhere, until there is none.
pub(crate) fn propagate_constant_definitions(graph: &mut EventGraph) {
    loop {
        let mut constants = FxHashMap::default();
        let truth = [graph.terms.bool(false), graph.terms.bool(true)];
        for &definition in &graph.definitions {
            if let Some(symbol) = graph.terms.as_variable(definition) {
                constants.insert(symbol, truth[1]);
            } else if let Term::Apply {
                op: Op::Not,
                arguments,
            } = graph.terms.get(definition)
                && let Some(symbol) = graph.terms.as_variable(arguments[0])
            {
                constants.insert(symbol, truth[0]);
            }
        }
        if constants.is_empty() {
            return;
        }
        let mut roots = Vec::new();
        graph.map_terms(|term| {
            roots.push(term);
            term
        });
        let images = graph
            .terms
            .substitute_all(&roots, |_, variable| constants.get(&variable).copied());
        graph.map_terms(|term| images[&term]);
        let terms = &graph.terms;
        graph
            .definitions
            .retain(|&definition| !terms.is_true(definition));
    }
}
