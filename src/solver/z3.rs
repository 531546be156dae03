//! Z3: integers, and the cross-check of the bit-blasted path.
//!
//! All objects live in the thread's own Z3 context: a solver stays in the thread that made
//! it.

mod encode;

use crate::{Answer, Limits, Literal, Reason, Solver, Statistics, Unsupported};
use ::z3::ast::{BV, Bool, Dynamic};
use ::z3::{Context, Model, Params, SatResult, Symbol};
use encode::{array, bits, bool, int};
use heddle_program::{Constant, EvalError, Op, Scalar, Sort, Term, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often another thread's wish to stop is looked at.
const WATCH: Duration = Duration::from_millis(5);
/// While a call takes no more than so many of Z3's resources, some milliseconds, nobody looks
/// whether it is to be stopped.
const LITTLE: u32 = 100_000;

/// Older versions link without a word, but number their constants in another way.
const OLDEST: [u32; 3] = [4, 13, 3];

pub struct Z3 {
    solver: ::z3::Solver,
    images: FxHashMap<TermId, Dynamic>,
    /// What the variable with number `index + 1` stands for.
    formulas: Vec<Bool>,
    literals: FxHashMap<TermId, Literal>,
    /// An assumption has to be a constant for Z3: the one that implies the literal.
    assumable: FxHashMap<Literal, Bool>,
    model: Option<Model>,
    core: Vec<Literal>,
    limits: Limits,
    /// What the solver was told last.
    effort: Option<Effort>,
    statistics: Statistics,
}

/// How much a call may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Little,
    Milliseconds(u32),
}

impl Z3 {
    /// # Panics
    /// If the program was linked with a libz3 that is too old to be trusted.
    pub fn new() -> Z3 {
        static VERSION: Once = Once::new();
        VERSION.call_once(|| {
            let version = ::z3::full_version();
            let found: Vec<u32> = version.split('.').flat_map(str::parse).collect();
            assert!(
                found[..] >= OLDEST[..],
                "libz3 {version} is older than 4.13.3; `make setup` places one that will do"
            );
        });
        Z3 {
            solver: ::z3::Solver::new(),
            images: FxHashMap::default(),
            formulas: vec![Bool::from_bool(true)],
            literals: FxHashMap::default(),
            assumable: FxHashMap::default(),
            model: None,
            core: Vec::new(),
            limits: Limits::default(),
            effort: None,
            statistics: Statistics::default(),
        }
    }

    fn literal_of(&mut self, formula: Bool) -> Literal {
        self.formulas.push(formula);
        self.statistics.variables += 1;
        let number = i32::try_from(self.formulas.len());
        Literal::positive(number.expect("fewer than 2^31 literals"))
    }

    fn formula(&self, literal: Literal) -> Bool {
        let formula = &self.formulas[literal.variable().number() as usize - 1];
        if literal.is_negative() {
            formula.not()
        } else {
            formula.clone()
        }
    }

    fn assumption(&mut self, literal: Literal) -> Bool {
        if let Some(constant) = self.assumable.get(&literal) {
            return constant.clone();
        }
        let constant = Bool::fresh_const("assumed");
        self.solver.assert(constant.implies(self.formula(literal)));
        self.assumable.insert(literal, constant.clone());
        constant
    }

