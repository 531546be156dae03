//! The pre-pass: rewrites what `lang-c` does not know, token by token.
//!
//! - comments and spliced lines go away;
//! - `__thread` becomes `_Thread_local`;
//! - `$` in a name becomes [`DOLLAR`];
//! - attributes between `struct` and the tag move behind the closing brace;
//! - `a ?: b` becomes `a ? `[`SAME_AS_CONDITION`]` : b`;
//! - well-known type names that the file uses without declaring them (a file whose headers
//!   were stripped) are declared in a prelude.

use super::options::DataModel;
use std::collections::HashSet;
use std::ops::Range;

/// What stands for `$` in names while they pass through the parser.
pub(crate) const DOLLAR: &str = "_dollar_";

/// The name that stands for the left out operand of `a ?: b`.
pub(crate) const SAME_AS_CONDITION: &str = "__heddle_same_as_condition";

/// Brackets inside brackets, which the parser and the passes after it follow by recursion.
const MAX_NESTING: usize = 200;
/// Tokens without a `;` or a brace between them: the other way to nest deeply (`- - - x`,
/// `if (a) if (b)`), and the length of a chain of operators.
const MAX_RUN: usize = 20_000;
/// `else if` chains nest too.
const MAX_ELSE: usize = 4_000;

/// The original spelling of a name.
pub(crate) fn spelling(name: &str) -> String {
    name.replace(DOLLAR, "$")
}

pub(crate) struct Cleaned {
    pub(crate) text: String,
    /// From which place of the text on which place of the original is shown; both grow.
    segments: Vec<(usize, usize)>,
}

impl Cleaned {
    /// The place in the original text. Inserted text belongs to what follows it.
    pub(crate) fn origin(&self, offset: usize) -> usize {
        let next = self.segments.partition_point(|&(start, _)| start <= offset);
        match next.checked_sub(1).map(|index| self.segments[index]) {
            None => 0,
            Some((start, origin)) => {
                let following = self.segments.get(next).map_or(usize::MAX, |&(_, at)| at);
                (origin + (offset - start)).min(following)
            }
        }
    }

    fn keep(&mut self, original: &str, range: Range<usize>) {
        self.segments.push((self.text.len(), range.start));
        self.text.push_str(&original[range]);
    }

    fn insert(&mut self, text: &str, at: usize) {
        self.segments.push((self.text.len(), at));
        self.text.push_str(text);
    }
}

pub(crate) fn clean(original: &str, data_model: DataModel) -> Cleaned {
    let tokens = tokenize(original);
    let mut cleaned = Cleaned {
        text: prelude(original, &tokens, data_model),
        segments: Vec::new(),
    };
    let mut previous = "";
    let mut attributes = Attributes::default();
    for (index, (kind, range)) in tokens.iter().enumerate() {
        let (kind, range) = (*kind, range.clone());
        let text = &original[range.clone()];
        if attributes.moves(original, &tokens, index, previous) {
            continue;
        }
        match kind {
            Kind::Comment if text.contains('\n') => {
                // Line markers only count at the start of a line.
                cleaned.insert("\n", range.start);
            }
            Kind::Comment => cleaned.insert(" ", range.start),
            Kind::Splice => {}
            Kind::Word if text == "__thread" => cleaned.insert("_Thread_local", range.start),
            Kind::Word if text.contains('$') => {
                cleaned.insert(&text.replace('$', DOLLAR), range.start);
            }
            Kind::Other if text == ":" && previous == "?" => {
                cleaned.insert(&format!(" {SAME_AS_CONDITION} "), range.start);
                cleaned.keep(original, range.clone());
            }
            _ => cleaned.keep(original, range.clone()),
        }
        if kind == Kind::Other
            && let Some(moved) = attributes.behind(text)
        {
            cleaned.insert(&format!(" {moved} "), range.end);
        }
        if !matches!(kind, Kind::Space | Kind::Comment | Kind::Splice) {
            previous = text;
        }
    }
    cleaned
}

/// `struct __attribute__((packed)) tag { … }` on its way to
/// `struct tag { … } __attribute__((packed))`.
#[derive(Default)]
struct Attributes {
    /// The tokens before this one belong to an attribute that is being moved.
    until: usize,
    waiting: String,
    /// What goes behind each brace that is open.
    open: Vec<String>,
}

impl Attributes {
    /// Whether the token moves elsewhere.
    fn moves(
        &mut self,
        original: &str,
        tokens: &[(Kind, Range<usize>)],
        index: usize,
        previous: &str,
    ) -> bool {
        if index < self.until {
            return true;
        }
        let (kind, range) = &tokens[index];
        let is_attribute = *kind == Kind::Word
            && matches!(&original[range.clone()], "__attribute__" | "__attribute")
            && matches!(previous, "struct" | "union");
        if !is_attribute {
            return false;
        }
        let mut depth = 0;
        for (position, (_, token)) in tokens.iter().enumerate().skip(index + 1) {
            match &original[token.clone()] {
                "(" => depth += 1,
                ")" => depth -= 1,
                ";" | "{" | "}" => return false,
                _ => continue,
            }
            if depth == 0 {
                self.until = position + 1;
                self.waiting.push_str(&original[range.start..token.end]);
                return true;
            }
        }
        false
    }

