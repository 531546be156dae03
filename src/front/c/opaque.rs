//! The types of `pthread.h` and `semaphore.h`: known by name, kept as one bit-vector each.

use super::options::DataModel;

/// Types whose insides the program never sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Opaque {
    Mutex,
    MutexAttr,
    Cond,
    RwLock,
    Barrier,
    SpinLock,
    Once,
    Semaphore,
    /// Attributes that change nothing in any execution.
    Attr,
}

/// Known by name, whatever the headers say about them.
pub(crate) const OPAQUE_TYPES: &[(&str, Opaque)] = &[
    ("pthread_mutex_t", Opaque::Mutex),
    ("pthread_mutexattr_t", Opaque::MutexAttr),
    ("pthread_cond_t", Opaque::Cond),
    ("pthread_condattr_t", Opaque::Attr),
    ("pthread_rwlock_t", Opaque::RwLock),
    ("pthread_rwlockattr_t", Opaque::Attr),
    ("pthread_barrier_t", Opaque::Barrier),
    ("pthread_barrierattr_t", Opaque::Attr),
    ("pthread_spinlock_t", Opaque::SpinLock),
    ("pthread_once_t", Opaque::Once),
    ("pthread_attr_t", Opaque::Attr),
    ("sem_t", Opaque::Semaphore),
];

impl Opaque {
    /// The functions that work on the type start with one of these. If the program defines
    /// one of them itself, the type is the program's own.
    pub(crate) fn family(self) -> &'static [&'static str] {
        match self {
            Opaque::Mutex | Opaque::MutexAttr => &["pthread_mutex", "pthread_cond"],
            Opaque::Cond => &["pthread_cond"],
            Opaque::RwLock => &["pthread_rwlock"],
            Opaque::Barrier => &["pthread_barrier"],
            Opaque::SpinLock => &["pthread_spin"],
            Opaque::Once => &["pthread_once"],
            Opaque::Semaphore => &["sem_"],
            Opaque::Attr => &[],
        }
    }

    /// The width of the one bit-vector that holds the state.
    pub(crate) fn width(self) -> u32 {
        match self {
            Opaque::Mutex | Opaque::Barrier => 24,
            Opaque::MutexAttr | Opaque::Once => 2,
            Opaque::Cond | Opaque::Attr => 1,
            Opaque::RwLock | Opaque::SpinLock => 8,
            Opaque::Semaphore => 32,
        }
    }

    /// As the GNU C library has it, for `sizeof` and the layout of structures around it.
    pub(crate) fn size(self, model: DataModel) -> u64 {
        let wide = model == DataModel::Lp64;
        match self {
            Opaque::Mutex => {
                if wide {
                    40
                } else {
                    24
                }
            }
            Opaque::Cond => 48,
            Opaque::RwLock => {
                if wide {
                    56
                } else {
                    32
                }
            }
            Opaque::Barrier => {
                if wide {
                    32
                } else {
                    20
                }
            }
            Opaque::Semaphore => {
                if wide {
                    32
                } else {
                    16
                }
            }
            Opaque::Attr => {
                if wide {
                    56
                } else {
                    36
                }
            }
            Opaque::MutexAttr | Opaque::SpinLock | Opaque::Once => 4,
        }
    }

    pub(crate) fn align(self, model: DataModel) -> u64 {
        match self {
            Opaque::MutexAttr | Opaque::SpinLock | Opaque::Once => 4,
            _ => u64::from(model.long_width() / 8),
        }
    }
}
