//! The events of a program as facts that order rules read: `event`, `read`, `write`, `po`,
//! `atomic`, and by literals `executed` and, for every candidate link, `rf`.

use super::candidates::candidates;
use super::validation::insert_program_order;
use super::{MOST_EVENTS, MOST_STEPS};
use heddle_datalog::facts::LiteralName;
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use heddle_datalog::value::Row;
use heddle_program::{Program, TermId};
use heddle_unroll::{EventId, Options, unroll};
use rustc_hash::FxHashMap;

/// Fills the input relations of `rules/sc.dl`. Events with the same guard have the same literal,
/// `g1`, `g2` and so on; links have `r1`, `r2` and so on, but for those of reads that have no
/// choice. The error says why the program cannot be unrolled.
pub fn event_facts(program: &Program, unwind: u32) -> Result<Theory, String> {
    let options = Options {
        unwind,
        most_events: MOST_EVENTS,
        most_steps: MOST_STEPS,
        deadline: None,
        small_integers: false,
    };
    let (graph, observed) = unroll(program, options).map_err(|error| error.to_string())?;
    let links = candidates(&observed, &graph, None).map_err(|error| error.to_string())?;
    let rules = built_in("sc").expect("a built-in rule set");
    let [executed, rf] = ["executed", "rf"].map(|name| rules.find(name).expect("its relation"));
    let theory = Theory::new(rules, BackendKind::Compiled);
    let mut theory = theory.expect("built-in rule sets are compiled");
    let names = insert_program_order(&mut theory, &observed, &graph);

    let mut literals: FxHashMap<TermId, LiteralName> = FxHashMap::default();
    for &event in graph.chains.iter().flat_map(|chain| &chain.events) {
        let guard = graph.event(event).guard;
        let literal = match literals.get(&guard) {
            Some(&literal) => literal,
            None if graph.terms.is_true(guard) => theory.facts().always(),
            None => {
                let name = format!("g{}", literals.len() + 1);
                let literal = theory.symbols_mut().intern(&name);
                literals.insert(guard, literal);
                literal
            }
        };
        let row: Row = Box::new([names[event.index()]]);
        theory.insert_by(executed, row, literal);
    }
    let mut choices: FxHashMap<EventId, usize> = FxHashMap::default();
    for &(_, read) in &links {
        *choices.entry(read).or_default() += 1;
    }
    let mut number = 0;
    for (write, read) in links {
        let guard = graph.event(read).guard;
        let literal = match literals.get(&guard) {
            _ if choices[&read] > 1 => {
                number += 1;
                theory.symbols_mut().intern(&format!("r{number}"))
            }
            Some(&literal) => literal,
            None => theory.facts().always(),
        };
        let row: Row = Box::new([names[write.index()], names[read.index()]]);
        theory.insert_by(rf, row, literal);
    }
    theory.settle().map_err(|error| error.to_string())?;
    Ok(theory)
}