    /// What goes behind a piece of punctuation.
    fn behind(&mut self, text: &str) -> Option<String> {
        match text {
            "{" => self.open.push(std::mem::take(&mut self.waiting)),
            "}" => return self.open.pop().filter(|moved| !moved.is_empty()),
            ";" => self.waiting.clear(),
            _ => {}
        }
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Comment,
    /// A backslash at the end of a line.
    Splice,
    /// An identifier, a keyword or a number.
    Word,
    /// A string or a character constant.
    Quoted,
    /// A line that starts with `#`.
    Directive,
    /// One character of punctuation.
    Other,
}

fn tokenize(text: &str) -> Vec<(Kind, Range<usize>)> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        let rest = &bytes[at..];
        let kind = match bytes[at] {
            b'#' if line_start => {
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                Kind::Directive
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                Kind::Comment
            }
            b'/' if rest.starts_with(b"/*") => {
                at += text[at + 2..].find("*/").map_or(rest.len(), |end| end + 4);
                Kind::Comment
            }
            b'\\' if rest.starts_with(b"\\\n") => {
                at += 2;
                Kind::Splice
            }
            b'\\' if rest.starts_with(b"\\\r\n") => {
                at += 3;
                Kind::Splice
            }
            quote @ (b'"' | b'\'') => {
                at = end_of_quoted(bytes, at, quote);
                Kind::Quoted
            }
            // Vertical tabs and the like are not white space to lang-c.
            byte if byte.is_ascii_whitespace() || byte == 0x0b => {
                at += 1;
                Kind::Space
            }
            byte if is_word(byte) => {
                at += rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
                Kind::Word
            }
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                Kind::Other
            }
        };
        line_start = bytes[at - 1] == b'\n' || line_start && kind == Kind::Space;
        tokens.push((kind, start..at));
    }
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Behind the closing quote, or at the end of the line if there is none.
fn end_of_quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if at + 1 < bytes.len() && bytes[at + 1].is_ascii() => at += 2,
            b'\n' => return at,
            byte => {
                at += 1;
                if byte == quote {
                    return at;
                }
            }
        }
    }
    bytes.len()
}

/// Declarations of the well-known types that the text mentions but does not declare.
fn prelude(original: &str, tokens: &[(Kind, Range<usize>)], data_model: DataModel) -> String {
    let mut mentioned: HashSet<&str> = HashSet::new();
    let mut declared: HashSet<&str> = HashSet::new();
    let mut in_typedef = false;
    let mut depth = 0usize;
    for (kind, range) in tokens {
        let text = &original[range.clone()];
        match kind {
            Kind::Word if text == "typedef" => {
                in_typedef = true;
                depth = 0;
            }
            Kind::Word => {
                mentioned.insert(text);
                if in_typedef && depth == 0 {
                    declared.insert(text);
                }
            }
            Kind::Other => match text {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => in_typedef = false,
                _ => {}
            },
            _ => {}
        }
    }
    let mut prelude = String::new();
    for (name, definition) in well_known_types(data_model) {
        if mentioned.contains(name) && !declared.contains(name) {
            prelude.push_str(&format!("typedef {definition} {name};\n"));
        }
    }
    prelude
}

/// Opaque types are known by their names, so that their definition does not matter.
fn well_known_types(data_model: DataModel) -> Vec<(&'static str, &'static str)> {
    let int64 = match data_model {
        DataModel::Ilp32 => "long long",
        DataModel::Lp64 => "long",
    };
    let uint64 = match data_model {
        DataModel::Ilp32 => "unsigned long long",
        DataModel::Lp64 => "unsigned long",
    };
    let mut types: Vec<(&str, &str)> = super::opaque::OPAQUE_TYPES
        .iter()
        .map(|&(name, _)| (name, "int"))
        .collect();
    types.extend([
        ("pthread_t", "unsigned long"),
        ("pthread_key_t", "unsigned"),
        ("size_t", "unsigned long"),
        ("ssize_t", "long"),
        ("ptrdiff_t", "long"),
        ("intptr_t", "long"),
        ("uintptr_t", "unsigned long"),
        ("wchar_t", "int"),
        ("int8_t", "signed char"),
        ("uint8_t", "unsigned char"),
        ("int16_t", "short"),
        ("uint16_t", "unsigned short"),
        ("int32_t", "int"),
        ("uint32_t", "unsigned"),
        ("int64_t", int64),
        ("uint64_t", uint64),
        ("off_t", "long"),
        ("pid_t", "int"),
        ("time_t", "long"),
        ("va_list", "__builtin_va_list"),
        ("FILE", "struct __heddle_file"),
    ]);
    types
}

