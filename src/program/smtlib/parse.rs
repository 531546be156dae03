//! SMT-LIB text to terms.
//!
//! Accepts the operators of [`Op`], those that are abbreviations of them (`distinct`, `=>`,
//! `bvugt`, …), chained and n-ary uses as SMT-LIB allows them, `let` and annotations. Like
//! reading, elaboration is a loop over an explicit stack.

use super::operators::{Operator, named_operator};
use super::sexp::{Sexp, SexpId, Sexps, TextError};
use super::sorts::unsigned;
use crate::ids::TermId;
use crate::op::Op;
use crate::sort::{ArraySort, MAX_LENGTH, MAX_WIDTH, Sort};
use crate::term::Terms;
use crate::value::Constant;
use rustc_hash::FxHashMap;

impl Terms {
    /// The term that SMT-LIB text stands for, over the variables of the arena.
    ///
    /// If a sort is expected, the term has it; then also an array of constants without a
    /// `:length` annotation is understood.
    pub fn parse(&mut self, text: &str, expected: Option<Sort>) -> Result<TermId, TextError> {
        let sexps = Sexps::read(text)?;
        self.parse_sexp(&sexps, sexps.root(), expected)
    }

    /// [`Terms::parse`] for a part of a text that was read.
    pub fn parse_sexp(
        &mut self,
        sexps: &Sexps<'_>,
        id: SexpId,
        expected: Option<Sort>,
    ) -> Result<TermId, TextError> {
        let array_length = expected.and_then(Sort::as_array).map(|sort| sort.length);
        let term = Elaborator {
            terms: self,
            sexps,
            array_length,
            bound: FxHashMap::default(),
            values: Vec::new(),
        }
        .run(id)?;
        let sort = self.sort(term);
        match expected {
            Some(expected) if expected != sort => Err(sexps.error(
                id,
                match (expected, sort) {
                    (Sort::Array(a), Sort::Array(b)) if a.length != b.length => format!(
                        "an array of length {} is expected here, not {}",
                        a.length, b.length
                    ),
                    _ => format!("a term of sort {expected} is expected here, not {sort}"),
                },
            )),
            _ => Ok(term),
        }
    }
}

enum Work<'a> {
    Elaborate(SexpId),
    /// Applies the operator to the last so many values.
    Apply(SexpId, Operator, usize),
    /// Binds the names to the last values.
    Bind(Vec<&'a str>),
    Unbind(Vec<&'a str>),
}

struct Elaborator<'t, 's, 'a> {
    terms: &'t mut Terms,
    sexps: &'s Sexps<'a>,
    array_length: Option<u32>,
    bound: FxHashMap<&'a str, Vec<TermId>>,
    values: Vec<TermId>,
}

impl<'a> Elaborator<'_, '_, 'a> {
    fn run(mut self, root: SexpId) -> Result<TermId, TextError> {
        let mut pending = vec![Work::Elaborate(root)];
        while let Some(work) = pending.pop() {
            match work {
                Work::Elaborate(id) => self.elaborate(id, &mut pending)?,
                Work::Apply(id, operator, count) => {
                    let arguments = self.values.split_off(self.values.len() - count);
                    let term = operator
                        .apply(self.terms, &arguments)
                        .map_err(|error| self.sexps.error(id, error.0))?;
                    self.values.push(term);
                }
                Work::Bind(names) => {
                    let values = self.values.split_off(self.values.len() - names.len());
                    for (name, value) in names.into_iter().zip(values) {
                        self.bound.entry(name).or_default().push(value);
                    }
                }
                Work::Unbind(names) => {
                    for name in names {
                        self.bound.get_mut(name).and_then(Vec::pop);
                    }
                }
            }
        }
        Ok(self.values.pop().expect("elaboration leaves one value"))
    }

    fn elaborate(&mut self, id: SexpId, pending: &mut Vec<Work<'a>>) -> Result<(), TextError> {
        let sexps = self.sexps;
        let items = match sexps.get(id) {
            Sexp::Atom(text) => {
                let term = self.atom(id, text)?;
                self.values.push(term);
                return Ok(());
            }
            Sexp::Quoted(name) => {
                let term = self.symbol(id, name)?;
                self.values.push(term);
                return Ok(());
            }
            Sexp::Text(_) => return Err(sexps.error(id, "a string is not a term")),
            Sexp::List(items) => items,
        };
        match sexps.headed(id) {
            Some(("let", rest)) => self.let_bindings(id, rest, pending),
            Some(("!", rest)) => self.annotation(id, rest, pending),
            Some(("_", rest)) => {
                let term = self.indexed_constant(id, rest)?;
                self.values.push(term);
                Ok(())
            }
            // A negative literal, which is no application: the smallest integer has no
            // positive counterpart.
            Some(("-", &[digits])) if self.is_numeral(digits) => {
                let term = self.numeral(digits, true)?;
                self.values.push(term);
                Ok(())
            }
            _ => {
                let Some((&head, arguments)) = items.split_first() else {
                    return Err(sexps.error(id, "`()` is not a term"));
                };
                let operator = self.operator(head)?;
                pending.push(Work::Apply(id, operator, arguments.len()));
                pending.extend(arguments.iter().rev().map(|&a| Work::Elaborate(a)));
                Ok(())
            }
        }
    }

