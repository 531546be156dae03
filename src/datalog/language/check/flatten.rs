//! Conjunctions of the syntax tree to clauses: variables and relations are resolved,
//! aggregates stand alone, and expressions in body atoms become comparisons.
//!
//! `p(x + 1)` is `_1 = x + 1, p(_1)`, and `count : { … } > 2` is `_1 = count : { … },
//! _1 > 2`, with a variable that the rule does not have.

use super::clause::{Aggregate, Atom, Clause, ClauseVariable, Expr, Goal, Head, Node};
use super::desugar::{Leaf, alternatives};
use super::names::Relations;
use crate::ruleset::{Comparison, Term, VariableId};
use crate::syntax::{self, Expression, ExpressionKind, Within};
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

/// The clause of one head and one conjunction.
pub(crate) fn clause(
    relations: &Relations,
    name: Option<&syntax::Name>,
    head: Option<&syntax::Atom>,
    body: &[Leaf<'_>],
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Clause {
    let mut flatten = Flatten {
        relations,
        diagnostics,
        occurrences: Occurrences::of(head, body),
        variables: Vec::new(),
        outer: HashMap::new(),
        local: None,
        fresh: 0,
    };
    // The head's variables come first, in the order of its columns.
    let mut of_head = Vec::new();
    let head = head.map(|head| flatten.head(head, &mut of_head));
    let mut goals = flatten.conjunction(body);
    goals.extend(of_head);
    Clause {
        name: name.map(|name| name.text.clone()),
        head,
        body: goals,
        variables: flatten.variables,
        span,
    }
}

/// Where the variables of a conjunction and its head stand.
#[derive(Default)]
struct Occurrences {
    /// Outside of every aggregate: these are shared by the whole rule.
    outside: HashSet<String>,
    anywhere: HashSet<String>,
}

impl Occurrences {
    fn of(head: Option<&syntax::Atom>, body: &[Leaf<'_>]) -> Self {
        let mut occurrences = Occurrences::default();
        let mut visit = |name: &str, _, within| {
            if within == Within::Rule {
                occurrences.outside.insert(name.to_string());
            }
            occurrences.anywhere.insert(name.to_string());
        };
        if let Some(head) = head {
            head.for_each_variable(Within::Rule, &mut visit);
        }
        for leaf in body {
            match leaf {
                Leaf::Atom { atom, .. } => atom.for_each_variable(Within::Rule, &mut visit),
                Leaf::Compare { left, right, .. } => {
                    left.for_each_variable(Within::Rule, &mut visit);
                    right.for_each_variable(Within::Rule, &mut visit);
                }
            }
        }
        occurrences
    }
}

struct Flatten<'a> {
    relations: &'a Relations,
    diagnostics: &'a mut Vec<Diagnostic>,
    occurrences: Occurrences,
    variables: Vec<ClauseVariable>,
    outer: HashMap<String, VariableId>,
    /// Inside of an aggregate: the variables that only this aggregate has, and those that
    /// it shares with the outside.
    local: Option<Local>,
    fresh: u32,
}

#[derive(Default)]
struct Local {
    own: HashMap<String, VariableId>,
    groups: Vec<(VariableId, Span)>,
}

impl Flatten<'_> {
    fn variable(&mut self, name: &str, span: Span) -> VariableId {
        let shared = self.occurrences.outside.contains(name);
        let known = match &mut self.local {
            Some(local) if !shared => local.own.get(name),
            _ => self.outer.get(name),
        };
        let variable = match known {
            Some(&variable) => variable,
            None => {
                let variable = self.declare(name.to_string());
                let scope = match &mut self.local {
                    Some(local) if !shared => &mut local.own,
                    _ => &mut self.outer,
                };
                scope.insert(name.to_string(), variable);
                variable
            }
        };
        if let Some(local) = &mut self.local
            && shared
            && !local.groups.iter().any(|(group, _)| *group == variable)
        {
            local.groups.push((variable, span));
        }
        variable
    }

    fn declare(&mut self, name: String) -> VariableId {
        self.variables.push(ClauseVariable {
            name,
            excused: false,
        });
        VariableId(self.variables.len() as u32 - 1)
    }

    fn excuse(&mut self, variable: VariableId) {
        self.variables[variable.index()].excused = true;
    }

    /// A variable with a name that the rule does not use.
    fn fresh(&mut self, span: Span) -> Expr {
        loop {
            self.fresh += 1;
            let name = format!("_{}", self.fresh);
            if !self.occurrences.anywhere.contains(&name) {
                let node = Node::Variable(self.declare(name));
                return Expr { node, span };
            }
        }
    }

    fn head(&mut self, head: &syntax::Atom, goals: &mut Vec<Goal>) -> Head {
        let relation = self.relations.resolve_atom(
            &head.relation,
            head.arguments.len(),
            head.span,
            self.diagnostics,
        );
        let arguments = head
            .arguments
            .iter()
            .map(|argument| self.expression(argument, "a head", goals))
            .collect();
        Head {
            relation,
            arguments,
            span: head.span,
        }
    }

    fn conjunction(&mut self, leaves: &[Leaf<'_>]) -> Vec<Goal> {
        let mut goals = Vec::new();
        for leaf in leaves {
            match *leaf {
                Leaf::Atom { atom, negated } => {
                    let atom = self.atom(atom, &mut goals);
                    goals.push(match negated {
                        true => Goal::Negative(atom),
                        false => Goal::Positive(atom),
                    });
                }
                Leaf::Compare {
                    comparison,
                    left,
                    right,
                    span,
                } => self.compare(comparison, left, right, span, &mut goals),
            }
        }
        goals
    }

    fn atom(&mut self, atom: &syntax::Atom, goals: &mut Vec<Goal>) -> Atom {
        let relation = self.relations.resolve_atom(
            &atom.relation,
            atom.arguments.len(),
            atom.span,
            self.diagnostics,
        );
        let arguments = atom
            .arguments
            .iter()
            .map(|argument| (self.argument(argument, goals), argument.span))
            .collect();
        Atom {
            relation,
            arguments,
            span: atom.span,
        }
    }

    fn argument(&mut self, argument: &Expression, goals: &mut Vec<Goal>) -> Term {
        if let ExpressionKind::Wildcard = argument.kind {
            return Term::Wildcard;
        }
        let expr = self.expression(argument, "an expression", goals);
        match expr.node {
            Node::Variable(variable) => Term::Variable(variable),
            Node::Constant(constant) => Term::Constant(constant),
            Node::Negate(_) | Node::Binary(..) => {
                let fresh = self.fresh(argument.span);
                let variable = fresh.as_variable();
                goals.push(Goal::Compare {
                    comparison: Comparison::Equal,
                    left: fresh,
                    right: expr,
                    span: argument.span,
                });
                variable.map_or(Term::Wildcard, Term::Variable)
            }
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: &Expression,
        right: &Expression,
        span: Span,
        goals: &mut Vec<Goal>,
    ) {
        // `n = count : { … }` needs no further variable.
        let (result, aggregate) = match (&left.kind, &right.kind) {
            (ExpressionKind::Variable(name), ExpressionKind::Aggregate(aggregate)) => {
                (Some((name, left.span)), Some((aggregate, right.span)))
            }
            (ExpressionKind::Aggregate(aggregate), ExpressionKind::Variable(name)) => {
                (Some((name, right.span)), Some((aggregate, left.span)))
            }
            _ => (None, None),
        };
        if comparison == Comparison::Equal
            && let (Some((name, place)), Some((aggregate, span))) = (result, aggregate)
        {
            let result = self.variable(name, place);
            goals.extend(self.aggregate(result, aggregate, span));
            return;
        }
        let left = self.expression(left, "a comparison", goals);
        let right = self.expression(right, "a comparison", goals);
        goals.push(Goal::Compare {
            comparison,
            left,
            right,
            span,
        });
    }

    /// `place` says where a wildcard would be wrong.
    fn expression(&mut self, expression: &Expression, place: &str, goals: &mut Vec<Goal>) -> Expr {
        let span = expression.span;
        let node = match &expression.kind {
            ExpressionKind::Variable(name) => Node::Variable(self.variable(name, span)),
            ExpressionKind::Constant(constant) => Node::Constant(constant.clone()),
            ExpressionKind::Negate(operand) => {
                Node::Negate(Box::new(self.expression(operand, "an expression", goals)))
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.expression(left, "an expression", goals);
                let right = self.expression(right, "an expression", goals);
                Node::Binary(*operator, Box::new(left), Box::new(right))
            }
            ExpressionKind::Aggregate(aggregate) => {
                let fresh = self.fresh(span);
                if let Some(result) = fresh.as_variable() {
                    goals.extend(self.aggregate(result, aggregate, span));
                }
                return fresh;
            }
            ExpressionKind::Wildcard => {
                self.diagnostics.push(
                    Diagnostic::error(span, format!("`_` has no value, so {place} cannot use it"))
                        .hint("`_` stands for any value, as an argument of a body atom"),
                );
                let fresh = self.fresh(span);
                fresh.for_each_variable(&mut |variable, _| self.excuse(variable));
                return fresh;
            }
        };
        Expr { node, span }
    }

    /// The aggregate as a goal. A disjunction inside is reported, and there is none.
    fn aggregate(
        &mut self,
        result: VariableId,
        aggregate: &syntax::Aggregate,
        span: Span,
    ) -> Option<Goal> {
        let conjunctions = alternatives(&aggregate.body, 1, self.diagnostics);
        let [conjunction] = conjunctions.as_slice() else {
            if conjunctions.len() > 1 {
                self.diagnostics.push(
                    Diagnostic::error(
                        aggregate.body.span(),
                        "a disjunction inside of an aggregate is not supported",
                    )
                    .hint("derive a relation for it, and aggregate over that"),
                );
            }
            self.excuse(result);
            return None;
        };
        self.local = Some(Local::default());
        let mut body = self.conjunction(conjunction);
        if let Some(value) = &aggregate.value {
            self.refuse_shared_value(value, &aggregate.body);
        }
        let value = aggregate
            .value
            .as_ref()
            .map(|value| self.expression(value, "an aggregate", &mut body));
        let local = self.local.take().unwrap_or_default();
        Some(Goal::Aggregate(Box::new(Aggregate {
            result,
            function: aggregate.function,
            value,
            body,
            groups: local.groups,
            span,
        })))
    }

    /// Soufflé takes `s` in `max s : { p(s) }` for another variable than an `s` outside;
    /// here it would be the same one. Neither reading is obvious. Where the body does not
    /// mention the variable, as `n` in `sum x / n : { p(x) }`, it can only be the one outside.
    fn refuse_shared_value(&mut self, value: &Expression, body: &syntax::Formula) {
        let mut of_body = HashSet::new();
        body.for_each_variable(Within::Aggregate, &mut |name, _, _| {
            of_body.insert(name);
        });
        let mut shared = None;
        value.for_each_variable(Within::Aggregate, &mut |name, span, _| {
            if self.occurrences.outside.contains(name) && of_body.contains(name) {
                shared.get_or_insert((name, span));
            }
        });
        if let Some((name, span)) = shared {
            let variable = self.variable(name, span);
            self.excuse(variable);
            self.diagnostics.push(
                Diagnostic::error(
                    span,
                    format!("`{name}` is aggregated here, but it is used outside, too"),
                )
                .hint("give the variable inside of the aggregate another name"),
            );
        }
    }
}