/// Where the text nests so deeply that following it could exhaust the stack.
pub(crate) fn nesting_error(text: &str) -> Option<(Range<usize>, String)> {
    let (mut depth, mut run, mut elses) = (0usize, 0usize, 0usize);
    for (kind, range) in tokenize(text) {
        if matches!(kind, Kind::Space | Kind::Comment | Kind::Directive) {
            continue;
        }
        run += 1;
        match &text[range.clone()] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "else" => elses += 1,
            _ => {}
        }
        match &text[range.clone()] {
            "}" if depth == 0 => (run, elses) = (0, 0),
            ";" | "{" | "}" => run = 0,
            _ => {}
        }
        let message = if depth > MAX_NESTING {
            format!("brackets are nested more than {MAX_NESTING} deep")
        } else if run > MAX_RUN {
            format!("a statement has more than {MAX_RUN} tokens")
        } else if elses > MAX_ELSE {
            format!("a function has more than {MAX_ELSE} `else` branches")
        } else {
            continue;
        };
        return Some((range, message));
    }
    None
}

/// A pragma that changes the layout of structures, which nobody after this follows.
pub(crate) fn layout_pragma(text: &str) -> Option<(Range<usize>, String)> {
    let directives = tokenize(text).into_iter();
    let mut directives = directives.filter(|(kind, _)| *kind == Kind::Directive);
    directives.find_map(|(_, range)| {
        let line = text[range.clone()].trim_start_matches(['#', ' ', '\t']);
        let pragma = line.strip_prefix("pragma")?.trim_start();
        let pack = pragma.strip_prefix("pack")?.trim_start();
        let mut words = pack.strip_prefix('(')?.split([',', ')']).map(str::trim);
        // Nothing is aligned to more than eight bytes.
        let changes =
            words.any(|word| matches!(word.parse::<u32>(), Ok(bytes) if (1..8).contains(&bytes)));
        changes.then(|| (range, "`#pragma pack` is not supported".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        clean(text, DataModel::Lp64).text
    }

    #[test]
    fn comments_are_blanks_and_strings_are_kept() {
        assert_eq!(cleaned("int/*x*/a; // b\n"), "int a;  \n");
        assert_eq!(
            cleaned("char *s = \"/* no */ // no\";"),
            "char *s = \"/* no */ // no\";"
        );
        assert_eq!(cleaned("char c = '\"'; /* x"), "char c = '\"';  ");
    }

    #[test]
    fn names_are_rewritten_and_spelled_back() {
        assert_eq!(
            cleaned("__thread int y$w;"),
            "_Thread_local int y_dollar_w;"
        );
        assert_eq!(spelling("y_dollar_w"), "y$w");
        assert_eq!(cleaned("a ? : b"), format!("a ?  {SAME_AS_CONDITION} : b"));
    }

    #[test]
    fn attributes_of_structures_move_behind_them() {
        let text = cleaned("struct __attribute__((packed)) s { int x; } y;");
        assert_eq!(text, "struct  s { int x; } __attribute__((packed))  y;");
    }

    #[test]
    fn places_point_back_to_the_original() {
        let original = "/* a */ __thread int x; int y$z; x";
        let cleaned = clean(original, DataModel::Lp64);
        for word in ["int x", "x;", "int y"] {
            let at = cleaned.text.find(word).unwrap();
            assert_eq!(cleaned.origin(at), original.find(word).unwrap(), "{word}");
        }
    }

    #[test]
    fn undeclared_well_known_types_are_declared() {
        assert!(cleaned("pthread_mutex_t m; size_t n;").starts_with("typedef "));
        let own = "typedef unsigned long size_t; size_t n;";
        assert_eq!(cleaned(own), own);
    }

    #[test]
    fn pragmas_that_change_the_layout_are_found() {
        for line in [
            "#pragma pack(1)",
            "# pragma  pack ( push , 4 )",
            "#pragma pack(push, a, 2)",
        ] {
            let text = format!("int x;\n{line}\nint y;");
            let (range, _) = layout_pragma(&text).unwrap();
            assert_eq!(&text[range], line);
        }
        for line in [
            "#pragma pack()",
            "#pragma pack(pop)",
            "#pragma pack(8)",
            "#pragma once 1",
        ] {
            assert!(layout_pragma(line).is_none(), "{line}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert!(nesting_error(&"(".repeat(500)).is_some());
        assert!(nesting_error(&"-".repeat(50_000)).is_some());
        assert!(nesting_error("int f(void) { return ((1)); }").is_none());
    }
}
