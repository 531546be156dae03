//! The models of the paper, from `docs/examples`.

use heddle_program::Program;
use std::path::Path;

pub(crate) fn model(name: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let path = folder.join("abstract-matching").join(format!("{name}.hd"));
    let loaded = heddle_front::load(&path, &heddle_front::Options::default());
    loaded.expect("the examples are correct").0
}
