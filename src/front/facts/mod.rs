//! Program facts: a program as a folder of tab-separated files, one relation a file.
//!
//! The schema is written down in `docs/facts.md`, for people who write such a folder by hand
//! or from another language. Everything that does not fit is reported with its place;
//! a program that is written and read back is the same up to the numbering of its parts.

mod checks;
mod defined;
mod formula;
mod known;
mod names;
mod places;
mod read;
mod schema;
mod statements;
mod tables;
mod write;

pub use read::read;
pub use schema::{Relation, SCHEMA};
pub use write::{files, write};

use std::path::Path;

/// Whether a folder holds program facts, rather than event facts or something else.
pub fn is_program_folder(folder: &Path) -> bool {
    ["facts", "csv"]
        .iter()
        .any(|extension| folder.join(format!("thread.{extension}")).is_file())
}
