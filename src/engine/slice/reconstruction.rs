//! The reconstruction ⟦·⟧co: the program along a run of its abstraction.
//!
//! Section 5.2 and Figure 11 of *Counter-Example Guided Program Verification*. The steps of
//! the run are taken in its order, and leave the kept variables with the values that they
//! have there; these values are known, so only the variables that were sliced away are
//! left. If the result is unsafe, the program is (Lemma 2).
//!
//! The paper has a copy of every other instruction for each configuration of the run. Here a
//! kept variable is replaced by its value as a function of `cnt`, the number of steps of the
//! run that were taken.

use super::abstraction::Abstraction;
use super::assembly::{Assembly, Way};
use super::choice::Variables;
use super::compaction::{Compacted, with_variables};
use super::pace::{Meaning, Pace, map_trace};
use super::run::{Followed, Run};
use heddle_interpret::{ReplayError, State, Trace, replay};
use heddle_program::{
    Constant, ErrorCondition, Place, Program, Role, StateFormula, Statement, TermId, Update, Value,
    VarId,
};

pub struct Reconstruction {
    pub program: Program,
    meaning: Vec<Meaning>,
    /// By variable of the program before: the variable here.
    variables: Vec<Option<VarId>>,
    /// What the steps of the run ask of the variables that are left.
    pub required: Variables,
    /// The variables that count steps.
    pub counters: Variables,
    known: Option<Known>,
}

/// The values that the run knows.
struct Known {
    run: Run,
    followed: Vec<Followed>,
    /// By variable of the program before: the variable of the abstraction.
    kept: Vec<Option<VarId>>,
}

/// Forces the program to take the run.
pub fn reconstruction(program: &Program, abstraction: &Abstraction, run: &Run) -> Reconstruction {
    let followed = run.followed(abstraction);
    let mut assembly = Assembly::without_steps(program, followed.len());
    let cnt = assembly.counter("cnt");
    let mut forcing = Forcing {
        program,
        cnt,
        known: Known {
            run: run.clone(),
            followed,
            kept: abstraction.variables.clone(),
        },
        assembly,
        required: Variables::default(),
    };
    forcing.steps(&abstraction.has_step(program));
    forcing.finish()
}

struct Forcing<'a> {
    program: &'a Program,
    assembly: Assembly<Meaning>,
    cnt: VarId,
    known: Known,
    required: Variables,
}

impl Known {
    fn value(&self, variable: VarId, state: &State) -> Option<Value> {
        Some(state.value(self.kept[variable.index()]?).clone())
    }

    /// The state of the run when so many of its steps were taken.
    fn state(&self, taken: usize) -> &State {
        match taken {
            0 => &self.run.states[0],
            _ => &self.run.states[self.followed[taken - 1].position + 1],
        }
    }
}

