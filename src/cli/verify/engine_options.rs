//! Which engines take which options. An option that the engine would not look at is a mistake
//! of the command line: a verdict must not look as if it had been heeded.

use super::Engine::{self, Auto, Control, Match, Predicate, Schedule, Slice};
use super::slice::With;
use crate::cli::memory_model::SC;
use crate::cli::report::complaint;
use clap::error::Error;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches, ValueEnum};
use heddle_diagnostics::Report;

struct EngineOption {
    /// As `clap` calls it: the long name, with underscores.
    id: &'static str,
    engines: &'static [Engine],
    /// With which of these checkers `slice` takes it, too.
    checkers: &'static [With],
}

const fn option(
    id: &'static str,
    engines: &'static [Engine],
    checkers: &'static [With],
) -> EngineOption {
    EngineOption {
        id,
        engines,
        checkers,
    }
}

const PROVERS: &[With] = &[With::Predicate, With::Control];
const CONCRETE: &[With] = &[With::Match, With::Explore];

/// All options but those that hold for every engine.
///
/// `slice` takes none that mention the program, or what was reached in it, because it checks
/// other programs. Of the options of `match`, `auto` leaves out those about inputs and errors:
/// there a solver chooses the inputs (as with `open`), and the first error ends the search.
const OPTIONS: &[EngineOption] = &[
    option("unwind", &[Schedule], &[With::Schedule]),
    option("model", &[Schedule], &[With::Schedule]),
    option("rules", &[Schedule], &[With::Schedule]),
    option("reasons_a_round", &[Schedule, Auto], &[With::Schedule]),
    option("lemma_size", &[Schedule, Auto], &[With::Schedule]),
    option("reasons", &[Schedule, Auto], &[With::Schedule]),
    option("solver", &[Schedule, Auto], &[With::Schedule]),
    option("predicate", &[Match, Predicate, Control, Auto], &[]),
    option("dot", &[Match, Predicate, Control], &[]),
    option("dfs", &[Match, Auto], CONCRETE),
    option("all_interleavings", &[Match, Auto], CONCRETE),
    option("concrete_after", &[Match, Auto], &[With::Match]),
    option("open", &[Match, Auto], &[With::Match]),
    option("nondet_range", &[Match], CONCRETE),
    option("local_predicates", &[Match, Auto], &[With::Match]),
    option("no_prover", &[Match, Auto], &[With::Match]),
    option("max_iterations", &[Match, Auto], &[With::Match]),
    option("after_error", &[Match], &[With::Match]),
    option("with", &[Slice], &[]),
    option("keep", &[Slice], &[]),
    option("depth", &[Slice], &[]),
    option("exclude", &[Slice], &[]),
    option("dump", &[Slice], &[]),
    option("abstraction", &[Predicate, Control, Auto], PROVERS),
    option("posts", &[Predicate, Control, Auto], PROVERS),
    option("predicates_from", &[Predicate, Control, Auto], PROVERS),
    option("predicate_scope", &[Predicate, Control, Auto], PROVERS),
    option("backend", &[Predicate, Control, Auto], PROVERS),
    option("invariant", &[Predicate, Control, Auto], &[]),
    option("refinement", &[Control, Auto], &[With::Control]),
    option("compare_refinements", &[Control], &[]),
];

impl EngineOption {
    fn holds_for(&self, engine: Engine, with: With) -> bool {
        self.engines.contains(&engine) || engine == Slice && self.checkers.contains(&with)
    }

    /// Whether it is in the command line. Sequential consistency is what all engines know, so
    /// that naming it asks for nothing.
    fn is_given(&self, matches: &ArgMatches) -> bool {
        let is_typed = matches.value_source(self.id) == Some(ValueSource::CommandLine);
        let names_the_default = || {
            let model = matches.get_one::<String>("model");
            self.id == "model" && model.is_some_and(|model| model == SC)
        };
        is_typed && !names_the_default()
    }

    /// Why the engine does not take it.
    fn refusal(&self, engine: Engine, with: With) -> String {
        let names = self.engines.iter().map(|engine| engine.name().to_owned());
        let mut takers: Vec<String> = names.collect();
        let checkers = self.checkers.iter().map(|with| sliced_with(*with));
        takers.extend(checkers);
        let asked = match engine {
            Slice => sliced_with(with),
            _ => engine.name().to_owned(),
        };
        format!(
            "--{} is for --engine {}, not for {asked}",
            self.id.replace('_', "-"),
            takers.join(", "),
        )
    }
}

/// As one types it.
fn sliced_with(checker: With) -> String {
    let value = checker.to_possible_value();
    let name = value.as_ref().map_or("", |value| value.get_name());
    format!("`slice --with {name}`")
}

/// The engines' options that are in the command line.
pub(super) struct Given(Vec<&'static EngineOption>);

impl Given {
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|option| option.id == id)
    }

    /// Refuses what the engine does not take. `with` says what checks sliced programs.
    pub(super) fn check(&self, engine: Engine, with: With) -> Result<(), Report> {
        let refused = self.0.iter().find(|option| !option.holds_for(engine, with));
        match refused {
            Some(option) => Err(complaint(option.refusal(engine, with))),
            None => Ok(()),
        }
    }
}

/// Declares no option, but sees which of the others are given.
impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given, Error> {
        let given = OPTIONS.iter().filter(|option| option.is_given(matches));
        Ok(Given(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_an_engine_is_known_to_be_one() {
        let command = <super::super::Args as clap::Args>::augment_args(Command::new("verify"));
        let mut of_engines: Vec<&str> = command
            .get_arguments()
            .filter(|argument| {
                let heading = argument.get_help_heading().unwrap_or_default();
                heading.starts_with("Engine")
            })
            .map(|argument| argument.get_id().as_str())
            .collect();
        let mut known: Vec<&str> = OPTIONS.iter().map(|option| option.id).collect();
        of_engines.sort_unstable();
        known.sort_unstable();
        assert_eq!(of_engines, known);
        for id in known {
            let argument = command.get_arguments().find(|found| found.get_id() == id);
            let long = argument.and_then(|argument| argument.get_long());
            assert_eq!(long, Some(id.replace('_', "-").as_str()));
        }
    }
}
