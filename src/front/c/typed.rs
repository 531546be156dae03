//! The elaborated program: every name resolved, every conversion written out, every
//! expression with its type (C11 6.5).
//!
//! What is left implicit is the order of evaluation, which the expansion fixes from left to
//! right.

use super::builtins::Builtin;
use super::types::{Qualified, RecordId, Type};
use heddle_diagnostics::Span;

macro_rules! id {
    ($($name:ident),*) => {
        $(
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub(crate) struct $name(pub(crate) u32);

            impl $name {
                pub(crate) fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

id!(GlobalId, FunctionId, LocalId, LabelId, StringId);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VariableId {
    Global(GlobalId),
    Local(LocalId),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) ty: Type,
    pub(crate) span: Span,
    pub(crate) kind: ExprKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// An integer, or a pointer made from one.
    Int(i128),
    FunctionAddress(FunctionId),
    /// The address of an object; arrays have become the address of their first element.
    AddressOf(Box<Lvalue>),
    /// The value of an object.
    Load(Box<Lvalue>),
    /// To the type of the expression.
    Cast(Box<Expr>),
    Negate(Box<Expr>),
    Complement(Box<Expr>),
    /// `!`, of any scalar.
    Not(Box<Expr>),
    /// Operands of one type, except that the right operand of a shift has its own.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    PointerAdd {
        pointer: Box<Expr>,
        /// As wide as a pointer.
        index: Box<Expr>,
        subtract: bool,
        element: u64,
        /// Whether the index stands before the pointer: `2 + p`, `2[a]`.
        index_first: bool,
    },
    PointerDifference(Box<Expr>, Box<Expr>, u64),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// Without a second operand (`a ?: b`) the value of the condition.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Assign(Box<Lvalue>, Box<Expr>),
    /// `target op= value`, `target++` and the like.
    Modify {
        target: Box<Lvalue>,
        op: ModifyOp,
        value: Box<Expr>,
        /// Whether the result is the value before.
        postfix: bool,
    },
    Call(Callee, Vec<Expr>),
    /// `({ … })`; the value is that of its last statement.
    Statements(Box<Statement>, Option<Box<Expr>>),
}

#[derive(Clone, Debug)]
pub(crate) enum ModifyOp {
    /// Computed in this type.
    Arithmetic(BinaryOp, Type),
    /// A pointer moved by elements of this size.
    Pointer { subtract: bool, element: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

#[derive(Clone, Debug)]
pub(crate) enum Callee {
    Function(FunctionId),
    Pointer(Box<Expr>),
    Builtin(Builtin),
}

#[derive(Clone, Debug)]
pub(crate) struct Lvalue {
    pub(crate) ty: Qualified,
    pub(crate) span: Span,
    pub(crate) kind: LvalueKind,
}

#[derive(Clone, Debug)]
pub(crate) enum LvalueKind {
    Variable(VariableId),
    /// The field by its number.
    Member(Box<Lvalue>, RecordId, usize),
    Deref(Box<Expr>),
    String(StringId),
    /// An unnamed object that is initialised where it stands.
    CompoundLiteral(LocalId, Box<Initializer>),
    /// A structure that a call or another expression returned.
    Temporary(LocalId, Box<Expr>),
}

/// The parts of an object in the order of their initialisation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Initializer {
    /// Whether the parts that are not mentioned are zero, as with braces.
    pub(crate) zero_rest: bool,
    pub(crate) items: Vec<InitializerItem>,
}

#[derive(Clone, Debug)]
pub(crate) struct InitializerItem {
    /// In bits from the start of the object.
    pub(crate) offset: u64,
    /// The width of a bit-field.
    pub(crate) bits: Option<u32>,
    pub(crate) value: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) span: Span,
    pub(crate) kind: StatementKind,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Empty,
    Expr(Expr),
    /// A local variable comes to life. A length stands for an array of that many elements.
    Declare {
        local: LocalId,
        initializer: Option<Initializer>,
        length: Option<Expr>,
    },
    Block(Vec<Statement>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    Loop(Box<Loop>),
    Switch {
        value: Expr,
        body: Box<Statement>,
        /// From, to, and where they jump.
        cases: Vec<(i128, i128, LabelId)>,
        default: Option<LabelId>,
    },
    Label(LabelId, Box<Statement>),
    Goto(LabelId),
    Break,
    Continue,
    Return(Option<Expr>),
    /// A compiler barrier or a fence written as assembly.
    Fence,
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) initializer: Statement,
    /// `None` is true.
    pub(crate) condition: Option<Expr>,
    pub(crate) step: Option<Expr>,
    pub(crate) body: Statement,
    /// Whether the body runs once before the condition is evaluated.
    pub(crate) body_first: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) ty: Qualified,
    pub(crate) span: Span,
    /// Whether its address is used other than to access it.
    pub(crate) address_taken: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) result: Type,
    pub(crate) span: Span,
    pub(crate) body: Option<Body>,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) parameters: Vec<LocalId>,
    pub(crate) locals: Vec<Local>,
    pub(crate) labels: Vec<String>,
    pub(crate) statement: Statement,
}

#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: String,
    pub(crate) ty: Qualified,
    pub(crate) span: Span,
    pub(crate) thread_local: bool,
    pub(crate) value: GlobalValue,
}

#[derive(Clone, Debug)]
pub(crate) enum GlobalValue {
    /// Zero except for these.
    Defined(Initializer),
    /// Declared `extern` and defined nowhere.
    External,
}
