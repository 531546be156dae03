//! The choice of the variables that are kept: `rules/slice.dl`.
//!
//! Sections 2 and 5 of *Counter-Example Guided Program Verification*. Which variable depends
//! on which, and which of them matter, is said by the rule file and by nothing here.

use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::{Row, Value};
use heddle_program::{Place, Program, Statement, TermId, ThreadId, Update, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A set of variables of one program.
pub type Variables = FxHashSet<VarId>;

/// The dependencies of a program, from which kept variables are chosen.
pub struct Dependencies<'a> {
    program: &'a Program,
}

/// How far the choice goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    pub depth: u32,
    /// Conditions count like assertions.
    pub every_test: bool,
}

impl<'a> Dependencies<'a> {
    pub fn new(program: &'a Program) -> Self {
        Dependencies { program }
    }

    /// The dependency graph: each variable with one that it gets values from.
    pub fn graph(&self) -> Vec<(VarId, VarId)> {
        let reach = Reach {
            depth: 0,
            every_test: false,
        };
        let nothing = Variables::default();
        let settled = self.settle(&nothing, reach, Assertions::Decide);
        settled.pairs("depends")
    }

    /// The variables to keep: the required ones, those that the error condition mentions,
    /// and what the rules say.
    pub fn choose(&self, required: &Variables, reach: Reach) -> Variables {
        let mut required = required.clone();
        required.extend(error_variables(self.program));
        let settled = self.settle(&required, reach, Assertions::Decide);
        settled.variables("keep")
    }

    /// Exactly these shared variables, those of the error condition, and the local ones that
    /// the rules say.
    pub fn by_hand(&self, shared: &[VarId]) -> Variables {
        let mut required: Variables = shared.iter().copied().collect();
        required.extend(error_variables(self.program));
        let reach = Reach {
            depth: 0,
            every_test: false,
        };
        let settled = self.settle(&required, reach, Assertions::Ignored);
        settled.variables("keep")
    }

    /// More variables than those, chosen by the same rules: deeper dependencies, then
    /// conditions too, then everything.
    pub fn choose_more(&self, kept: &Variables, reach: Reach) -> Variables {
        let shared = |variables: &Variables| {
            let shared = variables.iter().filter(|&&v| self.program.is_shared(v));
            shared.count()
        };
        for every_test in [reach.every_test, true] {
            let reach = Reach {
                depth: reach.depth.max(1),
                every_test,
            };
            let chosen = self.choose(kept, reach);
            if shared(&chosen) > shared(kept) {
                return chosen;
            }
        }
        self.program.variable_ids().collect()
    }

    fn settle(&self, required: &Variables, reach: Reach, assertions: Assertions) -> Settled {
        let program = self.program;
        let rules = heddle_datalog::theory::built_in("slice").expect("a built-in rule set");
        let theory = Theory::new(rules.clone(), BackendKind::Compiled);
        let mut settled = Settled {
            theory: theory.expect("built-in rule sets are compiled"),
            names: FxHashMap::default(),
            assertions,
        };
        let users = users(program);
        for variable in program.variable_ids() {
            let name = program.terms.name(variable);
            let name = settled.theory.symbols_mut().intern(name);
            settled.names.insert(name, variable);
            let scope = match users[variable.index()].len() > 1 {
                true => "shared",
                false => "local",
            };
            settled.insert(scope, &[name]);
        }
        for &variable in required {
            let variable = settled.variable(program, variable);
            settled.insert("required", &[variable]);
        }
        for edge in program.edge_ids() {
            let [from, to] = [program.edge(edge).source, program.edge(edge).target]
                .map(|location| settled.symbol(&format!("l{}", location.index())));
            let step = settled.symbol(&format!("s{}", edge.index()));
            settled.insert("step", &[step, from, to]);
            settled.statement(program, step, &program.edge(edge).statement);
        }
        settled.insert("depth", &[Value(reach.depth.into())]);
        if reach.every_test {
            settled.insert("every_test", &[]);
        }
        settled
            .theory
            .settle()
            .expect("the rules only count up to the depth");
        settled
    }
}

