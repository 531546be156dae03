//! From text to syntax tree: declarations and processes.

use super::parser::{Entry, Parser, TOP_LEVEL_PROCESS};
use super::syntax::*;
use super::token::Token;
use heddle_diagnostics::Diagnostic;

impl Parser<'_> {
    pub(crate) fn file(&mut self) -> File {
        let mut file = File::default();
        let mut commands = Vec::new();
        while self.peek() != Token::EndOfFile {
            let before = self.span();
            if self.item(&mut file, &mut commands).is_none() {
                self.skip_statement();
                if self.span() == before {
                    // A brace without a partner.
                    self.take();
                }
            }
        }
        if let Some(first) = commands.first() {
            file.processes.push(Process {
                name: Name {
                    text: TOP_LEVEL_PROCESS.to_owned(),
                    span: first.span,
                },
                family: None,
                locals: Vec::new(),
                body: Body::Commands(commands),
            });
        }
        file.statements = self.statements;
        file
    }

    /// A number for a statement.
    pub(crate) fn number(&mut self) -> usize {
        self.statements += 1;
        self.statements - 1
    }

    fn item(&mut self, file: &mut File, commands: &mut Vec<Command>) -> Option<()> {
        match self.peek() {
            Token::Const => {
                self.take();
                let constants = self.separated(Self::constant)?;
                file.constants.extend(constants);
                self.semicolon();
            }
            Token::Enum => {
                self.take();
                let enumeration = self.enumeration()?;
                file.enumerations.push(enumeration);
            }
            Token::Shared => {
                self.take();
                let variables = self.variables()?;
                file.shared.extend(variables);
                self.semicolon();
            }
            Token::Process => {
                self.take();
                let process = self.process()?;
                file.processes.push(process);
            }
            Token::Local => {
                let span = self.span();
                self.report(
                    Diagnostic::error(span, "a local variable is declared inside of a process")
                        .hint("outside of processes, variables are `shared`"),
                );
                return None;
            }
            Token::CloseBrace => {
                let span = self.span();
                self.report(Diagnostic::error(span, "this `}` closes nothing"));
                return None;
            }
            Token::Name if self.at_word("granularity") && self.peek_after(1) == Token::Name => {
                self.granularity(file)?;
            }
            Token::Name if self.at_word("checks") && self.peek_after(1) == Token::Name => {
                self.take();
                if !self.at_word("off") {
                    let span = self.span();
                    self.report(
                        Diagnostic::error(span, "expected `off`")
                            .hint("`checks off;` says that all indices and divisors are right"),
                    );
                    return None;
                }
                self.take();
                file.unchecked = true;
                self.semicolon();
            }
            Token::Name if self.at_word("error") && self.peek_after(1) == Token::Colon => {
                self.take();
                self.take();
                let condition = self.expression()?;
                file.errors.push(condition);
                self.semicolon();
            }
            _ => match self.entry()? {
                Entry::Command(command) => commands.push(command),
                Entry::Statement(Statement { span, .. }) => {
                    self.report(
                        Diagnostic::error(span, "a statement stands inside of a process")
                            .hint("outside of processes there are declarations, `error:` and guarded commands `guard -> x := e`"),
                    );
                }
                Entry::EndLabels(_) => {}
            },
        }
        Some(())
    }

    fn granularity(&mut self, file: &mut File) -> Option<()> {
        let start = self.take();
        let span = self.span();
        let granularity = if self.at_word("statement") {
            Granularity::Statement
        } else if self.at_word("access") {
            Granularity::Access
        } else {
            self.report(
                Diagnostic::error(span, "expected `statement` or `access`")
                    .hint("`granularity access;` makes each access to a shared variable a step of its own"),
            );
            return None;
        };
        self.take();
        if let Some((_, first)) = file.granularity {
            self.report(
                Diagnostic::error(start.to(span), "the granularity is set twice")
                    .related(first, "first here"),
            );
        }
        file.granularity = Some((granularity, start.to(span)));
        self.semicolon();
        Some(())
    }

    fn constant(&mut self) -> Option<Constant> {
        let name = self.name("for the constant")?;
        self.expect(Token::Equal, "and the constant's value")?;
        let value = self.expression()?;
        Some(Constant { name, value })
    }

    fn enumeration(&mut self) -> Option<Enumeration> {
        let name = self.name("for the enumeration")?;
        self.expect(Token::OpenBrace, "and the values of the enumeration")?;
        let mut members = Vec::new();
        while self.peek() != Token::CloseBrace {
            members.push(self.name("of a value")?);
            if self.accept(Token::Comma).is_none() {
                break;
            }
        }
        let end = self.expect(Token::CloseBrace, "to end the enumeration")?;
        self.accept(Token::Semicolon);
        if members.is_empty() {
            self.report(Diagnostic::error(
                name.span.to(end),
                "an enumeration has at least one value",
            ));
        }
        Some(Enumeration { name, members })
    }

    /// `x: int = 0, y, z: bool`: a name without a type takes the type and the initial
    /// value of the next one that has it.
    pub(crate) fn variables(&mut self) -> Option<Vec<Variable>> {
        let mut variables = Vec::new();
        let mut waiting = Vec::new();
        loop {
            waiting.push(self.name("of a variable")?);
            if self.accept(Token::Comma).is_some() {
                continue;
            }
            if self.peek() != Token::Colon {
                let (found, span) = (self.found(), self.span());
                self.report(
                    Diagnostic::error(span, "expected `:` and the variable's type")
                        .label(format!("found {found}"))
                        .hint("a variable is declared as `x: int = 0`"),
                );
                return None;
            }
            self.take();
            let kind = self.type_name()?;
            let initial = match self.accept(Token::Equal).or(self.accept(Token::Assign)) {
                Some(_) => Some(self.initial()?),
                None => None,
            };
            variables.extend(waiting.drain(..).map(|name| Variable {
                name,
                kind: kind.clone(),
                initial: initial.clone(),
            }));
            if self.accept(Token::Comma).is_none() {
                return Some(variables);
            }
        }
    }

    fn type_name(&mut self) -> Option<TypeName> {
        let start = self.span();
        let element = match self.peek() {
            Token::Int => {
                self.take();
                ElementType::Int
            }
            Token::Bool => {
                self.take();
                ElementType::Bool
            }
            Token::Name => ElementType::Named(self.name("of a type")?),
            _ => {
                let found = self.found();
                self.report(
                    Diagnostic::error(start, "expected a type")
                        .label(format!("found {found}"))
                        .hint("types are `int`, `bool`, `bv8` … `bv128`, the name of an `enum`, and arrays of these such as `int[4]`"),
                );
                return None;
            }
        };
        let mut dimension = None;
        if self.accept(Token::OpenBracket).is_some() {
            let first = self.expression()?;
            dimension = Some(if self.accept(Token::DotDot).is_some() {
                Dimension::Range(first, self.expression()?)
            } else if self.accept(Token::Colon).is_some() {
                Dimension::Indexed(first, self.name("of the type of the index")?)
            } else {
                Dimension::Count(first)
            });
            self.expect(Token::CloseBracket, "after the array's size")?;
        }
        Some(TypeName { element, dimension })
    }

    fn initial(&mut self) -> Option<Initial> {
        let Some(start) = self.accept(Token::OpenBrace) else {
            return Some(Initial::Value(self.expression()?));
        };
        let elements = self.separated(Self::expression)?;
        let end = self.expect(Token::CloseBrace, "after the elements")?;
        Some(Initial::Elements(elements, start.to(end)))
    }

    fn process(&mut self) -> Option<Process> {
        let name = self.name("for the process")?;
        let mut family = None;
        if self.accept(Token::OpenBracket).is_some() {
            let index = self.name("for the index of the family")?;
            self.expect(Token::In, "and the range, as in `[i in 1..3]`")?;
            let low = self.expression()?;
            self.expect(Token::DotDot, "between the bounds")?;
            let high = self.expression()?;
            self.expect(Token::CloseBracket, "after the range")?;
            family = Some(Family { index, low, high });
        }
        self.expect(Token::OpenBrace, "to begin the process")?;
        let (locals, body) = self.body(&name)?;
        Some(Process {
            name,
            family,
            locals,
            body,
        })
    }

    fn body(&mut self, process: &Name) -> Option<(Vec<Variable>, Body)> {
        let mut locals = Vec::new();
        let mut statements = Vec::new();
        let mut commands: Vec<Command> = Vec::new();
        let mut end_labels = Vec::new();
        let end = loop {
            match self.peek() {
                Token::CloseBrace => break self.take(),
                Token::EndOfFile | Token::Process => {
                    let span = self.behind();
                    self.report(
                        Diagnostic::error(
                            span,
                            format!("process `{}` is not closed", process.text),
                        )
                        .label("a `}` is missing")
                        .related(process.span, "it begins here"),
                    );
                    break span;
                }
                Token::Local => {
                    let span = self.take();
                    if !statements.is_empty() || !commands.is_empty() {
                        self.report(Diagnostic::error(
                            span,
                            "local variables are declared before the first statement",
                        ));
                    }
                    match self.variables() {
                        Some(variables) => {
                            locals.extend(variables);
                            self.semicolon();
                        }
                        None => self.skip_statement(),
                    }
                }
                _ => match self.entry() {
                    Some(Entry::Statement(statement)) => statements.push(statement),
                    Some(Entry::Command(command)) => commands.push(command),
                    Some(Entry::EndLabels(labels)) => end_labels = labels,
                    None => self.skip_statement(),
                },
            }
        };
        if let (Some(statement), Some(command)) = (statements.first(), commands.first()) {
            let diagnostic = Diagnostic::error(
                command.span,
                format!(
                    "process `{}` mixes statements and guarded commands",
                    process.text
                ),
            )
            .label("a guarded command")
            .related(statement.span, "a statement")
            .hint("a process is either a list of statements, or a set of guarded commands that are chosen from over and over");
            self.report(diagnostic);
        }
        let body = if commands.is_empty() {
            Body::Statements(Block {
                statements,
                end_labels,
                end,
            })
        } else {
            Body::Commands(commands)
        };
        Some((locals, body))
    }
}
