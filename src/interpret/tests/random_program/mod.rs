//! Small random programs over all kinds of statements and sorts.

use heddle_program::{
    LocationId, Op, Place, Program, ProgramBuilder, Role, Scalar, Sort, Start, StateFormula,
    Statement, TermId, ThreadId, Update, VarId,
};

/// Decodes random numbers into a program. Fewer and smaller numbers make smaller programs.
pub(crate) fn random_program(choices: &[u16]) -> Program {
    let mut generator = Generator {
        choices: choices.iter(),
        builder: ProgramBuilder::default(),
        shared: Vec::new(),
        locals: Vec::new(),
        threads: Vec::new(),
    };
    generator.run();
    let program = generator.builder.finish();
    let problems: Vec<String> = program.validate().into_iter().map(|d| d.message).collect();
    assert!(problems.is_empty(), "{problems:?} in\n{program}");
    program
}

struct Generator<'a> {
    choices: std::slice::Iter<'a, u16>,
    builder: ProgramBuilder,
    shared: Vec<VarId>,
    locals: Vec<Vec<VarId>>,
    threads: Vec<ThreadId>,
}

/// Whether a statement may touch shared memory as it likes.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Once,
    Free,
}

impl Generator<'_> {
    fn choose(&mut self, bound: usize) -> usize {
        self.choices
            .next()
            .map_or(0, |&choice| choice as usize % bound)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.choose(items.len())]
    }

    fn run(&mut self) {
        for number in 0..1 + self.choose(3) {
            let (sort, initial) = self.sort_and_initial();
            let name = format!("s{number}");
            let mut variable = self.builder.shared(&name, sort);
            if let Some(initial) = initial {
                variable = variable.initial(initial);
            }
            let id = variable.id();
            self.shared.push(id);
        }
        for number in 0..1 + self.choose(3) {
            let created = number > 0 && self.choose(3) == 1;
            let start = if created {
                Start::ByCreate
            } else {
                Start::AtBeginning
            };
            let thread = self.builder.thread(&format!("t{number}"), start);
            self.threads.push(thread);
            let mut locals = Vec::new();
            for number in 0..self.choose(3) {
                let (sort, initial) = self.sort_and_initial();
                let name = format!("l{number}");
                let mut variable = self.builder.local(thread, &name, sort);
                if let Some(initial) = initial {
                    variable = variable.initial(initial);
                }
                locals.push(variable.id());
            }
            self.locals.push(locals);
        }
        for number in 0..self.threads.len() {
            let thread = self.threads[number];
            let mut location = self.builder.entry(thread);
            if number == 0 {
                // Every thread is created at most once, by the first.
                for &other in &self.threads.clone()[1..] {
                    let program = self.builder.program();
                    if program.thread(other).start == Start::ByCreate && self.choose(4) > 0 {
                        location = self.builder.step(location, Statement::Create(other));
                    }
                }
            }
            location = self.block(number, location, 3, Access::Once);
            if self.choose(2) == 1 {
                self.builder.label(location, "middle");
                location = self.block(number, location, 2, Access::Once);
            }
            self.builder.label(location, "end");
            let target = (number + 1) % self.threads.len();
            if self.choose(4) == 1 && number == 0 && target != number {
                let joined = self.threads[target];
                location = self.builder.step(location, Statement::Join(joined));
                self.block(number, location, 1, Access::Once);
            }
        }
        if self.choose(3) == 1 {
            let first = self.choose(4);
            let formula = self.formula(first);
            self.builder.error(formula);
        }
    }

    fn formula(&mut self, kind: usize) -> StateFormula {
        let at = self.at();
        let mut visible = self.shared.clone();
        visible.extend(self.locals.concat());
        let term = StateFormula::Term(self.condition(&visible, Access::Free));
        match kind {
            0 => StateFormula::And(vec![at, term]),
            1 => StateFormula::And(vec![at, self.at()]),
            2 => StateFormula::And(vec![at, StateFormula::Not(Box::new(self.at()))]),
            _ => StateFormula::Or(vec![
                StateFormula::And(vec![StateFormula::Not(Box::new(term)), at.clone()]),
                StateFormula::Not(Box::new(StateFormula::Not(Box::new(at)))),
            ]),
        }
    }

    fn at(&mut self) -> StateFormula {
        let thread = self.pick(&self.threads.clone());
        let program = self.builder.program();
        let labels = ["middle", "end"];
        let labelled: Vec<LocationId> = labels
            .iter()
            .filter_map(|label| program.find_label(thread, label))
            .collect();
        StateFormula::At(thread, self.pick(&labelled))
    }

    fn sort_and_initial(&mut self) -> (Sort, Option<TermId>) {
        let sort = match self.choose(6) {
            0 => Sort::BitVec(2),
            1 => Sort::Bool,
            2 => Sort::Int,
            3 => Sort::array(Scalar::BitVec(2), Scalar::BitVec(2), 4),
            4 => Sort::array(Scalar::Int, Scalar::Bool, 2),
            _ => Sort::BitVec(1),
        };
        let terms = self.builder.terms();
        let initial = match sort {
            Sort::Bool => terms.bool(false),
            Sort::Int => terms.int(0),
            Sort::BitVec(width) => terms.bit_vec(width, 0),
            Sort::Array(array) => {
                let zero = terms.constant(heddle_program::Constant::zero(array.element));
                terms.const_array(array, zero)
            }
        };
        // Integers that start with any value would make every verdict rest on the range.
        let any = self.choose(5) == 1 && sort != Sort::Int;
        (sort, (!any).then_some(initial))
    }

    fn block(
        &mut self,
        thread: usize,
        mut location: LocationId,
        depth: u32,
        access: Access,
    ) -> LocationId {
        for _ in 0..1 + self.choose(3) {
            location = self.piece(thread, location, depth, access);
        }
        location
    }

    fn piece(
        &mut self,
        thread: usize,
        location: LocationId,
        depth: u32,
        access: Access,
    ) -> LocationId {
        let own = self.locals[thread].clone();
        match self.choose(12) {
            8 if depth > 0 => {
                let condition = self.condition(&own, Access::Free);
                let (yes, no) = self.builder.branch(location, condition);
                let yes = self.block(thread, yes, depth - 1, access);
                let no = self.block(thread, no, depth - 1, access);
                self.builder.edge(no, Statement::Skip, yes);
                yes
            }
            9 if depth > 0 => {
                let condition = self.condition(&own, Access::Free);
                let (body, after) = self.builder.branch(location, condition);
                let body = self.block(thread, body, depth - 1, access);
                self.builder.edge(body, Statement::Skip, location);
                after
            }
            10 if depth > 0 && access == Access::Once => {
                let inside = self.builder.step(location, Statement::AtomicBegin);
                let inside = self.block(thread, inside, depth - 1, Access::Free);
                self.builder.step(inside, Statement::AtomicEnd)
            }
            11 => {
                let bound = Statement::BoundReached("unfolded".into());
                let taken = self.choose(8);
                if taken == 1 {
                    let condition = self.condition(&own, Access::Free);
                    let (yes, no) = self.builder.branch(location, condition);
                    self.builder.edge(yes, bound, no);
                    no
                } else {
                    self.builder.step(location, Statement::Skip)
                }
            }
            _ => {
                let statement = self.statement(thread, access);
                self.builder.step(location, statement)
            }
        }
    }

    fn statement(&mut self, thread: usize, access: Access) -> Statement {
        let own = self.locals[thread].clone();
        let mut all = self.shared.clone();
        all.extend(&own);
        match self.choose(9) {
            // A shared target, with what is local.
            0 | 1 => {
                let target = self.pick(&self.shared.clone());
                let readable = if access == Access::Free { &all } else { &own };
                self.assignment(target, readable)
            }
            // A local target, with one shared variable.
            2 | 3 if !own.is_empty() => {
                let target = self.pick(&own);
                let mut readable = own.clone();
                if access == Access::Free {
                    readable = all;
                } else {
                    readable.push(self.pick(&self.shared.clone()));
                }
                self.assignment(target, &readable)
            }
            4 => {
                let target = self.pick(&all);
                let place = self.place(target, &own);
                Statement::Havoc { target: place }
            }
            5 => Statement::Assume(self.condition(&own, Access::Free)),
            6 | 7 => {
                let mut readable = own.clone();
                readable.push(self.pick(&self.shared.clone()));
                let condition = self.condition(&readable, access);
                Statement::assert(condition, "asserted")
            }
            _ => self.command(&all),
        }
    }

    /// An assignment that reads at most one shared variable, once, if that is all it may.
    fn assignment(&mut self, target: VarId, readable: &[VarId]) -> Statement {
        let program = self.builder.program();
        let shared: Vec<VarId> = readable
            .iter()
            .copied()
            .filter(|&variable| program.is_shared(variable))
            .collect();
        let locals: Vec<VarId> = readable
            .iter()
            .copied()
            .filter(|&variable| !program.is_shared(variable))
            .collect();
        let target_shared = program.is_shared(target);
        let place = self.place(target, &locals);
        let sort = self.sort_of(place);
        let value = if shared.len() == 1 && !target_shared && self.choose(3) > 0 {
            self.cast(shared[0], sort, &locals)
        } else {
            self.term(sort, &locals, 2)
        };
        Statement::Assign {
            target: place,
            value,
        }
    }

    /// One read of a variable, turned into the sort.
    fn cast(&mut self, variable: VarId, sort: Sort, indices: &[VarId]) -> TermId {
        let place = self.place(variable, indices);
        let found = self.sort_of(place);
        let mut term = self.builder.read(variable);
        if let Place::Element(_, index) = place {
            term = self.builder.terms().select(term, index);
        }
        if found == sort {
            return term;
        }
        let Some(scalar) = found.scalar() else {
            return self.term(sort, indices, 1);
        };
        let zero = self
            .builder
            .terms()
            .constant(heddle_program::Constant::zero(scalar));
        let is_zero = self.builder.terms().eq(term, zero);
        let (yes, no) = (self.term(sort, indices, 0), self.term(sort, indices, 1));
        self.builder.terms().ite(is_zero, yes, no)
    }

    fn command(&mut self, all: &[VarId]) -> Statement {
        let guard = self.condition(all, Access::Free);
        let mut updates: Vec<(Place, Update)> = Vec::new();
        for _ in 0..self.choose(3) {
            let target = self.pick(all);
            if updates.iter().any(|(place, _)| place.variable() == target) {
                continue;
            }
            let place = self.place(target, all);
            let sort = self.sort_of(place);
            let update = if self.choose(5) == 1 && sort != Sort::Int {
                Update::Any
            } else {
                Update::Value(self.term(sort, all, 2))
            };
            updates.push((place, update));
        }
        let role = match self.choose(4) {
            1 => Role::ReadModifyWrite,
            2 => Role::Lock(Place::Variable(self.shared[0])),
            3 => Role::Unlock(Place::Variable(self.shared[0])),
            _ => Role::Command,
        };
        Statement::Guarded {
            guard,
            updates,
            role,
        }
    }

    /// The variable, or an element of it; the index is always in range.
    fn place(&mut self, variable: VarId, readable: &[VarId]) -> Place {
        let sort = self.builder.program().variable(variable).sort;
        match sort {
            Sort::Array(array) if self.choose(5) > 0 => {
                let index = self.term(array.index.into(), readable, 1);
                let index = match array.index {
                    Scalar::Int => {
                        let length = self.builder.terms().int(array.length.into());
                        self.builder.terms().modulo(index, length)
                    }
                    _ => index,
                };
                Place::Element(variable, index)
            }
            _ => Place::Variable(variable),
        }
    }

    fn sort_of(&self, place: Place) -> Sort {
        let sort = self.builder.program().variable(place.variable()).sort;
        match (place, sort) {
            (Place::Element(..), Sort::Array(array)) => array.element.into(),
            _ => sort,
        }
    }

    fn condition(&mut self, readable: &[VarId], access: Access) -> TermId {
        let program = self.builder.program();
        let shared = readable.iter().copied().find(|&v| program.is_shared(v));
        if let (Some(shared), Access::Once) = (shared, access) {
            let locals: Vec<VarId> = readable.iter().copied().filter(|&v| v != shared).collect();
            return self.cast(shared, Sort::Bool, &locals);
        }
        self.term(Sort::Bool, readable, 2)
    }

    fn term(&mut self, sort: Sort, readable: &[VarId], depth: u32) -> TermId {
        let program = self.builder.program();
        let same: Vec<VarId> = readable
            .iter()
            .copied()
            .filter(|&variable| program.variable(variable).sort == sort)
            .collect();
        let kind = self.choose(6);
        if !same.is_empty() && (kind < 2 || depth == 0) {
            let variable = self.pick(&same);
            return self.builder.read(variable);
        }
        if depth == 0 || kind < 3 {
            let value = self.choose(4) as i128;
            let terms = self.builder.terms();
            return match sort {
                Sort::Bool => terms.bool(value % 2 == 1),
                Sort::Int => terms.int(value - 1),
                Sort::BitVec(width) => terms.bit_vec(width, value),
                Sort::Array(array) => {
                    let zero = terms.constant(heddle_program::Constant::zero(array.element));
                    terms.const_array(array, zero)
                }
            };
        }
        let depth = depth - 1;
        match sort {
            Sort::Bool => {
                let sorts = [Sort::BitVec(2), Sort::Int, Sort::Bool];
                let inner = sorts[self.choose(3)];
                let a = self.term(inner, readable, depth);
                let b = self.term(inner, readable, depth);
                let op = match (inner, self.choose(3)) {
                    (_, 0) => Op::Eq,
                    (Sort::BitVec(_), 1) => Op::BvUlt,
                    (Sort::BitVec(_), _) => Op::BvSle,
                    (Sort::Int, _) => Op::Lt,
                    (_, 1) => Op::And,
                    _ => Op::Or,
                };
                let term = self.builder.terms().apply(op, &[a, b]);
                if self.choose(2) == 1 {
                    self.builder.terms().not(term)
                } else {
                    term
                }
            }
            Sort::Int => {
                // Modulo three, to keep the state space finite.
                let a = self.term(sort, readable, depth);
                let b = self.term(sort, readable, depth);
                let op = [Op::Add, Op::Sub, Op::Mul][self.choose(3)];
                let sum = self.builder.terms().apply(op, &[a, b]);
                let three = self.builder.terms().int(3);
                self.builder.terms().modulo(sum, three)
            }
            Sort::BitVec(_) => {
                let a = self.term(sort, readable, depth);
                let b = self.term(sort, readable, depth);
                const OPS: [Op; 6] = [
                    Op::BvAdd,
                    Op::BvSub,
                    Op::BvMul,
                    Op::BvXor,
                    Op::BvShl,
                    Op::BvUdiv,
                ];
                let op = OPS[self.choose(6)];
                self.builder.terms().apply(op, &[a, b])
            }
            Sort::Array(array) => {
                let inner = self.term(sort, readable, depth);
                let index = self.builder.terms().index_constant(array, 1);
                let value = self.term(array.element.into(), readable, depth);
                self.builder.terms().store(inner, index, value)
            }
        }
    }
}
