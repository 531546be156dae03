//! The rule language's tests: one behaviour a file.

mod design_example_loads;
mod last_events_suffice;
mod support;
mod tuples_on_the_command_line;
