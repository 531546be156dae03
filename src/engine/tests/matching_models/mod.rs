//! The models of the paper, from `docs/examples`.

use heddle_program::{Program, TermId};
use std::path::Path;

pub(crate) fn model(name: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let path = folder.join("abstract-matching").join(format!("{name}.hd"));
    let loaded = heddle_front::load(&path, &heddle_front::Options::default());
    loaded.expect("the examples are correct").0
}

/// The program with nothing to violate: what is left to find is a bisimilar structure.
pub(crate) fn without_property(mut program: Program) -> Program {
    program.property.error = None;
    program
}

/// `variable >= bound`
pub(crate) fn predicate(program: &mut Program, variable: &str, bound: i128) -> TermId {
    let variable = program
        .terms
        .lookup(variable)
        .expect("a variable of the model");
    let variable = program.terms.variable(variable);
    let bound = program.terms.int(bound);
    program.terms.ge(variable, bound)
}
