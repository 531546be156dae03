//! `--engine predicate`.

use super::progress::ProgressLine;
use super::{Answer, matching, reach};
use heddle_diagnostics::Report;
use heddle_engine::predicate;
use heddle_program::Program;
use heddle_solver::Limits;

pub(super) fn check(
    program: &Program,
    reach: &reach::Args,
    matching: &matching::Args,
    limits: Limits,
) -> Result<Answer, Report> {
    let (program, options) = reach.options(program, matching, limits)?;
    let outcome = predicate::check(&program, &options, &mut ProgressLine::default());
    reach.answer("predicate", outcome, matching)
}
