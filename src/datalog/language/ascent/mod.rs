//! A rule set as Rust text that evaluates it with `ascent`.
//!
//! The text is one module with a function `run`: facts in, all relations out. It is made
//! when heddle is built, from the rule files themselves, so no rule is written twice.
//!
//! - Strata without an order become one `ascent` program, as large as possible.
//! - A stratum with an order becomes a program of its own: before it runs, the order's
//!   chains and the tables in which its rules seek events are made from what has been
//!   derived so far. The order itself is kept as chain clocks; see
//!   `heddle_datalog::compiled::growth`.
//! - Each rule asks whether there is time, because `ascent` has no other way to end early; see
//!   `heddle_datalog::compiled::deadline`.
//! - Above each `ascent` rule stands the rule that it came from.

mod aggregate;
mod expression;
mod names;
mod phase;
mod plan;
mod rule;
mod scope;
mod tables;

use crate::ruleset::{RelationKind, RuleSet};
use names::SharedNames;
use phase::phases;
use std::fmt::Write as _;

/// The most columns that a compiled relation can have: Rust's tuples can be hashed up to
/// this length.
pub const MAX_COLUMNS: usize = 12;

/// How to generate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Try all events before another, even where the last one suffices: to test that it
    /// does.
    pub try_all: bool,
}

/// The module `name` for a rule set that comes from `source`; or why there is none.
pub fn generate(
    name: &str,
    source: &str,
    rules: &RuleSet,
    options: Options,
) -> Result<String, String> {
    if let Some(relation) = rules
        .relations
        .iter()
        .find(|relation| relation.arity() > MAX_COLUMNS)
    {
        return Err(format!(
            "relation `{}` has more than {MAX_COLUMNS} columns, which cannot be compiled",
            relation.name
        ));
    }
    let shared = SharedNames::new(rules);
    let mut symbols = Vec::new();
    let mut run = String::new();
    for id in rules.relation_ids() {
        let name = shared.relation(id);
        let types = row_type(rules.relation(id).arity());
        let _ = writeln!(
            run,
            "let {name}: Vec<{types}> = facts.rows(RelationId({}));",
            id.0
        );
    }
    for phase in phases(rules) {
        run += "\n";
        run += &phase.text(rules, &shared, &mut symbols, options);
        run += "facts.is_complete()?;\n";
    }
    let relations: Vec<String> = rules
        .relation_ids()
        .map(|id| match rules.relation(id).kind {
            RelationKind::Order(_) => format!("{}.into()", shared.order(id)),
            RelationKind::Plain | RelationKind::Choice => {
                format!("Relation::rows({})", shared.relation(id))
            }
        })
        .collect();
    let conflicts: Vec<String> = (0..rules.conflicts.len())
        .map(|index| format!("!{}.is_empty()", phase::conflict_name(index)))
        .collect();

    let mut text = format!(
        "/// From `{source}`.\n\
         #[allow(clippy::all, nonstandard_style, unused, unreachable_pub)]\n\
         pub mod r#{name} {{\n\
         {INDENT}use ::heddle_datalog::compiled::generated::*;\n\n\
         {INDENT}pub static BUILT_IN: BuiltIn = BuiltIn {{\n\
         {INDENT}{INDENT}name: {name:?},\n\
         {INDENT}{INDENT}text: TEXT,\n\
         {INDENT}{INDENT}symbols: &{symbols:?},\n\
         {INDENT}{INDENT}run,\n\
         {INDENT}}};\n\n\
         {INDENT}fn run(facts: &Input<'_>) -> Result<Model, SettleError> {{\n"
    );
    let _ = writeln!(text, "{INDENT}{INDENT}let symbol = facts.symbols();");
    for line in run.lines() {
        let indent = if line.is_empty() {
            String::new()
        } else {
            INDENT.repeat(2)
        };
        let _ = writeln!(text, "{indent}{line}");
    }
    let _ = write!(
        text,
        "\n{0}{0}Ok(Model {{\n\
         {0}{0}{0}relations: vec![\n{1}\
         {0}{0}{0}],\n\
         {0}{0}{0}conflicts: vec![{2}],\n\
         {0}{0}}})\n\
         {0}}}\n\n\
         {0}const TEXT: &str = {3};\n\
         }}\n",
        INDENT,
        relations
            .iter()
            .map(|relation| format!("{}{relation},\n", INDENT.repeat(4)))
            .collect::<String>(),
        conflicts.join(", "),
        raw_string(&rules.to_string()),
    );
    Ok(text)
}

const INDENT: &str = "    ";

/// `(i64, i64)`
fn row_type(arity: usize) -> String {
    tables::tuple(&vec!["i64".to_string(); arity])
}

fn raw_string(text: &str) -> String {
    let mut marks = "#".to_string();
    while text.contains(&format!("\"{marks}")) {
        marks.push('#');
    }
    format!("r{marks}\"{text}\"{marks}")
}
