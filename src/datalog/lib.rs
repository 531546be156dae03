//! A rule engine: facts in, relations and reasons out. It knows nothing of programs.

pub mod backend;
pub mod constants;
pub mod fact_files;
pub mod facts;
pub mod incremental;
pub mod naive;
pub mod show;
pub mod theory;
pub mod value;
