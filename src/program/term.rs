//! Typed, hash-consed terms in one arena.
//!
//! Two equal terms of an arena are the same [`TermId`], and arguments have smaller ids
//! than the terms that use them, so a pass over a term can be a loop instead of a
//! recursion. Terms are built by the methods of [`Terms`] named after the operators
//! (`constructors.rs`), which simplify as they go (`simplify.rs`).

use crate::ids::{TermId, VarId};
use crate::op::{Op, SortError};
use crate::sort::Sort;
use crate::value::{Constant, EvalError, Value};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Constant(Constant),
    Variable(VarId),
    Apply { op: Op, arguments: Box<[TermId]> },
}

#[derive(Clone, Debug)]
struct Declaration {
    name: String,
    sort: Sort,
    term: TermId,
}

/// The arena: terms, and the variables that they mention.
///
/// The first variables are those of a program; an engine may [declare](Terms::declare)
/// more of its own (copies of a variable, choices) in a clone of the arena.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<(Term, Sort)>,
    ids: FxHashMap<Term, TermId>,
    variables: Vec<Declaration>,
    by_name: FxHashMap<String, VarId>,
    /// Whether sums, differences and products of constants that leave the range of signed
    /// numbers stay as they are.
    without_wrapping: bool,
}

impl Terms {
    pub fn new() -> Self {
        Self::default()
    }

    /// For bit-vectors that are to become integers: what wraps around is not simplified away.
    pub fn without_wrapping() -> Self {
        Terms {
            without_wrapping: true,
            ..Self::default()
        }
    }

    /// Whether the constant that an operator gives may take its place.
    pub(crate) fn may_fold(&self, op: Op, arguments: &[Constant]) -> bool {
        !self.without_wrapping || !op.wraps_around(arguments)
    }

    /// Makes a variable. Its name, which must be unused, is how text refers to it.
    ///
    /// # Panics
    /// If the name is taken; see [`Terms::lookup`] and [`Terms::unused_name`].
    pub fn declare(&mut self, name: impl Into<String>, sort: Sort) -> VarId {
        let name = name.into();
        let variable = VarId::from_index(self.variables.len());
        let previous = self.by_name.insert(name.clone(), variable);
        assert!(
            previous.is_none(),
            "internal error: variable `{name}` is declared twice"
        );
        let term = self.intern(Term::Variable(variable), sort);
        self.variables.push(Declaration { name, sort, term });
        variable
    }

    /// `wanted`, or `wanted` with the smallest number that makes it unused.
    pub fn unused_name(&self, wanted: &str) -> String {
        if !self.by_name.contains_key(wanted) {
            return wanted.to_owned();
        }
        (2..)
            .map(|number| format!("{wanted}!{number}"))
            .find(|name| !self.by_name.contains_key(name))
            .expect("some number is unused")
    }

    pub fn lookup(&self, name: &str) -> Option<VarId> {
        self.by_name.get(name).copied()
    }

    /// The variable name that a misspelt one was probably meant to be.
    pub fn similar_name(&self, name: &str) -> Option<&str> {
        self.variables
            .iter()
            .map(|variable| (strsim::jaro_winkler(name, &variable.name), &variable.name))
            .filter(|(similarity, _)| *similarity > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name.as_str())
    }

    /// The unique name of a variable.
    pub fn name(&self, variable: VarId) -> &str {
        &self.variables[variable.index()].name
    }

