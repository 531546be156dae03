//! Every example of `docs/rules.md` is a rule file without errors or warnings.

use heddle_language::load_text;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/rules.md");

#[test]
fn each_one_loads_without_a_warning() {
    let text = std::fs::read_to_string(DOCS).unwrap();
    let examples: Vec<&str> = text
        .split("```dl\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(examples.len() >= 7, "{} examples", examples.len());
    for example in examples {
        match load_text("docs/rules.md", example) {
            Ok(loaded) => assert_eq!(loaded.warnings.to_string(), "", "{example}"),
            Err(report) => panic!("{report}"),
        }
    }
}
