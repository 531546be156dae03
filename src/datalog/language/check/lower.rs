//! Checked clauses to the [`RuleSet`] that the back ends read.

use super::clause::{Aggregate, Atom, Clause, Expr, Goal, Node};
use super::dependencies::{Dependencies, How};
use super::names::Relations;
use super::subtypes::Types;
use crate::ruleset::{
    self, Conflict, Expression, Literal, RelationId, RelationKind, Rule, RuleId, RuleSet, Stratum,
    Term, ValueKind, Variable, VariableId,
};

/// A clause that passed all checks, with what its variables hold.
pub(crate) type Checked = (Clause, Vec<ValueKind>);

/// `None` if something was not resolved: not all checks were passed.
pub(crate) fn lower(
    relations: Relations,
    types: &Types,
    rules: Vec<Checked>,
    conflicts: Vec<Checked>,
    strata: Vec<Vec<RelationId>>,
    dependencies: &Dependencies,
) -> Option<RuleSet> {
    if relations.column_types.iter().flatten().any(Option::is_none) {
        return None;
    }
    let mut rules_of: Vec<Vec<RuleId>> = vec![Vec::new(); relations.relations.len()];
    let mut lowered: Vec<Rule> = Vec::with_capacity(rules.len());
    for (clause, kinds) in &rules {
        let head = clause.head.as_ref()?;
        let relation = head.relation?;
        rules_of[relation.index()].push(RuleId(lowered.len() as u32));
        let mut lower = Lower::new(clause, kinds);
        let head = ruleset::Head {
            relation,
            arguments: head.arguments.iter().map(|e| lower.expr(e)).collect(),
        };
        lowered.push(Rule {
            name: clause.name.clone().unwrap_or_else(|| {
                let number = rules_of[relation.index()].len();
                automatic_name(&relations.get(relation).name, number)
            }),
            head,
            body: lower.goals(&clause.body)?,
            variables: lower.variables,
            span: clause.span,
        });
    }
    let mut lowered_conflicts = Vec::with_capacity(conflicts.len());
    for (index, (clause, kinds)) in conflicts.iter().enumerate() {
        let mut lower = Lower::new(clause, kinds);
        lowered_conflicts.push(Conflict {
            name: clause
                .name
                .clone()
                .unwrap_or_else(|| automatic_name("conflict", index + 1)),
            body: lower.goals(&clause.body)?,
            variables: lower.variables,
            span: clause.span,
        });
    }
    let strata = strata
        .into_iter()
        .map(|members| stratum(members, &relations, &rules_of, dependencies))
        .collect();
    Some(RuleSet {
        types: types.declared(),
        relations: relations.relations,
        rules: lowered,
        conflicts: lowered_conflicts,
        strata,
    })
}

/// The name of a rule or conflict that has none: `lt#2`.
pub(crate) fn automatic_name(of: &str, number: usize) -> String {
    format!("{of}#{number}")
}

fn stratum(
    members: Vec<RelationId>,
    relations: &Relations,
    rules_of: &[Vec<RuleId>],
    dependencies: &Dependencies,
) -> Stratum {
    let recursive = members.iter().any(|member| {
        matches!(relations.get(*member).kind, RelationKind::Order(_))
            || dependencies.of(*member).iter().any(|dependency| {
                matches!(dependency.how, How::Rule(_))
                    && members.binary_search(&dependency.to).is_ok()
            })
    });
    let mut rules: Vec<RuleId> = members
        .iter()
        .flat_map(|member| rules_of[member.index()].iter().copied())
        .collect();
    rules.sort();
    Stratum {
        relations: members,
        rules,
        recursive,
    }
}

/// Numbers the variables of one rule in the order in which they occur.
struct Lower<'a> {
    clause: &'a Clause,
    kinds: &'a [ValueKind],
    numbers: Vec<Option<VariableId>>,
    variables: Vec<Variable>,
}

impl<'a> Lower<'a> {
    fn new(clause: &'a Clause, kinds: &'a [ValueKind]) -> Self {
        Lower {
            clause,
            kinds,
            numbers: vec![None; clause.variables.len()],
            variables: Vec::new(),
        }
    }

    fn variable(&mut self, variable: VariableId) -> VariableId {
        let index = variable.index();
        if let Some(number) = self.numbers[index] {
            return number;
        }
        let number = VariableId(self.variables.len() as u32);
        self.numbers[index] = Some(number);
        self.variables.push(Variable {
            name: self.clause.variables[index].name.clone(),
            kind: self.kinds[index],
        });
        number
    }

    fn goals(&mut self, goals: &[Goal]) -> Option<Vec<Literal>> {
        goals.iter().map(|goal| self.goal(goal)).collect()
    }

    fn goal(&mut self, goal: &Goal) -> Option<Literal> {
        Some(match goal {
            Goal::Positive(atom) => Literal::Positive(self.atom(atom)?),
            Goal::Negative(atom) => Literal::Negative(self.atom(atom)?),
            Goal::Compare {
                comparison,
                left,
                right,
                ..
            } => Literal::Compare(*comparison, self.expr(left), self.expr(right)),
            Goal::Aggregate(aggregate) => Literal::Aggregate(self.aggregate(aggregate)?),
        })
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Option<ruleset::Aggregate> {
        let result = self.variable(aggregate.result);
        let value = aggregate.value.as_ref().map(|value| self.expr(value));
        let body = self.goals(&aggregate.body)?;
        let mut groups: Vec<VariableId> = aggregate
            .groups
            .iter()
            .map(|(variable, _)| self.variable(*variable))
            .collect();
        groups.sort();
        Some(ruleset::Aggregate {
            result,
            function: aggregate.function,
            value,
            body,
            groups,
            span: aggregate.span,
        })
    }

    fn atom(&mut self, atom: &Atom) -> Option<ruleset::Atom> {
        let arguments = atom
            .arguments
            .iter()
            .map(|(term, _)| match term {
                Term::Variable(variable) => Term::Variable(self.variable(*variable)),
                other => other.clone(),
            })
            .collect();
        Some(ruleset::Atom {
            relation: atom.relation?,
            arguments,
            span: atom.span,
        })
    }

    fn expr(&mut self, expr: &Expr) -> Expression {
        match &expr.node {
            Node::Variable(variable) => Expression::Variable(self.variable(*variable)),
            Node::Constant(constant) => Expression::Constant(constant.clone()),
            Node::Negate(operand) => Expression::Negate(Box::new(self.expr(operand))),
            Node::Binary(operator, left, right) => Expression::Binary(
                *operator,
                Box::new(self.expr(left)),
                Box::new(self.expr(right)),
            ),
        }
    }
}
