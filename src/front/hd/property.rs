//! `error:` conditions: where processes are, mixed with variables.
//!
//! A condition that has no value in a state is an error there, like one that holds.

use super::check::Checker;
use super::elaborate::Elaboration;
use super::scope::suggest;
use super::syntax::{Argument, Binary, Expression, File, Form, Unary};
use super::terms::Translation;
use heddle_diagnostics::Diagnostic;
use heddle_program::{StateFormula, TermId};

/// A condition, with when it has a value. Where it has none, `holds` says nothing.
struct Meant {
    holds: StateFormula,
    defined: StateFormula,
}

impl Elaboration<'_> {
    pub(crate) fn errors(&mut self, file: &File) {
        for condition in &file.errors {
            if let Some(meant) = self.formula(condition) {
                let formula = self.violated(meant);
                self.builder.at(condition.span).error(formula);
            }
        }
    }

    /// What must not be: the condition holds, or has no value.
    fn violated(&mut self, meant: Meant) -> StateFormula {
        let terms = self.builder.terms();
        match (meant.defined, meant.holds) {
            (StateFormula::Term(defined), holds) if terms.is_true(defined) => holds,
            (StateFormula::Term(defined), StateFormula::Term(holds)) => {
                let undefined = terms.not(defined);
                StateFormula::Term(terms.or(&[undefined, holds]))
            }
            (defined, holds) => StateFormula::Or(vec![StateFormula::Not(Box::new(defined)), holds]),
        }
    }

    fn formula(&mut self, condition: &Expression) -> Option<Meant> {
        if !mentions_pc(condition) {
            return self.term(condition);
        }
        match &condition.form {
            Form::Unary(Unary::Not, operand) => {
                let operand = self.formula(operand)?;
                Some(Meant {
                    holds: negated(operand.holds),
                    ..operand
                })
            }
            Form::Chain(operator @ (Binary::And | Binary::Or), operands) => {
                let operands: Vec<Option<Meant>> = operands
                    .iter()
                    .map(|operand| self.formula(operand))
                    .collect();
                let operands = operands.into_iter().collect::<Option<Vec<_>>>()?;
                Some(match operator {
                    Binary::And => self.all(operands),
                    _ => self.any(operands),
                })
            }
            Form::Binary(Binary::Implies, left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                let left = left?;
                let left = Meant {
                    holds: negated(left.holds),
                    ..left
                };
                let right = right?;
                Some(self.any(vec![left, right]))
            }
            Form::Binary(operator @ (Binary::Equal | Binary::NotEqual), left, right) => {
                let at = match (process_of(left), process_of(right)) {
                    (Some(process), None) => self.at(process, right)?,
                    (None, Some(process)) => self.at(process, left)?,
                    _ => {
                        self.misplaced(condition);
                        return None;
                    }
                };
                Some(Meant {
                    holds: match operator {
                        Binary::Equal => at,
                        _ => negated(at),
                    },
                    defined: self.always(),
                })
            }
            _ => {
                self.misplaced(condition);
                None
            }
        }
    }

    fn always(&mut self) -> StateFormula {
        StateFormula::Term(self.builder.terms().bool(true))
    }

    /// The operands of `&&`.
    fn all(&mut self, operands: Vec<Meant>) -> Meant {
        Meant {
            defined: self.defined(&operands, negated),
            holds: StateFormula::And(operands.into_iter().map(|one| one.holds).collect()),
        }
    }

    /// The operands of `||`.
    fn any(&mut self, operands: Vec<Meant>) -> Meant {
        Meant {
            defined: self.defined(&operands, |holds| holds),
            holds: StateFormula::Or(operands.into_iter().map(|one| one.holds).collect()),
        }
    }

    /// When all operands have a value that matter: none does behind one that decides.
    fn defined(
        &mut self,
        operands: &[Meant],
        decides: impl Fn(StateFormula) -> StateFormula,
    ) -> StateFormula {
        let mut conditions = Vec::new();
        for (position, operand) in operands.iter().enumerate() {
            if matches!(operand.defined, StateFormula::Term(defined) if self.is_true(defined)) {
                continue;
            }
            let earlier = operands[..position].iter();
            let decided = earlier.map(|earlier| decides(earlier.holds.clone()));
            let decided = decided.chain([operand.defined.clone()]);
            conditions.push(StateFormula::Or(decided.collect()));
        }
        match conditions.is_empty() {
            true => self.always(),
            false => StateFormula::And(conditions),
        }
    }

    fn is_true(&mut self, term: TermId) -> bool {
        self.builder.terms().is_true(term)
    }

    fn misplaced(&mut self, condition: &Expression) {
        self.findings.report(
            Diagnostic::error(condition.span, "`pc` is compared with a label").hint(
                "as in `pc(p) = l2`; such comparisons are joined by `&&`, `||`, `!` and `=>`",
            ),
        );
    }

    /// A condition on variables alone, the local ones of all processes included.
    fn term(&mut self, condition: &Expression) -> Option<Meant> {
        let mut checker = Checker {
            findings: &mut *self.findings,
            globals: &self.globals,
            locals: None,
            processes: Some(&self.processes),
        };
        let typed = checker.condition(condition)?;
        if typed.has_choice() {
            self.findings.report(Diagnostic::error(
                condition.span,
                "an error condition leaves nothing open",
            ));
            return None;
        }
        let unchecked = self.findings.unchecked;
        let terms = self.builder.terms();
        let meant = Translation {
            unchecked,
            terms: &mut *terms,
            choices: [].iter(),
        }
        .of(&typed);
        // Nobody asks for the value where there is none.
        let holds = terms.and(&[meant.defined, meant.term]);
        Some(Meant {
            holds: StateFormula::Term(holds),
            defined: StateFormula::Term(meant.defined),
        })
    }

    /// `pc(process) = label`
    fn at(&mut self, process: &Expression, label: &Expression) -> Option<StateFormula> {
        let mut checker = Checker {
            findings: &mut *self.findings,
            globals: &self.globals,
            locals: None,
            processes: None,
        };
        let (name, index) = checker.process_name(process)?;
        let Some(instance) = self.processes.find(name, index) else {
            let missing = self.processes.missing(process.span, name, index);
            self.findings.report(missing);
            return None;
        };
        let written = self.builder.program().sources.snippet(label.span);
        let written = written.trim_matches(['(', ')', ' ']).to_owned();
        match instance.labels.get(&written) {
            Some(&location) => Some(StateFormula::At(instance.thread, location)),
            None => {
                let message = format!("process `{name}` has no label `{written}`");
                let diagnostic = Diagnostic::error(label.span, message);
                let known = instance.labels.keys().map(String::as_str);
                let mut diagnostic = suggest(diagnostic, &written, known);
                if instance.labels.is_empty() {
                    diagnostic = diagnostic.hint(
                        "its statements have no labels; guarded commands keep their place in variables",
                    );
                }
                self.findings.report(diagnostic);
                None
            }
        }
    }
}