    pub fn variable_sort(&self, variable: VarId) -> Sort {
        self.variables[variable.index()].sort
    }

    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    pub fn get(&self, term: TermId) -> &Term {
        &self.nodes[term.index()].0
    }

    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term.index()].1
    }

    /// The number of terms; every id is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn arguments(&self, term: TermId) -> &[TermId] {
        match self.get(term) {
            Term::Apply { arguments, .. } => arguments,
            _ => &[],
        }
    }

    pub fn as_constant(&self, term: TermId) -> Option<Constant> {
        match self.get(term) {
            Term::Constant(constant) => Some(*constant),
            _ => None,
        }
    }

    pub fn as_variable(&self, term: TermId) -> Option<VarId> {
        match self.get(term) {
            Term::Variable(variable) => Some(*variable),
            _ => None,
        }
    }

    pub fn is_true(&self, term: TermId) -> bool {
        self.as_constant(term) == Some(Constant::Bool(true))
    }

    pub fn is_false(&self, term: TermId) -> bool {
        self.as_constant(term) == Some(Constant::Bool(false))
    }

    pub fn constant(&mut self, constant: Constant) -> TermId {
        self.intern(Term::Constant(constant), constant.sort().into())
    }

    pub fn variable(&self, variable: VarId) -> TermId {
        self.variables[variable.index()].term
    }

    /// The operator applied to the arguments, simplified, or why that is ill-sorted.
    pub fn try_apply(&mut self, op: Op, arguments: &[TermId]) -> Result<TermId, SortError> {
        let sorts: Vec<Sort> = arguments.iter().map(|&term| self.sort(term)).collect();
        let sort = op.result_sort(&sorts)?;
        Ok(self.simplified(op, arguments, sort))
    }

    /// [`Terms::try_apply`] for arguments that are known to fit.
    ///
    /// # Panics
    /// If the application is ill-sorted.
    pub fn apply(&mut self, op: Op, arguments: &[TermId]) -> TermId {
        match self.try_apply(op, arguments) {
            Ok(term) => term,
            Err(error) => panic!("internal error: ill-sorted term: {error}"),
        }
    }

    /// The node itself, without simplification.
    pub(crate) fn node(&mut self, op: Op, arguments: &[TermId], sort: Sort) -> TermId {
        let arguments = arguments.into();
        self.intern(Term::Apply { op, arguments }, sort)
    }

    fn intern(&mut self, term: Term, sort: Sort) -> TermId {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = TermId::from_index(self.nodes.len());
        self.nodes.push((term.clone(), sort));
        self.ids.insert(term, id);
        id
    }

    /// The term and all terms below it, each once, arguments before their users.
    pub fn subterms(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen: FxHashSet<TermId> = roots.iter().copied().collect();
        let mut pending: Vec<TermId> = roots.to_vec();
        while let Some(term) = pending.pop() {
            for &argument in self.arguments(term) {
                if seen.insert(argument) {
                    pending.push(argument);
                }
            }
        }
        let mut terms: Vec<TermId> = seen.into_iter().collect();
        terms.sort_unstable();
        terms
    }

    /// The variables that occur, each once, in order of their ids.
    pub fn variables_of(&self, term: TermId) -> Vec<VarId> {
        let mut variables: Vec<VarId> = self
            .subterms(&[term])
            .into_iter()
            .filter_map(|term| self.as_variable(term))
            .collect();
        variables.sort_unstable();
        variables
    }

    /// The term with every variable replaced by what `replace` gives for it; `None` keeps
    /// the variable. All occurrences are replaced at once.
    ///
    /// # Panics
    /// If a replacement has another sort than its variable.
    pub fn substitute(
        &mut self,
        term: TermId,
        replace: impl FnMut(&mut Terms, VarId) -> Option<TermId>,
    ) -> TermId {
        self.substitute_all(&[term], replace)[&term]
    }

    /// [`Terms::substitute`] for many terms, which may share subterms: what each of them, and
    /// each term below, becomes.
    pub fn substitute_all(
        &mut self,
        roots: &[TermId],
        mut replace: impl FnMut(&mut Terms, VarId) -> Option<TermId>,
    ) -> FxHashMap<TermId, TermId> {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for subterm in self.subterms(roots) {
            let result = match self.get(subterm).clone() {
                Term::Constant(_) => subterm,
                Term::Variable(variable) => replace(self, variable).unwrap_or(subterm),
                Term::Apply { op, arguments } => {
                    let images: Vec<TermId> = arguments.iter().map(|id| image[id]).collect();
                    if *images == *arguments {
                        subterm
                    } else {
                        self.apply(op, &images)
                    }
                }
            };
            image.insert(subterm, result);
        }
        image
    }

    /// The value of the term where `value_of` gives the value of each variable.
    ///
    /// An error counts only where it matters: not in the branch that an `ite` does not
    /// take, nor in an `and` or `or` that another argument decides.
    pub fn evaluate(
        &self,
        term: TermId,
        mut value_of: impl FnMut(VarId) -> Value,
    ) -> Result<Value, EvalError> {
        let mut values: FxHashMap<TermId, Result<Value, EvalError>> = FxHashMap::default();
        for subterm in self.subterms(&[term]) {
            let value = match self.get(subterm) {
                Term::Constant(constant) => Ok((*constant).into()),
                Term::Variable(variable) => Ok(value_of(*variable)),
                Term::Apply { op, arguments } => evaluate_lazily(*op, arguments, &values),
            };
            values.insert(subterm, value);
        }
        values.remove(&term).expect("a term is its own subterm")
    }
}

/// As [`Terms::evaluate`] says: simplification reorders the arguments of `and` and `or`, so
/// their order must not decide whether there is a value.
fn evaluate_lazily(
    op: Op,
    arguments: &[TermId],
    values: &FxHashMap<TermId, Result<Value, EvalError>>,
) -> Result<Value, EvalError> {
    let truth = |value: &Value| *value == Value::Scalar(Constant::Bool(true));
    match op {
        Op::Ite => {
            let condition = truth(values[&arguments[0]].as_ref().map_err(|e| *e)?);
            values[&arguments[if condition { 1 } else { 2 }]].clone()
        }
        Op::And | Op::Or => {
            let mut failure = None;
            for argument in arguments {
                match &values[argument] {
                    Ok(value) if truth(value) == (op == Op::Or) => {
                        return Ok(Constant::Bool(op == Op::Or).into());
                    }
                    Ok(_) => {}
                    Err(error) => failure = failure.or(Some(*error)),
                }
            }
            match failure {
                Some(error) => Err(error),
                None => Ok(Constant::Bool(op == Op::And).into()),
            }
        }
        _ => {
            let arguments = arguments
                .iter()
                .map(|argument| values[argument].clone())
                .collect::<Result<Vec<Value>, EvalError>>()?;
            op.evaluate(&arguments)
        }
    }
}
