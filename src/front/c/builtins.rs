//! The functions whose meaning is fixed: SV-COMP's, pthreads, C11 and GNU atomics, memory.

use super::bits::BitFunction;
use super::typed::BinaryOp;
use super::types::IntKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    // SV-COMP and assert.h
    Nondet,
    Assume,
    /// `reach_error`, `__VERIFIER_error`, `__assert_fail`
    Error,
    /// `__VERIFIER_assert`
    Assert,
    AtomicBegin,
    AtomicEnd,
    /// Ends the program: `abort`, `exit`.
    Stop,

    // pthreads
    ThreadCreate,
    ThreadJoin,
    ThreadExit,
    ThreadSelf,
    ThreadEqual,
    MutexInit,
    MutexLock,
    MutexTryLock,
    MutexTimedLock,
    MutexUnlock,
    MutexAttrInit,
    MutexAttrSetType,
    MutexAttrGetType,
    SpinInit,
    SpinLock,
    SpinTryLock,
    SpinUnlock,
    CondInit,
    CondWait,
    CondTimedWait,
    ReadLock,
    TryReadLock,
    TimedReadLock,
    WriteLock,
    TryWriteLock,
    TimedWriteLock,
    ReadWriteInit,
    ReadWriteUnlock,
    BarrierInit,
    BarrierWait,
    Once,
    KeyCreate,
    KeyGet,
    KeySet,
    KeyDelete,
    SemInit,
    SemWait,
    SemTryWait,
    SemTimedWait,
    SemPost,
    SemGetValue,

    // Memory
    Malloc,
    Calloc,
    /// Alignment first, then the size.
    AlignedAlloc,
    Alloca,
    Free,
    Memset,
    Memcpy,
    /// The same where source and target may overlap.
    Memmove,

    Atomic(Atomic),

    // Others
    /// Evaluates its arguments and returns 0.
    Succeed,
    /// Evaluates its arguments and returns any value.
    Ignore(&'static str),
    /// Reads input into what the arguments from this one on point to, and returns any value.
    Scan(usize, &'static str),
    /// `rand` and the like: a number from 0 to `RAND_MAX`.
    Random,
    /// `__builtin_expect`: the first argument.
    Expect,
    /// `__builtin_add_overflow` and the like.
    Overflow(BinaryOp),
    /// `__builtin_popcount` and the like, with the type of the parameter.
    Bits(BitFunction, IntKind),
    Unsupported,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atomic {
    Load,
    Store,
    Exchange,
    /// Pointer, pointer to the expected value, desired value; whether it may fail for no
    /// reason.
    CompareExchange {
        weak: bool,
    },
    /// The same with `weak` as the fourth argument.
    CompareExchangeN,
    /// Pointer, expected value, desired value; whether the old value is the result.
    CompareAndSwap {
        value: bool,
    },
    /// Whether the result is the value after the operation.
    Fetch {
        op: FetchOp,
        after: bool,
    },
    TestAndSet,
    Clear,
    Fence,
    /// With pointers in place of values: `__atomic_load` and the like.
    LoadTo,
    StoreFrom,
    ExchangeVia,
    CompareExchangeVia,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FetchOp {
    Binary(BinaryOp),
    Nand,
}

/// What the type of a call is if the function is not declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultType {
    Int,
    Void,
    Bool,
    VoidPointer,
    /// What the first argument points to.
    Pointee,
    /// The type of the first argument.
    First,
    Long,
    /// An unsigned number as wide as a pointer.
    Size,
}

pub(crate) struct Specification {
    pub(crate) builtin: Builtin,
    pub(crate) result: ResultType,
    /// Arguments that must be there.
    pub(crate) arguments: usize,
    /// Which arguments are only used to write to what they point to.
    pub(crate) outputs: &'static [usize],
    /// Whether the meaning is fixed even if the program defines the function.
    pub(crate) fixed: bool,
}

/// Functions that have no effect that a program could see.
const IGNORED: &[&str] = &[
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "fflush",
    "fclose",
    "perror",
    "srand",
    "srandom",
    "sleep",
    "getpid",
    "getchar",
    "getc",
    "fgetc",
    "clock",
    "write",
    "atoi",
    "atol",
    "atoll",
    "pthread_getconcurrency",
];

/// Functions that write something to what their arguments point to: from which argument on,
/// and how many there must be.
const SCANNED: &[(&str, usize, usize)] = &[
    ("time", 0, 1),
    ("gettimeofday", 0, 1),
    ("scanf", 1, 1),
    ("clock_gettime", 1, 1),
    ("strtol", 1, 3),
    ("strtoul", 1, 3),
    ("sscanf", 2, 2),
    ("fscanf", 2, 2),
    ("pthread_setcancelstate", 1, 2),
    ("pthread_setcanceltype", 1, 2),
    ("pthread_attr_getdetachstate", 1, 2),
    ("pthread_attr_getstacksize", 1, 2),
    ("pthread_attr_getguardsize", 1, 2),
    ("pthread_attr_getscope", 1, 2),
    ("pthread_attr_getschedpolicy", 1, 2),
    ("pthread_attr_getschedparam", 1, 2),
    ("pthread_attr_getinheritsched", 1, 2),
    ("pthread_mutexattr_getpshared", 1, 2),
    ("pthread_mutexattr_getprotocol", 1, 2),
    ("pthread_mutexattr_getprioceiling", 1, 2),
    ("pthread_condattr_getclock", 1, 2),
    ("pthread_condattr_getpshared", 1, 2),
    ("pthread_rwlockattr_getpshared", 1, 2),
    ("pthread_rwlockattr_getkind_np", 1, 2),
    ("pthread_barrierattr_getpshared", 1, 2),
    ("pthread_getschedparam", 1, 3),
];

/// Those of them that write nothing where an argument is null.
const SCANNED_UNLESS_NULL: &[&str] = &[
    "time",
    "gettimeofday",
    "strtol",
    "strtoul",
    "pthread_setcancelstate",
    "pthread_setcanceltype",
];

/// What a null pointer means to a function that writes to where its arguments point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NullArgument {
    IsSkipped,
    IsInvalid,
}

/// What a null pointer means to one of the functions that read input.
pub(crate) fn null_argument(name: &str) -> NullArgument {
    match SCANNED_UNLESS_NULL.contains(&name) {
        true => NullArgument::IsSkipped,
        false => NullArgument::IsInvalid,
    }
}

/// How the names of the compiler's functions and of those for threads begin.
const RESERVED: &[&str] = &[
    "__builtin_",
    "__sync_",
    "__atomic_",
    "atomic_",
    "pthread_",
    "sem_",
];

/// Whether a function, if it has no body, does more than to return something: what it does is
/// known here, or its name says that it is not just any function.
pub(crate) fn has_meaning(name: &str) -> bool {
    use Builtin::*;
    match lookup(name) {
        Some(known) => !matches!(known.builtin, Nondet | Ignore(_) | Succeed | Free),
        None => RESERVED.iter().any(|prefix| name.starts_with(prefix)),
    }
}

/// The meaning of a function name, if it has one.
pub(crate) fn lookup(name: &str) -> Option<Specification> {
    use Builtin::*;
    use ResultType as R;
    let (name, of_compiler) = match name.strip_prefix("__builtin_") {
        Some(rest) => (rest, true),
        None => (name, false),
    };
    if let Some(atomic) = lookup_atomic(name) {
        return Some(atomic);
    }
    let simple = |builtin, result, arguments| {
        Some(Specification {
            builtin,
            result,
            arguments,
            outputs: &[],
            fixed: false,
        })
    };
    let fixed = |builtin, arguments| {
        Some(Specification {
            builtin,
            result: R::Void,
            arguments,
            outputs: &[],
            fixed: true,
        })
    };
    let output = |builtin, arguments, outputs| {
        Some(Specification {
            builtin,
            result: R::Int,
            arguments,
            outputs,
            fixed: false,
        })
    };
    if let Some(name) = IGNORED.iter().find(|known| **known == name) {
        return simple(Ignore(name), R::Int, 0);
    }
    if let Some((name, from, arguments)) = SCANNED.iter().find(|known| known.0 == name) {
        return simple(Scan(*from, name), R::Int, *arguments);
    }
    if of_compiler && let Some(of_compiler) = lookup_compiler(name) {
        return Some(of_compiler);
    }
    match name {
        _ if name.starts_with("__VERIFIER_nondet_") => simple(Nondet, R::Int, 0),
        "__VERIFIER_assume" | "assume_abort_if_not" => fixed(Assume, 1),
        "reach_error" | "__VERIFIER_error" => fixed(Error, 0),
        "__assert_fail" | "__assert_perror_fail" | "__assert" | "__assert_rtn" => fixed(Error, 0),
        "assert" | "__VERIFIER_assert" => simple(Assert, R::Void, 1),
        "__VERIFIER_atomic_begin" => fixed(AtomicBegin, 0),
        "__VERIFIER_atomic_end" => fixed(AtomicEnd, 0),
        "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" => fixed(Stop, 0),

        "pthread_create" => output(ThreadCreate, 4, &[0]),
        "pthread_join" => output(ThreadJoin, 2, &[1]),
        "pthread_exit" => simple(ThreadExit, R::Void, 1),
        "pthread_self" => simple(ThreadSelf, R::Size, 0),
        "pthread_equal" => simple(ThreadEqual, R::Int, 2),
        "pthread_mutex_init" => simple(MutexInit, R::Int, 1),
        "pthread_mutex_lock" => simple(MutexLock, R::Int, 1),
        "pthread_mutex_trylock" => simple(MutexTryLock, R::Int, 1),
        "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => simple(MutexTimedLock, R::Int, 1),
        "pthread_mutex_unlock" => simple(MutexUnlock, R::Int, 1),
        "pthread_mutexattr_init" => simple(MutexAttrInit, R::Int, 1),
        "pthread_mutexattr_settype" => simple(MutexAttrSetType, R::Int, 2),
        "pthread_mutexattr_gettype" => output(MutexAttrGetType, 2, &[1]),
        "pthread_spin_init" => simple(SpinInit, R::Int, 1),
        "pthread_spin_lock" => simple(SpinLock, R::Int, 1),
        "pthread_spin_trylock" => simple(SpinTryLock, R::Int, 1),
        "pthread_spin_unlock" => simple(SpinUnlock, R::Int, 1),
        "pthread_cond_init" => simple(CondInit, R::Int, 1),
        "pthread_cond_wait" => simple(CondWait, R::Int, 2),
        "pthread_cond_timedwait" | "pthread_cond_clockwait" => simple(CondTimedWait, R::Int, 2),
        "pthread_rwlock_init" => simple(ReadWriteInit, R::Int, 1),
        "pthread_rwlock_rdlock" => simple(ReadLock, R::Int, 1),
        "pthread_rwlock_tryrdlock" => simple(TryReadLock, R::Int, 1),
        "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => {
            simple(TimedReadLock, R::Int, 1)
        }
        "pthread_rwlock_wrlock" => simple(WriteLock, R::Int, 1),
        "pthread_rwlock_trywrlock" => simple(TryWriteLock, R::Int, 1),
        "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => {
            simple(TimedWriteLock, R::Int, 1)
        }
        "pthread_rwlock_unlock" => simple(ReadWriteUnlock, R::Int, 1),
        "pthread_barrier_init" => simple(BarrierInit, R::Int, 3),
        "pthread_barrier_wait" => simple(BarrierWait, R::Int, 1),
        "pthread_once" => simple(Once, R::Int, 2),
        "pthread_key_create" => output(KeyCreate, 2, &[0]),
        "pthread_getspecific" => simple(KeyGet, R::VoidPointer, 1),
        "pthread_setspecific" => simple(KeySet, R::Int, 2),
        "pthread_key_delete" => simple(KeyDelete, R::Int, 1),
        "sem_init" => simple(SemInit, R::Int, 3),
        "sem_wait" => simple(SemWait, R::Int, 1),
        "sem_trywait" => simple(SemTryWait, R::Int, 1),
        "sem_timedwait" | "sem_clockwait" => simple(SemTimedWait, R::Int, 1),
        "sem_post" => simple(SemPost, R::Int, 1),
        "sem_getvalue" => output(SemGetValue, 2, &[1]),
        "pthread_mutex_destroy"
        | "pthread_mutexattr_destroy"
        | "pthread_spin_destroy"
        | "pthread_cond_destroy"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "pthread_rwlock_destroy"
        | "pthread_barrier_destroy"
        | "sem_destroy"
        | "pthread_detach"
        | "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_attr_setdetachstate"
        | "pthread_attr_setstacksize"
        | "pthread_attr_setscope"
        | "pthread_attr_setschedpolicy"
        | "pthread_attr_setschedparam"
        | "pthread_attr_setinheritsched"
        | "pthread_attr_setguardsize"
        | "pthread_attr_setstack"
        | "pthread_attr_setaffinity_np"
        | "pthread_setaffinity_np"
        | "pthread_setname_np"
        | "pthread_setschedparam"
        | "pthread_setschedprio"
        | "pthread_mutexattr_setpshared"
        | "pthread_mutexattr_setprotocol"
        | "pthread_mutexattr_setprioceiling"
        | "pthread_condattr_init"
        | "pthread_condattr_destroy"
        | "pthread_condattr_setclock"
        | "pthread_condattr_setpshared"
        | "pthread_rwlockattr_init"
        | "pthread_rwlockattr_destroy"
        | "pthread_rwlockattr_setpshared"
        | "pthread_rwlockattr_setkind_np"
        | "pthread_barrierattr_init"
        | "pthread_barrierattr_destroy"
        | "pthread_barrierattr_setpshared"
        | "pthread_yield"
        | "sched_yield"
        | "pthread_setconcurrency"
        | "usleep"
        | "nanosleep" => simple(Succeed, R::Int, 0),

        "malloc" => simple(Malloc, R::VoidPointer, 1),
        "calloc" => simple(Calloc, R::VoidPointer, 2),
        "aligned_alloc" | "memalign" => simple(AlignedAlloc, R::VoidPointer, 2),
        "alloca" => simple(Alloca, R::VoidPointer, 1),
        "free" => simple(Free, R::Void, 1),
        "memset" => simple(Memset, R::First, 3),
        "memcpy" => simple(Memcpy, R::First, 3),
        "memmove" => simple(Memmove, R::First, 3),

        "rand" | "random" => simple(Random, R::Int, 0),
        "rand_r" => simple(Random, R::Int, 1),

        "pthread_cancel"
        | "pthread_testcancel"
        | "pthread_kill"
        | "pthread_atfork"
        | "pthread_tryjoin_np"
        | "pthread_timedjoin_np"
        | "fork"
        | "vfork"
        | "clone"
        | "setjmp"
        | "_setjmp"
        | "__sigsetjmp"
        | "sigsetjmp"
        | "longjmp"
        | "siglongjmp"
        | "signal"
        | "sigaction"
        | "raise"
        | "thrd_create"
        | "thrd_join"
        | "mtx_init"
        | "mtx_lock"
        | "mtx_unlock"
        | "mtx_trylock"
        | "cnd_wait"
        | "cnd_signal"
        | "cnd_broadcast"
        | "call_once"
        | "tss_create"
        | "tss_set"
        | "tss_get"
        | "sem_open"
        | "realloc"
        | "posix_memalign"
        | "va_start"
        | "va_end"
        | "va_copy"
        | "execv"
        | "execve"
        | "execvp"
        | "mmap"
        | "sprintf"
        | "snprintf"
        | "vsprintf"
        | "vsnprintf"
        | "gets"
        | "fgets"
        | "read"
        | "fread"
        | "getline"
        | "asprintf"
        | "vasprintf"
        | "qsort"
        | "bsearch"
        | "strtok"
        | "strtok_r"
        | "strsep"
        | "strndup"
        | "stpcpy"
        | "stpncpy"
        | "memccpy"
        | "mempcpy"
        | "atexit"
        | "on_exit" => simple(Unsupported, R::Int, 0),
        _ => None,
    }
}

