//! Read-write locks, barriers, once, semaphores, and what all synchronisation shares.
//!
//! The whole state of each is one bit-vector, so that each operation is one step on one
//! variable. A read-write lock: the number of readers, all ones for a writer. A barrier: how
//! many must come, have come, and which round it is, eight bits each. Mutexes are in
//! `mutex.rs`.

use super::super::builtins::Builtin;
use super::super::ir::{Access, Action, Reg, UpdateRole, Value};
use super::super::opaque::Opaque;
use super::super::typed::Expr;
use super::super::types::Type;
use super::mutex::{ERROR_CHECK, KIND_SHIFT, RECURSIVE};
use super::place::Place;
use super::{Expander, Node};
use heddle_program::{Sort, TermId};

const EAGAIN: i128 = 11;
pub(super) const EBUSY: i128 = 16;
pub(super) const ETIMEDOUT: i128 = 110;

/// One way that an operation can go.
pub(super) struct Case {
    pub(super) guard: TermId,
    pub(super) new: Option<TermId>,
    pub(super) result: i128,
    pub(super) role: UpdateRole,
}

/// The state before, as a register that stands for it.
#[derive(Clone, Copy)]
pub(super) struct Old {
    register: Reg,
    pub(super) term: TermId,
    pub(super) width: u32,
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
            ReadLock | TryReadLock | TimedReadLock | WriteLock | TryWriteLock | TimedWriteLock
            | ReadWriteUnlock => {
                return self.read_write(builtin, arguments, ty);
            }
            BarrierInit => {
                let access = self.opaque(&arguments[0], Opaque::Barrier);
                self.effects(&arguments[1]);
                let count = self.value(&arguments[2]);
                let count = self.convert(count, &arguments[2].ty, &Type::UINT);
                // As many as there can be threads, or more, are never there together.
                let most = self.terms.bit_vec(32, 255);
                let fits = self.terms.bv_ult(count.term, most);
                let count = self.terms.ite(fits, count.term, most);
                let low = self.terms.resize(8, false, count);
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
    pub(super) fn opaque(&mut self, argument: &Expr, opaque: Opaque) -> Option<Access> {
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

    pub(super) fn set_state(&mut self, access: Option<Access>, state: i128) {
        if let Some(access) = access {
            let width = self.program.types.width(&access.ty);
            let state = self.terms.bit_vec(width, state);
            self.store(access, state.into());
        }
    }

    pub(super) fn old(&mut self, opaque: Opaque) -> Old {
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
    pub(super) fn one_of(&mut self, access: &Access, old: Old, cases: &[Case], ty: &Type) -> Value {
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

    fn read_write(&mut self, builtin: Builtin, arguments: &[Expr], ty: &Type) -> Value {
        let Some(access) = self.opaque(&arguments[0], Opaque::RwLock) else {
            return self.number(ty, 0);
        };
        for argument in &arguments[1..] {
            self.effects(argument);
        }
        let old = self.old(Opaque::RwLock);
        let free = self.terms.bit_vec(old.width, 0);
        let one = self.terms.bit_vec(old.width, 1);
        let writer = self.terms.bit_vec(old.width, -1);
        let written = self.terms.eq(old.term, writer);
        let (can, new) = match builtin {
            Builtin::ReadLock | Builtin::TryReadLock | Builtin::TimedReadLock => {
                (self.terms.not(written), self.terms.bv_add(old.term, one))
            }
            Builtin::WriteLock | Builtin::TryWriteLock | Builtin::TimedWriteLock => {
                (self.terms.eq(old.term, free), writer)
            }
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
        let failure = match builtin {
            Builtin::TryReadLock | Builtin::TryWriteLock => Some((self.terms.not(can), EBUSY)),
            Builtin::TimedReadLock | Builtin::TimedWriteLock => {
                Some((self.terms.bool(true), ETIMEDOUT))
            }
            _ => None,
        };
        if let Some((guard, result)) = failure {
            cases.push(Case {
                guard,
                new: None,
                result,
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
            Builtin::SemTryWait => Some((empty, EAGAIN)),
            Builtin::SemTimedWait => Some((yes, ETIMEDOUT)),
            _ => None,
        };
        if let Some((guard, _)) = failure {
            cases.push(Case {
                guard,
                new: None,
                result: -1,
                role: UpdateRole::Other,
            });
        }
        let status = self.one_of(&access, old, &cases, ty);
        if let Some((_, number)) = failure {
            self.errno_if_failed(&status, ty, number);
        }
        status
    }

    /// Writes to where an output argument points.
    pub(super) fn write_output(&mut self, place: Option<Place>, value: Value) {
        if let Some(place) = place {
            self.write_place(place, value);
        }
    }
}