    /// The Z3 term for a term of any sort.
    fn image(&mut self, terms: &Terms, term: TermId) -> Dynamic {
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.images.contains_key(&next) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            let arguments = terms.arguments(next);
            pending.extend(arguments.iter().filter(|a| !self.images.contains_key(a)));
            if pending.len() == before {
                let image = self.encode(terms, next);
                self.images.insert(next, image);
                pending.pop();
            }
        }
        self.images[&term].clone()
    }

    /// The image of a term whose arguments have theirs.
    fn encode(&self, terms: &Terms, term: TermId) -> Dynamic {
        match terms.get(term) {
            Term::Constant(constant) => encode::constant(*constant),
            Term::Variable(variable) => {
                let number = u32::try_from(variable.index()).expect("ids have 32 bits");
                Dynamic::new_const(Symbol::Int(number), &encode::sort(terms.sort(term)))
            }
            Term::Apply { op, arguments } => {
                let images: Vec<&Dynamic> = arguments.iter().map(|a| &self.images[a]).collect();
                match (op, terms.sort(arguments[0])) {
                    (Op::Eq, Sort::Array(sort)) => {
                        encode::equal_arrays(sort, &array(images[0]), &array(images[1])).into()
                    }
                    _ => encode::apply(*op, &images),
                }
            }
        }
    }

    fn call(&mut self, assumptions: &[Bool]) -> Answer {
        if let Some(reason) = self.limits.exceeded() {
            return Answer::Unknown(reason);
        }
        // Most calls are over before a watcher would have begun.
        let mut result = SatResult::Unknown;
        if self.limits.stop.is_some() {
            self.set_effort(Effort::Little);
            result = self.solver.check_assumptions(assumptions);
        }
        if result == SatResult::Unknown {
            self.set_effort(Effort::Milliseconds(milliseconds_left(&self.limits)));
            result = stoppable(&self.limits, || self.solver.check_assumptions(assumptions));
        }
        match result {
            SatResult::Sat => Answer::Sat,
            SatResult::Unsat => Answer::Unsat,
            SatResult::Unknown => {
                let words = self.solver.get_reason_unknown().unwrap_or_default();
                Answer::Unknown(match self.limits.exceeded() {
                    Some(reason) => reason,
                    // Its clock is coarser than ours.
                    None if words == "timeout" || words == "canceled" => Reason::Time,
                    None => Reason::Incomplete(words),
                })
            }
        }
    }

    /// How much the next calls may take.
    fn set_effort(&mut self, effort: Effort) {
        if self.effort == Some(effort) {
            return;
        }
        let (resources, milliseconds) = match effort {
            Effort::Little => (LITTLE, u32::MAX),
            Effort::Milliseconds(milliseconds) => (0, milliseconds),
        };
        let mut parameters = Params::new();
        parameters.set_u32("rlimit", resources);
        parameters.set_u32("timeout", milliseconds);
        self.solver.set_params(&parameters);
        self.effort = Some(effort);
    }

    fn record(&mut self, started: Instant, answer: &Answer) {
        self.core.clear();
        self.model = match answer {
            Answer::Sat => self.solver.get_model(),
            _ => None,
        };
        self.statistics.record(started, answer);
    }

    fn scalar_value(&self, sort: Scalar, image: &Dynamic) -> Result<Constant, EvalError> {
        let model = self.model.as_ref().expect("there is a model");
        let unevaluated = "internal error: Z3 does not evaluate a ground term";
        let word = |bits: &BV| {
            let value = model.eval(bits, true).and_then(|value| value.as_u64());
            u128::from(value.expect(unevaluated))
        };
        Ok(match sort {
            Scalar::Bool => {
                let value = model.eval(&bool(image), true);
                Constant::Bool(value.and_then(|value| value.as_bool()).expect(unevaluated))
            }
            Scalar::Int => {
                let value = model.eval(&int(image), true).expect(unevaluated);
                Constant::Int(value.as_i128().ok_or(EvalError::IntegerOverflow)?)
            }
            Scalar::BitVec(width) => {
                let image = bits(image);
                let low = word(&image.extract(width.min(64) - 1, 0));
                let high = match width {
                    0..=64 => 0,
                    _ => word(&image.extract(width - 1, 64)),
                };
                Constant::BitVec {
                    width,
                    bits: high << 64 | low,
                }
            }
        })
    }
}

impl Solver for Z3 {
    fn new_literal(&mut self) -> Literal {
        let constant = Bool::fresh_const("literal");
        let literal = self.literal_of(constant.clone());
        self.assumable.insert(literal, constant.clone());
        self.assumable.insert(!literal, constant.not());
        literal
    }

