//! A checked rule file: what every back end evaluates and every explanation names.
//!
//! A [`RuleSet`] is only made by loading a text, whose checks guarantee what the back ends
//! rely on:
//! - relation, arity and types of every atom are right;
//! - every body is ordered so that it can be evaluated from left to right: a comparison,
//!   a negated atom or an aggregate stands after whatever binds its variables;
//! - negation and aggregation are stratified, and an `order` relation's `event` and
//!   `executed` relations lie in a lower stratum than the order itself;
//! - no rule derives into a `choice` relation;
//! - whatever a `.conflict` depends on uses negation and aggregates only over relations
//!   that do not depend on a `choice` or on an `order` that does; and the `event` relation
//!   of an `order` that a `.conflict` depends on does not depend on a `choice`.

use heddle_diagnostics::Span;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Position in [`RuleSet::relations`].
    RelationId
);
id!(
    /// Position in [`RuleSet::rules`].
    RuleId
);
id!(
    /// A variable of one rule: position in [`Rule::variables`].
    VariableId
);

#[derive(Clone, Debug)]
pub struct RuleSet {
    pub types: Vec<Type>,
    pub relations: Vec<Relation>,
    pub rules: Vec<Rule>,
    pub conflicts: Vec<Conflict>,
    /// In evaluation order. Every relation is in exactly one stratum.
    pub strata: Vec<Stratum>,
}

impl RuleSet {
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id.index()]
    }

    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    pub fn find(&self, name: &str) -> Option<RelationId> {
        self.relations
            .iter()
            .position(|relation| relation.name == name)
            .map(|index| RelationId(index as u32))
    }

    pub fn relation_ids(&self) -> impl Iterator<Item = RelationId> + use<> {
        (0..self.relations.len() as u32).map(RelationId)
    }
}

/// `.type Event <: symbol`: a name for some of the symbols or numbers. Only the checks and
/// the printed rule set know of it; a back end sees [`ValueKind`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    pub name: String,
    /// `symbol`, `number` or another type's name.
    pub parent: String,
    pub kind: ValueKind,
}

/// A set of mutually dependent relations with the rules that derive them.
#[derive(Clone, Debug)]
pub struct Stratum {
    pub relations: Vec<RelationId>,
    pub rules: Vec<RuleId>,
    /// Whether some rule of the stratum, or an order's transitivity, feeds back into it.
    pub recursive: bool,
}

#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    pub columns: Vec<Column>,
    pub kind: RelationKind,
    pub input: bool,
    pub output: bool,
    pub span: Span,
}

impl Relation {
    pub fn arity(&self) -> usize {
        self.columns.len()
    }
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    /// The declared type's name, such as `Event`.
    pub type_name: String,
    pub kind: ValueKind,
}

/// What a column's values are, whatever its declared type is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    Symbol,
    Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    Plain,
    /// Each tuple holds because a solver literal is true.
    Choice,
    /// A strict order by declaration.
    Order(Order),
}

/// `order(event, executed)`: transitive, and two executed events of one chain are ordered
/// by their index. `event` has the columns (event, chain, index: number); without
/// `executed` every event counts as executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub event: RelationId,
    pub executed: Option<RelationId>,
}

#[derive(Clone, Debug)]
pub struct Rule {
    /// From `@name("…")`, else the head's name and a number: `lt#2`.
    pub name: String,
    pub head: Head,
    pub body: Vec<Literal>,
    pub variables: Vec<Variable>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub kind: ValueKind,
}

#[derive(Clone, Debug)]
pub struct Head {
    pub relation: RelationId,
    pub arguments: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub enum Literal {
    Positive(Atom),
    Negative(Atom),
    /// With [`Comparison::Equal`], one side may be a variable that is not bound yet: then
    /// the comparison binds it.
    Compare(Comparison, Expression, Expression),
    Aggregate(Aggregate),
}

#[derive(Clone, Debug)]
pub struct Atom {
    pub relation: RelationId,
    pub arguments: Vec<Term>,
    pub span: Span,
}

/// An argument of a body atom. Expressions there have been moved into comparisons.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Variable(VariableId),
    Constant(Constant),
    Wildcard,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    Symbol(String),
    Number(i64),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Variable(VariableId),
    Constant(Constant),
    Negate(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

/// Arithmetic wraps around at 64 bits; a division or remainder by zero has no value, and a
/// rule instance that would need it does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    pub fn apply(self, left: i64, right: i64) -> Option<i64> {
        match self {
            Operator::Add => Some(left.wrapping_add(right)),
            Operator::Subtract => Some(left.wrapping_sub(right)),
            Operator::Multiply => Some(left.wrapping_mul(right)),
            Operator::Divide if right == 0 => None,
            Operator::Divide => Some(left.wrapping_div(right)),
            Operator::Remainder if right == 0 => None,
            Operator::Remainder => Some(left.wrapping_rem(right)),
        }
    }
}

/// Symbols are only compared by `=` and `!=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
        }
    }
}

/// `result = count : { body }`, `result = max value : { body }`, …
///
/// Ranges over the distinct assignments to the variables and wildcards of `body` that
/// are not bound outside; `groups` are the variables of `body` that are. `min` and `max`
/// of nothing do not hold; `count` and `sum` of nothing are 0. If `result` is bound
/// already, the aggregate is a test.
#[derive(Clone, Debug)]
pub struct Aggregate {
    pub result: VariableId,
    pub function: AggregateFunction,
    /// `None` for `count` only.
    pub value: Option<Expression>,
    /// Evaluable from left to right once `groups` are bound. Contains no aggregate.
    pub body: Vec<Literal>,
    pub groups: Vec<VariableId>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateFunction {
    Count,
    Sum,
    Min,
    Max,
}

/// `.conflict atom, …`: a body that must never hold.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// From `@name("…")`, else `conflict#1` and so on.
    pub name: String,
    /// Positive atoms, negated atoms and comparisons, evaluable from left to right.
    pub body: Vec<Literal>,
    pub variables: Vec<Variable>,
    pub span: Span,
}
