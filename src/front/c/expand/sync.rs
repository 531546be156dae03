//! Mutexes, condition variables, read-write locks, barriers, once, semaphores.
//!
//! The whole state of each is one bit-vector, so that each operation is one step on one
//! variable. A mutex: the owner's number in bits 0–7 (0 is free), the depth of a recursive
//! one in bits 8–13, the kind in bits 14–15. A read-write lock: the number of readers, all
//! ones for a writer. A barrier: how many must come, have come, and which round it is, eight
//! bits each.

use super::super::builtins::Builtin;
use super::super::ir::{Access, Action, Reg, UpdateRole, Value};
use super::super::typed::Expr;
use super::super::types::{Opaque, Type};
use super::place::Place;
use super::{Expander, Node};
use heddle_program::{Sort, TermId};

const EPERM: i128 = 1;
const EBUSY: i128 = 16;
const EDEADLK: i128 = 35;
const ETIMEDOUT: i128 = 110;

const RECURSIVE: i128 = 1;
const ERROR_CHECK: i128 = 2;
const KIND_SHIFT: u32 = 14;
const DEPTH_ONE: i128 = 0x100;

/// One way that an operation can go.
struct Case {
    guard: TermId,
    new: Option<TermId>,
    result: i128,
    role: UpdateRole,
}

/// The state before, as a register that stands for it.
#[derive(Clone, Copy)]
struct Old {
    register: Reg,
    term: TermId,
    width: u32,
}

