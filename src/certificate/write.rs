//! An invariant as a script that any SMT-LIB reader accepts.

use crate::invariant::{Cell, Position};
use heddle_program::{Program, Terms, quote_symbol};
use std::fmt::Write;

/// How a thread that was not created yet is written.
pub(crate) const NOT_CREATED: &str = "-";

const HEADER: &str = "\
; An inductive invariant: in every reachable state one of these cells holds. A cell holds if
; its formula does and each thread is at one of the locations after its name; `-` means that
; it was not created yet, and a thread that is not named may be anywhere.
";

/// The cells as text. Their formulas are terms of this arena, over the program's variables.
pub fn write(program: &Program, terms: &Terms, cells: &[Cell]) -> String {
    let mut text = HEADER.to_owned();
    let locations = program.location_names();
    for variable in program.variable_ids() {
        let name = quote_symbol(program.terms.name(variable));
        let sort = program.variable(variable).sort;
        let _ = writeln!(text, "(declare-const {name} {sort})");
    }
    for (number, cell) in cells.iter().enumerate() {
        let formula = terms.to_smtlib(cell.holds);
        let _ = write!(
            text,
            "(define-fun cell-{number} () Bool\n  (! {formula} :at ("
        );
        for (place, (thread, positions)) in cell.at.iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            let thread = quote_symbol(&program.thread(*thread).name);
            let _ = write!(text, "{space}({thread}");
            for &position in positions {
                let _ = write!(text, " {}", position_name(&locations, position));
            }
            text.push(')');
        }
        text.push_str(")))\n");
    }
    text
}

fn position_name(locations: &[String], position: Position) -> String {
    match position {
        Some(location) => quote_symbol(&locations[location.index()]),
        None => NOT_CREATED.to_owned(),
    }
}