    fn let_bindings(
        &mut self,
        id: SexpId,
        rest: &[SexpId],
        pending: &mut Vec<Work<'a>>,
    ) -> Result<(), TextError> {
        let sexps = self.sexps;
        let malformed =
            |at: SexpId| sexps.error(at, "`let` is written `(let ((name term) …) term)`");
        let &[bindings, body] = rest else {
            return Err(malformed(id));
        };
        let mut names = Vec::new();
        let mut terms = Vec::new();
        for &binding in sexps.list(bindings).ok_or_else(|| malformed(bindings))? {
            let Some(&[name, term]) = sexps.list(binding) else {
                return Err(malformed(binding));
            };
            let name = sexps.symbol(name).ok_or_else(|| malformed(name))?;
            if names.contains(&name) {
                return Err(sexps.error(binding, format!("`{name}` is bound twice")));
            }
            names.push(name);
            terms.push(term);
        }
        pending.push(Work::Unbind(names.clone()));
        pending.push(Work::Elaborate(body));
        pending.push(Work::Bind(names));
        pending.extend(terms.into_iter().rev().map(Work::Elaborate));
        Ok(())
    }

    /// `(! term :attribute value …)`: only `:length` of an array of constants means something.
    fn annotation(
        &mut self,
        id: SexpId,
        rest: &[SexpId],
        pending: &mut Vec<Work<'a>>,
    ) -> Result<(), TextError> {
        let sexps = self.sexps;
        let Some((&term, attributes)) = rest.split_first() else {
            return Err(sexps.error(id, "an annotation without a term"));
        };
        let length = attributes
            .windows(2)
            .find(|pair| matches!(sexps.get(pair[0]), Sexp::Atom(":length")));
        let constant = sexps.list(term).and_then(|items| match items {
            &[head, element] => Some((head, element)),
            _ => None,
        });
        if let (Some(pair), Some((head, element))) = (length, constant)
            && let Operator::ConstArray(sort) = self.operator(head)?
        {
            let length = unsigned(sexps, pair[1])?;
            if !(1..=MAX_LENGTH).contains(&length) {
                let message = format!("an array has 1 to {MAX_LENGTH} elements, not {length}");
                return Err(sexps.error(pair[1], message));
            }
            let op = Op::ConstArray(ArraySort { length, ..sort });
            pending.push(Work::Apply(term, Operator::Plain(op), 1));
            pending.push(Work::Elaborate(element));
        } else {
            pending.push(Work::Elaborate(term));
        }
        Ok(())
    }

    fn atom(&mut self, id: SexpId, text: &'a str) -> Result<TermId, TextError> {
        let malformed = |kind: &str| self.sexps.error(id, format!("malformed {kind} literal"));
        if let Some(digits) = text.strip_prefix("#b") {
            let bits = digits_of_base(digits, 2).ok_or_else(|| malformed("binary"))?;
            return self.bit_vec(id, digits.len() as u128, bits);
        }
        if let Some(digits) = text.strip_prefix("#x") {
            let bits = digits_of_base(digits, 16).ok_or_else(|| malformed("hexadecimal"))?;
            return self.bit_vec(id, 4 * digits.len() as u128, bits);
        }
        if self.is_numeral(id) {
            return self.numeral(id, false);
        }
        match text {
            "true" => Ok(self.terms.bool(true)),
            "false" => Ok(self.terms.bool(false)),
            name => self.symbol(id, name),
        }
    }

