//! Whatever the text, reading C gives a program or a report, never a panic.

use heddle_front::c;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Reads a text as C; a program that comes out must be well-formed.
fn read(text: &str) -> Result<(), TestCaseError> {
    for check_memory in [false, true] {
        let options = c::Options {
            check_memory,
            check_overflow: check_memory,
            ..c::Options::default()
        };
        // Preprocessed: starting cpp for every case would take minutes.
        match c::translate("fuzz.i", text, &options) {
            Ok((program, warnings)) => {
                let problems = program.validate();
                prop_assert!(problems.is_empty(), "{problems:?}\n{text}");
                let _ = warnings.render(false);
            }
            Err(report) => {
                prop_assert!(report.has_errors());
                let _ = report.render(false);
            }
        }
    }
    Ok(())
}

fn samples() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["sequential", "threads"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let texts = files
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap());
    // Without directives, so that the text can stand as preprocessed.
    texts
        .map(|text| {
            let lines = text
                .lines()
                .filter(|line| !line.trim_start().starts_with('#'));
            lines.collect::<Vec<_>>().join("\n")
        })
        .collect()
}

/// Words of C that a mutation may put anywhere.
const WORDS: &[&str] = &[
    "int",
    "char",
    "struct",
    "union",
    "s",
    "x",
    "p",
    "*",
    "&",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "=",
    "0",
    "1",
    "-1",
    "3",
    "sizeof",
    "->",
    ".",
    "+",
    "-",
    "/",
    "%",
    "<<",
    ">>",
    "&&",
    "||",
    "?",
    ":",
    "!",
    "~",
    "++",
    "return",
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "continue",
    "void",
    "unsigned",
    "long",
    "static",
    "const",
    "_Atomic",
    "_Bool",
    "typedef",
    "extern",
    "float",
    "\"text\"",
    "'c'",
    "malloc",
    "free",
    "pthread_create",
    "pthread_join",
    "pthread_mutex_lock",
    "__VERIFIER_nondet_int()",
    "__VERIFIER_atomic_begin()",
    "__VERIFIER_atomic_end()",
    "memcpy",
    "memset",
    "(void *)",
    "(char *)",
    "(int *)",
    "(long)",
    "&x",
    "*p",
    "x->s",
    "({",
    "})",
    "__attribute__((packed))",
];

#[derive(Clone, Debug)]
enum Mutation {
    Delete(prop::sample::Index, usize),
    Insert(prop::sample::Index, usize),
    Replace(prop::sample::Index, usize),
    Swap(prop::sample::Index, prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), 1..4usize).prop_map(|(at, count)| Mutation::Delete(at, count)),
        (index(), 0..WORDS.len()).prop_map(|(at, word)| Mutation::Insert(at, word)),
        (index(), 0..WORDS.len()).prop_map(|(at, word)| Mutation::Replace(at, word)),
        (index(), index()).prop_map(|(a, b)| Mutation::Swap(a, b)),
    ]
}

/// Words, numbers and single characters, with the white space between them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for character in text.chars() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(last) if is_word(character) && last.chars().all(is_word) => last.push(character),
            _ => tokens.push(character.to_string()),
        }
    }
    tokens
}

fn mutate(tokens: &mut Vec<String>, mutation: &Mutation) {
    if tokens.is_empty() {
        return;
    }
    match mutation {
        Mutation::Delete(at, count) => {
            let at = at.index(tokens.len());
            let end = (at + count).min(tokens.len());
            tokens.drain(at..end);
        }
        Mutation::Insert(at, word) => {
            tokens.insert(at.index(tokens.len()), format!(" {} ", WORDS[*word]));
        }
        Mutation::Replace(at, word) => {
            let at = at.index(tokens.len());
            tokens[at] = format!(" {} ", WORDS[*word]);
        }
        Mutation::Swap(a, b) => {
            let (a, b) = (a.index(tokens.len()), b.index(tokens.len()));
            tokens.swap(a, b);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200), ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn random_words(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        read(&format!("int x; struct s {{ int s; }} *p; int main(void) {{ {} }}", words.join(" ")))?;
    }

    #[test]
    fn mutated_programs(
        which in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let samples = samples();
        let mut tokens = tokens(&samples[which.index(samples.len())]);
        for mutation in &mutations {
            mutate(&mut tokens, mutation);
        }
        read(&tokens.concat())?;
    }
}

/// Depth that would exhaust the stack is refused, or followed without harm.
#[test]
fn deep_nesting() {
    let texts = [
        format!("int x = {}1{};", "(".repeat(100_000), ")".repeat(100_000)),
        format!("int main(void) {{ return {}1; }}", "- ".repeat(15_000)),
        format!("int main(void) {{ return {}1; }}", "1+".repeat(9_000)),
        format!("int main(void) {{ {} ; }}", "if (1) ".repeat(4_000)),
        format!(
            "int main(void) {{ {}{} }}",
            "{".repeat(150),
            "}".repeat(150)
        ),
        format!(
            "int main(void) {{ int x = 0; if (x) ; {} }}",
            "else if (x) ; ".repeat(3_000)
        ),
        format!(
            "int {}x; int main(void) {{ return 0; }}",
            "*".repeat(10_000)
        ),
        format!("int main(void) {{ int a = {}1; }}", "a = ".repeat(5_000)),
        format!(
            "int main(void) {{ int a; return {}a; }}",
            "a ? a : ".repeat(3_000)
        ),
    ];
    for text in texts {
        read(&text).unwrap();
    }
}
