//! `.include`: relative to the including file, every file once, cycles harmless.

use heddle_language::load;
use std::fs;
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn relative_to_the_file_that_includes() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "main.dl",
        ".include \"parts/rules.dl\"\n.output p\n",
    );
    write(
        folder.path(),
        "parts/rules.dl",
        ".include \"types.dl\"\n.include \"../parts/types.dl\"\n.include \"../main.dl\"\np(1).\n",
    );
    write(
        folder.path(),
        "parts/types.dl",
        ".type T <: number\n.decl p(x: T)\n.include \"rules.dl\"\n",
    );
    let loaded = load(&folder.path().join("main.dl")).unwrap();
    assert_eq!(loaded.warnings.to_string(), "");
    assert_eq!(
        loaded.rules.to_string(),
        ".type T <: number\n.decl p(x: T)\n.output p\np(1).\n"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_the_only_error() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("main.dl");
    write(
        folder.path(),
        "main.dl",
        ".include \"missing.dl\"\n.output p\np(x) :- q(x).\n",
    );
    let report = load(&main).unwrap_err().to_string();
    let report = report.replace(folder.path().to_str().unwrap(), "DIR");
    assert_eq!(
        report,
        "\
error: cannot read `DIR/missing.dl`: No such file or directory (os error 2)
 --> DIR/main.dl:1:10
  |
1 | .include \"missing.dl\"
  |          ^^^^^^^^^^^^
  |
  = help: the path is relative to the file that includes it
"
    );
}

#[test]
fn a_missing_file_is_an_error_without_a_place_and_a_binary_one_has_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str| {
        let report = load(&folder.path().join(name)).unwrap_err().to_string();
        report.replace(folder.path().to_str().unwrap(), "DIR")
    };
    fs::write(folder.path().join("binary.dl"), b".decl p(\xff: number)\n").unwrap();
    assert_eq!(
        error("absent.dl"),
        "error: cannot read `DIR/absent.dl`: No such file or directory (os error 2)\n"
    );
    assert_eq!(
        error("binary.dl"),
        "\
error: this byte is not UTF-8 text
 --> DIR/binary.dl:1:9
  |
1 | .decl p(\u{fffd}: number)
  |         ^
"
    );
}

#[test]
fn errors_are_shown_in_the_file_that_has_them() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "main.dl",
        ".include \"decl.dl\"\n.output p\np(1, 2).\n",
    );
    write(
        folder.path(),
        "decl.dl",
        ".decl p(x: number)\n.decl q(x: nmber)\n",
    );
    let report = load(&folder.path().join("main.dl"))
        .unwrap_err()
        .to_string();
    let report = report.replace(folder.path().to_str().unwrap(), "DIR");
    assert_eq!(
        report,
        "\
error: `p` has 1 column, but 2 are given
 --> DIR/main.dl:3:1
  |
3 | p(1, 2).
  | ^^^^^^^
  |
 ::: DIR/decl.dl:1:7
  |
1 | .decl p(x: number)
  |       - declared as p(x)

error: unknown type `nmber`
 --> DIR/decl.dl:2:12
  |
2 | .decl q(x: nmber)
  |            ^^^^^
  |
  = help: did you mean `number`?
"
    );
}

#[test]
fn a_long_chain_of_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..300 {
        let text = format!(".include \"{}.dl\"\n", number + 1);
        write(folder.path(), &format!("{number}.dl"), &text);
    }
    let report = load(&folder.path().join("0.dl")).unwrap_err().to_string();
    assert!(
        report.contains("files include each other too deeply"),
        "{report}"
    );
}
