//! In which order the literals of a body are evaluated, and which columns are known by then.

use super::program::OrderId;
use super::store::{IndexId, IndexPlan};
use crate::constants::Constants;
use crate::value::Value;
use heddle_language::ruleset::{
    Aggregate, AggregateFunction, Atom, Comparison, Expression, Literal, Operator, RelationId,
    Term, VariableId,
};

/// Steps that find all ways to make some literals hold, given values of some variables.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) enum Step {
    /// Goes through the matching tuples of an ordinary relation.
    Lookup(Lookup),
    /// Goes through the matching pairs of an order.
    Pairs {
        atom: u32,
        order: OrderId,
        first: End,
        last: End,
    },
    /// Goes on if no tuple matches.
    Absent(Lookup),
    /// Goes on if no pair matches; `None` stands for any event.
    AbsentPair {
        order: OrderId,
        first: Option<Operand>,
        last: Option<Operand>,
    },
    Test(Comparison, Formula, Formula),
    Bind(VariableId, Formula),
    Aggregate(Box<AggregateStep>),
}

#[derive(Debug)]
pub(super) struct Lookup {
    /// Position of the atom in the body.
    pub(super) atom: u32,
    pub(super) relation: RelationId,
    pub(super) index: IndexId,
    /// The values of the index's columns.
    pub(super) key: Vec<Operand>,
    pub(super) pattern: Pattern,
}

/// What a row must look like, and which variables it gives values to.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    pub(super) constants: Vec<(usize, Value)>,
    pub(super) outputs: Vec<(usize, VariableId)>,
    /// Pairs of columns that must be equal.
    pub(super) repeats: Vec<(usize, usize)>,
}

/// An argument of an order's atom, which is always a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) variable: VariableId,
    pub(super) bound: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Constant(Value),
    Variable(VariableId),
}

#[derive(Debug)]
pub(super) struct AggregateStep {
    pub(super) result: VariableId,
    pub(super) result_bound: bool,
    pub(super) function: AggregateFunction,
    pub(super) value: Option<Formula>,
    pub(super) plan: Plan,
}

/// An [`Expression`] with its constants as values.
#[derive(Debug)]
pub(super) enum Formula {
    Operand(Operand),
    Negate(Box<Formula>),
    Binary(Operator, Box<Formula>, Box<Formula>),
}

impl Operand {
    pub(super) fn value(self, binding: &[Value]) -> Value {
        match self {
            Operand::Constant(value) => value,
            Operand::Variable(variable) => binding[variable.index()],
        }
    }
}

impl Formula {
    /// If it is nothing but a variable.
    pub(super) fn variable(&self) -> Option<VariableId> {
        match self {
            Formula::Operand(Operand::Variable(variable)) => Some(*variable),
            _ => None,
        }
    }

    /// `None` where a division by zero leaves the formula without a value.
    pub(super) fn value(&self, binding: &[Value]) -> Option<Value> {
        Some(match self {
            Formula::Operand(operand) => operand.value(binding),
            Formula::Negate(inner) => Value(inner.value(binding)?.0.wrapping_neg()),
            Formula::Binary(operator, left, right) => {
                Value(operator.apply(left.value(binding)?.0, right.value(binding)?.0)?)
            }
        })
    }
}

impl Pattern {
    /// Whether the row fits; if so, its values are in the binding.
    pub(super) fn bind(&self, row: &[Value], binding: &mut [Value]) -> bool {
        let fits = self
            .constants
            .iter()
            .all(|&(column, value)| row[column] == value)
            && self
                .repeats
                .iter()
                .all(|&(one, other)| row[one] == row[other]);
        if fits {
            for &(column, variable) in &self.outputs {
                binding[variable.index()] = row[column];
            }
        }
        fits
    }
}

/// Makes plans, and collects the indexes that they need.
pub(super) struct Planner<'a> {
    pub(super) constants: &'a Constants,
    /// For each relation, the order that it is.
    pub(super) orders: &'a [Option<OrderId>],
    pub(super) indexes: IndexPlan,
}

