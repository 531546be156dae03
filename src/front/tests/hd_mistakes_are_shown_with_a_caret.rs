//! Each `hd_mistakes/*.hd` is wrong, or worth a warning, in the way that its name says; the
//! `.txt` beside it is what the user sees. `HEDDLE_BLESS=1` writes the texts anew.

use heddle_front::hd;
use std::path::Path;

#[test]
fn every_mistake_is_reported_as_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hd_mistakes");
    let bless = std::env::var_os("HEDDLE_BLESS").is_some();
    let mut cases = 0;
    let mut different = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "hd") {
            continue;
        }
        cases += 1;
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let shown = match hd::read(name, &text) {
            Ok((_, warnings)) => warnings.to_string(),
            Err(report) => report.to_string(),
        };
        let expected_path = path.with_extension("txt");
        if bless {
            std::fs::write(&expected_path, &shown).unwrap();
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if shown != expected || shown.is_empty() {
            different.push(format!("{name} is reported as\n{shown}"));
        }
    }
    assert!(cases > 15, "only {cases} cases were found");
    assert!(different.is_empty(), "{}", different.join("\n"));
}
