//! A rule engine: facts in, relations and reasons out. It knows nothing of programs.

// The generated code of `compiled` names this crate; the tests include such code too.
extern crate self as heddle_datalog;

pub mod backend;
pub mod compiled;
pub mod constants;
pub mod fact_files;
pub mod facts;
pub mod incremental;
pub mod naive;
mod numbering;
pub mod provenance;
pub mod show;
pub mod theory;
pub mod value;