impl Planner<'_> {
    /// A plan for the literals of `body` at the given positions. `bound` says which
    /// variables have values before, and afterwards which have values then.
    pub(super) fn plan(
        &mut self,
        body: &[Literal],
        positions: &[usize],
        bound: &mut [bool],
    ) -> Plan {
        let mut left = positions.to_vec();
        let mut steps = Vec::new();
        while !left.is_empty() {
            let ready = left
                .iter()
                .enumerate()
                .filter_map(|(place, &position)| {
                    Some((self.urgency(&body[position], bound)?, place))
                })
                .min();
            let (_, place) = ready.expect("a checked body can be evaluated");
            let position = left.remove(place);
            steps.push(self.step(position, &body[position], bound));
        }
        Plan { steps }
    }

    /// A plan for all literals of `body`, in their order.
    pub(super) fn plan_in_order(&mut self, body: &[Literal], bound: &mut [bool]) -> Plan {
        let literals = body.iter().enumerate();
        let steps = literals.map(|(position, literal)| self.step(position, literal, bound));
        Plan {
            steps: steps.collect(),
        }
    }

    /// How soon to evaluate the literal (lower is sooner), if it can be at all: tests
    /// first, then what has few matches.
    fn urgency(&self, literal: &Literal, bound: &[bool]) -> Option<usize> {
        const TEST: usize = 0;
        const SOME_KNOWN: usize = 100;
        const ALL_UNKNOWN: usize = 1000;
        let known = |variable: &VariableId| bound[variable.index()];
        match literal {
            Literal::Compare(comparison, left, right) => {
                let binds = |variable: &Expression, other: &Expression| {
                    *comparison == Comparison::Equal
                        && matches!(variable, Expression::Variable(_))
                        && is_bound(other, bound)
                };
                let ready = is_bound(left, bound) && is_bound(right, bound)
                    || binds(left, right)
                    || binds(right, left);
                ready.then_some(TEST)
            }
            Literal::Negative(atom) => {
                let mut variables = atom.arguments.iter().filter_map(variable_of);
                variables.all(|variable| known(&variable)).then_some(TEST)
            }
            Literal::Aggregate(aggregate) => aggregate.groups.iter().all(known).then_some(TEST),
            Literal::Positive(atom) => {
                let unknown = |argument: &Term| match argument {
                    Term::Variable(variable) => !known(variable),
                    Term::Constant(_) => false,
                    Term::Wildcard => true,
                };
                let free = atom
                    .arguments
                    .iter()
                    .filter(|argument| unknown(argument))
                    .count();
                let order = self.orders[atom.relation.index()].is_some();
                Some(match (free, order) {
                    (0, false) => TEST + 1,
                    (0, true) => TEST + 2,
                    (free, false) if free < atom.arguments.len() => SOME_KNOWN + free,
                    (1, true) if unknown(&atom.arguments[0]) => SOME_KNOWN + 20,
                    (1, true) => SOME_KNOWN + 40,
                    (_, false) => ALL_UNKNOWN,
                    (_, true) => ALL_UNKNOWN + 1,
                })
            }
        }
    }

    fn step(&mut self, position: usize, literal: &Literal, bound: &mut [bool]) -> Step {
        match literal {
            Literal::Positive(atom) => match self.orders[atom.relation.index()] {
                None => Step::Lookup(self.lookup(position, atom, bound)),
                Some(order) => {
                    let variables = [0, 1].map(|column: usize| {
                        variable_of(&atom.arguments[column]).expect("an event is a variable")
                    });
                    let [first, last] = variables.map(|variable| End {
                        variable,
                        bound: bound[variable.index()],
                    });
                    for variable in variables {
                        bound[variable.index()] = true;
                    }
                    Step::Pairs {
                        atom: position as u32,
                        order,
                        first,
                        last,
                    }
                }
            },
            Literal::Negative(atom) => match self.orders[atom.relation.index()] {
                None => Step::Absent(self.lookup(position, atom, bound)),
                Some(order) => Step::AbsentPair {
                    order,
                    first: self.operand(&atom.arguments[0]),
                    last: self.operand(&atom.arguments[1]),
                },
            },
            Literal::Compare(comparison, left, right) => {
                self.comparison(*comparison, left, right, bound)
            }
            Literal::Aggregate(aggregate) => {
                Step::Aggregate(Box::new(self.aggregate(aggregate, bound)))
            }
        }
    }

    fn comparison(
        &self,
        comparison: Comparison,
        left: &Expression,
        right: &Expression,
        bound: &mut [bool],
    ) -> Step {
        for (side, other) in [(left, right), (right, left)] {
            if let Expression::Variable(variable) = side
                && comparison == Comparison::Equal
                && !bound[variable.index()]
            {
                bound[variable.index()] = true;
                return Step::Bind(*variable, self.formula(other));
            }
        }
        Step::Test(comparison, self.formula(left), self.formula(right))
    }

    fn aggregate(&mut self, aggregate: &Aggregate, bound: &mut [bool]) -> AggregateStep {
        let mut inner = bound.to_vec();
        for (variable, bound) in inner.iter_mut().enumerate() {
            *bound &= aggregate.groups.contains(&VariableId(variable as u32));
        }
        let positions: Vec<usize> = (0..aggregate.body.len()).collect();
        let plan = self.plan(&aggregate.body, &positions, &mut inner);
        AggregateStep {
            result: aggregate.result,
            result_bound: std::mem::replace(&mut bound[aggregate.result.index()], true),
            function: aggregate.function,
            value: aggregate.value.as_ref().map(|value| self.formula(value)),
            plan,
        }
    }

    fn lookup(&mut self, position: usize, atom: &Atom, bound: &mut [bool]) -> Lookup {
        let known_column = |column: &usize| match &atom.arguments[*column] {
            Term::Variable(variable) => bound[variable.index()],
            Term::Constant(_) => true,
            Term::Wildcard => false,
        };
        let columns: Vec<usize> = (0..atom.arguments.len()).filter(known_column).collect();
        let key = columns
            .iter()
            .filter_map(|&column| self.operand(&atom.arguments[column]))
            .collect();
        let mut pattern = Pattern::default();
        let mut free = (0..atom.arguments.len()).filter(|column| !columns.contains(column));
        self.fill_pattern(atom, &mut free, &mut pattern, bound);
        Lookup {
            atom: position as u32,
            relation: atom.relation,
            index: self.indexes.index(atom.relation, &columns),
            key,
            pattern,
        }
    }

    /// What a tuple must look like to match the atom when no variable is known.
    pub(super) fn pattern(&self, atom: &Atom, bound: &mut [bool]) -> Pattern {
        let mut pattern = Pattern::default();
        self.fill_pattern(atom, &mut (0..atom.arguments.len()), &mut pattern, bound);
        pattern
    }

    fn fill_pattern(
        &self,
        atom: &Atom,
        columns: &mut dyn Iterator<Item = usize>,
        pattern: &mut Pattern,
        bound: &mut [bool],
    ) {
        for column in columns {
            match &atom.arguments[column] {
                Term::Wildcard => {}
                Term::Constant(constant) => {
                    pattern
                        .constants
                        .push((column, self.constants.value(constant)));
                }
                Term::Variable(variable) => {
                    let seen = pattern.outputs.iter().find(|(_, other)| other == variable);
                    match seen {
                        Some(&(earlier, _)) => pattern.repeats.push((earlier, column)),
                        None => pattern.outputs.push((column, *variable)),
                    }
                    bound[variable.index()] = true;
                }
            }
        }
    }

    /// `None` for a wildcard.
    fn operand(&self, term: &Term) -> Option<Operand> {
        match term {
            Term::Wildcard => None,
            Term::Constant(constant) => Some(Operand::Constant(self.constants.value(constant))),
            Term::Variable(variable) => Some(Operand::Variable(*variable)),
        }
    }

    pub(super) fn formula(&self, expression: &Expression) -> Formula {
        match expression {
            Expression::Variable(variable) => Formula::Operand(Operand::Variable(*variable)),
            Expression::Constant(constant) => {
                Formula::Operand(Operand::Constant(self.constants.value(constant)))
            }
            Expression::Negate(inner) => Formula::Negate(Box::new(self.formula(inner))),
            Expression::Binary(operator, left, right) => Formula::Binary(
                *operator,
                Box::new(self.formula(left)),
                Box::new(self.formula(right)),
            ),
        }
    }
}

pub(super) fn variable_of(term: &Term) -> Option<VariableId> {
    match term {
        Term::Variable(variable) => Some(*variable),
        Term::Constant(_) | Term::Wildcard => None,
    }
}

pub(super) fn is_bound(expression: &Expression, bound: &[bool]) -> bool {
    match expression {
        Expression::Variable(variable) => bound[variable.index()],
        Expression::Constant(_) => true,
        Expression::Negate(inner) => is_bound(inner, bound),
        Expression::Binary(_, left, right) => is_bound(left, bound) && is_bound(right, bound),
    }
}
