//! `granularity access`: each access to a shared variable is a step of its own, as in C.
//!
//! Values are fetched from left to right into temporaries; `&&`, `||` and `?:` fetch only
//! what they need; `await` fetches again and again.

use super::lower::{Emitter, Waiting, is_any};
use super::terms::{Meant, apply, position};
use super::typed::{Node, Target, Type, Typed};
use heddle_program::{Constant, LocationId, Op, Place, Statement, TermId, VarId};

impl Emitter<'_> {
    pub(crate) fn split_assign(
        &mut self,
        from: LocationId,
        assignments: &[(Target, Typed)],
        to: LocationId,
    ) {
        let mut at = Cursor {
            at: from,
            fetched: 0,
        };
        let mut writes = Vec::new();
        for (target, value) in assignments {
            let place = match target {
                Target::Variable(variable) => Place::Variable(*variable),
                Target::Element(variable, position) => {
                    Place::Element(*variable, self.fetch(&mut at, position))
                }
            };
            let statement = if is_any(value) {
                Statement::Havoc { target: place }
            } else {
                let value = self.fetch(&mut at, value);
                Statement::Assign {
                    target: place,
                    value,
                }
            };
            writes.push(statement);
        }
        let last = writes.pop();
        for write in writes {
            at.at = self.builder.step(at.at, write);
        }
        if let Some(write) = last {
            self.builder.edge(at.at, write, to);
        }
    }

    pub(crate) fn split_assume(&mut self, from: LocationId, condition: &Typed, to: LocationId) {
        let mut at = Cursor {
            at: from,
            fetched: 0,
        };
        let condition = self.fetch(&mut at, condition);
        self.when(at.at, condition, Waiting::Assume, to);
    }

    pub(crate) fn split_assert(
        &mut self,
        from: LocationId,
        condition: &Typed,
        message: &str,
        to: LocationId,
    ) {
        let mut at = Cursor {
            at: from,
            fetched: 0,
        };
        if let Node::Apply(Op::And | Op::Or | Op::Not, _) = condition.node {
            let failed = self.location();
            self.decide_from(at, condition, to, failed);
            let never = self.builder.terms().bool(false);
            self.builder
                .edge(failed, Statement::assert(never, message), to);
            return;
        }
        let condition = self.fetch(&mut at, condition);
        self.assert_term(at.at, condition, message, to);
    }

    /// Evaluates a condition and goes to one of two places.
    pub(crate) fn decide(
        &mut self,
        from: LocationId,
        condition: &Typed,
        yes: LocationId,
        no: LocationId,
    ) {
        self.decide_from(
            Cursor {
                at: from,
                fetched: 0,
            },
            condition,
            yes,
            no,
        );
    }

    fn decide_from(&mut self, mut at: Cursor, condition: &Typed, yes: LocationId, no: LocationId) {
        match &condition.node {
            Node::Apply(Op::Not, operands) => self.decide_from(at, &operands[0], no, yes),
            Node::Apply(op @ (Op::And | Op::Or), operands) => {
                let (last, earlier) = operands.split_last().expect("at least two operands");
                for operand in earlier {
                    let further = self.location();
                    let fetched = at.fetched;
                    match op {
                        Op::And => self.decide_from(at, operand, further, no),
                        _ => self.decide_from(at, operand, yes, further),
                    }
                    at = Cursor {
                        at: further,
                        fetched,
                    };
                }
                self.decide_from(at, last, yes, no);
            }
            Node::Any => {
                self.builder.edge(at.at, Statement::Skip, yes);
                self.builder.edge(at.at, Statement::Skip, no);
            }
            _ => {
                let condition = self.fetch(&mut at, condition);
                let negated = self.builder.terms().not(condition);
                for (outcome, to) in [(condition, yes), (negated, no)] {
                    if !self.builder.terms().is_false(outcome) {
                        self.when(at.at, outcome, Waiting::Assume, to);
                    }
                }
            }
        }
    }

    /// The value as a term over local variables, after the steps that fetch it.
    fn fetch(&mut self, at: &mut Cursor, typed: &Typed) -> TermId {
        if let Node::Apply(Op::Select, operands) = &typed.node
            && let Node::Variable(variable) = operands[0].node
        {
            let index = self.fetch(at, &operands[1]);
            let array = self.builder.read(variable);
            let value = self.builder.terms().select(array, index);
            return self.local(at, typed.kind, variable, value);
        }
        match &typed.node {
            Node::Constant(constant) => self.builder.terms().constant(*constant),
            Node::Variable(variable) => {
                let value = self.builder.read(*variable);
                self.local(at, typed.kind, *variable, value)
            }
            Node::Position(kind, index) => {
                let term = self.fetch(at, index);
                let terms = self.builder.terms();
                let defined = terms.bool(true);
                let place = position(terms, *kind, Meant { term, defined });
                self.defined(at, place)
            }
            Node::Any => self.keep(at, typed.kind, |target| Statement::Havoc { target }),
            Node::OneOf(values) => self.fetch_one_of(at, typed.kind, values),
            Node::Apply(op @ (Op::And | Op::Or | Op::Ite), operands)
                if operands[1..]
                    .iter()
                    .any(|operand| self.takes_steps(operand)) =>
            {
                self.fetch_lazily(at, *op, typed, operands)
            }
            Node::Apply(op, operands) => {
                let always = self.builder.terms().bool(true);
                let operands: Vec<Meant> = operands
                    .iter()
                    .map(|operand| Meant {
                        term: self.fetch(at, operand),
                        defined: always,
                    })
                    .collect();
                let meant = apply(self.builder.terms(), *op, &operands);
                self.defined(at, meant)
            }
        }
    }

    /// What was read from a variable, in a temporary if others can write there.
    fn local(&mut self, at: &mut Cursor, kind: Type, variable: VarId, value: TermId) -> TermId {
        if !self.builder.program().is_shared(variable) {
            return value;
        }
        self.keep(at, kind, |target| Statement::Assign { target, value })
    }

    /// A temporary, after the step that sets it.
    fn keep(
        &mut self,
        at: &mut Cursor,
        kind: Type,
        set: impl FnOnce(Place) -> Statement,
    ) -> TermId {
        let temporary = self.temporary(kind.sort(), at.fetched);
        at.fetched += 1;
        at.at = self.builder.step(at.at, set(temporary.into()));
        self.builder.read(temporary)
    }

    fn fetch_one_of(&mut self, at: &mut Cursor, kind: Type, values: &[Constant]) -> TermId {
        let temporary = self.temporary(kind.sort(), at.fetched);
        at.fetched += 1;
        let after = self.location();
        for &value in values {
            let value = self.builder.terms().constant(value);
            self.builder
                .edge(at.at, Statement::assign(temporary, value), after);
        }
        at.at = after;
        self.builder.read(temporary)
    }

    /// `and`, `or` and `?:` whose later operands are fetched only if they matter.
    fn fetch_lazily(
        &mut self,
        at: &mut Cursor,
        op: Op,
        typed: &Typed,
        operands: &[Typed],
    ) -> TermId {
        let result = self.temporary(typed.kind.sort(), at.fetched);
        at.fetched += 1;
        let after = self.location();
        let (yes, no) = (self.location(), self.location());
        if op == Op::Ite {
            self.decide_from(*at, &operands[0], yes, no);
            for (from, operand) in [(yes, &operands[1]), (no, &operands[2])] {
                let mut at = Cursor {
                    at: from,
                    fetched: at.fetched,
                };
                let value = self.fetch(&mut at, operand);
                self.builder
                    .edge(at.at, Statement::assign(result, value), after);
            }
        } else {
            self.decide_from(*at, typed, yes, no);
            for (from, value) in [(yes, true), (no, false)] {
                let value = self.builder.terms().bool(value);
                self.builder
                    .edge(from, Statement::assign(result, value), after);
            }
        }
        // The branches may have used the same temporaries; what follows uses others.
        at.fetched += operands.iter().map(size).sum::<usize>();
        at.at = after;
        self.builder.read(result)
    }

    /// Goes on where the value is defined; elsewhere an assertion fails.
    fn defined(&mut self, at: &mut Cursor, meant: Meant) -> TermId {
        if !self.unchecked && !self.builder.terms().is_true(meant.defined) {
            let further = self.location();
            self.demand(at.at, meant.defined, further);
            self.when(at.at, meant.defined, Waiting::Assume, further);
            at.at = further;
        }
        meant.term
    }

    /// Whether evaluation needs steps, or can go wrong.
    fn takes_steps(&self, typed: &Typed) -> bool {
        typed.any(|typed| match &typed.node {
            Node::Variable(variable) => self.builder.program().is_shared(*variable),
            Node::Position(..) | Node::Any | Node::OneOf(_) => true,
            Node::Apply(op, _) => matches!(op, Op::Div | Op::Mod),
            Node::Constant(_) => false,
        })
    }
}

/// Where evaluation is, and how many temporaries are in use.
#[derive(Clone, Copy)]
struct Cursor {
    at: LocationId,
    fetched: usize,
}

/// At least the number of temporaries that evaluation takes.
fn size(typed: &Typed) -> usize {
    let mut size = 0;
    typed.walk(&mut |_| size += 1);
    size
}
