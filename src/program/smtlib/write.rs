//! Terms to SMT-LIB text.

use crate::ids::TermId;
use crate::op::Op;
use crate::term::{Term, Terms};
use crate::value::Constant;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Terms whose tree has at most this many nodes are written without `let`.
const PLAIN_NODES: u64 = 200;

/// A symbol as SMT-LIB writes it: between bars unless it is a simple one.
pub fn quote_symbol(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let is_simple = !name.is_empty()
        && name.chars().all(simple)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !is_reserved(name);
    if is_simple {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

/// Whether an unquoted symbol of that name would be read as something else.
fn is_reserved(name: &str) -> bool {
    matches!(name, "true" | "false" | "let" | "!" | "_" | "as")
}

impl Terms {
    /// The term as SMT-LIB text that [`Terms::parse`] reads back to a term of equal value.
    pub fn to_smtlib(&self, term: TermId) -> String {
        let subterms = self.subterms(&[term]);
        let mut size: FxHashMap<TermId, u64> = FxHashMap::default();
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for &subterm in &subterms {
            let mut nodes: u64 = 1;
            for argument in self.arguments(subterm) {
                nodes = nodes.saturating_add(size[argument]);
                *uses.entry(*argument).or_default() += 1;
            }
            size.insert(subterm, nodes);
        }
        let mut text = String::new();
        let mut names: FxHashMap<TermId, String> = FxHashMap::default();
        if size[&term] > PLAIN_NODES {
            for &subterm in &subterms {
                let is_shared = uses.get(&subterm).is_some_and(|&uses| uses > 1);
                if is_shared && !self.arguments(subterm).is_empty() {
                    let name = self.unused_name(&format!("?{}", names.len()));
                    write!(text, "(let (({name} ").expect("writing to a string");
                    self.write_smtlib(&mut text, subterm, &names);
                    text.push_str(")) ");
                    names.insert(subterm, name);
                }
            }
        }
        let bound = names.len();
        self.write_smtlib(&mut text, term, &names);
        text.extend(std::iter::repeat_n(')', bound));
        text
    }

    fn write_smtlib(&self, text: &mut String, term: TermId, names: &FxHashMap<TermId, String>) {
        enum Part {
            Term(TermId),
            Text(String),
        }
        let mut pending = vec![Part::Term(term)];
        while let Some(part) = pending.pop() {
            let term = match part {
                Part::Text(piece) => {
                    text.push_str(&piece);
                    continue;
                }
                Part::Term(term) => term,
            };
            if let Some(name) = names.get(&term) {
                text.push_str(name);
                continue;
            }
            match self.get(term) {
                Term::Constant(constant) => write_constant(text, *constant),
                Term::Variable(variable) => text.push_str(&quote_symbol(self.name(*variable))),
                Term::Apply { op, arguments } => {
                    let end = match op {
                        Op::ConstArray(sort) => {
                            text.push_str("(! ");
                            format!(") :length {})", sort.length)
                        }
                        _ => ")".to_owned(),
                    };
                    pending.push(Part::Text(end));
                    for &argument in arguments.iter().rev() {
                        pending.push(Part::Term(argument));
                        pending.push(Part::Text(" ".to_owned()));
                    }
                    write!(text, "({op}").expect("writing to a string");
                }
            }
        }
    }
}

fn write_constant(text: &mut String, constant: Constant) {
    match constant {
        Constant::Bool(value) => write!(text, "{value}"),
        Constant::Int(value) if value < 0 => write!(text, "(- {})", value.unsigned_abs()),
        Constant::Int(value) => write!(text, "{value}"),
        Constant::BitVec { width, bits } => write!(text, "(_ bv{bits} {width})"),
    }
    .expect("writing to a string");
}
