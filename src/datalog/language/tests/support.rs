//! Loading a text, and saying what came of it.

use crate::guarantees::assert_guarantees;
use heddle_language::{Loaded, RuleSet, load_text};

/// The rule set of a text that must be right.
pub(crate) fn rules(text: &str) -> RuleSet {
    loaded(text).rules
}

pub(crate) fn loaded(text: &str) -> Loaded {
    match load_text("test.dl", text) {
        Ok(loaded) => {
            assert_guarantees(&loaded.rules);
            loaded
        }
        Err(report) => panic!("does not load:\n{report}"),
    }
}

/// The rendered diagnostics of a text that must be wrong.
pub(crate) fn errors(text: &str) -> String {
    match load_text("test.dl", text) {
        Ok(loaded) => panic!("loads, though it should not:\n{}", loaded.rules),
        Err(report) => report.to_string(),
    }
}

/// The rendered warnings of a text that must be right.
pub(crate) fn warnings(text: &str) -> String {
    loaded(text).warnings.to_string()
}