/// What is left of the name of a function of the compiler's own without `__builtin_`.
fn lookup_compiler(name: &str) -> Option<Specification> {
    use ResultType as R;
    let (builtin, result, arguments, outputs): (_, _, _, &[usize]) = match name {
        "trap" | "unreachable" => (Builtin::Stop, R::Void, 0, &[]),
        "expect" | "expect_with_probability" => (Builtin::Expect, R::Long, 1, &[]),
        "assume_aligned" => (Builtin::Expect, R::First, 1, &[]),
        "prefetch" => (Builtin::Succeed, R::Void, 1, &[]),
        "add_overflow" => (Builtin::Overflow(BinaryOp::Add), R::Bool, 3, &[2]),
        "sub_overflow" => (Builtin::Overflow(BinaryOp::Sub), R::Bool, 3, &[2]),
        "mul_overflow" => (Builtin::Overflow(BinaryOp::Mul), R::Bool, 3, &[2]),
        _ => {
            let (function, parameter) = lookup_bits(name)?;
            let result = match function {
                BitFunction::SwapBytes => R::First,
                _ => R::Int,
            };
            (Builtin::Bits(function, parameter), result, 1, &[])
        }
    };
    Some(Specification {
        builtin,
        result,
        arguments,
        outputs,
        fixed: false,
    })
}

