//! The syntax tree of an `.hd` file, as written: names unresolved, families unexpanded.

use heddle_diagnostics::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct File {
    /// How many statements there are; all numbers are below.
    pub(crate) statements: usize,
    pub(crate) granularity: Option<(Granularity, Span)>,
    /// `checks off;`: indices and divisors are known to be right.
    pub(crate) unchecked: bool,
    pub(crate) constants: Vec<Constant>,
    pub(crate) enumerations: Vec<Enumeration>,
    pub(crate) shared: Vec<Variable>,
    pub(crate) processes: Vec<Process>,
    pub(crate) errors: Vec<Expression>,
}

/// What one step of a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Granularity {
    /// A statement as it is written.
    Statement,
    /// One access to a shared variable, as in C.
    Access,
}

#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) name: Name,
    pub(crate) value: Expression,
}

#[derive(Debug)]
pub(crate) struct Enumeration {
    pub(crate) name: Name,
    pub(crate) members: Vec<Name>,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) kind: TypeName,
    pub(crate) initial: Option<Initial>,
}

#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// One value, for an array the value of each element.
    Value(Expression),
    /// `{ a, b, c }`, an array element by element.
    Elements(Vec<Expression>, Span),
}

#[derive(Clone, Debug)]
pub(crate) struct TypeName {
    pub(crate) element: ElementType,
    pub(crate) dimension: Option<Dimension>,
}

#[derive(Clone, Debug)]
pub(crate) enum ElementType {
    Int,
    Bool,
    Named(Name),
}

/// The index range of an array: `[n]` is `[0..n-1]`.
#[derive(Clone, Debug)]
pub(crate) enum Dimension {
    Count(Expression),
    /// `[n : bv64]`, indexed by bit-vectors.
    Indexed(Expression, Name),
    Range(Expression, Expression),
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: Name,
    pub(crate) family: Option<Family>,
    pub(crate) locals: Vec<Variable>,
    pub(crate) body: Body,
}

/// `[i in low..high]`: one process for each value of `i`.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) index: Name,
    pub(crate) low: Expression,
    pub(crate) high: Expression,
}

#[derive(Debug)]
pub(crate) enum Body {
    Statements(Block),
    Commands(Vec<Command>),
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    /// Labels before the closing brace of a process: they name where it ends.
    pub(crate) end_labels: Vec<Name>,
    /// The closing brace: where control is when the block is done.
    pub(crate) end: Span,
}

#[derive(Debug)]
pub(crate) struct Statement {
    /// Unlike that of every other statement of the file.
    pub(crate) number: usize,
    pub(crate) labels: Vec<Name>,
    pub(crate) action: Action,
    /// Without the bodies of a compound statement, for messages and traces.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Action {
    Skip,
    Assign(Vec<Assignment>),
    Assume(Expression),
    Await(Expression),
    Assert(Expression),
    If(Expression, Block, Option<Block>),
    While(Expression, Block),
    Goto(Vec<Name>),
    Atomic(Block),
    Choose(Vec<Block>),
    /// Starts the process, which until then takes no step.
    Start(Expression),
    /// Waits for the end of the process.
    Join(Expression),
    /// The model ends here, at this bound if it has one: what would follow is not known.
    Bound(Option<u32>),
}

impl Action {
    /// The blocks inside of a compound statement.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let blocks: Vec<&Block> = match self {
            Action::If(_, then, otherwise) => [then].into_iter().chain(otherwise).collect(),
            Action::While(_, body) | Action::Atomic(body) => vec![body],
            Action::Choose(branches) => branches.iter().collect(),
            _ => Vec::new(),
        };
        blocks.into_iter()
    }
}

/// `guard -> effect`.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) label: Option<Name>,
    pub(crate) guard: Expression,
    pub(crate) effect: Effect,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Effect {
    Skip,
    Assign(Vec<Assignment>),
    Assert(Expression),
}

#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) target: Expression,
    pub(crate) value: Expression,
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) form: Form,
    pub(crate) span: Span,
    /// The longest way down; the parser bounds it, so that recursion is safe.
    pub(crate) height: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    Number(i128),
    /// A number that only 128 bits without a sign have room for.
    LargeNumber(u128),
    Truth(bool),
    Name(String),
    /// `*`, any value.
    Any,
    /// `a[i]`
    Element(Box<Expression>, Box<Expression>),
    /// `p.x`, `p[1].x`: a local variable of a process, seen from outside.
    Member(Box<Expression>, Name),
    /// `pc(p)`, `any(1..3)`, `bvadd(a, b)`
    Call(Name, Vec<Argument>),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// A chain of `&&`, of `||` or of `+`, at least two operands.
    Chain(Binary, Vec<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Value(Expression),
    Range(Expression, Expression),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Implies,
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

impl Binary {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Binary::Implies => "=>",
            Binary::Or => "||",
            Binary::And => "&&",
            Binary::Equal => "=",
            Binary::NotEqual => "!=",
            Binary::Less => "<",
            Binary::AtMost => "<=",
            Binary::Greater => ">",
            Binary::AtLeast => ">=",
            Binary::Plus => "+",
            Binary::Minus => "-",
            Binary::Times => "*",
            Binary::Divide => "/",
            Binary::Modulo => "%",
        }
    }
}
