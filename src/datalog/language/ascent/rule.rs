//! A rule as `ascent` rules.
//!
//! Most rules become one. A rule whose body reads orders of its own stratum becomes one for
//! each such atom, which starts from the events whose clocks rose, and one more if other
//! atoms grow as well, which starts from those and asks the order itself.

use super::aggregate::Helper;
use super::expression::Text;
use super::plan::{Driver, Step, plan};
use super::scope::{Binding, Scope};
use super::tables::{Tables, tuple};
use crate::order_use::{Witness, order_uses};
use crate::ruleset::{
    Atom, Comparison, Expression, Head, Literal, RelationId, RelationKind, Rule, RuleSet, Stratum,
    Term, Variable, VariableId,
};

/// What a body derives.
pub(super) enum Target<'a> {
    Head(&'a Head),
    /// A relation of the generated text, of these variables.
    Own(&'a str, &'a [VariableId]),
}

/// Writes the rules of one `ascent` program.
pub(super) struct Writer<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) shared: &'a super::names::SharedNames,
    pub(super) symbols: &'a mut Vec<String>,
    /// The orders that the program derives.
    pub(super) orders: &'a [RelationId],
    pub(super) tables: Tables,
    /// Which relations, other than orders, the program has clauses of.
    pub(super) used: Vec<bool>,
    /// Relations that only the generated text knows, as declarations.
    pub(super) own_relations: Vec<String>,
    /// `ascent` rules and the comments above them.
    pub(super) lines: Vec<String>,
    /// How many aggregates have been written.
    pub(super) aggregates: usize,
    /// Whether every event before another is tried, even where the last one suffices.
    pub(super) try_all: bool,
}

impl Writer<'_> {
    pub(super) fn rule(&mut self, rule: &Rule, stratum: &Stratum) {
        self.comment(&format!("{}: {}", rule.name, self.rules.show_rule(rule)));
        let mut uses = order_uses(self.rules, rule);
        if self.try_all {
            uses.iter_mut().for_each(|used| used.witness = Witness::All);
        }
        let target = Target::Head(&rule.head);
        for used in &uses {
            let driver = Driver {
                literal: used.literal,
                witness: &used.witness,
            };
            let growing = &stratum.relations;
            self.body(&target, &rule.body, &rule.variables, Some(&driver), growing);
        }
        let grows = |literal: &Literal| match literal {
            Literal::Positive(atom) => {
                stratum.relations.contains(&atom.relation) && !self.is_order(atom.relation)
            }
            _ => false,
        };
        if uses.is_empty() || rule.body.iter().any(grows) {
            let growing = &stratum.relations;
            self.body(&target, &rule.body, &rule.variables, None, growing);
        }
    }

    pub(super) fn comment(&mut self, text: &str) {
        self.lines.push(String::new());
        self.lines
            .extend(text.lines().map(|line| format!("// {line}")));
    }

    fn is_order(&self, relation: RelationId) -> bool {
        matches!(self.rules.relation(relation).kind, RelationKind::Order(_))
    }

    /// Writes one `ascent` rule. `growing` are the relations that grow with its head.
    pub(super) fn body(
        &mut self,
        target: &Target<'_>,
        body: &[Literal],
        variables: &[Variable],
        driver: Option<&Driver<'_>>,
        growing: &[RelationId],
    ) {
        let steps = plan(self.rules, body, variables.len(), driver, growing);
        let mut scope = Scope::new(self.rules, self.shared, self.symbols, variables);
        let mut clauses = Clauses {
            scope: &mut scope,
            tables: &mut self.tables,
            variables,
            orders: self.orders,
            used: &mut self.used,
            own_relations: &mut self.own_relations,
            helpers: Vec::new(),
            aggregates: &mut self.aggregates,
            items: Vec::new(),
        };
        for step in steps {
            match (step, driver) {
                (Step::Literal(position), _) => clauses.literal(&body[position]),
                (Step::Rise(position), _) => clauses.rise(atom_at(body, position)),
                (Step::Candidates(position), Some(driver)) => {
                    clauses.candidates(atom_at(body, position), driver.witness, body, growing);
                }
                (Step::Candidates(_), None) => unreachable!("candidates come with a driver"),
            }
        }
        let head = clauses.head(target);
        let Clauses { items, helpers, .. } = clauses;
        for helper in helpers {
            let target = Target::Own(&helper.relation, &helper.columns);
            self.body(&target, &helper.body, &helper.variables, None, &[]);
        }
        self.lines.push(match items.is_empty() {
            true => format!("{head};"),
            false => format!(
                "{head} <-- if facts.admits_body(), {}, if facts.admits_head();",
                items.join(", ")
            ),
        });
    }
}