fn lookup_bits(name: &str) -> Option<(BitFunction, IntKind)> {
    use IntKind::*;
    match name {
        "bswap16" => return Some((BitFunction::SwapBytes, UShort)),
        "bswap32" => return Some((BitFunction::SwapBytes, UInt)),
        "bswap64" => return Some((BitFunction::SwapBytes, ULongLong)),
        _ => {}
    }
    let unsigned = [UInt, ULong, ULongLong];
    let functions = [
        ("popcount", BitFunction::Ones, unsigned),
        ("parity", BitFunction::Parity, unsigned),
        ("ctz", BitFunction::TrailingZeros, unsigned),
        ("clz", BitFunction::LeadingZeros, unsigned),
        ("ffs", BitFunction::FirstOne, [Int, Long, LongLong]),
    ];
    functions.into_iter().find_map(|(stem, function, kinds)| {
        let length = ["", "l", "ll"]
            .iter()
            .position(|suffix| name.strip_prefix(stem) == Some(suffix))?;
        Some((function, kinds[length]))
    })
}

fn lookup_atomic(name: &str) -> Option<Specification> {
    use ResultType as R;
    let specification = |atomic, result, arguments, outputs| {
        Some(Specification {
            builtin: Builtin::Atomic(atomic),
            result,
            arguments,
            outputs,
            fixed: false,
        })
    };
    if let Some(rest) = name.strip_prefix("atomic_") {
        let rest = rest.strip_suffix("_explicit").unwrap_or(rest);
        return match rest {
            "init" | "store" => specification(Atomic::Store, R::Void, 2, &[]),
            "load" => specification(Atomic::Load, R::Pointee, 1, &[]),
            "exchange" => specification(Atomic::Exchange, R::Pointee, 2, &[]),
            "compare_exchange_strong" => {
                specification(Atomic::CompareExchange { weak: false }, R::Bool, 3, &[1])
            }
            "compare_exchange_weak" => {
                specification(Atomic::CompareExchange { weak: true }, R::Bool, 3, &[1])
            }
            "flag_test_and_set" => specification(Atomic::TestAndSet, R::Bool, 1, &[]),
            "flag_clear" => specification(Atomic::Clear, R::Void, 1, &[]),
            "thread_fence" | "signal_fence" => specification(Atomic::Fence, R::Void, 0, &[]),
            _ => {
                let op = fetch_op(rest.strip_prefix("fetch_")?)?;
                specification(Atomic::Fetch { op, after: false }, R::Pointee, 2, &[])
            }
        };
    }
    if let Some(rest) = name.strip_prefix("__sync_") {
        let rest = without_size(rest);
        return match rest {
            "bool_compare_and_swap" => {
                specification(Atomic::CompareAndSwap { value: false }, R::Bool, 3, &[])
            }
            "val_compare_and_swap" => {
                specification(Atomic::CompareAndSwap { value: true }, R::Pointee, 3, &[])
            }
            "lock_test_and_set" => specification(Atomic::Exchange, R::Pointee, 2, &[]),
            "lock_release" => specification(Atomic::Clear, R::Void, 1, &[]),
            "synchronize" => specification(Atomic::Fence, R::Void, 0, &[]),
            _ => {
                let (op, after) = match rest.strip_prefix("fetch_and_") {
                    Some(op) => (op, false),
                    None => (rest.strip_suffix("_and_fetch")?, true),
                };
                let op = fetch_op(op)?;
                specification(Atomic::Fetch { op, after }, R::Pointee, 2, &[])
            }
        };
    }
    let rest = without_size(name.strip_prefix("__atomic_")?);
    match rest {
        "load_n" => specification(Atomic::Load, R::Pointee, 1, &[]),
        "load" => specification(Atomic::LoadTo, R::Void, 2, &[1]),
        "store_n" => specification(Atomic::Store, R::Void, 2, &[]),
        "store" => specification(Atomic::StoreFrom, R::Void, 2, &[1]),
        "exchange_n" => specification(Atomic::Exchange, R::Pointee, 2, &[]),
        "exchange" => specification(Atomic::ExchangeVia, R::Void, 3, &[1, 2]),
        "compare_exchange_n" => specification(Atomic::CompareExchangeN, R::Bool, 4, &[1]),
        "compare_exchange" => specification(Atomic::CompareExchangeVia, R::Bool, 4, &[1, 2]),
        "test_and_set" => specification(Atomic::TestAndSet, R::Bool, 1, &[]),
        "clear" => specification(Atomic::Clear, R::Void, 1, &[]),
        "thread_fence" | "signal_fence" => specification(Atomic::Fence, R::Void, 0, &[]),
        _ => {
            let (op, after) = match rest.strip_prefix("fetch_") {
                Some(op) => (op, false),
                None => (rest.strip_suffix("_fetch")?, true),
            };
            let op = fetch_op(op)?;
            specification(Atomic::Fetch { op, after }, R::Pointee, 2, &[])
        }
    }
}

fn without_size(name: &str) -> &str {
    ["_1", "_2", "_4", "_8"]
        .iter()
        .find_map(|size| name.strip_suffix(size))
        .unwrap_or(name)
}

fn fetch_op(name: &str) -> Option<FetchOp> {
    Some(match name {
        "add" => FetchOp::Binary(BinaryOp::Add),
        "sub" => FetchOp::Binary(BinaryOp::Sub),
        "and" => FetchOp::Binary(BinaryOp::And),
        "or" => FetchOp::Binary(BinaryOp::Or),
        "xor" => FetchOp::Binary(BinaryOp::Xor),
        "nand" => FetchOp::Nand,
        _ => return None,
    })
}