impl Forcing<'_> {
    fn steps(&mut self, in_run: &[bool]) {
        let program = self.program;
        let inside = program.inside_atomic();
        for edge in program.edge_ids() {
            let way = Way::from(program.edge(edge));
            let inside = inside[way.source.index()];
            let statement = &program.edge(edge).statement;
            if !in_run[edge.index()] {
                self.other(way, inside, statement, Meaning::Step(edge));
                continue;
            }
            for number in 0..self.known.followed.len() {
                let followed = self.known.followed[number];
                if followed.origin == edge {
                    self.follow(way, inside, statement, number, followed);
                }
            }
        }
        self.assembly
            .block_where_steps_are_gone(program, || Meaning::Nothing);
        if let Some(ErrorCondition { formula, span }) = &program.property.error {
            let formula = self.formula(formula);
            self.assembly.program.property.error = Some(ErrorCondition {
                formula,
                span: *span,
            });
        }
    }

    /// A step that is not part of the abstraction is taken whenever it can be.
    fn other(&mut self, way: Way, inside: bool, statement: &Statement, meaning: Meaning) {
        let mut replaced = statement.map_terms(|term| self.in_the_run(term));
        if let Statement::Guarded { role, .. } = &mut replaced
            && let Role::Lock(mutex) | Role::Unlock(mutex) = role
            && self.known.kept[mutex.variable().index()].is_some()
        {
            *role = Role::Command;
        }
        let always = self.assembly.program.terms.bool(true);
        let pace = Pace::when(always, &mut self.assembly.program.terms);
        self.assembly.paced(way, inside, &replaced, meaning, pace);
    }

    /// The step with this number in the run.
    fn follow(
        &mut self,
        way: Way,
        inside: bool,
        statement: &Statement,
        number: usize,
        followed: Followed,
    ) {
        let statement = self.agreeing(statement, number);
        for term in statement.terms() {
            let variables = self.assembly.program.terms.variables_of(term);
            self.required.extend(variables);
        }
        let pace = Pace {
            condition: self.assembly.equals(self.cnt, number),
            ticks: vec![self.assembly.set(self.cnt, number + 1)],
            passes: !followed.fails,
            may_fail: self.assembly.program.terms.bool(true),
        };
        let meaning = Meaning::Followed(followed.origin, number);
        self.assembly.paced(way, inside, &statement, meaning, pace);
    }

    /// The statement, taken where the run has this step: what it writes into kept variables
    /// is what they have afterwards in the run.
    fn agreeing(&mut self, statement: &Statement, number: usize) -> Statement {
        let statement = statement.map_terms(|term| self.at(term, number));
        let terms = &mut self.assembly.program.terms;
        let Some((guard, updates)) = statement.as_guarded(terms) else {
            return statement;
        };
        let mut conditions = vec![guard];
        let mut left = Vec::new();
        let mut arrays: Vec<(VarId, TermId)> = Vec::new();
        for (target, update) in updates {
            let variable = target.variable();
            let (before, after) = (self.known.state(number), self.known.state(number + 1));
            let values = [before, after].map(|state| self.known.value(variable, state));
            let [Some(before), Some(after)] = values else {
                left.push((target, update));
                continue;
            };
            let terms = &mut self.assembly.program.terms;
            let after = terms.value(&after);
            match (target, update) {
                (Place::Variable(_), Update::Any) => {}
                (Place::Variable(_), Update::Value(value)) => {
                    conditions.push(terms.eq(after, value));
                }
                (Place::Element(_, index), update) => {
                    let element = match update {
                        Update::Value(value) => value,
                        Update::Any => terms.select(after, index),
                    };
                    let known = arrays.iter().position(|&(array, _)| array == variable);
                    let known = known.unwrap_or_else(|| {
                        arrays.push((variable, terms.value(&before)));
                        arrays.len() - 1
                    });
                    arrays[known].1 = terms.store(arrays[known].1, index, element);
                }
            }
        }
        for (array, stored) in arrays {
            let after = self.known.value(array, self.known.state(number + 1));
            let terms = &mut self.assembly.program.terms;
            let after = terms.value(&after.expect("it is kept"));
            conditions.push(terms.eq(after, stored));
        }
        let guard = self.assembly.program.terms.and(&conditions);
        Statement::command(guard, left)
    }

    /// The term after so many steps of the run.
    fn at(&mut self, term: TermId, taken: usize) -> TermId {
        let known = &self.known;
        let state = known.state(taken);
        let terms = &mut self.assembly.program.terms;
        terms.substitute(term, |terms, variable| {
            let value = known.value(variable, state)?;
            Some(terms.value(&value))
        })
    }

    /// The term as a function of how many steps of the run were taken.
    fn in_the_run(&mut self, term: TermId) -> TermId {
        let mut replacements = Vec::new();
        for variable in self.assembly.program.terms.variables_of(term) {
            if variable != self.cnt && self.known.kept[variable.index()].is_some() {
                replacements.push((variable, self.course(variable)));
            }
        }
        let terms = &mut self.assembly.program.terms;
        terms.substitute(term, |_, variable| {
            let replacement = replacements
                .iter()
                .find(|(replaced, _)| *replaced == variable);
            replacement.map(|&(_, term)| term)
        })
    }

    /// A kept variable as a function of `cnt`.
    fn course(&mut self, variable: VarId) -> TermId {
        let value = |known: &Known, taken| {
            let value = known.value(variable, known.state(taken));
            value.expect("it is kept")
        };
        let mut last = value(&self.known, 0);
        let mut course = self.assembly.program.terms.value(&last);
        for taken in 1..=self.known.followed.len() {
            let now = value(&self.known, taken);
            if now != last {
                let reached = self.assembly.at_least(self.cnt, taken);
                let terms = &mut self.assembly.program.terms;
                let term = terms.value(&now);
                course = terms.ite(reached, term, course);
                last = now;
            }
        }
        course
    }

    fn formula(&mut self, formula: &StateFormula) -> StateFormula {
        let mut all =
            |parts: &[StateFormula]| parts.iter().map(|part| self.formula(part)).collect();
        match formula {
            StateFormula::At(..) => formula.clone(),
            StateFormula::And(parts) => StateFormula::And(all(parts)),
            StateFormula::Or(parts) => StateFormula::Or(all(parts)),
            StateFormula::Not(inner) => StateFormula::Not(Box::new(self.formula(inner))),
            StateFormula::Term(term) => StateFormula::Term(self.in_the_run(*term)),
        }
    }

    fn finish(self) -> Reconstruction {
        let Assembly {
            program, meaning, ..
        } = self.assembly;
        let left = program.variable_ids();
        let left = left.filter(|&id| {
            let kept = self.known.kept.get(id.index());
            !kept.is_some_and(|kept| kept.is_some())
        });
        let Compacted {
            program,
            edges,
            variables,
        } = with_variables(&program, &left.collect());
        let here = |variable: &VarId| variables[variable.index()];
        Reconstruction {
            required: self.required.iter().filter_map(here).collect(),
            counters: here(&self.cnt).into_iter().collect(),
            program,
            meaning: edges.iter().map(|edge| meaning[edge.index()]).collect(),
            variables: variables[..self.program.variables.len()].to_vec(),
            known: Some(self.known),
        }
    }
}

