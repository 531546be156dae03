//! The expanded program: one control-flow graph a thread, functions inlined, memory accessed
//! through pointers that are not resolved yet.
//!
//! Terms mention *registers* only: variables of one thread whose address nobody knows. All
//! other memory is in *objects*, which only [`Action::Load`], [`Action::Store`] and
//! [`Action::Update`] touch.

use super::layout::Leaf;
use super::types::{Nature, Type};
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{TermId, Terms, VarId};
use std::rc::Rc;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $(
            $(#[$doc])*
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

id!(
    ObjectId,
    ThreadIndex,
    /// A control location; numbered over all threads.
    Node
);

/// A register is a variable of the arena.
pub(crate) type Reg = VarId;

#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub(crate) name: String,
    pub(crate) nature: Nature,
    pub(crate) thread: ThreadIndex,
    pub(crate) span: Option<Span>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// Known to all threads from the beginning.
    Global,
    /// Shared only if its address gets to another thread.
    Local(ThreadIndex),
    /// Like a local object, but it lives on.
    Heap(ThreadIndex),
    Function(super::typed::FunctionId),
    /// What a `pthread_t` names.
    Thread(ThreadIndex),
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) kind: ObjectKind,
    pub(crate) leaves: Rc<Vec<Leaf>>,
    pub(crate) initial: Initial,
    pub(crate) span: Option<Span>,
}

/// The contents of an object at the start.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    Any,
    /// Zero except for these: place in bits, width of a bit-field, type, value.
    Values(Vec<InitialValue>),
}

#[derive(Clone, Debug)]
pub(crate) struct InitialValue {
    pub(crate) offset: u64,
    pub(crate) bits: Option<u32>,
    pub(crate) ty: Type,
    pub(crate) value: Value,
}

/// Where a pointer starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    Object(ObjectId),
    Register(Reg),
    /// Made from a number, or by a function that is not known.
    Unknown,
}

/// A base and a distance from it: `constant + Σ term · factor` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) base: Base,
    pub(crate) constant: i64,
    /// Terms as wide as a pointer.
    pub(crate) scaled: Vec<(TermId, u64)>,
    /// Whether arithmetic that is not addition moved it.
    pub(crate) scrambled: bool,
    /// What its address was taken of before it was moved: the first byte from the base, without
    /// the terms, and the size. Moving it out of there is undefined.
    pub(crate) within: Option<(i64, u64)>,
}

impl Pointer {
    pub(crate) fn to(base: Base) -> Pointer {
        Pointer {
            base,
            constant: 0,
            scaled: Vec::new(),
            scrambled: false,
            within: None,
        }
    }

    pub(crate) fn moved(mut self, bytes: i64) -> Pointer {
        self.constant = self.constant.wrapping_add(bytes);
        self
    }

    pub(crate) fn scrambled(mut self) -> Pointer {
        self.constant = 0;
        self.scaled.clear();
        self.scrambled = true;
        self.within = None;
        self
    }
}

/// Where the pointers in a value may come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sources {
    /// It holds no pointer.
    #[default]
    None,
    /// It is this pointer.
    Exactly(Pointer),
    /// It is one of these, or no pointer.
    AnyOf(Vec<Pointer>),
}

impl Sources {
    pub(crate) fn all(&self) -> &[Pointer] {
        match self {
            Sources::None => &[],
            Sources::Exactly(pointer) => std::slice::from_ref(pointer),
            Sources::AnyOf(pointers) => pointers,
        }
    }

    /// One or the other.
    pub(crate) fn or(&self, other: &Sources) -> Sources {
        if self == other {
            return self.clone();
        }
        let mut all = self.all().to_vec();
        for pointer in other.all() {
            if !all.contains(pointer) {
                all.push(pointer.clone());
            }
        }
        match all.is_empty() {
            true => Sources::None,
            false => Sources::AnyOf(all),
        }
    }

    /// The same places, but the value may be another one.
    pub(crate) fn inexact(self) -> Sources {
        match self {
            Sources::Exactly(pointer) => Sources::AnyOf(vec![pointer]),
            other => other,
        }
    }

    /// After arithmetic that pointers do not survive unharmed.
    pub(crate) fn scrambled(&self) -> Sources {
        let mut all: Vec<Pointer> = Vec::new();
        for pointer in self.all() {
            let pointer = pointer.clone().scrambled();
            if !all.contains(&pointer) {
                all.push(pointer);
            }
        }
        match all.is_empty() {
            true => Sources::None,
            false => Sources::AnyOf(all),
        }
    }
}

/// A value of a scalar type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) term: TermId,
    pub(crate) sources: Sources,
}

impl From<TermId> for Value {
    fn from(term: TermId) -> Value {
        Value {
            term,
            sources: Sources::None,
        }
    }
}

/// What is accessed.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) pointer: Pointer,
    /// Of a bit-field: its first bit, and its width.
    pub(crate) bits: Option<(u64, u32)>,
    pub(crate) ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Some edge of the location is always open.
    Branch,
    /// An assumption of the program.
    Assumption,
}

/// What a step of an [`Action::Update`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateRole {
    Lock,
    Unlock,
    ReadModifyWrite,
    Other,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Skip,
    Set(Reg, Value),
    Havoc(Reg),
    Assume(TermId, Waiting),
    Assert(TermId, String),
    Load(Reg, Access),
    Store(Access, Value),
    /// Stores any value.
    StoreAny(Access),
    /// Waits until the guard holds, then writes, in one step. The guard, the value written
    /// and the values of `sets` may mention `old`, which stands for what is there.
    Update {
        access: Access,
        old: Reg,
        guard: TermId,
        new: Option<Value>,
        sets: Vec<(Reg, TermId)>,
        role: UpdateRole,
    },
    /// Gives a whole object any contents, or zero.
    Fill {
        object: ObjectId,
        zero: bool,
    },
    /// Says that pointers are copied, whatever the bytes that the steps around it move.
    CopyPointers {
        to: Pointer,
        from: Pointer,
    },
    /// The register is going to be called.
    Callee(Reg),
    /// Goes on if the register points to none of these functions: the call is invalid.
    NoTarget(Reg, Vec<ObjectId>),
    /// Goes on only if the register points to the function.
    Target(Reg, ObjectId),
    Create(ThreadIndex),
    /// Waits for the thread that the value names; its result goes to the register.
    Join(Value, Option<Reg>),
    AtomicBegin,
    AtomicEnd,
    /// Orders everything before it before everything after it, also in weak memory models.
    Fence,
    Bound(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) action: Action,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) name: String,
    pub(crate) entry: Node,
    pub(crate) exit: Node,
    pub(crate) span: Span,
    /// The object that its `pthread_t` is the address of.
    pub(crate) object: ObjectId,
    /// The object that its result is kept in.
    pub(crate) result: Option<ObjectId>,
}

/// All threads after expansion.
pub(crate) struct Expanded {
    pub(crate) terms: Terms,
    pub(crate) registers: Vec<Register>,
    pub(crate) objects: Vec<Object>,
    pub(crate) threads: Vec<Thread>,
    /// The thread of each node.
    pub(crate) node_threads: Vec<ThreadIndex>,
    pub(crate) labels: Vec<(Node, String, Span)>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) assumptions: Vec<(String, Option<Span>)>,
    /// The largest bound that an execution may reach.
    pub(crate) bound: Option<u32>,
}
