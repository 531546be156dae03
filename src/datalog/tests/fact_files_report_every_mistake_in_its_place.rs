//! Fact folders: what is read, what is refused, and where a message points.

mod common;

use fastrand::Rng;
use heddle_datalog::fact_files::{read_folder, relation_text, write_relations};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::Value;
use heddle_diagnostics::Report;
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

const RULES: &str = "
.decl edge(from: symbol, to: symbol, weight: number)
.decl rf(w: symbol, r: symbol) choice
.decl mark(e: symbol)
.decl ready()
.input edge, rf, mark, ready
.decl path(from: symbol, to: symbol)
.output path
path(a, b) :- edge(a, b, _).
path(a, b) :- rf(a, b), mark(a), ready().
";

fn theory() -> Theory {
    Theory::new(common::load(RULES), BackendKind::Naive).unwrap()
}

/// A folder with empty files for all relations but those given.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["edge", "rf", "mark", "ready"] {
        if !files.iter().any(|(file, _)| file.starts_with(name)) {
            fs::write(folder.path().join(format!("{name}.facts")), "").unwrap();
        }
    }
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The rendered errors, with the folder's own name left out.
fn errors(files: &[(&str, &str)]) -> String {
    let folder = folder(files);
    let report = read_folder(&mut theory(), folder.path()).expect_err("a mistake");
    let shown = report.render(false);
    shown.replace(&folder.path().display().to_string(), "DIR")
}

fn edges(files: &[(&str, &str)]) -> String {
    let folder = folder(files);
    let mut theory = theory();
    let warnings = read_folder(&mut theory, folder.path()).unwrap();
    assert!(warnings.diagnostics.is_empty(), "{warnings}");
    theory.settle().unwrap();
    relation_text(&theory, theory.rules().find("edge").unwrap())
}

#[test]
fn tab_separated_lines_are_tuples_and_empty_ones_are_none() {
    assert_eq!(
        edges(&[("edge.facts", "\nb\tc\t-2\r\na\tb\t1\r\n\r\na\tb\t1")]),
        "a\tb\t1\nb\tc\t-2\n"
    );
}