    fn literal(&mut self, terms: &Terms, term: TermId) -> Result<Literal, Unsupported> {
        if let Some(&literal) = self.literals.get(&term) {
            return Ok(literal);
        }
        let literal = match terms.get(term) {
            Term::Constant(constant) => {
                let value = constant.as_bool();
                Literal::from(value.expect("only a boolean is a literal"))
            }
            Term::Apply {
                op: Op::Not,
                arguments,
            } => !self.literal(terms, arguments[0])?,
            _ => {
                let formula = bool(&self.image(terms, term));
                self.literal_of(formula)
            }
        };
        self.literals.insert(term, literal);
        Ok(literal)
    }

    fn add_clause(&mut self, literals: &[Literal]) {
        let formulas: Vec<Bool> = literals.iter().map(|&l| self.formula(l)).collect();
        self.solver.assert(Bool::or(&formulas));
        self.statistics.clauses += 1;
        self.model = None;
    }

    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), Unsupported> {
        let formula = bool(&self.image(terms, term));
        self.solver.assert(formula);
        self.statistics.clauses += 1;
        self.model = None;
        Ok(())
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        let started = Instant::now();
        let constants: Vec<Bool> = assumptions.iter().map(|&l| self.assumption(l)).collect();
        let answer = self.call(&constants);
        self.record(started, &answer);
        if answer == Answer::Unsat {
            let meaning: FxHashMap<&Bool, Literal> =
                constants.iter().zip(assumptions.iter().copied()).collect();
            let core = self.solver.get_unsat_core();
            self.core = core.iter().map(|constant| meaning[constant]).collect();
            self.core.sort_unstable();
            self.core.dedup();
        }
        answer
    }

    fn check_terms(&mut self, terms: &Terms, conjuncts: &[TermId]) -> Result<Answer, Unsupported> {
        let started = Instant::now();
        let formulas: Vec<Bool> = conjuncts
            .iter()
            .map(|&term| bool(&self.image(terms, term)))
            .collect();
        self.solver.push();
        for formula in formulas {
            self.solver.assert(formula);
        }
        let answer = self.call(&[]);
        self.record(started, &answer);
        self.solver.pop(1);
        Ok(answer)
    }

    fn core(&self) -> &[Literal] {
        &self.core
    }

    fn literal_value(&mut self, literal: Literal) -> bool {
        let formula = Dynamic::from(self.formula(literal));
        let value = self.scalar_value(Scalar::Bool, &formula);
        value == Ok(Constant::Bool(true))
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, EvalError> {
        let image = self.image(terms, term);
        match terms.sort(term) {
            Sort::Array(sort) => {
                let image = array(&image);
                let element = |position| {
                    let element = image.select(&encode::index(sort, position));
                    self.scalar_value(sort.element, &element)
                };
                let elements: Result<Vec<Constant>, EvalError> =
                    (0..sort.length).map(element).collect();
                Ok(Value::Array {
                    sort,
                    elements: elements?,
                })
            }
            other => {
                let scalar = other.scalar().expect("not an array, so a scalar");
                self.scalar_value(scalar, &image).map(Value::Scalar)
            }
        }
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

impl Default for Z3 {
    fn default() -> Self {
        Z3::new()
    }
}

fn milliseconds_left(limits: &Limits) -> u32 {
    match limits.deadline {
        None => u32::MAX,
        Some(deadline) => {
            let left = deadline.saturating_duration_since(Instant::now());
            // Zero would mean no limit at all.
            u32::try_from(left.as_millis()).unwrap_or(u32::MAX).max(1)
        }
    }
}

/// Runs a solver call, and interrupts it as soon as the limits say so.
fn stoppable<R>(limits: &Limits, call: impl FnOnce() -> R) -> R {
    if limits.stop.is_none() {
        return call();
    }
    let context = Context::thread_local();
    let handle = context.handle();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let handle = handle;
            while !done.load(Ordering::Acquire) {
                // More than once: an interrupt before the search has begun is lost.
                if limits.stopped() {
                    handle.interrupt();
                }
                std::thread::park_timeout(WATCH);
            }
        });
        let result = call();
        done.store(true, Ordering::Release);
        watcher.thread().unpark();
        result
    })
}
