//! Update files: what comes and goes, epoch by epoch.

use heddle_datalog::fact_files::{parse_row, takes_facts};
use heddle_datalog::facts::LiteralName;
use heddle_datalog::theory::Theory;
use heddle_datalog::value::Row;
use heddle_diagnostics::{Diagnostic, Report, SourceId, Sources, Span, first_errors};
use heddle_language::ruleset::RelationId;
use std::ops::Range;

pub(crate) enum Update {
    Insert(RelationId, Row, LiteralName),
    Retract(RelationId, Row, LiteralName),
    Commit,
}

/// What a file says, and where it says so.
pub(crate) struct Updates {
    pub(crate) list: Vec<(Update, Span)>,
    /// The text of the file, besides those that were given.
    pub(crate) sources: Sources,
}

/// Reads lines `+rel<TAB>col…`, `-rel<TAB>col…` and `commit`; empty lines are passed over.
/// Changes after the last `commit` are an error: they would never be seen.
pub(crate) fn read_updates(
    theory: &mut Theory,
    name: &str,
    bytes: Vec<u8>,
    mut sources: Sources,
) -> Result<Updates, Report> {
    let text = match sources.table(name, bytes) {
        Ok(text) => text,
        Err(no_text) => return Err(Report::new(sources, vec![no_text])),
    };
    let source = sources.add(name, text);
    let text = sources.text(source);
    let mut list = Vec::new();
    let mut diagnostics = Vec::new();
    let mut uncommitted = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let place = start..start + content.len();
        start += line.len();
        match content {
            "" => {}
            "commit" => {
                uncommitted = None;
                list.push((Update::Commit, Span::new(source, place)));
            }
            _ => {
                if content.starts_with(['+', '-']) {
                    uncommitted.get_or_insert(place.clone());
                }
                match change(theory, source, content, place.clone()) {
                    Ok(update) => list.push((update, Span::new(source, place))),
                    Err(diagnostic) => diagnostics.push(*diagnostic),
                }
            }
        }
    }
    if let Some(place) = uncommitted {
        diagnostics.push(
            Diagnostic::error(Span::new(source, place), "no `commit` follows this change")
                .hint("end the file with a line `commit`"),
        );
    }
    if diagnostics.is_empty() {
        Ok(Updates { list, sources })
    } else {
        Err(Report::new(sources, first_errors(diagnostics.into_iter())))
    }
}

