//! `--integers mathematical`: signed arithmetic that never overflows.
//!
//! The variables of the steps fall into classes: two are in one class if a value goes from one
//! to the other, or if an operator or a comparison takes both. A class becomes integers unless
//! its bits matter somewhere: because C defines what unsigned and atomic arithmetic do on overflow,
//! because a conversion to fewer bits or a bitwise operator looks at them, because a pointer or
//! the place of an array element is computed from them, or because they are an array that nobody
//! has filled. Those keep their width, and C's
//! meaning.

use super::ir::Register;
use super::lower::{Lowered, LoweredEdge, Operation};
use super::types::Nature;
use heddle_diagnostics::Diagnostic;
use heddle_program::{
    ArraySort, Constant, Op, Place, Role, Scalar, Sort, Term, TermId, Terms, Update, VarId,
    to_signed,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Puts integers where the bits of a number do not matter, and assumes that they do not
/// overflow. The assumption names the numbers whose bits matter.
pub(crate) fn mathematical(
    lowered: &mut Lowered,
    registers: &[Register],
) -> Result<(), Diagnostic> {
    let described = |variable: VarId| match lowered.leaf_variables.get(&variable) {
        Some(leaf) => Some((leaf.nature, &leaf.name)),
        None => {
            let register = registers.get(variable.index())?;
            Some((register.nature, &register.name))
        }
    };
    let mut classes = Classes::new(&lowered.terms);
    for variable in variables(&lowered.terms) {
        if described(variable).is_some_and(|(nature, _)| nature == Nature::Bits) {
            classes.keep_bits(Some(variable));
        }
    }
    for edge in &lowered.edges {
        classes.add_edge(&lowered.terms, edge);
    }
    for (&variable, leaf) in &lowered.leaf_variables {
        match leaf.initial {
            Some(initial) => {
                classes.of_term(&lowered.terms, initial);
            }
            None => classes.add_any(&lowered.terms, Place::Variable(variable)),
        }
    }
    let kept: BTreeSet<&String> = variables(&lowered.terms)
        .filter(|&variable| !classes.is_integer(variable))
        .filter_map(described)
        .filter(|(nature, _)| *nature == Nature::Number)
        .map(|(_, name)| name)
        .collect();
    let mut assumption = "signed integers are mathematical: they never overflow".to_owned();
    if !kept.is_empty() {
        let kept: Vec<String> = kept.iter().map(|name| format!("`{name}`")).collect();
        assumption.push_str("; but the bits matter, and the width stays, of ");
        assumption.push_str(&kept.join(", "));
    }
    lowered.assumptions.push((assumption, None));
    Translation::new(classes, &lowered.terms).all(lowered)
}

fn variables(terms: &Terms) -> impl Iterator<Item = VarId> + use<> {
    (0..terms.variable_count()).map(VarId::from_index)
}

/// Variables that are integers together or bits together, each class by one of them.
type Class = VarId;

struct Classes {
    /// Towards the variable that stands for the class.
    parents: Vec<VarId>,
    bits: Vec<bool>,
    /// Stands for the terms whose bits matter though no variable gives them: `(a < b) & 1`.
    no_variable: Class,
    /// The class of a term of bit-vectors, or of an array of such; none for constants.
    of: FxHashMap<TermId, Option<Class>>,
}

impl Classes {
    fn new(terms: &Terms) -> Classes {
        let is_bit_vector = |variable| match terms.variable_sort(variable) {
            Sort::BitVec(_) => true,
            Sort::Array(array) => matches!(array.element, Scalar::BitVec(_)),
            Sort::Bool | Sort::Int => false,
        };
        let no_variable = VarId::from_index(terms.variable_count());
        let bits = variables(terms).map(|variable| !is_bit_vector(variable));
        Classes {
            parents: variables(terms).chain([no_variable]).collect(),
            bits: bits.chain([true]).collect(),
            no_variable,
            of: FxHashMap::default(),
        }
    }

    fn representative(&self, mut variable: VarId) -> Class {
        while self.parents[variable.index()] != variable {
            variable = self.parents[variable.index()];
        }
        variable
    }

    fn is_integer(&self, variable: VarId) -> bool {
        !self.bits[self.representative(variable).index()]
    }

    fn keep_bits(&mut self, class: Option<Class>) {
        if let Some(class) = class {
            let class = self.representative(class);
            self.bits[class.index()] = true;
        }
    }

    fn unite(&mut self, one: Option<Class>, other: Option<Class>) -> Option<Class> {
        let (Some(a), Some(b)) = (one, other) else {
            return one.or(other);
        };
        let (a, b) = (self.representative(a), self.representative(b));
        self.parents[b.index()] = a;
        self.bits[a.index()] |= self.bits[b.index()];
        Some(a)
    }

    fn add_edge(&mut self, terms: &Terms, edge: &LoweredEdge) {
        match &edge.operation {
            Operation::Step(step) => {
                self.of_term(terms, step.guard);
                for &(place, update) in &step.updates {
                    self.add_place(terms, place);
                    match update {
                        Update::Value(value) => {
                            let class = self.of_term(terms, value);
                            self.unite(Some(place.variable()), class);
                        }
                        Update::Any => self.add_any(terms, place),
                    }
                }
                if let Role::Lock(place) | Role::Unlock(place) = step.role {
                    self.add_place(terms, place);
                }
            }
            Operation::Assert(condition, _) => {
                self.of_term(terms, *condition);
            }
            _ => {}
        }
    }

    /// Of an array that takes any value all at once no range is assumed (`ranges.rs`).
    fn add_any(&mut self, terms: &Terms, place: Place) {
        if let Place::Variable(variable) = place
            && terms.variable_sort(variable).as_array().is_some()
        {
            self.keep_bits(Some(variable));
        }
    }

    fn add_place(&mut self, terms: &Terms, place: Place) {
        if let Place::Element(_, index) = place {
            let class = self.of_term(terms, index);
            self.keep_bits(class);
        }
    }

    /// The class of a term; all terms below it are looked at.
    fn of_term(&mut self, terms: &Terms, root: TermId) -> Option<Class> {
        if !self.of.contains_key(&root) {
            for term in terms.subterms(&[root]) {
                if !self.of.contains_key(&term) {
                    let class = self.of_node(terms, term);
                    self.of.insert(term, class);
                }
            }
        }
        self.of[&root]
    }

    fn of_node(&mut self, terms: &Terms, term: TermId) -> Option<Class> {
        let (op, arguments) = match terms.get(term) {
            Term::Constant(_) => return None,
            Term::Variable(_) if terms.sort(term) == Sort::Bool => return None,
            Term::Variable(variable) => return Some(*variable),
            Term::Apply { op, arguments } => (*op, arguments),
        };
        let of: Vec<Option<Class>> = arguments.iter().map(|term| self.of[term]).collect();
        let all = |classes: &mut Classes, of: &[Option<Class>]| {
            of.iter()
                .fold(None, |one, &other| classes.unite(one, other))
        };
        match op {
            Op::Not | Op::And | Op::Or => None,
            Op::Eq | Op::BvSlt | Op::BvSle => {
                all(self, &of);
                None
            }
            Op::Ite => all(self, &of[1..]),
            Op::BvNeg | Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvSdiv | Op::BvSrem => {
                all(self, &of)
            }
            Op::SignExtend { .. } | Op::ConstArray(_) => of[0],
            Op::Select => {
                self.keep_bits(of[1]);
                of[0]
            }
            Op::Store => {
                self.keep_bits(of[1]);
                self.unite(of[0], of[2])
            }
            _ => {
                let class = all(self, &of).or(Some(self.no_variable));
                self.keep_bits(class);
                class
            }
        }
    }
}

/// A term in the arena with integers. A constant term can be read both ways.
#[derive(Clone, Copy, Default)]
struct Image {
    bits: Option<TermId>,
    integer: Option<TermId>,
}

impl Image {
    fn get(self, integer: bool) -> TermId {
        let image = if integer { self.integer } else { self.bits };
        image.expect("internal error: a term is used as integers and as bits")
    }
}

struct Translation {
    classes: Classes,
    terms: Terms,
    images: FxHashMap<TermId, Image>,
    /// Whether constants overflow where nothing says of which kind they are.
    ambiguous: bool,
}

impl Translation {
    fn new(classes: Classes, old: &Terms) -> Translation {
        let mut terms = Terms::new();
        for variable in variables(old) {
            let mut sort = old.variable_sort(variable);
            if classes.is_integer(variable) {
                sort = with_integers(sort);
            }
            terms.declare(old.name(variable), sort);
        }
        Translation {
            classes,
            terms,
            images: FxHashMap::default(),
            ambiguous: false,
        }
    }

    fn all(mut self, lowered: &mut Lowered) -> Result<(), Diagnostic> {
        let old = std::mem::take(&mut lowered.terms);
        for edge in &mut lowered.edges {
            match &mut edge.operation {
                Operation::Step(step) => {
                    step.guard = self.truth(&old, step.guard);
                    for (place, update) in &mut step.updates {
                        let integer = self.classes.is_integer(place.variable());
                        *place = self.place(&old, *place);
                        if let Update::Value(value) = update {
                            *value = self.term(&old, *value).get(integer);
                        }
                    }
                    if let Role::Lock(place) | Role::Unlock(place) = &mut step.role {
                        *place = self.place(&old, *place);
                    }
                }
                Operation::Assert(condition, _) => *condition = self.truth(&old, *condition),
                _ => {}
            }
        }
        for (&variable, leaf) in &mut lowered.leaf_variables {
            let integer = self.classes.is_integer(variable);
            leaf.initial = leaf
                .initial
                .map(|initial| self.term(&old, initial).get(integer));
        }
        lowered.terms = self.terms;
        match self.ambiguous {
            false => Ok(()),
            true => Err(Diagnostic::without_place(
                "constants overflow, and it cannot be told whether they are signed",
            )
            .hint("--integers bits says what happens")),
        }
    }

    fn place(&mut self, old: &Terms, place: Place) -> Place {
        match place {
            Place::Variable(variable) => Place::Variable(variable),
            Place::Element(variable, index) => {
                Place::Element(variable, self.term(old, index).get(false))
            }
        }
    }

    fn truth(&mut self, old: &Terms, condition: TermId) -> TermId {
        self.term(old, condition).get(false)
    }

    fn term(&mut self, old: &Terms, root: TermId) -> Image {
        if !self.images.contains_key(&root) {
            for term in old.subterms(&[root]) {
                if !self.images.contains_key(&term) {
                    let image = self.image(old, term);
                    self.images.insert(term, image);
                }
            }
        }
        self.images[&root]
    }

    /// Whether the arguments of a comparison are integers. Of constants a signed comparison
    /// says so; an equation does not, and matters only if it makes a difference.
    fn compares_integers(&mut self, old: &Terms, op: Op, arguments: &[TermId]) -> bool {
        let mut classes = arguments.iter().filter_map(|term| self.classes.of[term]);
        match classes.next() {
            Some(class) => self.classes.is_integer(class),
            None if op == Op::Eq => {
                self.ambiguous |= overflows(old, arguments);
                false
            }
            None => true,
        }
    }

    fn image(&mut self, old: &Terms, term: TermId) -> Image {
        let (op, arguments) = match old.get(term) {
            Term::Constant(constant) => {
                let bits = Some(self.terms.constant(*constant));
                let integer = match *constant {
                    Constant::BitVec { width, bits } => {
                        Some(self.terms.int(to_signed(width, bits)))
                    }
                    _ => bits,
                };
                return Image { bits, integer };
            }
            Term::Variable(variable) => {
                let image = Some(self.terms.variable(*variable));
                let integer = self.classes.is_integer(*variable);
                let truth = old.sort(term) == Sort::Bool;
                return Image {
                    bits: image.filter(|_| truth || !integer),
                    integer: image.filter(|_| truth || integer),
                };
            }
            Term::Apply { op, arguments } => (*op, arguments),
        };
        let images: Vec<Image> = arguments.iter().map(|term| self.images[term]).collect();
        if let Op::Extract { high, low: 0 } = op
            && let Some(term) = self.low_bits(old, high + 1, arguments[0])
        {
            return Image {
                bits: Some(term),
                integer: None,
            };
        }
        match op {
            Op::Eq | Op::BvSlt | Op::BvSle => {
                let integer = self.compares_integers(old, op, arguments);
                let arguments: Vec<TermId> = images.iter().map(|i| i.get(integer)).collect();
                let image = self.apply(op, &arguments, integer);
                Image {
                    bits: Some(image),
                    integer: Some(image),
                }
            }
            _ => {
                let class = self.classes.of[&term];
                let possible = |integer: bool| match class {
                    Some(class) => self.classes.is_integer(class) == integer,
                    None => images.iter().enumerate().all(|(n, image)| {
                        match integer && !is_of_bits(op, n) {
                            true => image.integer.is_some(),
                            false => image.bits.is_some(),
                        }
                    }),
                };
                let (bits, integer) = (possible(false), possible(true));
                let mut image = |integer: bool| {
                    let arguments: Vec<TermId> = images
                        .iter()
                        .enumerate()
                        .map(|(n, image)| image.get(integer && !is_of_bits(op, n)))
                        .collect();
                    self.apply(op, &arguments, integer)
                };
                Image {
                    bits: bits.then(|| image(false)),
                    integer: integer.then(|| image(true)),
                }
            }
        }
    }

    /// Arithmetic that was done at a greater width only to be cut (`expand/wrapping.rs`), done at
    /// the width that is left.
    fn low_bits(&mut self, old: &Terms, width: u32, wide: TermId) -> Option<TermId> {
        let Term::Apply { op, arguments } = old.get(wide) else {
            return None;
        };
        if !matches!(op, Op::BvNeg | Op::BvAdd | Op::BvSub | Op::BvMul) {
            return None;
        }
        let mut narrow = Vec::new();
        for argument in arguments {
            let known = match old.get(*argument) {
                Term::Constant(_) => *argument,
                Term::Apply {
                    op: Op::ZeroExtend { .. },
                    arguments,
                } => arguments[0],
                _ => return None,
            };
            let bits = self.images[&known].get(false);
            narrow.push(self.terms.resize(width, false, bits));
        }
        Some(self.terms.apply(*op, &narrow))
    }

    fn apply(&mut self, op: Op, arguments: &[TermId], integer: bool) -> TermId {
        let terms = &mut self.terms;
        if !integer && is_range(terms, op, arguments) {
            return terms.bool(true);
        }
        if !integer {
            return terms.apply(op, arguments);
        }
        match (op, arguments) {
            (Op::BvNeg, &[a]) => terms.neg(a),
            (Op::BvAdd, &[a, b]) => terms.add(a, b),
            (Op::BvSub, &[a, b]) => terms.sub(a, b),
            (Op::BvMul, &[a, b]) => terms.mul(a, b),
            (Op::BvSlt, &[a, b]) => terms.lt(a, b),
            (Op::BvSle, &[a, b]) => terms.le(a, b),
            (Op::BvSdiv, &[a, b]) => towards_zero(terms, Op::Div, a, b),
            (Op::BvSrem, &[a, b]) => towards_zero(terms, Op::Mod, a, b),
            (Op::SignExtend { .. }, &[a]) => a,
            (Op::ConstArray(sort), &[a]) => terms.const_array(integers(sort), a),
            _ => terms.apply(op, arguments),
        }
    }
}

/// Whether it compares bit-vectors with the least or the most that they can be.
fn is_range(terms: &Terms, op: Op, arguments: &[TermId]) -> bool {
    let (Op::BvSle, &[a, b]) = (op, arguments) else {
        return false;
    };
    let signed = |term: TermId| match terms.as_constant(term) {
        Some(Constant::BitVec { width, bits }) => Some((width, to_signed(width, bits))),
        _ => None,
    };
    let most = |width: u32| i128::MAX >> (i128::BITS - width);
    signed(a).is_some_and(|(width, value)| value == -most(width) - 1)
        || signed(b).is_some_and(|(width, value)| value == most(width))
}

/// Whether an operation on constants was not simplified, because it leaves the range of its
/// width.
fn overflows(terms: &Terms, roots: &[TermId]) -> bool {
    let is_constant = |term: &TermId| terms.as_constant(*term).is_some();
    terms.subterms(roots).into_iter().any(|term| {
        let is_number = matches!(terms.sort(term), Sort::BitVec(_));
        let arguments = terms.arguments(term);
        is_number && !arguments.is_empty() && arguments.iter().all(is_constant)
    })
}

/// Arguments that are not of the class of the result: conditions and indices.
fn is_of_bits(op: Op, argument: usize) -> bool {
    match op {
        Op::Ite => argument == 0,
        Op::Select | Op::Store => argument == 1,
        _ => false,
    }
}

/// C's quotient and remainder of integers, by those that round so that the remainder is not
/// negative: |a| is divided, and the result has the sign of a.
fn towards_zero(terms: &mut Terms, op: Op, a: TermId, b: TermId) -> TermId {
    let zero = terms.int(0);
    let is_negative = terms.lt(a, zero);
    let opposite = terms.neg(a);
    let of_opposite = terms.apply(op, &[opposite, b]);
    let negative = terms.neg(of_opposite);
    let positive = terms.apply(op, &[a, b]);
    terms.ite(is_negative, negative, positive)
}

fn with_integers(sort: Sort) -> Sort {
    match sort {
        Sort::Array(array) => Sort::Array(integers(array)),
        _ => Sort::Int,
    }
}

/// An array of truths has no bits to begin with.
fn integers(array: ArraySort) -> ArraySort {
    let element = match array.element {
        Scalar::BitVec(_) => Scalar::Int,
        Scalar::Bool | Scalar::Int => array.element,
    };
    ArraySort { element, ..array }
}
