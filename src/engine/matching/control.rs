//! The program counter, which is never abstracted.
//!
//! Besides the locations of the threads it consists of the variables that are used like one:
//! they are only given constants, and only compared with constants. In a model of guarded
//! commands that is where `pc1` comes from; in other programs, flags are of that kind. Such a
//! variable has finitely many values, so that knowing them costs no finiteness.

use crate::action::Action;
use heddle_program::{Constant, Op, Program, Scalar, Sort, Term, TermId, Terms, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables that belong to the program counter.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    /// In order of their ids.
    pub(crate) variables: Vec<VarId>,
    /// By variable of the program: its position in `variables`.
    positions: Vec<Option<usize>>,
    /// By position.
    sorts: Vec<Scalar>,
    /// By position: the values that it can have.
    domains: Vec<Vec<Constant>>,
}

impl Control {
    /// `actions` are those of the edges, by id.
    pub(crate) fn new(program: &Program, actions: &[Action]) -> Control {
        let terms = &program.terms;
        let mut usage = Usage {
            terms,
            candidates: program
                .variables
                .iter()
                .map(|variable| variable.sort.scalar().is_some() && variable.initial.is_some())
                .collect(),
            changed: true,
            seen: FxHashSet::default(),
        };
        while usage.changed {
            usage.changed = false;
            usage.seen.clear();
            for action in actions {
                usage.action(action);
            }
            for condition in program.property.terms() {
                usage.condition(condition);
            }
        }
        let is_control = usage.candidates;
        let variables: Vec<VarId> = program
            .variable_ids()
            .filter(|variable| is_control[variable.index()])
            .collect();
        let mut positions = vec![None; program.variables.len()];
        for (position, variable) in variables.iter().enumerate() {
            positions[variable.index()] = Some(position);
        }
        let mut control = Control {
            sorts: variables
                .iter()
                .map(|&variable| {
                    let sort = program.variable(variable).sort.scalar();
                    sort.expect("arrays are no candidates")
                })
                .collect(),
            domains: vec![Vec::new(); variables.len()],
            variables,
            positions,
        };
        control.find_domains(program, actions);
        control
    }

    /// Where the variable is among those of the program counter.
    pub(crate) fn position(&self, variable: VarId) -> Option<usize> {
        self.positions.get(variable.index()).copied().flatten()
    }

    /// The value that a word of a control state stands for.
    pub(crate) fn constant(&self, position: usize, word: i128) -> Constant {
        match self.sorts[position] {
            Scalar::Bool => Constant::Bool(word != 0),
            Scalar::Int => Constant::Int(word),
            Scalar::BitVec(width) => Constant::BitVec {
                width,
                bits: word as u128,
            },
        }
    }

    pub(crate) fn domain(&self, position: usize) -> &[Constant] {
        &self.domains[position]
    }

    /// Whether the program counter alone decides the value of the term.
    pub(crate) fn decides(&self, terms: &Terms, term: TermId) -> bool {
        let variables = terms.variables_of(term);
        variables.iter().all(|&v| self.position(v).is_some())
    }

    fn find_domains(&mut self, program: &Program, actions: &[Action]) {
        let terms = &program.terms;
        for (position, &variable) in self.variables.iter().enumerate() {
            let initial = program.variable(variable).initial;
            let initial = initial.and_then(|initial| constant_value(terms, initial));
            self.domains[position].extend(initial);
            if program.variable(variable).sort.scalar() == Some(Scalar::Bool) {
                self.domains[position] = [false, true].map(Constant::Bool).into();
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(variable, value) in actions.iter().flat_map(|action| &action.updates) {
                let Some(position) = self.position(variable) else {
                    continue;
                };
                let mut values = Vec::new();
                self.values(terms, value, &mut values);
                for value in values {
                    if !self.domains[position].contains(&value) {
                        self.domains[position].push(value);
                        changed = true;
                    }
                }
            }
        }
    }

    /// What a term can be that is assigned to a variable of the program counter.
    fn values(&self, terms: &Terms, term: TermId, values: &mut Vec<Constant>) {
        match terms.get(term) {
            Term::Constant(constant) => values.push(*constant),
            Term::Variable(variable) => {
                if let Some(position) = self.position(*variable) {
                    values.extend(&self.domains[position]);
                }
            }
            Term::Apply {
                op: Op::Ite,
                arguments,
            } => {
                self.values(terms, arguments[1], values);
                self.values(terms, arguments[2], values);
            }
            // A condition: both booleans are in the domain already.
            Term::Apply { .. } => {}
        }
    }
}

fn constant_value(terms: &Terms, term: TermId) -> Option<Constant> {
    let value = terms.evaluate(term, |_| Value::Scalar(Constant::Bool(false)));
    value.ok()?.as_scalar()
}

/// Strikes out the candidates that are used in any other way.
struct Usage<'a> {
    terms: &'a Terms,
    candidates: Vec<bool>,
    changed: bool,
    /// The terms that were looked at in this round, and whether their value mattered.
    seen: FxHashSet<(TermId, bool)>,
}

