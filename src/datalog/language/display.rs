//! Rule sets as text that can be read back, and the parts of one as messages show them.

use crate::check::automatic_name;
use crate::ruleset::{
    Aggregate, AggregateFunction, Atom, Comparison, Conflict, Constant, Expression, Literal,
    Operator, Relation, RelationKind, Rule, RuleSet, Term, Variable,
};
use std::fmt::{self, Display, Formatter};

/// Every type, relation, rule and conflict. Reading it back gives the same rule set.
impl Display for RuleSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for declared in &self.types {
            writeln!(f, ".type {} <: {}", declared.name, declared.parent)?;
        }
        for relation in &self.relations {
            writeln!(f, "{}", self.show_declaration(relation))?;
        }
        for relation in self.relations.iter().filter(|relation| relation.input) {
            writeln!(f, ".input {}", relation.name)?;
        }
        for relation in self.relations.iter().filter(|relation| relation.output) {
            writeln!(f, ".output {}", relation.name)?;
        }
        let mut seen = vec![0; self.relations.len()];
        for rule in &self.rules {
            let head = rule.head.relation;
            seen[head.index()] += 1;
            let automatic = automatic_name(&self.relation(head).name, seen[head.index()]);
            write_name(f, &rule.name, &automatic)?;
            writeln!(f, "{}", self.show_rule(rule))?;
        }
        for (index, conflict) in self.conflicts.iter().enumerate() {
            write_name(f, &conflict.name, &automatic_name("conflict", index + 1))?;
            writeln!(f, "{}", self.show_conflict(conflict))?;
        }
        Ok(())
    }
}

fn write_name(f: &mut Formatter<'_>, name: &str, automatic: &str) -> fmt::Result {
    match name == automatic {
        true => Ok(()),
        false => writeln!(f, "@name({})", quoted(name)),
    }
}

impl RuleSet {
    /// `.decl lt(a: Event, b: Event) order(event, executed)`
    pub fn show_declaration(&self, relation: &Relation) -> impl Display {
        let columns: Vec<String> = relation
            .columns
            .iter()
            .map(|column| format!("{}: {}", column.name, column.type_name))
            .collect();
        let qualifier = match relation.kind {
            RelationKind::Plain => String::new(),
            RelationKind::Choice => " choice".to_string(),
            RelationKind::Order(order) => {
                let event = &self.relation(order.event).name;
                match order.executed {
                    None => format!(" order({event})"),
                    Some(executed) => {
                        format!(" order({event}, {})", self.relation(executed).name)
                    }
                }
            }
        };
        format!(".decl {}({}){qualifier}", relation.name, columns.join(", "))
    }

    /// `lt(w, r) :- rf(w, r).`
    pub fn show_rule(&self, rule: &Rule) -> impl Display {
        let scope = Scope {
            rules: self,
            variables: &rule.variables,
        };
        let arguments: Vec<String> = rule
            .head
            .arguments
            .iter()
            .map(|argument| scope.expression(argument))
            .collect();
        let head = format!(
            "{}({})",
            self.relation(rule.head.relation).name,
            arguments.join(", ")
        );
        match rule.body.is_empty() {
            true => format!("{head}."),
            false => format!("{head} :- {}.", scope.body(&rule.body)),
        }
    }

    /// `.conflict lt(e, e).`
    pub fn show_conflict(&self, conflict: &Conflict) -> impl Display {
        let scope = Scope {
            rules: self,
            variables: &conflict.variables,
        };
        format!(".conflict {}.", scope.body(&conflict.body))
    }

    /// A literal of a rule or conflict with these variables.
    pub fn show_literal(&self, variables: &[Variable], literal: &Literal) -> impl Display {
        let scope = Scope {
            rules: self,
            variables,
        };
        scope.literal(literal)
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Symbol(text) => f.write_str(&quoted(text)),
            Constant::Number(number) => number.fmt(f),
        }
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        })
    }
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
        })
    }
}

impl Display for AggregateFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AggregateFunction::Count => "count",
            AggregateFunction::Sum => "sum",
            AggregateFunction::Min => "min",
            AggregateFunction::Max => "max",
        })
    }
}

/// A symbol as it stands in a rule: in quotes, escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '"' | '\\' => quoted.extend(['\\', character]),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// One rule's names.
struct Scope<'a> {
    rules: &'a RuleSet,
    variables: &'a [Variable],
}

impl Scope<'_> {
    fn body(&self, body: &[Literal]) -> String {
        let literals: Vec<String> = body.iter().map(|literal| self.literal(literal)).collect();
        literals.join(", ")
    }

    fn literal(&self, literal: &Literal) -> String {
        match literal {
            Literal::Positive(atom) => self.atom(atom),
            Literal::Negative(atom) => format!("!{}", self.atom(atom)),
            Literal::Compare(comparison, left, right) => format!(
                "{} {comparison} {}",
                self.expression(left),
                self.expression(right)
            ),
            Literal::Aggregate(aggregate) => self.aggregate(aggregate),
        }
    }

    fn atom(&self, atom: &Atom) -> String {
        let arguments: Vec<String> = atom
            .arguments
            .iter()
            .map(|argument| match argument {
                Term::Variable(variable) => self.variables[variable.index()].name.clone(),
                Term::Constant(constant) => constant.to_string(),
                Term::Wildcard => "_".to_string(),
            })
            .collect();
        let name = &self.rules.relation(atom.relation).name;
        format!("{name}({})", arguments.join(", "))
    }

    fn aggregate(&self, aggregate: &Aggregate) -> String {
        let result = &self.variables[aggregate.result.index()].name;
        let function = aggregate.function;
        let body = self.body(&aggregate.body);
        match &aggregate.value {
            None => format!("{result} = {function} : {{ {body} }}"),
            Some(value) => {
                let value = self.expression(value);
                format!("{result} = {function} {value} : {{ {body} }}")
            }
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Variable(variable) => self.variables[variable.index()].name.clone(),
            Expression::Constant(constant) => constant.to_string(),
            Expression::Negate(operand) => {
                format!("-{}", self.operand(operand, Strength::Factor))
            }
            Expression::Binary(operator, left, right) => {
                let (left_needs, right_needs) = match operator {
                    Operator::Add | Operator::Subtract => (Strength::Sum, Strength::Product),
                    _ => (Strength::Product, Strength::Factor),
                };
                format!(
                    "{} {operator} {}",
                    self.operand(left, left_needs),
                    self.operand(right, right_needs)
                )
            }
        }
    }

    /// The operand, in parentheses if it binds weaker than needed.
    fn operand(&self, operand: &Expression, needed: Strength) -> String {
        let text = self.expression(operand);
        match Strength::of(operand) < needed {
            true => format!("({text})"),
            false => text,
        }
    }
}

/// How strongly an expression's outermost operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    Factor,
}

impl Strength {
    fn of(expression: &Expression) -> Strength {
        match expression {
            Expression::Binary(Operator::Add | Operator::Subtract, ..) => Strength::Sum,
            Expression::Binary(..) => Strength::Product,
            _ => Strength::Factor,
        }
    }
}
