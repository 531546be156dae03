//! Mutexes, spin locks and condition variables.
//!
//! The state of a mutex: the owner's number in bits 0–7 (0 is free), the depth of a recursive
//! one in bits 8–21, the kind in bits 22–23.

use super::super::builtins::Builtin;
use super::super::ir::{Access, UpdateRole, Value};
use super::super::opaque::Opaque;
use super::super::typed::Expr;
use super::super::types::Type;
use super::Expander;
use super::sync::{Case, EBUSY, ETIMEDOUT, Old};
use heddle_program::{Sort, TermId};

const EPERM: i128 = 1;
const EDEADLK: i128 = 35;

pub(super) const RECURSIVE: i128 = 1;
pub(super) const ERROR_CHECK: i128 = 2;
pub(super) const KIND_SHIFT: u32 = 22;
const DEPTH_ONE: i128 = 0x100;

impl Expander<'_> {
    pub(super) fn mutex_init(&mut self, arguments: &[Expr], ty: &Type) -> Value {
        let access = self.opaque(&arguments[0], Opaque::Mutex);
        let attributes = arguments.get(1).map(|argument| {
            let value = self.value(argument);
            (self.is_null(argument, &value), value)
        });
        match (attributes, access) {
            (Some((is_null, value)), Some(access))
                if self.mutex_kinds && !self.terms.is_true(is_null) =>
            {
                let (normal, given, end) = (self.node(), self.node(), self.node());
                self.split(is_null, normal, given);
                let before = self.before();
                self.continue_at(given);
                self.set_kind(access.clone(), value);
                self.join_branch(end, before, normal, |this| {
                    this.set_state(Some(access), 0);
                });
            }
            (_, access) => self.set_state(access, 0),
        }
        self.number(ty, 0)
    }

    /// Makes a free mutex of the kind that the attributes say.
    fn set_kind(&mut self, access: Access, attributes: Value) {
        if let Some(pointer) = self.pointer_of(attributes) {
            let kind = self.load(Access {
                pointer,
                bits: None,
                ty: Type::Opaque(Opaque::MutexAttr),
            });
            let rest = self.terms.bit_vec(KIND_SHIFT, 0);
            let state = self.terms.concat(kind.term, rest);
            self.store(access, state.into());
        }
    }

    pub(super) fn own_number(&self) -> i128 {
        i128::from(self.thread.0) + 1
    }

    pub(super) fn mutex(&mut self, builtin: Builtin, access: Option<Access>, ty: &Type) -> Value {
        let Some(access) = access else {
            return self.number(ty, 0);
        };
        let old = self.old(Opaque::Mutex);
        let mut cases = match builtin {
            Builtin::MutexUnlock => self.unlock_cases(old),
            _ => self.lock_cases(old),
        };
        match builtin {
            Builtin::MutexTryLock => {
                // What fails where a lock would wait is busy here, also for the owner.
                cases.retain(|case| case.result == 0);
                let succeeds: Vec<TermId> = cases.iter().map(|case| case.guard).collect();
                let succeeds = self.terms.or(&succeeds);
                let guard = self.terms.not(succeeds);
                cases.push(Case {
                    guard,
                    new: None,
                    result: EBUSY,
                    role: UpdateRole::Other,
                });
            }
            Builtin::MutexTimedLock => cases.push(Case {
                guard: self.terms.bool(true),
                new: None,
                result: ETIMEDOUT,
                role: UpdateRole::Other,
            }),
            _ => {}
        }
        self.one_of(&access, old, &cases, ty)
    }

    fn lock_cases(&mut self, old: Old) -> Vec<Case> {
        let own = self.own_number();
        let own = self.terms.bit_vec(old.width, own);
        if !self.mutex_kinds {
            let free = self.terms.bit_vec(old.width, 0);
            return vec![Case {
                guard: self.terms.eq(old.term, free),
                new: Some(own),
                result: 0,
                role: UpdateRole::Lock,
            }];
        }
        let (is_free, is_own) = self.owner(old);
        let deeper = self.terms.bit_vec(old.width, DEPTH_ONE);
        let recursive = self.kind_is(old, RECURSIVE);
        let checked = self.kind_is(old, ERROR_CHECK);
        vec![
            Case {
                guard: is_free,
                new: Some(self.terms.bv_or(old.term, own)),
                result: 0,
                role: UpdateRole::Lock,
            },
            Case {
                guard: self.terms.and(&[is_own, recursive]),
                new: Some(self.terms.bv_add(old.term, deeper)),
                result: 0,
                role: UpdateRole::Other,
            },
            Case {
                guard: self.terms.and(&[is_own, checked]),
                new: None,
                result: EDEADLK,
                role: UpdateRole::Other,
            },
        ]
    }

    fn unlock_cases(&mut self, old: Old) -> Vec<Case> {
        if !self.mutex_kinds {
            return vec![Case {
                guard: self.terms.bool(true),
                new: Some(self.terms.bit_vec(old.width, 0)),
                result: 0,
                role: UpdateRole::Unlock,
            }];
        }
        let (_, is_own) = self.owner(old);
        let checked = self.kind_is(old, ERROR_CHECK);
        let recursive = self.kind_is(old, RECURSIVE);
        let knows_owner = self.terms.or(&[checked, recursive]);
        let depth = self.terms.extract(KIND_SHIFT - 1, 8, old.term);
        let zero = self.terms.bit_vec(KIND_SHIFT - 8, 0);
        let nested = self.terms.ne(depth, zero);
        let not_own = self.terms.not(is_own);
        let refused = self.terms.and(&[knows_owner, not_own]);
        let leaves = self.terms.and(&[is_own, nested]);
        let other = self.terms.or(&[refused, leaves]);
        let deeper = self.terms.bit_vec(old.width, DEPTH_ONE);
        let kind_only = self.terms.bit_vec(old.width, 0b11 << KIND_SHIFT);
        vec![
            Case {
                guard: leaves,
                new: Some(self.terms.bv_sub(old.term, deeper)),
                result: 0,
                role: UpdateRole::Other,
            },
            Case {
                guard: refused,
                new: None,
                result: EPERM,
                role: UpdateRole::Other,
            },
            Case {
                guard: self.terms.not(other),
                new: Some(self.terms.bv_and(old.term, kind_only)),
                result: 0,
                role: UpdateRole::Unlock,
            },
        ]
    }

    /// Whether nobody, or the current thread, holds a mutex.
    fn owner(&mut self, old: Old) -> (TermId, TermId) {
        let owner = self.terms.extract(7, 0, old.term);
        let nobody = self.terms.bit_vec(8, 0);
        let own = self.own_number();
        let own = self.terms.bit_vec(8, own);
        (self.terms.eq(owner, nobody), self.terms.eq(owner, own))
    }

    fn kind_is(&mut self, old: Old, kind: i128) -> TermId {
        let found = self.terms.extract(KIND_SHIFT + 1, KIND_SHIFT, old.term);
        let kind = self.terms.bit_vec(2, kind);
        self.terms.eq(found, kind)
    }

    pub(super) fn spin(&mut self, builtin: Builtin, arguments: &[Expr], ty: &Type) -> Value {
        let Some(access) = self.opaque(&arguments[0], Opaque::SpinLock) else {
            return self.number(ty, 0);
        };
        let old = self.old(Opaque::SpinLock);
        let free = self.terms.bit_vec(old.width, 0);
        let own = self.own_number();
        let own = self.terms.bit_vec(old.width, own);
        let is_free = self.terms.eq(old.term, free);
        let mut cases = Vec::new();
        if builtin == Builtin::SpinUnlock {
            cases.push(Case {
                guard: self.terms.bool(true),
                new: Some(free),
                result: 0,
                role: UpdateRole::Unlock,
            });
        } else {
            cases.push(Case {
                guard: is_free,
                new: Some(own),
                result: 0,
                role: UpdateRole::Lock,
            });
        }
        if builtin == Builtin::SpinTryLock {
            cases.push(Case {
                guard: self.terms.not(is_free),
                new: None,
                result: EBUSY,
                role: UpdateRole::Other,
            });
        }
        self.one_of(&access, old, &cases, ty)
    }

    /// Releases the mutex and takes it again: POSIX lets a waiting thread wake up at any
    /// time, so a signal adds no behaviour.
    pub(super) fn cond_wait(&mut self, builtin: Builtin, arguments: &[Expr], ty: &Type) -> Value {
        self.effects(&arguments[0]);
        let access = self.opaque(&arguments[1], Opaque::Mutex);
        for argument in &arguments[2..] {
            self.effects(argument);
        }
        self.mutex(Builtin::MutexUnlock, access.clone(), ty);
        self.mutex(Builtin::MutexLock, access, ty);
        if builtin == Builtin::CondWait {
            return self.number(ty, 0);
        }
        let late = self.register("late", Sort::Bool);
        self.havoc(late);
        let late = self.terms.variable(late);
        let (timeout, success) = (self.number(ty, ETIMEDOUT).term, self.number(ty, 0).term);
        self.terms.ite(late, timeout, success).into()
    }
}