fn negated(formula: StateFormula) -> StateFormula {
    StateFormula::Not(Box::new(formula))
}

/// `p` of `pc(p)`
fn process_of(expression: &Expression) -> Option<&Expression> {
    match &expression.form {
        Form::Call(function, arguments) if function.text == "pc" => match &arguments[..] {
            [Argument::Value(process)] => Some(process),
            _ => None,
        },
        _ => None,
    }
}

fn mentions_pc(expression: &Expression) -> bool {
    match &expression.form {
        Form::Call(function, _) if function.text == "pc" => true,
        Form::Call(_, arguments) => arguments.iter().any(|argument| match argument {
            Argument::Value(value) => mentions_pc(value),
            Argument::Range(low, high) => mentions_pc(low) || mentions_pc(high),
        }),
        Form::Number(_) | Form::LargeNumber(_) | Form::Truth(_) | Form::Name(_) | Form::Any => {
            false
        }
        Form::Element(a, b) | Form::Binary(_, a, b) => mentions_pc(a) || mentions_pc(b),
        Form::Member(inner, _) | Form::Unary(_, inner) => mentions_pc(inner),
        Form::Chain(_, operands) => operands.iter().any(mentions_pc),
        Form::Choice(a, b, c) => mentions_pc(a) || mentions_pc(b) || mentions_pc(c),
    }
}