impl Expander<'_> {
    /// The state that a static initialiser with this number means.
    pub(super) fn initial_state(&self, opaque: Opaque, number: i128) -> i128 {
        match opaque {
            Opaque::Mutex if matches!(number, RECURSIVE | ERROR_CHECK) => number << KIND_SHIFT,
            _ => 0,
        }
    }

    pub(super) fn synchronization(
        &mut self,
        builtin: Builtin,
        arguments: &[Expr],
        ty: &Type,
    ) -> Value {
        use Builtin::*;
        match builtin {
            MutexInit => return self.mutex_init(arguments, ty),
            MutexAttrInit => {
                let access = self.opaque(&arguments[0], Opaque::MutexAttr);
                self.set_state(access, 0);
            }
            MutexAttrSetType => {
                let access = self.opaque(&arguments[0], Opaque::MutexAttr);
                let kind = self.value(&arguments[1]);
                let kind = self.convert(kind, &arguments[1].ty, &Type::INT);
                let state = self.terms.resize(2, false, kind.term);
                if let Some(access) = access {
                    self.store(access, state.into());
                }
            }
            MutexAttrGetType => {
                let access = self.opaque(&arguments[0], Opaque::MutexAttr);
                let output = self.output_place(&arguments[1]);
                if let (Some(access), Some(place)) = (access, output) {
                    let state = self.load(access);
                    let kind = self.terms.resize(32, false, state.term);
                    self.write_place(place, kind.into());
                }
            }
            MutexLock | MutexTryLock | MutexTimedLock | MutexUnlock => {
                let access = self.opaque(&arguments[0], Opaque::Mutex);
                for argument in &arguments[1..] {
                    self.effects(argument);
                }
                return self.mutex(builtin, access, ty);
            }
            SpinInit => {
                let access = self.opaque(&arguments[0], Opaque::SpinLock);
                self.set_state(access, 0);
            }
            SpinLock | SpinTryLock | SpinUnlock => return self.spin(builtin, arguments, ty),
            CondWait | CondTimedWait => return self.cond_wait(builtin, arguments, ty),
            ReadWriteInit => {
                let access = self.opaque(&arguments[0], Opaque::RwLock);
                self.set_state(access, 0);
            }
            ReadLock | TryReadLock | WriteLock | TryWriteLock | ReadWriteUnlock => {
                return self.read_write(builtin, arguments, ty);
            }
            BarrierInit => {
                let access = self.opaque(&arguments[0], Opaque::Barrier);
                self.effects(&arguments[1]);
                let count = self.value(&arguments[2]);
                let count = self.convert(count, &arguments[2].ty, &Type::UINT);
                let low = self.terms.resize(8, false, count.term);
                let state = self.terms.resize(24, false, low);
                if let Some(access) = access {
                    self.store(access, state.into());
                }
            }
            BarrierWait => return self.barrier_wait(&arguments[0], ty),
            Once => self.once(arguments),
            SemInit => {
                let access = self.opaque(&arguments[0], Opaque::Semaphore);
                self.effects(&arguments[1]);
                let count = self.value(&arguments[2]);
                let count = self.convert(count, &arguments[2].ty, &Type::UINT);
                if let Some(access) = access {
                    self.store(access, count);
                }
            }
            SemWait | SemTryWait | SemTimedWait | SemPost => {
                return self.semaphore(builtin, arguments, ty);
            }
            SemGetValue => {
                let access = self.opaque(&arguments[0], Opaque::Semaphore);
                let output = self.output_place(&arguments[1]);
                if let (Some(access), Some(place)) = (access, output) {
                    let value = self.load(access);
                    self.write_place(place, value);
                }
            }
            _ => {}
        }
        self.number(ty, 0)
    }

    /// What an argument that points to an opaque object points to.
    fn opaque(&mut self, argument: &Expr, opaque: Opaque) -> Option<Access> {
        let value = self.value(argument);
        let value = self.fit(value, &Type::pointer_to(Type::Void));
        if self.dead {
            return None;
        }
        let pointer = self.pointer_of(value)?;
        Some(Access {
            pointer,
            bits: None,
            ty: Type::Opaque(opaque),
        })
    }

    fn set_state(&mut self, access: Option<Access>, state: i128) {
        if let Some(access) = access {
            let width = self.program.types.width(&access.ty);
            let state = self.terms.bit_vec(width, state);
            self.store(access, state.into());
        }
    }

    fn old(&mut self, opaque: Opaque) -> Old {
        let width = opaque.width();
        let register = self.register("old", Sort::BitVec(width));
        Old {
            register,
            term: self.terms.variable(register),
            width,
        }
    }

    fn update_edge(
        &mut self,
        access: &Access,
        old: Old,
        case: &Case,
        sets: Vec<(Reg, TermId)>,
        to: Node,
    ) {
        if self.terms.is_false(case.guard) {
            return;
        }
        let action = Action::Update {
            access: access.clone(),
            old: old.register,
            guard: case.guard,
            new: case.new.map(Value::from),
            sets,
            role: case.role,
        };
        self.edge(action, to);
    }

    /// Takes one of the cases; the result is that of the case.
    fn one_of(&mut self, access: &Access, old: Old, cases: &[Case], ty: &Type) -> Value {
        let end = self.node();
        let first = cases.first().map_or(0, |case| case.result);
        let same = cases.iter().all(|case| case.result == first);
        let register = match same {
            true => None,
            false => Some(self.typed_register("status", ty)),
        };
        for case in cases {
            let sets = match register {
                Some(register) => vec![(register, self.number(ty, case.result).term)],
                None => Vec::new(),
            };
            self.update_edge(access, old, case, sets, end);
        }
        self.continue_at(end);
        match register {
            Some(register) => self.read(register, ty),
            None => self.number(ty, first),
        }
    }

    fn mutex_init(&mut self, arguments: &[Expr], ty: &Type) -> Value {
        let access = self.opaque(&arguments[0], Opaque::Mutex);
        let attributes = match arguments.get(1) {
            Some(argument) => {
                let value = self.value(argument);
                let is_null =
                    self.terms.as_constant(value.term).is_some() && value.sources.all().is_empty();
                (!is_null).then_some(value)
            }
            None => None,
        };
        match (attributes, access) {
            (Some(value), Some(access)) if self.mutex_kinds => {
                if let Some(pointer) = self.pointer_of(value) {
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
            (_, access) => self.set_state(access, 0),
        }
        self.number(ty, 0)
    }

    fn own_number(&self) -> i128 {
        i128::from(self.thread.0) + 1
    }

    fn mutex(&mut self, builtin: Builtin, access: Option<Access>, ty: &Type) -> Value {
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
                let taken: Vec<TermId> = cases.iter().map(|case| case.guard).collect();
                let taken = self.terms.or(&taken);
                // Its own error case is for waiting only.
                cases.retain(|case| case.result == 0);
                let guard = self.terms.not(taken);
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
        let depth = self.terms.extract(13, 8, old.term);
        let zero = self.terms.bit_vec(6, 0);
        let nested = self.terms.ne(depth, zero);
        let not_own = self.terms.not(is_own);
        let refused = self.terms.and(&[checked, not_own]);
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
        let found = self.terms.extract(15, 14, old.term);
        let kind = self.terms.bit_vec(2, kind);
        self.terms.eq(found, kind)
    }

    fn spin(&mut self, builtin: Builtin, arguments: &[Expr], ty: &Type) -> Value {
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
    fn cond_wait(&mut self, builtin: Builtin, arguments: &[Expr], ty: &Type) -> Value {
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

    fn read_write(&mut self, builtin: Builtin, arguments: &[Expr], ty: &Type) -> Value {
        let Some(access) = self.opaque(&arguments[0], Opaque::RwLock) else {
            return self.number(ty, 0);
        };
        let old = self.old(Opaque::RwLock);
        let free = self.terms.bit_vec(old.width, 0);
        let one = self.terms.bit_vec(old.width, 1);
        let writer = self.terms.bit_vec(old.width, -1);
        let written = self.terms.eq(old.term, writer);
        let (can, new) = match builtin {
            Builtin::ReadLock | Builtin::TryReadLock => {
                (self.terms.not(written), self.terms.bv_add(old.term, one))
            }
            Builtin::WriteLock | Builtin::TryWriteLock => (self.terms.eq(old.term, free), writer),
            _ => {
                let fewer = self.terms.bv_sub(old.term, one);
                (self.terms.bool(true), self.terms.ite(written, free, fewer))
            }
        };
        let mut cases = vec![Case {
            guard: can,
            new: Some(new),
            result: 0,
            role: UpdateRole::Other,
        }];
        if matches!(builtin, Builtin::TryReadLock | Builtin::TryWriteLock) {
            cases.push(Case {
                guard: self.terms.not(can),
                new: None,
                result: EBUSY,
                role: UpdateRole::Other,
            });
        }
        self.one_of(&access, old, &cases, ty)
    }

    fn barrier_wait(&mut self, argument: &Expr, ty: &Type) -> Value {
        let Some(access) = self.opaque(argument, Opaque::Barrier) else {
            return self.number(ty, 0);
        };
        let old = self.old(Opaque::Barrier);
        let wanted = self.terms.extract(7, 0, old.term);
        let came = self.terms.extract(15, 8, old.term);
        let round = self.terms.extract(23, 16, old.term);
        let one = self.terms.bit_vec(8, 1);
        let now = self.terms.bv_add(came, one);
        let is_last = self.terms.eq(now, wanted);
        let next_round = self.terms.bv_add(round, one);
        let nobody = self.terms.bit_vec(8, 0);
        let reset = self.terms.concat(nobody, wanted);
        let reset = self.terms.concat(next_round, reset);
        let waiting = self.terms.concat(now, wanted);
        let waiting = self.terms.concat(round, waiting);

        let status = self.typed_register("status", ty);
        let my_round = self.register("round", Sort::BitVec(8));
        let (wait, end) = (self.node(), self.node());
        let (serial, zero) = (self.number(ty, -1).term, self.number(ty, 0).term);
        let last = Case {
            guard: is_last,
            new: Some(reset),
            result: 0,
            role: UpdateRole::Other,
        };
        self.update_edge(&access, old, &last, vec![(status, serial)], end);
        let not_last = Case {
            guard: self.terms.not(is_last),
            new: Some(waiting),
            result: 0,
            role: UpdateRole::Other,
        };
        self.update_edge(&access, old, &not_last, vec![(my_round, round)], wait);
        self.continue_at(wait);
        let mine = self.terms.variable(my_round);
        let passed = Case {
            guard: self.terms.ne(round, mine),
            new: None,
            result: 0,
            role: UpdateRole::Other,
        };
        self.update_edge(&access, old, &passed, vec![(status, zero)], end);
        self.continue_at(end);
        self.read(status, ty)
    }

    /// 0: not run yet, 1: running, 2: done.
    fn once(&mut self, arguments: &[Expr]) {
        let access = self.opaque(&arguments[0], Opaque::Once);
        let routine = self.value(&arguments[1]);
        let Some(access) = access else {
            return;
        };
        let old = self.old(Opaque::Once);
        let (run, end) = (self.node(), self.node());
        let [fresh, running, done] = [0, 1, 2].map(|n| self.terms.bit_vec(old.width, n));
        let begin = Case {
            guard: self.terms.eq(old.term, fresh),
            new: Some(running),
            result: 0,
            role: UpdateRole::Other,
        };
        self.update_edge(&access, old, &begin, Vec::new(), run);
        let skip = Case {
            guard: self.terms.eq(old.term, done),
            new: None,
            result: 0,
            role: UpdateRole::Other,
        };
        self.update_edge(&access, old, &skip, Vec::new(), end);
        let known = self.known.clone();
        self.continue_at(run);
        let void_call = Expr {
            ty: Type::Void,
            span: self.span,
            kind: super::super::typed::ExprKind::Int(0),
        };
        self.call_pointer(routine, Vec::new(), &void_call);
        self.store(access, done.into());
        self.go(end);
        self.known = known;
        self.known.forget_section();
        self.continue_at(end);
    }

    fn semaphore(&mut self, builtin: Builtin, arguments: &[Expr], ty: &Type) -> Value {
        let access = self.opaque(&arguments[0], Opaque::Semaphore);
        for argument in &arguments[1..] {
            self.effects(argument);
        }
        let Some(access) = access else {
            return self.number(ty, 0);
        };
        let old = self.old(Opaque::Semaphore);
        let zero = self.terms.bit_vec(old.width, 0);
        let one = self.terms.bit_vec(old.width, 1);
        let empty = self.terms.eq(old.term, zero);
        let yes = self.terms.bool(true);
        let mut cases = match builtin {
            Builtin::SemPost => vec![Case {
                guard: yes,
                new: Some(self.terms.bv_add(old.term, one)),
                result: 0,
                role: UpdateRole::Other,
            }],
            _ => vec![Case {
                guard: self.terms.not(empty),
                new: Some(self.terms.bv_sub(old.term, one)),
                result: 0,
                role: UpdateRole::Other,
            }],
        };
        let failure = match builtin {
            Builtin::SemTryWait => Some(empty),
            Builtin::SemTimedWait => Some(yes),
            _ => None,
        };
        if let Some(guard) = failure {
            cases.push(Case {
                guard,
                new: None,
                result: -1,
                role: UpdateRole::Other,
            });
        }
        self.one_of(&access, old, &cases, ty)
    }

    /// Writes to where an output argument points.
    pub(super) fn write_output(&mut self, place: Option<Place>, value: Value) {
        if let Some(place) = place {
            self.write_place(place, value);
        }
    }
}
