//! What the user may choose about the meaning and the size of a C program.

/// The widths of `long` and of pointers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModel {
    /// 32-bit `int`, `long` and pointers.
    Ilp32,
    /// 32-bit `int`, 64-bit `long` and pointers.
    #[default]
    Lp64,
}

impl DataModel {
    pub(crate) fn long_width(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    pub(crate) fn pointer_width(self) -> u32 {
        self.long_width()
    }

    /// The low bits of a pointer, which count bytes inside an object; the others name the
    /// object.
    pub(crate) fn offset_width(self) -> u32 {
        match self {
            DataModel::Ilp32 => 20,
            DataModel::Lp64 => 32,
        }
    }

    /// How many objects pointers can tell apart.
    pub(crate) fn max_objects(self) -> u64 {
        (1 << (self.pointer_width() - self.offset_width())) - 1
    }

    /// The largest object, so that a pointer to its end still names it.
    pub(crate) fn max_object_size(self) -> u64 {
        1 << (self.offset_width() - 1)
    }
}

/// What arithmetic on signed integers is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integers {
    /// Of as many bits as the type has.
    #[default]
    Bits,
    /// Without a bound.
    Mathematical,
}

/// How a C program is read. Every bound that an execution can exceed becomes a
/// [`BoundReached`](heddle_program::Statement::BoundReached) step, never a silent end.
#[derive(Clone, Debug)]
pub struct Options {
    pub data_model: DataModel,
    pub integers: Integers,
    /// Iterations of a loop that creates threads, where their number is not evident.
    pub max_threads: u32,
    /// Calls of one function that may be active at once in a thread.
    pub recursion: u32,
    /// Objects that one allocation site may create if it lies in a loop.
    pub max_heap_objects: u32,
    /// Elements of an array whose length is not a constant.
    pub max_array: u32,
    /// Whether signed overflow violates the property instead of wrapping around.
    pub check_overflow: bool,
    /// Whether invalid memory accesses, division by zero and shifts by too many bits violate
    /// the property instead of being assumed not to happen.
    pub check_memory: bool,
    /// Whether `malloc` may return a null pointer.
    pub malloc_may_fail: bool,
    /// Whether `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end` that have a body do
    /// what the body says instead of what the convention says.
    pub atomic_bodies: bool,
    /// Whether local computation joins the shared accesses around it. Without, every step of
    /// the translation stays: the obvious program that the small one is compared with.
    pub compact: bool,
    /// Folders that `#include` searches first.
    pub include: Vec<std::path::PathBuf>,
    /// `NAME` or `NAME=VALUE`, as with `-D`.
    pub define: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            data_model: DataModel::default(),
            integers: Integers::default(),
            max_threads: 4,
            recursion: 4,
            max_heap_objects: 4,
            max_array: 16,
            check_overflow: false,
            check_memory: false,
            malloc_may_fail: false,
            atomic_bodies: false,
            compact: true,
            include: Vec::new(),
            define: Vec::new(),
        }
    }
}