impl Usage<'_> {
    fn is_candidate(&self, variable: VarId) -> bool {
        let candidate = self.candidates.get(variable.index());
        candidate.is_some_and(|&candidate| candidate)
    }

    fn strike_out(&mut self, variable: VarId) {
        if self.is_candidate(variable) {
            self.candidates[variable.index()] = false;
            self.changed = true;
        }
    }

    fn action(&mut self, action: &Action) {
        self.condition(action.guard);
        for &(variable, value) in &action.updates {
            if self.is_candidate(variable) && !self.is_finite(action, value) {
                self.strike_out(variable);
            }
            if self.terms.sort(value) == Sort::Bool {
                self.condition(value);
            } else {
                self.assigned(value);
            }
        }
    }

    /// Whether the value is one of finitely many, and the program counter decides which. Of an
    /// open boolean both values are tried.
    fn is_finite(&self, action: &Action, value: TermId) -> bool {
        match self.terms.get(value) {
            Term::Constant(_) => true,
            Term::Variable(variable) => {
                self.is_candidate(*variable)
                    || action.choices.contains(variable) && self.terms.sort(value) == Sort::Bool
            }
            Term::Apply {
                op: Op::Ite,
                arguments,
            } if self.terms.sort(value) != Sort::Bool => {
                self.is_decided(arguments[0])
                    && self.is_finite(action, arguments[1])
                    && self.is_finite(action, arguments[2])
            }
            Term::Apply { .. } => self.terms.sort(value) == Sort::Bool && self.is_decided(value),
        }
    }

    fn is_decided(&self, term: TermId) -> bool {
        let variables = self.terms.variables_of(term);
        variables
            .iter()
            .all(|&variable| self.is_candidate(variable))
    }

    /// A value that a variable gets.
    fn assigned(&mut self, value: TermId) {
        match self.terms.get(value) {
            Term::Constant(_) | Term::Variable(_) => {}
            Term::Apply {
                op: Op::Ite,
                arguments,
            } => {
                self.condition(arguments[0]);
                self.assigned(arguments[1]);
                self.assigned(arguments[2]);
            }
            Term::Apply { .. } => self.computed(value),
        }
    }

    fn condition(&mut self, condition: TermId) {
        let Term::Apply { op, arguments } = self.terms.get(condition) else {
            return;
        };
        if !self.seen.insert((condition, false)) {
            return;
        }
        match op {
            Op::Not | Op::And | Op::Or | Op::Ite => {
                arguments
                    .iter()
                    .for_each(|&argument| self.condition(argument));
            }
            Op::Eq if self.terms.sort(arguments[0]) == Sort::Bool => {
                arguments
                    .iter()
                    .for_each(|&argument| self.condition(argument));
            }
            Op::Eq
                if arguments
                    .iter()
                    .all(|&argument| self.is_comparable(argument)) => {}
            _ => arguments
                .iter()
                .for_each(|&argument| self.computed(argument)),
        }
    }

    fn is_comparable(&self, term: TermId) -> bool {
        match self.terms.get(term) {
            Term::Constant(_) => true,
            Term::Variable(variable) => self.is_candidate(*variable),
            Term::Apply { .. } => false,
        }
    }

    /// A term whose value matters as a number.
    fn computed(&mut self, term: TermId) {
        if !self.seen.insert((term, true)) {
            return;
        }
        match self.terms.get(term) {
            Term::Constant(_) => {}
            Term::Variable(variable) => self.strike_out(*variable),
            Term::Apply { op, arguments } => match (op, &arguments[..]) {
                (Op::Ite, &[condition, yes, no]) => {
                    self.condition(condition);
                    self.computed(yes);
                    self.computed(no);
                }
                (Op::Select | Op::Store, &[array, index, ..]) => {
                    self.computed(array);
                    // Which element is meant is control, too.
                    if self.terms.as_variable(index).is_none() {
                        self.computed(index);
                    }
                    arguments[2..]
                        .iter()
                        .for_each(|&value| self.computed(value));
                }
                _ if self.terms.sort(term) == Sort::Bool => self.condition(term),
                _ => arguments
                    .iter()
                    .for_each(|&argument| self.computed(argument)),
            },
        }
    }
}

/// Terms with the program counter put in.
#[derive(Default)]
pub(crate) struct Instances {
    /// The variables of the program counter that each term mentions, as positions.
    mentioned: FxHashMap<TermId, Box<[usize]>>,
    known: FxHashMap<(TermId, Box<[Constant]>), TermId>,
}

impl Instances {
    pub(crate) fn mentioned(&mut self, terms: &Terms, control: &Control, term: TermId) -> &[usize] {
        self.mentioned.entry(term).or_insert_with(|| {
            let variables = terms.variables_of(term).into_iter();
            variables.filter_map(|v| control.position(v)).collect()
        })
    }

    /// The term where the variables of the program counter, by position, have these values.
    pub(crate) fn of(
        &mut self,
        terms: &mut Terms,
        control: &Control,
        term: TermId,
        value: impl Fn(usize) -> Constant,
    ) -> TermId {
        let mentioned = self.mentioned(terms, control, term);
        if mentioned.is_empty() {
            return term;
        }
        let values: Box<[Constant]> = mentioned.iter().map(|&position| value(position)).collect();
        if let Some(&known) = self.known.get(&(term, values.clone())) {
            return known;
        }
        let instance = terms.substitute(term, |terms, variable| {
            let position = control.position(variable)?;
            Some(terms.constant(value(position)))
        });
        self.known.insert((term, values), instance);
        instance
    }
}
