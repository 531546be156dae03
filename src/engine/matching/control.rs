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
                usage.look(Use::Condition, condition);
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
        for value in cases(terms, term) {
            match terms.get(value) {
                Term::Constant(constant) => values.push(*constant),
                Term::Variable(variable) => {
                    if let Some(position) = self.position(*variable) {
                        values.extend(&self.domains[position]);
                    }
                }
                // A condition: both booleans are in the domain already.
                Term::Apply { .. } => {}
            }
        }
    }
}

/// The values that the term chooses from, itself if it is no choice.
fn cases(terms: &Terms, term: TermId) -> Vec<TermId> {
    let mut seen = FxHashSet::from_iter([term]);
    let (mut pending, mut cases) = (vec![term], Vec::new());
    while let Some(term) = pending.pop() {
        match terms.get(term) {
            Term::Apply {
                op: Op::Ite,
                arguments,
            } => pending.extend(
                arguments[1..]
                    .iter()
                    .rev()
                    .filter(|&&case| seen.insert(case)),
            ),
            _ => cases.push(term),
        }
    }
    cases
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
    /// The terms that were looked at in this round.
    seen: FxHashSet<(Use, TermId)>,
}

/// What a term is there for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    /// A value that a variable gets.
    Assigned,
    Condition,
    /// A number: its value matters.
    Computed,
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
        self.look(Use::Condition, action.guard);
        for &(variable, value) in &action.updates {
            if self.is_candidate(variable) && !self.is_finite(action, value) {
                self.strike_out(variable);
            }
            let is_condition = self.terms.sort(value) == Sort::Bool;
            let used = match is_condition {
                true => Use::Condition,
                false => Use::Assigned,
            };
            self.look(used, value);
        }
    }

    /// Whether the value is one of finitely many, and the program counter decides which. Of an
    /// open boolean both values are tried.
    fn is_finite(&self, action: &Action, value: TermId) -> bool {
        let is_boolean = self.terms.sort(value) == Sort::Bool;
        let mut seen = FxHashSet::from_iter([value]);
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let is_finite = match self.terms.get(value) {
                Term::Constant(_) => true,
                Term::Variable(variable) => {
                    self.is_candidate(*variable) || action.choices.contains(variable) && is_boolean
                }
                Term::Apply {
                    op: Op::Ite,
                    arguments,
                } if !is_boolean => {
                    pending.extend(arguments[1..].iter().filter(|&&case| seen.insert(case)));
                    self.is_decided(arguments[0])
                }
                Term::Apply { .. } => is_boolean && self.is_decided(value),
            };
            if !is_finite {
                return false;
            }
        }
        true
    }

    fn is_decided(&self, term: TermId) -> bool {
        let variables = self.terms.variables_of(term);
        variables
            .iter()
            .all(|&variable| self.is_candidate(variable))
    }

    /// Looks at a term and what is in it. A list instead of recursion: terms may be nested deeply.
    fn look(&mut self, used: Use, term: TermId) {
        let mut pending = vec![(used, term)];
        while let Some((used, term)) = pending.pop() {
            if self.seen.insert((used, term)) {
                match used {
                    Use::Assigned => self.assigned(term, &mut pending),
                    Use::Condition => self.condition(term, &mut pending),
                    Use::Computed => self.computed(term, &mut pending),
                }
            }
        }
    }

    fn assigned(&self, value: TermId, pending: &mut Vec<(Use, TermId)>) {
        match self.terms.get(value) {
            Term::Constant(_) | Term::Variable(_) => {}
            Term::Apply {
                op: Op::Ite,
                arguments,
            } => pending.extend([
                (Use::Condition, arguments[0]),
                (Use::Assigned, arguments[1]),
                (Use::Assigned, arguments[2]),
            ]),
            Term::Apply { .. } => pending.push((Use::Computed, value)),
        }
    }

    fn condition(&self, condition: TermId, pending: &mut Vec<(Use, TermId)>) {
        let Term::Apply { op, arguments } = self.terms.get(condition) else {
            return;
        };
        let used = match op {
            Op::Not | Op::And | Op::Or | Op::Ite => Use::Condition,
            Op::Eq if self.terms.sort(arguments[0]) == Sort::Bool => Use::Condition,
            Op::Eq if arguments.iter().all(|&each| self.is_comparable(each)) => return,
            _ => Use::Computed,
        };
        pending.extend(arguments.iter().map(|&argument| (used, argument)));
    }

    fn is_comparable(&self, term: TermId) -> bool {
        match self.terms.get(term) {
            Term::Constant(_) => true,
            Term::Variable(variable) => self.is_candidate(*variable),
            Term::Apply { .. } => false,
        }
    }

    fn computed(&mut self, term: TermId, pending: &mut Vec<(Use, TermId)>) {
        match self.terms.get(term) {
            Term::Constant(_) => {}
            Term::Variable(variable) => self.strike_out(*variable),
            Term::Apply { op, arguments } => match (op, &arguments[..]) {
                (Op::Ite, &[condition, yes, no]) => pending.extend([
                    (Use::Condition, condition),
                    (Use::Computed, yes),
                    (Use::Computed, no),
                ]),
                (Op::Select | Op::Store, &[array, index, ..]) => {
                    pending.push((Use::Computed, array));
                    // Which element is meant is control, too.
                    if self.terms.as_variable(index).is_none() {
                        pending.push((Use::Computed, index));
                    }
                    pending.extend(arguments[2..].iter().map(|&value| (Use::Computed, value)));
                }
                _ if self.terms.sort(term) == Sort::Bool => pending.push((Use::Condition, term)),
                _ => pending.extend(arguments.iter().map(|&each| (Use::Computed, each))),
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
