//! What graphs for Graphviz have in common.

/// Text inside of double quotes.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}
