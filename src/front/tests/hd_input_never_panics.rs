//! Whatever the text: a program that is well-formed, or a report. Never a panic.

use heddle_front::hd;
use proptest::prelude::*;
use std::path::Path;

/// Reads the text; if it is a program, it keeps what programs promise.
fn read(text: &str) {
    match hd::read("fuzzed.hd", text) {
        Ok((program, warnings)) => {
            assert!(!warnings.has_errors());
            warnings.render(false);
            let problems = program.validate();
            assert!(problems.is_empty(), "{problems:?}\n{text}");
        }
        Err(report) => {
            assert!(report.has_errors());
            assert!(!report.render(true).is_empty());
        }
    }
}

fn examples() -> &'static [String] {
    static TEXTS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    TEXTS.get_or_init(find_examples)
}

fn find_examples() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    let examples = root.join("../../docs/examples");
    let folders = std::fs::read_dir(examples).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    for folder in folders.chain([root.join("tests/hd_mistakes")]) {
        if !folder.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "hd") {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    texts.sort();
    texts
}

const WORDS: [&str; 78] = [
    "process",
    "p",
    "q",
    "{",
    "}",
    "shared",
    "local",
    "x",
    "y",
    "a",
    ":",
    ":=",
    "=",
    ";",
    ",",
    "int",
    "bool",
    "bv8",
    "bv32",
    "[",
    "]",
    "0",
    "1",
    "2",
    "3",
    "..",
    "*",
    "+",
    "-",
    "/",
    "%",
    "(",
    ")",
    "&&",
    "||",
    "!",
    "=>",
    "<",
    "<=",
    "?",
    "->",
    "if",
    "else",
    "while",
    "goto",
    "l1",
    "l2",
    "l1:",
    "l2:",
    "assert",
    "assume",
    "await",
    "atomic",
    "choose",
    "or",
    "skip",
    "true",
    "false",
    "error",
    "pc",
    ".",
    "const",
    "N",
    "enum",
    "E",
    "in",
    "i",
    "any",
    "start",
    "join",
    "bound",
    "granularity",
    "access",
    "statement",
    "bvadd",
    "extract",
    "store",
    "fill",
];

/// A text cut up and put together differently.
fn mutated(text: &str, cuts: &[(usize, usize, usize)]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for &(from, length, to) in cuts {
        if characters.is_empty() {
            break;
        }
        let from = from % characters.len();
        let end = (from + length % 40).min(characters.len());
        let piece: Vec<char> = characters.drain(from..end).collect();
        if to % 3 > 0 {
            let to = to % (characters.len() + 1);
            characters.splice(to..to, piece);
        }
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_characters(text in ".{0,80}") {
        read(&text);
    }

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_words(words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..60)) {
        read(&words.join(" "));
    }

    #[test]
    fn random_words_in_a_process(
        words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..30)
    ) {
        read(&format!(
            "const N = 2; enum E {{ red, green }}
             shared x: int = *, y: bool, a: int[1..N], b: bv8, c: E;
             process p {{ l1: x := 1; {} ; l2: }}",
            words.join(" ")
        ));
    }

    #[test]
    fn programs_cut_up(
        choice in any::<proptest::sample::Index>(),
        cuts in proptest::collection::vec((0usize..5000, 0usize..40, 0usize..5000), 1..6),
    ) {
        let example: &String = choice.get(examples());
        read(&mutated(example, &cuts));
    }
}

/// A thread with a small stack, so that recursion without a limit would show.
fn read_with_little_stack(text: String) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || read(&text))
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn deep_nesting_is_refused_and_long_chains_are_not_deep() {
    let nested = |open: &str, close: &str, count: usize| {
        format!(
            "shared x: int; process p {{ x := {}1{}; }}",
            open.repeat(count),
            close.repeat(count)
        )
    };
    for count in [150, 190, 199, 200, 1000, 100_000] {
        read_with_little_stack(nested("(", ")", count));
        read_with_little_stack(nested("-", "", count));
        read_with_little_stack(nested("1 - (", ")", count));
        read_with_little_stack(nested("true ? 1 : ", "", count));
        read_with_little_stack(nested("1 - ", "", count));
        read_with_little_stack(nested("1 + ", "", count));
        read_with_little_stack(nested("x * 2 + ", "", count));
        read_with_little_stack(format!(
            "shared x: bool; process p {{ {} skip; {} }}",
            "if x { ".repeat(count),
            "}".repeat(count)
        ));
        read_with_little_stack(format!(
            "shared x: bool; process p {{ {} skip; }}",
            "if x { skip; } else ".repeat(count)
        ));
        read_with_little_stack(format!(
            "shared x: bool; process p {{ assert {} x; }}",
            "x && !x || x => ".repeat(count)
        ));
        read_with_little_stack("{".repeat(count));
        read_with_little_stack("}".repeat(count));
        read_with_little_stack("process p {".repeat(count));
        read_with_little_stack("l1:".repeat(count));
        read_with_little_stack(format!("shared {};", "x,".repeat(count)));
        read_with_little_stack(format!("process p {{ goto {} l; }}", "l,".repeat(count)));
        read_with_little_stack(format!("process p {{ {} }}", "skip; ".repeat(count)));
    }
}
