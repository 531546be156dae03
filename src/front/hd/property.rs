//! `error:` conditions: where processes are, mixed with variables.

use super::check::Checker;
use super::elaborate::Elaboration;
use super::scope::suggest;
use super::syntax::{Argument, Binary, Expression, File, Form, Unary};
use super::terms::Translation;
use heddle_diagnostics::Diagnostic;
use heddle_program::StateFormula;

impl Elaboration<'_> {
    pub(crate) fn errors(&mut self, file: &File) {
        for condition in &file.errors {
            if let Some(formula) = self.formula(condition) {
                self.builder.at(condition.span).error(formula);
            }
        }
    }

    fn formula(&mut self, condition: &Expression) -> Option<StateFormula> {
        if !mentions_pc(condition) {
            return self.term(condition);
        }
        match &condition.form {
            Form::Unary(Unary::Not, operand) => {
                Some(StateFormula::Not(Box::new(self.formula(operand)?)))
            }
            Form::Chain(operator @ (Binary::And | Binary::Or), operands) => {
                let operands: Vec<Option<StateFormula>> = operands
                    .iter()
                    .map(|operand| self.formula(operand))
                    .collect();
                let operands = operands.into_iter().collect::<Option<Vec<_>>>()?;
                Some(match operator {
                    Binary::And => StateFormula::And(operands),
                    _ => StateFormula::Or(operands),
                })
            }
            Form::Binary(Binary::Implies, left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                let negated = StateFormula::Not(Box::new(left?));
                Some(StateFormula::Or(vec![negated, right?]))
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
                Some(match operator {
                    Binary::Equal => at,
                    _ => StateFormula::Not(Box::new(at)),
                })
            }
            _ => {
                self.misplaced(condition);
                None
            }
        }
    }

    fn misplaced(&mut self, condition: &Expression) {
        self.findings.report(
            Diagnostic::error(condition.span, "`pc` is compared with a label").hint(
                "as in `pc(p) = l2`; such comparisons are joined by `&&`, `||`, `!` and `=>`",
            ),
        );
    }

    /// A condition on variables alone, the local ones of all processes included.
    fn term(&mut self, condition: &Expression) -> Option<StateFormula> {
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
        let terms = self.builder.terms();
        let meant = Translation {
            unchecked: false,
            terms: &mut *terms,
            choices: [].iter(),
        }
        .of(&typed);
        Some(StateFormula::Term(terms.and(&[meant.defined, meant.term])))
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