impl Reconstruction {
    /// What does not remove variables is not compacted either: numbers stay the same.
    pub(crate) fn in_order(program: Program, meaning: Vec<Meaning>, before: &Program) -> Self {
        let added = before.variables.len()..program.variables.len();
        Reconstruction {
            program,
            meaning,
            variables: before.variable_ids().map(Some).collect(),
            required: Variables::default(),
            counters: added.map(VarId::from_index).collect(),
            known: None,
        }
    }

    /// Counter-example mapping: the trace as one of the program before.
    pub fn map(&self, before: &Program, trace: &Trace) -> Result<Trace, ReplayError> {
        let states = replay(&self.program, trace)?.states;
        let mut mapped = map_trace(&self.meaning, trace, |edge, number, place| {
            let statement = &before.edge(edge).statement;
            let own = &trace.steps[place].choices;
            match (&self.known, number) {
                (Some(known), Some(number)) => {
                    let mut own = own.iter().copied();
                    self.choices(before, known, statement, number, &states[place], &mut own)
                }
                _ => own.clone(),
            }
        });
        for variable in before.variable_ids() {
            if before.variable(variable).initial.is_some() {
                continue;
            }
            let value = match self.variables[variable.index()] {
                Some(here) => Some(states[0].value(here).clone()),
                None => {
                    let known = self.known.as_ref();
                    known.and_then(|known| known.value(variable, known.state(0)))
                }
            };
            mapped.initial.extend(value.map(|value| (variable, value)));
        }
        Ok(mapped)
    }

    /// The choices of a followed step: those for kept variables are what the run made of
    /// them.
    fn choices(
        &self,
        before: &Program,
        known: &Known,
        statement: &Statement,
        number: usize,
        state: &State,
        own: &mut dyn Iterator<Item = Constant>,
    ) -> Vec<Constant> {
        let mut choices = Vec::new();
        let targets = match statement {
            Statement::Havoc { target } => vec![(*target, Update::Any)],
            Statement::Guarded { updates, .. } => updates.clone(),
            _ => Vec::new(),
        };
        for (target, update) in targets {
            if update != Update::Any {
                continue;
            }
            let after = known.value(target.variable(), known.state(number + 1));
            match (after, target) {
                (None, _) => {
                    let count = heddle_interpret::choices(before, &Statement::Havoc { target });
                    choices.extend(own.take(count.len()));
                }
                (Some(Value::Scalar(value)), _) => choices.push(value),
                (Some(Value::Array { elements, .. }), Place::Variable(_)) => {
                    choices.extend(elements.iter().copied());
                }
                (Some(Value::Array { elements, .. }), Place::Element(_, index)) => {
                    let value_of = |variable: VarId| {
                        known
                            .value(variable, known.state(number))
                            .or_else(|| {
                                let here = self.variables[variable.index()]?;
                                Some(state.value(here).clone())
                            })
                            .expect("a variable is kept or left")
                    };
                    let index = before.terms.evaluate(index, value_of);
                    let position = index.ok().and_then(position_of);
                    choices.extend(position.and_then(|at| elements.get(at).copied()));
                }
            }
        }
        choices
    }
}

fn position_of(index: Value) -> Option<usize> {
    match index {
        Value::Scalar(Constant::Int(number)) => usize::try_from(number).ok(),
        Value::Scalar(Constant::BitVec { bits, .. }) => usize::try_from(bits).ok(),
        _ => None,
    }
}