#[test]
fn csv_has_a_header_that_names_the_columns_in_any_order() {
    assert_eq!(
        edges(&[("edge.csv", "to,from,weight\nb,a,1\n\"c, d\",b,2\n")]),
        "a\tb\t1\nb\tc, d\t2\n"
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_symbol() {
    for (file, text) in [
        ("edge.facts", "\u{feff}a\tb\t1\n"),
        ("edge.csv", "\u{feff}from,to,weight\na,b,1\n"),
    ] {
        assert_eq!(edges(&[(file, text)]), "a\tb\t1\n", "{file}");
    }
}

#[test]
fn a_choice_has_its_literal_in_one_more_column() {
    let folder = folder(&[("rf.facts", "w\tr\ts1\nw\tr\ts2\nw\tq\ttrue\n")]);
    let mut theory = theory();
    read_folder(&mut theory, folder.path()).unwrap();
    theory.settle().unwrap();
    let rf = theory.rules().find("rf").unwrap();
    assert_eq!(
        relation_text(&theory, rf),
        "w\tq\ttrue\nw\tr\ts1\nw\tr\ts2\n"
    );
}

#[test]
fn a_relation_without_columns_holds_by_its_empty_tuple() {
    let folder = folder(&[
        ("ready.facts", "()\n"),
        ("rf.facts", "w\tr\tl\n"),
        ("mark.facts", "w\n"),
    ]);
    let mut theory = theory();
    read_folder(&mut theory, folder.path()).unwrap();
    theory.settle().unwrap();
    let path = theory.rules().find("path").unwrap();
    assert_eq!(relation_text(&theory, path), "w\tr\n");
}

#[test]
fn a_choice_without_columns_holds_by_its_literal() {
    let rules = ".decl on() choice\n.input on\n.conflict on()\n";
    let folder = folder(&[]);
    let read = |text: &str| -> Result<String, Report> {
        fs::write(folder.path().join("on.facts"), text).unwrap();
        let mut theory = Theory::new(common::load(rules), BackendKind::Naive).unwrap();
        read_folder(&mut theory, folder.path())?;
        theory.settle().unwrap();
        Ok(relation_text(&theory, theory.rules().find("on").unwrap()))
    };
    let refused = |text: &str| read(text).map_err(|report| report.render(false));
    assert_eq!(read("()\tl1\n()\tl2\n").unwrap(), "()\tl1\n()\tl2\n");
    assert_eq!(read("l1\n").unwrap(), "()\tl1\n");
    assert!(
        refused("()\n")
            .unwrap_err()
            .contains("the literal is missing")
    );
    let two = refused("()\tl1\tl2\n").unwrap_err();
    assert!(
        two.contains("has 1 column, but this line has 2 columns"),
        "{two}"
    );
    assert!(
        two.contains("a line is `()`, a tab, and the literal"),
        "{two}"
    );
}

#[test]
fn a_line_of_a_relation_without_columns_is_told_what_it_should_be() {
    let shown = errors(&[("ready.facts", "yes\n")]);
    assert!(
        shown.contains("has 0 columns, but this line has 1 column"),
        "{shown}"
    );
    assert!(shown.contains("its only tuple is written `()`"), "{shown}");
}

#[test]
fn what_a_fact_file_cannot_say_is_not_written() {
    let rules = |symbol: &str| format!(".decl p(x: symbol)\n.output p\np(\"{symbol}\").\n");
    let folder = tempfile::tempdir().unwrap();
    let written = |symbol: &str| {
        let rules = common::load(&rules(symbol));
        let mut theory = Theory::new(rules, BackendKind::Naive).unwrap();
        theory.settle().unwrap();
        let p = theory.rules().find("p").unwrap();
        write_relations(&theory, &[p], folder.path()).map_err(|error| error.to_string())
    };
    for (symbol, why) in [
        ("a\\tb", "a symbol has a tab"),
        ("a\\nb", "a symbol has a line end"),
        ("a\\r", "a carriage return ends the line"),
        ("\u{feff}a", "a byte-order mark begins the line"),
        ("", "the empty symbol alone would be an empty line"),
    ] {
        let error = written(symbol).unwrap_err();
        assert!(error.ends_with(why), "{error}");
    }
    assert!(written("a b, \\\"c\\\" \\\\ ()").is_ok());
}

#[test]
fn all_relations_are_written_or_none() {
    let text = ".decl p, q(x: symbol)\n.output p, q\np(\"a\").\nq(\"two\\nlines\").\n";
    let mut theory = Theory::new(common::load(text), BackendKind::Naive).unwrap();
    theory.settle().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let both: Vec<_> = theory.rules().relation_ids().collect();
    assert!(write_relations(&theory, &both, folder.path()).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    write_relations(&theory, &both[..1], folder.path()).unwrap();
    assert_eq!(
        fs::read_to_string(folder.path().join("p.facts")).unwrap(),
        "a\n"
    );
}

#[test]
fn a_line_with_too_few_columns_is_shown_with_the_columns_that_are_meant() {
    assert_eq!(
        errors(&[("edge.facts", "a\tb\t1\nb\tc\n")]),
        "error: relation `edge` has 3 columns, but this line has 2 columns\n \
         --> DIR/edge.facts:2:1\n  \
         |\n2 | b    c\n  | ^^^^^^\n  |\n  \
         = help: the columns are from, to, weight, with a tab between\n"
    );
}

#[test]
fn a_number_that_is_none_is_underlined() {
    let shown = errors(&[("edge.facts", "a\tb\tone\n")]);
    assert!(
        shown.contains("column `weight` of relation `edge` is a number of 64 bits"),
        "{shown}"
    );
    assert!(shown.contains("DIR/edge.facts:1:5"), "{shown}");
}

#[test]
fn a_field_of_a_csv_file_is_underlined() {
    let shown = errors(&[(
        "edge.csv",
        "weight,to,from\n1,b,a\n\n2,\"x, y\",a\none,b,a\n",
    )]);
    assert!(shown.contains("DIR/edge.csv:5:1"), "{shown}");
    assert!(shown.contains("5 | one,b,a\n  | ^^^\n"), "{shown}");
    let shown = errors(&[("edge.csv", "from,to,weight\na,\"b\"\"\",one\n")]);
    assert!(shown.contains("DIR/edge.csv:2:9"), "{shown}");
    let shown = errors(&[("rf.csv", "literal,w,r\n,w,r\n")]);
    assert!(shown.contains("the literal is missing"), "{shown}");
    assert!(shown.contains("DIR/rf.csv:2:1"), "{shown}");
}

#[test]
fn a_csv_line_with_too_few_columns_is_shown_with_the_columns_that_are_meant() {
    let shown = errors(&[("edge.csv", "from,to,weight\na,b\n")]);
    assert!(shown.contains("but this line has 2 columns"), "{shown}");
    assert!(
        shown.contains("from, to, weight, with a comma between"),
        "{shown}"
    );
}

#[test]
fn a_quote_that_is_not_closed_is_shown() {
    for (text, place) in [
        ("from,to,weight\na,\"b,1\nb,c,2\n", "2:3"),
        ("from,to,weight\na,b,1\n\nb,c,\"2", "4:5"),
        ("from,\"to,weight\n", "1:6"),
    ] {
        let shown = errors(&[("edge.csv", text)]);
        assert!(shown.contains("this quote is not closed"), "{shown}");
        assert!(
            shown.contains(&format!("DIR/edge.csv:{place}\n")),
            "{shown}"
        );
        assert_eq!(shown.matches("error").count(), 1, "{shown}");
    }
}

#[test]
fn a_quote_within_a_field_is_shown() {
    let text = "from,to,weight\n\"a\"b,c,1\n\"a,\"\"b\",c,2\r\nd,\"e\" ,3\n";
    let shown = errors(&[("edge.csv", text)]);
    let message = "the field goes on behind the quote that ends it";
    assert_eq!(shown.matches(message).count(), 2, "{shown}");
    assert_eq!(shown.matches("error").count(), 2, "{shown}");
    for place in ["2:3", "4:5"] {
        let place = format!("DIR/edge.csv:{place}\n");
        assert!(shown.contains(&place), "{shown}");
    }
    let shown = errors(&[("edge.csv", "from,\"to\"s,weight\na,b,1\n")]);
    assert!(shown.contains(message), "{shown}");
    assert!(shown.contains("DIR/edge.csv:1:9\n"), "{shown}");
}

#[test]
fn a_csv_file_without_its_header_is_told_what_it_should_be() {
    let shown = errors(&[("edge.csv", "")]);
    assert!(shown.contains("the header is missing"), "{shown}");
    assert!(
        shown.contains("the first line names from, to, weight"),
        "{shown}"
    );
    let shown = errors(&[("edge.csv", "from,to,to\na,b,1\n")]);
    assert!(shown.contains("the header names from, to, to"), "{shown}");
}

#[test]
fn a_column_that_is_called_literal_is_not_the_literal() {
    let folder = folder(&[("c.csv", "literal,literal\na,b\n")]);
    let rules = common::load(".decl c(literal: symbol) choice\n.input c\n.conflict c(_)\n");
    let mut theory = Theory::new(rules, BackendKind::Naive).unwrap();
    read_folder(&mut theory, folder.path()).unwrap();
    theory.settle().unwrap();
    let c = theory.rules().find("c").unwrap();
    assert_eq!(relation_text(&theory, c), "a\tb\n");
}

#[test]
fn a_choice_without_its_literal_is_refused() {
    let shown = errors(&[("rf.facts", "w\tr\n")]);
    assert!(
        shown.contains("relation `rf` has 3 columns, but this line has 2 columns"),
        "{shown}"
    );
    assert!(shown.contains("w, r, literal"), "{shown}");
    assert!(errors(&[("rf.facts", "w\tr\t\n")]).contains("write `true` for what always holds"));
}

#[test]
fn mistakes_in_several_files_are_shown_at_once() {
    let shown = errors(&[("edge.facts", "a\n"), ("mark.facts", "a\tb\n\nc\td\n")]);
    assert!(shown.contains("DIR/edge.facts:1:1"), "{shown}");
    assert!(shown.contains("DIR/mark.facts:1:1"), "{shown}");
    assert!(shown.contains("DIR/mark.facts:3:1"), "{shown}");
}

#[test]
fn one_file_does_not_bury_the_others() {
    let shown = errors(&[("edge.facts", &"a\n".repeat(1000))]);
    assert!(
        shown.contains("990 more errors in this file are not shown"),
        "{shown}"
    );
}

#[test]
fn text_that_is_not_utf8_is_refused_at_its_byte() {
    let folder = folder(&[]);
    fs::write(folder.path().join("mark.facts"), b"ab\nc\xff\n").unwrap();
    let report = read_folder(&mut theory(), folder.path()).unwrap_err();
    let shown = report.render(false);
    assert!(
        shown.contains("not UTF-8") && shown.contains("mark.facts:2:2"),
        "{shown}"
    );
}

/// A relation that rules derive takes no facts, so its name does not help.
#[test]
fn only_what_takes_facts_is_suggested_for_a_misspelt_file() {
    let rules = common::load(
        ".decl given(e: symbol)
         .decl total(e: symbol)
         .output total
         total(e) :- given(e).",
    );
    let mut theory = Theory::new(rules, BackendKind::Naive).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("totals.facts"), "a\n").unwrap();
    fs::write(folder.path().join("gven.facts"), "a\n").unwrap();
    let warnings = read_folder(&mut theory, folder.path()).unwrap();
    let shown = warnings.render(false);
    assert!(shown.contains("did you mean `given`?"), "{shown}");
    assert!(!shown.contains("did you mean `total`?"), "{shown}");
}

#[test]
fn a_missing_file_and_a_misspelt_one_are_warnings() {
    let folder = folder(&[]);
    fs::rename(
        folder.path().join("mark.facts"),
        folder.path().join("marc.facts"),
    )
    .unwrap();
    let warnings = read_folder(&mut theory(), folder.path()).unwrap();
    let shown = warnings.render(false);
    assert!(shown.contains("no file `mark.facts`"), "{shown}");
    assert!(shown.contains("did you mean `mark`?"), "{shown}");
}

#[test]
fn what_was_derived_does_not_come_back_as_facts() {
    let folder = folder(&[("edge.facts", "a\tb\t1\n"), ("path.facts", "b\tc\n")]);
    let paths = |rules: &str| {
        let mut theory = Theory::new(common::load(rules), BackendKind::Naive).unwrap();
        let warnings = read_folder(&mut theory, folder.path()).unwrap();
        theory.settle().unwrap();
        let path = theory.rules().find("path").unwrap();
        (relation_text(&theory, path), warnings.render(false))
    };
    let (text, warnings) = paths(RULES);
    assert_eq!(text, "a\tb\n");
    assert!(
        warnings.contains("path.facts` is not read: rules derive `path`, and it is no `.input`"),
        "{warnings}"
    );
    let (text, warnings) = paths(&format!("{RULES}.input path\n"));
    assert_eq!((text.as_str(), warnings.as_str()), ("a\tb\nb\tc\n", ""));
}

#[test]
fn two_files_of_one_relation_and_a_folder_that_is_none_are_errors() {
    let shown = errors(&[("mark.facts", ""), ("mark.csv", "e\n")]);
    assert!(shown.contains("two files"), "{shown}");
    let nowhere = std::path::Path::new("no/such/folder");
    let report = read_folder(&mut theory(), nowhere).unwrap_err();
    assert!(
        report
            .render(false)
            .contains("cannot read the folder `no/such/folder`")
    );
}

#[test]
fn what_is_written_is_read_as_the_same_facts() {
    let rules = common::load(
        ".decl mark(e: symbol)\n.decl named(e: symbol, n: number, f: symbol)\n\
         .decl ready()\n.decl on() choice\n.decl by(e: symbol) choice\n",
    );
    let relation = |name| rules.find(name).unwrap();
    let empty = || Theory::new(rules.clone(), BackendKind::Naive).unwrap();
    let (mut written, mut refused) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let mut theory = empty();
        for _ in 0..rng.usize(0..4) {
            let mut symbol = |shortest| {
                let pieces = ["a", "b", "()", " ", "\t", "\n", "\r", "\u{feff}"];
                let count = rng.usize(shortest..3);
                let name: String = (0..count).map(|_| *rng.choice(&pieces).unwrap()).collect();
                theory.symbols_mut().intern(&name)
            };
            let (first, second, literal) = (symbol(0), symbol(0), symbol(1));
            theory.insert(relation("mark"), [first]);
            theory.insert(relation("named"), [first, Value(rng.i64(..)), second]);
            theory.insert(relation("ready"), []);
            theory.insert_by(relation("on"), [], literal);
            theory.insert_by(relation("by"), [second], literal);
        }
        theory.settle().unwrap();
        for relation in rules.relation_ids() {
            let folder = tempfile::tempdir().unwrap();
            if write_relations(&theory, &[relation], folder.path()).is_err() {
                refused += 1;
                continue;
            }
            written += 1;
            let mut again = empty();
            read_folder(&mut again, folder.path()).unwrap();
            again.settle().unwrap();
            let (expected, found) = (theory.facts(), again.facts());
            assert_eq!(found.len(relation), expected.len(relation));
            assert_eq!(
                relation_text(&again, relation),
                relation_text(&theory, relation)
            );
        }
    }
    assert!(written > 300 && refused > 300, "{written}, {refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_read_or_refused_but_never_a_panic(
        name in prop::sample::select(vec!["edge.facts", "rf.facts", "ready.facts", "edge.csv", "rf.csv"]),
        bytes in prop::collection::vec(
            prop_oneof![Just(b'\t'), Just(b'\n'), Just(b','), Just(b'"'), Just(b'1'), any::<u8>()],
            0..60,
        ),
    ) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), bytes).unwrap();
        if let Err(report) = read_folder(&mut theory(), folder.path()) {
            prop_assert!(report.has_errors());
            prop_assert!(!report.render(false).is_empty());
        }
    }
}