/// The variables that the error condition mentions.
pub(crate) fn error_variables(program: &Program) -> Variables {
    let terms = program.property.terms();
    terms
        .flat_map(|term| program.terms.variables_of(term))
        .collect()
}

/// By variable, the threads whose steps use it.
fn users(program: &Program) -> Vec<BTreeSet<ThreadId>> {
    let mut users = vec![BTreeSet::new(); program.variables.len()];
    for edge in program.edge_ids() {
        let thread = program.thread_of(edge);
        let statement = &program.edge(edge).statement;
        for variable in [program.reads(statement), program.writes(statement)].concat() {
            users[variable.index()].insert(thread);
        }
    }
    users
}

/// The rules with the facts of one program.
struct Settled {
    theory: Theory,
    names: FxHashMap<Value, VarId>,
    assertions: Assertions,
}

/// Whether assertions decide what is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assertions {
    Decide,
    Ignored,
}

impl Settled {
    fn symbol(&mut self, name: &str) -> Value {
        self.theory.symbols_mut().intern(name)
    }

    fn variable(&mut self, program: &Program, variable: VarId) -> Value {
        self.symbol(program.terms.name(variable))
    }

    fn insert(&mut self, relation: &str, row: &[Value]) {
        let relation = self.theory.rules().find(relation);
        self.theory
            .insert(relation.expect("a relation of the rule set"), row);
    }

    fn statement(&mut self, program: &Program, step: Value, statement: &Statement) {
        match statement {
            Statement::Assign { target, value } => {
                self.assigns(program, step, *target, &[*value]);
            }
            Statement::Havoc { target } => self.assigns(program, step, *target, &[]),
            Statement::Assume(condition) => self.mentions(program, "tests", step, *condition),
            Statement::Assert { .. } if self.assertions == Assertions::Ignored => {}
            Statement::Assert { condition, .. } => {
                if program.terms.variables_of(*condition).is_empty() {
                    self.insert("fails", &[step]);
                }
                self.mentions(program, "asserts", step, *condition);
            }
            Statement::Guarded { guard, updates, .. } => {
                self.mentions(program, "tests", step, *guard);
                for (target, update) in updates {
                    // Whether anything is written depends on the guard.
                    let mut sources = vec![*guard];
                    if let Update::Value(value) = update {
                        sources.push(*value);
                    }
                    self.assigns(program, step, *target, &sources);
                }
            }
            _ => {}
        }
    }

    fn mentions(&mut self, program: &Program, relation: &str, step: Value, term: TermId) {
        for variable in program.terms.variables_of(term) {
            let variable = self.variable(program, variable);
            self.insert(relation, &[step, variable]);
        }
    }

    fn assigns(&mut self, program: &Program, step: Value, target: Place, sources: &[TermId]) {
        let variable = self.variable(program, target.variable());
        let index = match target {
            Place::Element(_, index) => Some(index),
            Place::Variable(_) => None,
        };
        for &source in sources.iter().chain(&index) {
            for source in program.terms.variables_of(source) {
                let source = self.variable(program, source);
                self.insert("assigns", &[step, variable, source]);
            }
        }
    }

    fn variables(&self, relation: &str) -> Variables {
        let rows = self.rows(relation);
        rows.iter().map(|row| self.names[&row[0]]).collect()
    }

    fn pairs(&self, relation: &str) -> Vec<(VarId, VarId)> {
        let rows = self.rows(relation);
        let pairs = rows.iter();
        let mut pairs: Vec<_> = pairs
            .map(|row| (self.names[&row[0]], self.names[&row[1]]))
            .collect();
        pairs.sort_unstable();
        pairs
    }

    fn rows(&self, relation: &str) -> Vec<Row> {
        let relation = self.theory.rules().find(relation);
        self.theory
            .rows(relation.expect("a relation of the rule set"))
    }
}