fn change(
    theory: &mut Theory,
    source: SourceId,
    line: &str,
    place: Range<usize>,
) -> Result<Update, Box<Diagnostic>> {
    let at = |range: Range<usize>| Span::new(source, range);
    let (sign, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
    let make = match sign {
        "+" => Update::Insert,
        "-" => Update::Retract,
        _ => {
            return Err(Box::new(
                Diagnostic::error(at(place), "this is neither a change nor `commit`")
                    .hint("a change is `+` or `-`, a relation, and its columns after tabs"),
            ));
        }
    };
    let (name, columns) = match rest.split_once('\t') {
        Some((name, columns)) => (name, Some(columns)),
        None => (rest, None),
    };
    let name_start = place.start + sign.len();
    if name.is_empty() {
        let error = Diagnostic::error(at(place), "the name of a relation is missing");
        return Err(Box::new(error.hint("it follows the sign, without a space")));
    }
    let Some(relation) = theory.rules().find(name) else {
        let span = at(name_start..name_start + name.len());
        let mut error = Diagnostic::error(span, format!("there is no relation `{name}`"));
        let similar = theory
            .rules()
            .relations
            .iter()
            .map(|relation| &relation.name);
        let similar = similar.min_by_key(|other| strsim::damerau_levenshtein(other, name));
        if let Some(similar) = similar.filter(|s| strsim::damerau_levenshtein(s, name) <= 2) {
            error = error.hint(format!("did you mean `{similar}`?"));
        }
        return Err(Box::new(error));
    };
    if !takes_facts(theory.rules(), relation) {
        let span = at(name_start..name_start + name.len());
        let message = format!("rules derive `{name}`, and it is no `.input`");
        return Err(Box::new(Diagnostic::error(span, message).hint(format!(
            "with `.input {name}`, facts are added to what rules derive"
        ))));
    }
    let mut next = name_start + name.len() + 1;
    let fields: Vec<(&str, Range<usize>)> = columns
        .into_iter()
        .flat_map(|columns| columns.split('\t'))
        .map(|field| {
            let range = next..next + field.len();
            next = range.end + 1;
            (field, range)
        })
        .collect();
    match parse_row(theory, relation, fields.into_iter(), place) {
        Ok((row, literal)) => Ok(make(relation, row, literal)),
        Err(error) => Err(Box::new(error.diagnostic(theory.rules(), relation, source))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use heddle_datalog::theory::BackendKind;
    use std::sync::Arc;

    const RULES: &str = "
.decl edge(a: symbol, b: symbol)
.decl weight(a: symbol, w: number) choice
.decl done()
.input edge, weight, done
.decl out(a: symbol)
.output out
out(a) :- edge(a, _), weight(a, _), done().
";

    const PIECES: &[&str] = &[
        "+",
        "-",
        "edge",
        "weight",
        "done",
        "out",
        "edg",
        "\t",
        "\t",
        "\t",
        "a",
        "ä",
        "7",
        "-",
        "99999999999999999999",
        "true",
        "x",
        "commit",
        "commit",
        "\n",
        "\n",
        "\r\n",
        "\r",
        " ",
        "()",
        "\0",
        "\u{2028}",
    ];

    fn read(bytes: Vec<u8>) -> Result<Vec<Update>, Report> {
        let rules = heddle_language::load_text("test.dl", RULES).expect("a rule set");
        let theory = Theory::new(Arc::new(rules.rules), BackendKind::Naive);
        let updates = read_updates(
            &mut theory.expect("any rule set"),
            "updates",
            bytes,
            Sources::default(),
        )?;
        Ok(updates.list.into_iter().map(|(update, _)| update).collect())
    }

    /// Whatever the bytes are: updates, or a report whose errors all have a place.
    fn survive(bytes: Vec<u8>) -> bool {
        let result = read(bytes);
        if let Err(report) = &result {
            assert!(report.has_errors());
            assert!(report.diagnostics.iter().all(|error| error.place.is_some()));
            assert!(report.render(true).contains("updates:"));
        }
        result.is_ok()
    }

    #[test]
    fn no_update_file_panics_and_every_mistake_has_a_place() {
        let mut right = 0;
        for seed in 0..4_000 {
            let mut rng = Rng::with_seed(seed);
            let pieces = (0..rng.usize(0..14)).map(|_| rng.choice(PIECES).expect("some"));
            let mut bytes = pieces.copied().collect::<String>().into_bytes();
            if rng.u8(..10) == 0 {
                let place = rng.usize(..=bytes.len());
                bytes.insert(place, rng.u8(..));
            }
            right += usize::from(survive(bytes));
        }
        assert!(right > 100, "only {right} files were right");
    }

    #[test]
    fn a_mistake_in_every_line_is_shown_a_few_times() {
        let Err(report) = read("+edge\ta\n".repeat(5_000).into()) else {
            panic!("a column is missing");
        };
        assert_eq!(report.diagnostics.len(), 10);
        let more = "4991 more errors in this file are not shown";
        assert!(report.render(false).contains(more), "{report}");
    }

    #[test]
    fn a_line_end_is_one_carriage_return_at_most_as_in_a_fact_file() {
        let symbols = |text: &str| {
            let Ok(updates) = read(text.into()) else {
                panic!("the text is right");
            };
            let Update::Insert(_, row, _) = &updates[0] else {
                panic!("the first line inserts");
            };
            row[0] == row[1]
        };
        assert!(symbols("+edge\ta\ta\r\ncommit\r\n"));
        assert!(!symbols("+edge\ta\ta\r\r\ncommit\r\n"));
    }

    #[test]
    fn what_rules_derive_is_not_updated() {
        let Err(report) = read("+out\ta\ncommit\n".into()) else {
            panic!("`out` is no input");
        };
        let shown = report.render(false);
        assert!(shown.contains("rules derive `out`"), "{shown}");
        assert!(shown.contains("updates:1:2"), "{shown}");
    }

    #[test]
    fn changes_are_read_in_the_order_of_their_lines() {
        let text = "+edge\ta\tb\n\n-weight\ta\t-7\tl\r\n+done\n-done\t()\ncommit\n";
        let Ok(updates) = read(text.into()) else {
            panic!("the text is right");
        };
        use Update::{Commit, Insert, Retract};
        let [
            Insert(_, edge, _),
            Retract(_, weight, _),
            Insert(_, done, _),
            Retract(_, undone, _),
            Commit,
        ] = &updates[..]
        else {
            panic!("there are four changes and a commit");
        };
        assert_eq!((edge.len(), weight[1].0), (2, -7));
        assert!(done.is_empty() && undone.is_empty());
    }
}
