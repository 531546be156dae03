//! What is forced leaves fewer links: `rules/forced.dl`.

use super::abstraction::{Abstraction, Counterexample, Link};
use super::validation::{insert, insert_program_order};
use heddle_datalog::backend::SettleError;
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::Value;
use heddle_program::Program;
use heddle_solver::Literal;
use heddle_unroll::EventGraph;
use rustc_hash::FxHashSet;

/// The links that are not taken, by sequential consistency, where those of the counterexample
/// are and the forced literals are true.
pub(super) fn excluded_links(
    program: &Program,
    graph: &EventGraph,
    abstraction: &Abstraction,
    forced: &[Literal],
    counterexample: &Counterexample,
) -> Result<Vec<Literal>, SettleError> {
    let rules = heddle_datalog::theory::built_in("forced").expect("a built-in rule set");
    let relation = |name| rules.find(name).expect("a relation of the rule set");
    let (executed, rf, excluded) = (relation("executed"), relation("rf"), relation("excluded"));
    let mut theory =
        Theory::new(rules.clone(), BackendKind::Compiled).expect("built-in rule sets are compiled");
    let names = insert_program_order(&mut theory, program, graph);
    let ends = |link: &Link| [link.write, link.read].map(|event| names[event.index()]);
    let always = theory.facts().always();
    let true_ones: FxHashSet<Literal> = forced.iter().copied().chain([Literal::TRUE]).collect();
    for &event in graph.chains.iter().flat_map(|chain| &chain.events) {
        if true_ones.contains(&abstraction.guards[event.index()]) {
            theory.insert_by(executed, [names[event.index()]], always);
        }
    }
    for link in &abstraction.links {
        insert(&mut theory, "link", &ends(link));
    }
    for &taken in &counterexample.links {
        theory.insert_by(rf, ends(&abstraction.links[taken]), always);
    }
    // What is taken for want of another may leave still fewer.
    let mut without_choice = 0;
    loop {
        theory.settle()?;
        let only = theory.rows(relation("only"));
        if only.len() == without_choice {
            break;
        }
        without_choice = only.len();
        for row in only {
            theory.insert_by(rf, row, always);
        }
    }
    let pairs = theory.rows(excluded);
    let pairs: FxHashSet<[Value; 2]> = pairs.iter().map(|row| [row[0], row[1]]).collect();
    let links = abstraction.links.iter();
    let links = links.filter(|link| pairs.contains(&ends(link)));
    Ok(links.map(|link| link.literal).collect())
}