fn atom_at(body: &[Literal], position: usize) -> &Atom {
    match &body[position] {
        Literal::Positive(atom) => atom,
        _ => unreachable!("a rule starts from a positive atom"),
    }
}

/// The clauses of one body, as far as they are written.
pub(super) struct Clauses<'s, 'a> {
    pub(super) scope: &'s mut Scope<'a>,
    pub(super) tables: &'s mut Tables,
    /// Of the rule.
    pub(super) variables: &'s [Variable],
    /// The orders that the program derives.
    orders: &'s [RelationId],
    used: &'s mut Vec<bool>,
    pub(super) own_relations: &'s mut Vec<String>,
    pub(super) helpers: Vec<Helper>,
    pub(super) aggregates: &'s mut usize,
    pub(super) items: Vec<String>,
}

impl Clauses<'_, '_> {
    pub(super) fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Positive(atom) if self.is_order(atom) => self.order_atom(atom),
            Literal::Positive(atom) => self.positive(atom),
            Literal::Negative(atom) if self.is_order(atom) => {
                let test = self.order_test(atom);
                self.items.push(format!("if !{test}"));
            }
            Literal::Negative(atom) => {
                let clause = self.clause(atom);
                self.items.push(format!("!{clause}"));
            }
            Literal::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            Literal::Aggregate(aggregate) => self.aggregate(aggregate),
        }
    }

    /// A variable that the atom mentions twice and that is not bound yet is read into two
    /// names, which are compared: not every index of a stored relation can do that itself.
    fn positive(&mut self, atom: &Atom) {
        let repeats: Vec<usize> = (1..atom.arguments.len())
            .filter(|&place| match &atom.arguments[place] {
                Term::Variable(variable) => {
                    !self.scope.is_bound(*variable)
                        && atom.arguments[..place].contains(&atom.arguments[place])
                }
                _ => false,
            })
            .collect();
        let arguments = self.scope.arguments(&atom.arguments);
        let mut names: Vec<String> = arguments.split(", ").map(str::to_string).collect();
        let mut tests = Vec::new();
        for place in repeats {
            let again = format!("{}__{place}", names[place]);
            tests.push(format!("if {} == {again}", names[place]));
            names[place] = again;
        }
        let relation = self.relation(atom.relation).to_string();
        self.items.push(format!("{relation}({})", names.join(", ")));
        self.items.extend(tests);
    }

    fn clause(&mut self, atom: &Atom) -> String {
        let arguments = self.scope.arguments(&atom.arguments);
        format!("{}({arguments})", self.relation(atom.relation))
    }

    /// The name of a relation that is about to be used in a clause.
    pub(super) fn relation(&mut self, id: RelationId) -> &str {
        self.used[id.index()] = true;
        self.scope.shared.relation(id)
    }

    pub(super) fn is_order(&self, atom: &Atom) -> bool {
        let kind = self.scope.rules.relation(atom.relation).kind;
        matches!(kind, RelationKind::Order(_))
    }

    fn compare(&mut self, comparison: Comparison, left: &Expression, right: &Expression) {
        for (side, other) in [(left, right), (right, left)] {
            if let Expression::Variable(variable) = side
                && !self.scope.is_bound(*variable)
            {
                return self.bind(*variable, other);
            }
        }
        let test = self.scope.comparison(comparison, left, right);
        self.items.push(format!("if {test}"));
    }

    /// Gives the variable the expression's value.
    fn bind(&mut self, variable: VariableId, expression: &Expression) {
        let name = self.scope.name(variable).to_string();
        let item = match self.scope.expression(expression) {
            Text::Total(text) => format!("let {name} = {text}"),
            partial => format!("if let Some({name}) = {}", partial.optional()),
        };
        self.scope.bind(variable, Binding::Value);
        self.items.push(item);
    }

    /// An order that is asked: one of a lower stratum, or one that the rule does not start
    /// from.
    fn order_atom(&mut self, atom: &Atom) {
        let order = self.scope.shared.order(atom.relation);
        let [a, b] = atom.arguments.as_slice() else {
            unreachable!("an order has two columns");
        };
        let values = (self.scope.term_value(a), self.scope.term_value(b));
        let item = match (a, b, values) {
            (_, _, (Some(a), Some(b))) => format!("if {order}.holds({a}, {b})"),
            (_, Term::Variable(b), (Some(a), None)) => {
                format!("for {} in {order}.after({a})", self.bind_value(*b))
            }
            (Term::Variable(a), _, (None, Some(b))) => {
                format!("for {} in {order}.before({b})", self.bind_value(*a))
            }
            (Term::Variable(a), Term::Variable(b), (None, None)) if a == b => {
                format!("for {} in {order}.on_cycles()", self.bind_value(*a))
            }
            (Term::Variable(a), Term::Variable(b), (None, None)) => {
                let (a, b) = (self.bind_value(*a), self.bind_value(*b));
                format!("for ({a}, {b}) in {order}.pairs()")
            }
            (Term::Variable(a), _, (None, None)) => {
                format!("for ({}, _) in {order}.pairs()", self.bind_value(*a))
            }
            (_, Term::Variable(b), (None, None)) => {
                format!("for (_, {}) in {order}.pairs()", self.bind_value(*b))
            }
            _ => format!("if {}", self.order_test(atom)),
        };
        self.items.push(item);
    }

    /// Whether an order holds for what has a value, and for anything else in the other
    /// places.
    pub(super) fn order_test(&mut self, atom: &Atom) -> String {
        let order = self.scope.shared.order(atom.relation);
        let values: Vec<Option<String>> = atom
            .arguments
            .iter()
            .map(|term| self.scope.term_value(term))
            .collect();
        match values.as_slice() {
            [Some(a), Some(b)] => format!("{order}.holds({a}, {b})"),
            [Some(a), None] => format!("{order}.has_after({a})"),
            [None, Some(b)] => format!("{order}.has_before({b})"),
            _ => format!("{order}.is_inhabited()"),
        }
    }

    /// The events whose clocks rose: `lt(rise)`, and the event as `b`.
    fn rise(&mut self, atom: &Atom) {
        let relation = self.scope.shared.relation(atom.relation);
        self.items.push(format!("{relation}(rise)"));
        match &atom.arguments[1] {
            Term::Variable(b) => {
                let b = self.bind_value(*b);
                self.items.push(format!("let {b} = rise.event()"));
            }
            Term::Constant(constant) => {
                let constant = self.scope.constant(constant);
                self.items.push(format!("if rise.event() == {constant}"));
            }
            Term::Wildcard => {}
        }
    }

    /// The events `a` that came on top of those before `b`.
    fn candidates(
        &mut self,
        atom: &Atom,
        witness: &Witness,
        body: &[Literal],
        growing: &[RelationId],
    ) {
        let a = match &atom.arguments[0] {
            Term::Wildcard => return self.items.push("if rise.adds_any()".to_string()),
            term => match (self.scope.term_value(term), term) {
                (Some(value), _) => return self.items.push(format!("if rise.adds({value})")),
                (None, Term::Variable(a)) => *a,
                (None, _) => unreachable!("only a variable is without a value"),
            },
        };
        let events = match witness {
            Witness::Last { conditions } => {
                let (table, key, accepted) = self.conditions(atom.relation, a, conditions, body);
                match table {
                    Some(table) => format!("rise.last(&{table}, {key}, {accepted})"),
                    None => format!("rise.last_of_all({accepted})"),
                }
            }
            Witness::All => format!("rise.{}", self.all(atom.relation, a, body, growing)),
            Witness::First { conditions } => {
                let Term::Variable(b) = atom.arguments[1] else {
                    unreachable!("the first of several events is a variable");
                };
                let order = self.scope.shared.order(atom.relation);
                let (table, key, accepted) = self.conditions(atom.relation, b, conditions, body);
                self.items.push(match table {
                    Some(table) => {
                        format!("let fresh = rise.first(&{order}, &{table}, {key}, {accepted})")
                    }
                    None => format!("let fresh = rise.first_of_all(&{order}, {accepted})"),
                });
                format!("fresh.{}", self.all(atom.relation, a, body, growing))
            }
        };
        let a = self.bind_value(a);
        self.items.push(format!("for {a} in {events}"));
    }

    /// All events, or those of a table if a literal of the body restricts them: of several,
    /// the one that has most values by now.
    fn all(
        &mut self,
        order: RelationId,
        a: VariableId,
        body: &[Literal],
        growing: &[RelationId],
    ) -> String {
        let restricting = body
            .iter()
            .filter_map(|literal| match literal {
                Literal::Positive(atom)
                    if !self.is_order(atom)
                        && !growing.contains(&atom.relation)
                        && atom.arguments.contains(&Term::Variable(a)) =>
                {
                    Some(atom)
                }
                _ => None,
            })
            .max_by_key(|atom| {
                let known = |term: &&Term| match term {
                    Term::Variable(variable) => self.scope.is_bound(*variable),
                    Term::Constant(_) => true,
                    Term::Wildcard => false,
                };
                atom.arguments.iter().filter(known).count()
            });
        match restricting {
            Some(atom) => {
                let (table, key) = self.tables.seek(self.scope, order, atom, a);
                format!("all_of(&{table}, {key})")
            }
            None => "all()".to_string(),
        }
    }

    /// Conditions on an event as a table to seek it in with the key, and a closure for the
    /// rest.
    fn conditions(
        &mut self,
        order: RelationId,
        event: VariableId,
        conditions: &[usize],
        body: &[Literal],
    ) -> (Option<String>, String, String) {
        let sought = conditions.iter().copied().find(
            |&position| matches!(&body[position], Literal::Positive(atom) if !self.is_order(atom)),
        );
        let (table, key) = match sought {
            Some(position) => {
                let atom = atom_at(body, position);
                let (table, key) = self.tables.seek(self.scope, order, atom, event);
                (Some(table), key)
            }
            None => (None, tuple(&[])),
        };
        // Inside of the closure the event's name is its parameter, a value.
        let outside = self.scope.shadow(event);
        let tests: Vec<String> = conditions
            .iter()
            .filter(|&&position| Some(position) != sought)
            .map(|&position| self.condition(&body[position]))
            .collect();
        self.scope.restore(event, outside);
        let accepted = match tests.is_empty() {
            true => "|_| true".to_string(),
            false => format!("|{}| {}", self.scope.name(event), tests.join(" && ")),
        };
        (table, key, accepted)
    }

    /// A literal whose variables all have values, as a test.
    fn condition(&mut self, literal: &Literal) -> String {
        match literal {
            Literal::Positive(atom) if self.is_order(atom) => self.order_test(atom),
            Literal::Negative(atom) if self.is_order(atom) => {
                format!("!{}", self.order_test(atom))
            }
            Literal::Positive(atom) => self.tables.membership(self.scope, atom),
            Literal::Negative(atom) => {
                format!("!{}", self.tables.membership(self.scope, atom))
            }
            Literal::Compare(comparison, left, right) => {
                self.scope.comparison(*comparison, left, right)
            }
            Literal::Aggregate(_) => unreachable!("an aggregate is no condition on an event"),
        }
    }

    fn bind_value(&mut self, variable: VariableId) -> String {
        self.scope.bind(variable, Binding::Value);
        self.scope.name(variable).to_string()
    }

    fn head(&mut self, target: &Target<'_>) -> String {
        let head = match target {
            Target::Own(relation, variables) => {
                let arguments: Vec<&str> = variables
                    .iter()
                    .map(|&variable| self.scope.name(variable))
                    .collect();
                return format!("{relation}({})", arguments.join(", "));
            }
            Target::Head(head) => head,
        };
        let arguments: Vec<String> = head
            .arguments
            .iter()
            .enumerate()
            .map(|(column, argument)| self.head_argument(column, argument))
            .collect();
        let arguments = arguments.join(", ");
        match self.orders.contains(&head.relation) {
            true => {
                let relation = self.scope.shared.relation(head.relation);
                format!("{relation}(Growth::edge({arguments}))")
            }
            // The edges that an order starts with are derived before it, as a plain relation.
            false => format!("{}({arguments})", self.relation(head.relation)),
        }
    }

    /// An argument that may lack a value gets it, if any, at the end of the body.
    fn head_argument(&mut self, column: usize, argument: &Expression) -> String {
        match self.scope.expression(argument) {
            Text::Total(text) => text,
            partial => {
                let item = format!("if let Some(head__{column}) = {}", partial.optional());
                self.items.push(item);
                format!("head__{column}")
            }
        }
    }
}
