//! A condition on the variables of a program that was read before, wherever it came from: what
//! a user gives on the command line.

use super::MOST_SHOWN;
use super::check::Checker;
use super::parser;
use super::processes::{Instance, Processes};
use super::scope::{Declared, EnumInfo, Findings, Meaning, Names};
use super::terms::Translation;
use super::typed::{ArrayType, EnumId, Kind, Type};
use heddle_diagnostics::{Diagnostic, Report, SourceId, Span};
use heddle_program::{Constant, Program, Scalar, Scope, Sort, TermId, VarId, Variable};
use std::collections::HashMap;

/// The condition as a term of the program's arena; `name` is what messages call the text.
///
/// Shared variables go by their names, and `p.x` is the local variable `x` of thread `p`. The
/// elements of an array count from 0.
pub fn condition(program: &mut Program, name: &str, text: &str) -> Result<TermId, Report> {
    let mut sources = program.sources.clone();
    let source = sources.add(name, text);
    let mut findings = Findings::default();
    let expression = parser::parse_expression(source, text, &mut findings.diagnostics);
    let term = expression.and_then(|expression| {
        let scope = ProgramNames::new(program, source, &mut findings);
        let mut checker = Checker {
            findings: &mut findings,
            globals: &scope.globals,
            locals: None,
            processes: Some(&scope.processes),
        };
        let typed = checker.condition(&expression)?;
        if typed.has_choice() {
            let message = "a condition leaves nothing open";
            findings.report(Diagnostic::error(expression.span, message));
            return None;
        }
        let meant = Translation {
            unchecked: false,
            terms: &mut program.terms,
            choices: [].iter(),
        }
        .of(&typed);
        Some(program.terms.and(&[meant.defined, meant.term]))
    });
    match term {
        Some(term) if !findings.has_errors() => Ok(term),
        _ => {
            findings.diagnostics.truncate(MOST_SHOWN);
            Err(Report::new(sources, findings.diagnostics))
        }
    }
}

/// What a condition may mention.
struct ProgramNames {
    globals: Names,
    processes: Processes,
}

impl ProgramNames {
    fn new(program: &Program, source: SourceId, findings: &mut Findings) -> ProgramNames {
        let nowhere = Span::new(source, 0..0);
        let mut names = ProgramNames {
            globals: Names::default(),
            processes: Processes::default(),
        };
        let mut locals: HashMap<usize, Names> = HashMap::new();
        for id in program.variable_ids() {
            let variable = program.variable(id);
            let span = variable.span.unwrap_or(nowhere);
            let meaning = Meaning::Variable(id, names.kind(variable, span, findings));
            let unique = program.terms.name(id);
            let (level, text) = match variable.scope {
                Scope::Shared => (&mut names.globals, unique.to_owned()),
                Scope::Local(thread) => (
                    locals.entry(thread.index()).or_default(),
                    local_name(program, id),
                ),
            };
            level.0.entry(text).or_insert(Declared { meaning, span });
        }
        for thread in program.thread_ids() {
            let (family, index) = family(&program.thread(thread).name);
            let instance = Instance {
                process: 0,
                index,
                thread,
                locals: locals.remove(&thread.index()).unwrap_or_default(),
                labels: HashMap::new(),
            };
            let span = program.thread(thread).span.unwrap_or(nowhere);
            names.processes.join(family, span, instance);
        }
        names
    }

    /// The type of a variable; the values of its enumeration become known.
    fn kind(&mut self, variable: &Variable, span: Span, findings: &mut Findings) -> Type {
        let named = variable.enumeration.as_ref().map(|enumeration| {
            let known = findings.enumerations.iter();
            let position = known
                .clone()
                .position(|known| known.name == enumeration.name);
            let id = position.unwrap_or(findings.enumerations.len());
            if position.is_none() {
                findings.enumerations.push(EnumInfo {
                    name: enumeration.name.clone(),
                    span,
                    enumeration: enumeration.clone(),
                });
                for (value, number) in &enumeration.values {
                    let meaning = Meaning::Constant(Constant::Int(*number), Kind::Enum(EnumId(id)));
                    let declared = Declared { meaning, span };
                    self.globals.0.entry(value.clone()).or_insert(declared);
                }
            }
            EnumId(id)
        });
        let kind = |scalar: Scalar| match (scalar, named) {
            (Scalar::Int, Some(id)) => Kind::Enum(id),
            (Scalar::Int, None) => Kind::Int,
            (Scalar::Bool, _) => Kind::Bool,
            (Scalar::BitVec(width), _) => Kind::Bits(width),
        };
        match variable.sort {
            Sort::Array(array) => Type::Array(ArrayType {
                element: kind(array.element),
                index: match array.index {
                    Scalar::BitVec(width) => Kind::Bits(width),
                    _ => Kind::Int,
                },
                low: 0,
                length: array.length,
            }),
            scalar => Type::Plain(kind(scalar.scalar().expect("not an array, so a scalar"))),
        }
    }
}

/// The name of a local variable behind that of its thread.
fn local_name(program: &Program, variable: VarId) -> String {
    let unique = program.terms.name(variable);
    let Scope::Local(thread) = program.variable(variable).scope else {
        return unique.to_owned();
    };
    let prefix = format!("{}.", program.thread(thread).name);
    unique.strip_prefix(&prefix).unwrap_or(unique).to_owned()
}

/// `q[1]` is member 1 of the family `q`.
fn family(thread: &str) -> (&str, Option<i128>) {
    let index = |text: &str| -> Option<i128> { text.strip_suffix(']')?.parse().ok() };
    match thread.split_once('[') {
        Some((family, rest)) => match index(rest) {
            Some(index) => (family, Some(index)),
            None => (thread, None),
        },
        None => (thread, None),
    }
}