    fn is_numeral(&self, id: SexpId) -> bool {
        matches!(self.sexps.get(id), Sexp::Atom(text) if text.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn numeral(&mut self, id: SexpId, negative: bool) -> Result<TermId, TextError> {
        let digits = self.sexps.symbol(id).expect("a numeral is an atom");
        if !digits.chars().all(|c| c.is_ascii_digit()) {
            return Err(self
                .sexps
                .error(id, format!("`{digits}` is not an integer"))
                .hint("a symbol that starts with a digit is written between bars: `|2x|`"));
        }
        let signed = if negative {
            format!("-{digits}").parse()
        } else {
            digits.parse()
        };
        match signed {
            Ok(value) => Ok(self.terms.int(value)),
            Err(_) => Err(self
                .sexps
                .error(id, "integers of more than 128 bits are not supported")),
        }
    }

    fn bit_vec(&mut self, id: SexpId, width: u128, bits: u128) -> Result<TermId, TextError> {
        match u32::try_from(width) {
            Ok(width @ 1..=MAX_WIDTH) if bits & !crate::mask(width) == 0 => {
                Ok(self.terms.constant(Constant::BitVec { width, bits }))
            }
            Ok(1..=MAX_WIDTH) => Err(self
                .sexps
                .error(id, format!("{bits} does not fit into {width} bits"))),
            _ => Err(self.sexps.error(
                id,
                format!("a bit-vector has 1 to {MAX_WIDTH} bits, not {width}"),
            )),
        }
    }

    fn symbol(&mut self, id: SexpId, name: &'a str) -> Result<TermId, TextError> {
        if let Some(&term) = self.bound.get(name).and_then(|terms| terms.last()) {
            return Ok(term);
        }
        if let Some(variable) = self.terms.lookup(name) {
            return Ok(self.terms.variable(variable));
        }
        let error = self
            .sexps
            .error(id, format!("there is no variable `{name}`"));
        Err(match self.terms.similar_name(name) {
            Some(similar) => error.hint(format!("there is a variable `{similar}`")),
            None => error,
        })
    }

    /// `(_ bv5 8)`.
    fn indexed_constant(&mut self, id: SexpId, rest: &[SexpId]) -> Result<TermId, TextError> {
        let sexps = self.sexps;
        if let &[value, width] = rest
            && let Some(digits) = sexps.symbol(value).and_then(|v| v.strip_prefix("bv"))
            && let Some(bits) = digits_of_base(digits, 10)
        {
            let width = unsigned(sexps, width)?;
            return self.bit_vec(id, width.into(), bits);
        }
        Err(sexps
            .error(id, "this is not a constant")
            .hint("a bit-vector constant is written `(_ bv5 8)`: value, width"))
    }

    fn operator(&mut self, head: SexpId) -> Result<Operator, TextError> {
        let sexps = self.sexps;
        match sexps.get(head) {
            Sexp::Atom(name) => named_operator(name).ok_or_else(|| {
                sexps.error(
                    head,
                    format!("`{name}` is not an operator that heddle knows"),
                )
            }),
            Sexp::Quoted(_) | Sexp::Text(_) => {
                Err(sexps.error(head, "an operator is expected here"))
            }
            Sexp::List(_) => match sexps.headed(head) {
                Some(("_", indexed)) => self.indexed_operator(head, indexed),
                Some(("as", &[kind, sort])) if sexps.symbol(kind) == Some("const") => {
                    // The length is filled in by the annotation or by what is expected.
                    match Sort::parse_sexp(sexps, sort, Some(self.array_length.unwrap_or(0)))? {
                        Sort::Array(sort) => Ok(Operator::ConstArray(sort)),
                        other => Err(sexps.error(sort, format!("{other} is not a sort of arrays"))),
                    }
                }
                _ => Err(sexps.error(head, "an operator is expected here")),
            },
        }
    }

    fn indexed_operator(&self, head: SexpId, indexed: &[SexpId]) -> Result<Operator, TextError> {
        let sexps = self.sexps;
        let unknown = || {
            sexps
                .error(head, "this is not an operator that heddle knows")
                .hint("indexed operators are `(_ extract high low)`, `(_ zero_extend by)` and `(_ sign_extend by)`")
        };
        let Some((&name, indices)) = indexed.split_first() else {
            return Err(unknown());
        };
        let op = match (sexps.symbol(name), indices) {
            (Some("extract"), &[high, low]) => Op::Extract {
                high: unsigned(sexps, high)?,
                low: unsigned(sexps, low)?,
            },
            (Some("zero_extend"), &[by]) => Op::ZeroExtend {
                by: unsigned(sexps, by)?,
            },
            (Some("sign_extend"), &[by]) => Op::SignExtend {
                by: unsigned(sexps, by)?,
            },
            _ => return Err(unknown()),
        };
        Ok(Operator::Plain(op))
    }
}

/// The number that digits stand for, which have no sign.
fn digits_of_base(digits: &str, base: u32) -> Option<u128> {
    let are_digits = digits.chars().all(|c| c.is_digit(base));
    let number = are_digits.then(|| u128::from_str_radix(digits, base).ok());
    number.flatten()
}
