//! Terms compiled to code for a small stack machine.
//!
//! The fast path of evaluation. Where it meets an error (a division by zero, say), the
//! reference evaluator [`Terms::evaluate`] is asked, which knows whether the error matters.

use crate::layout::{Configuration, Layout, Slot, encode};
use heddle_program::{
    EvalError, Op, Program, Scalar, Sort, Term, TermId, Terms, VarId, mask, to_signed,
};

/// Terms with a larger tree are left to the reference evaluator, which visits shared parts
/// once.
const MAX_CODE: usize = 2000;

/// Why a term has no value in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The value of this slot has to be chosen first.
    Undefined(Slot),
    Error(EvalError),
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Failure {
        Failure::Error(error)
    }
}

#[derive(Clone, Copy, Debug)]
enum Instruction {
    Constant(i128),
    Load(Slot),
    /// Pops an index.
    LoadElement {
        first: Slot,
        length: u32,
    },
    /// An operator on one or two words; the width is that of its arguments.
    Unary(Op, u32),
    Binary(Op, u32),
    /// Concatenation, with the width of the low part.
    Concat(u32),
    Jump(u32),
    /// Pops the condition.
    JumpIfFalse(u32),
    /// Jumps and keeps the word if it is this truth value, else pops it.
    JumpIfDecided(bool, u32),
}

/// A compiled term of a scalar sort.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    term: TermId,
    variables: Box<[VarId]>,
    /// `None` if only the reference evaluator can do it.
    instructions: Option<Box<[Instruction]>>,
}

impl Code {
    pub(crate) fn compile(program: &Program, layout: &Layout, term: TermId) -> Code {
        let mut compiler = Compiler {
            terms: &program.terms,
            layout,
            instructions: Vec::new(),
        };
        let fits = compiler.term(term, 0).is_some();
        Code {
            term,
            variables: program.terms.variables_of(term).into(),
            instructions: fits.then(|| compiler.instructions.into()),
        }
    }

    /// The value as a word; `stack` is scratch space.
    pub(crate) fn run(
        &self,
        context: &Context<'_>,
        configuration: &Configuration,
        stack: &mut Vec<i128>,
    ) -> Result<i128, Failure> {
        if let Some(instructions) = &self.instructions {
            match run(instructions, configuration, stack) {
                Err(Failure::Error(_)) => {}
                result => return result,
            }
        }
        let value = context.evaluate(self.term, &self.variables, configuration)?;
        Ok(encode(value.as_scalar().expect("code is of scalar terms")))
    }

    pub(crate) fn holds(
        &self,
        context: &Context<'_>,
        configuration: &Configuration,
        stack: &mut Vec<i128>,
    ) -> Result<bool, Failure> {
        Ok(self.run(context, configuration, stack)? != 0)
    }
}

/// What the reference evaluator needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
}

impl Context<'_> {
    /// Evaluates by [`Terms::evaluate`]; every variable that occurs has to be defined.
    pub(crate) fn evaluate(
        &self,
        term: TermId,
        variables: &[VarId],
        configuration: &Configuration,
    ) -> Result<heddle_program::Value, Failure> {
        for &variable in variables {
            for slot in self.layout.slots(variable) {
                if configuration.is_undefined(slot) {
                    return Err(Failure::Undefined(slot));
                }
            }
        }
        let value = self.program.terms.evaluate(term, |variable| {
            self.layout
                .load(self.program, &configuration.slots, variable)
        })?;
        Ok(value)
    }
}

struct Compiler<'a> {
    terms: &'a Terms,
    layout: &'a Layout,
    instructions: Vec<Instruction>,
}

impl Compiler<'_> {
    /// `None` if the term is too large or works on whole arrays.
    fn term(&mut self, term: TermId, depth: usize) -> Option<()> {
        if self.instructions.len() > MAX_CODE || depth > MAX_CODE / 4 {
            return None;
        }
        let depth = depth + 1;
        match self.terms.get(term) {
            Term::Constant(constant) => self.push(Instruction::Constant(encode(*constant))),
            Term::Variable(variable) => {
                self.terms.sort(term).scalar()?;
                self.push(Instruction::Load(self.layout.first(*variable)));
            }
            Term::Apply { op, arguments } => match (*op, &arguments[..]) {
                (Op::Ite, &[condition, yes, no]) => {
                    self.terms.sort(term).scalar()?;
                    self.term(condition, depth)?;
                    let to_no = self.hole();
                    self.term(yes, depth)?;
                    let to_end = self.hole();
                    self.instructions[to_no] = Instruction::JumpIfFalse(self.here());
                    self.term(no, depth)?;
                    self.instructions[to_end] = Instruction::Jump(self.here());
                }
                (Op::And | Op::Or, arguments) => {
                    let mut holes = Vec::new();
                    for (position, &argument) in arguments.iter().enumerate() {
                        if position > 0 {
                            holes.push(self.hole());
                        }
                        self.term(argument, depth)?;
                    }
                    if arguments.is_empty() {
                        self.push(Instruction::Constant((*op == Op::And).into()));
                    }
                    for hole in holes {
                        self.instructions[hole] =
                            Instruction::JumpIfDecided(*op == Op::Or, self.here());
                    }
                }
                (Op::Select, &[array, index]) => {
                    let variable = self.terms.as_variable(array)?;
                    let sort = self.terms.sort(array).as_array()?;
                    self.term(index, depth)?;
                    self.push(Instruction::LoadElement {
                        first: self.layout.first(variable),
                        length: sort.length,
                    });
                }
                (Op::Store | Op::ConstArray(_), _) => return None,
                (op, &[a]) => {
                    self.term(a, depth)?;
                    self.push(Instruction::Unary(op, self.width(a)));
                }
                (op, &[a, b]) => {
                    self.terms.sort(a).scalar()?;
                    self.term(a, depth)?;
                    self.term(b, depth)?;
                    self.push(match op {
                        Op::Concat => Instruction::Concat(self.width(b)),
                        _ => Instruction::Binary(op, self.width(a)),
                    });
                }
                _ => return None,
            },
        }
        Some(())
    }

    fn width(&self, term: TermId) -> u32 {
        match self.terms.sort(term) {
            Sort::BitVec(width) => width,
            _ => 1,
        }
    }

    fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }

    /// Space for a jump.
    fn hole(&mut self) -> usize {
        self.push(Instruction::Jump(0));
        self.instructions.len() - 1
    }

    fn here(&self) -> u32 {
        self.instructions.len() as u32
    }
}

fn run(
    instructions: &[Instruction],
    configuration: &Configuration,
    stack: &mut Vec<i128>,
) -> Result<i128, Failure> {
    stack.clear();
    let mut position = 0;
    while let Some(instruction) = instructions.get(position) {
        position += 1;
        match *instruction {
            Instruction::Constant(word) => stack.push(word),
            Instruction::Load(slot) => {
                if configuration.is_undefined(slot) {
                    return Err(Failure::Undefined(slot));
                }
                stack.push(configuration.slots[slot.index()]);
            }
            Instruction::LoadElement { first, length } => {
                let slot = element(first, length, pop(stack))?;
                if configuration.is_undefined(slot) {
                    return Err(Failure::Undefined(slot));
                }
                stack.push(configuration.slots[slot.index()]);
            }
            Instruction::Unary(op, width) => {
                let a = pop(stack);
                stack.push(unary(op, width, a)?);
            }
            Instruction::Binary(op, width) => {
                let b = pop(stack);
                let a = pop(stack);
                stack.push(binary(op, width, a, b)?);
            }
            Instruction::Concat(low) => {
                let b = pop(stack);
                let a = pop(stack);
                stack.push(a << low | b);
            }
            Instruction::Jump(target) => position = target as usize,
            Instruction::JumpIfFalse(target) => {
                if pop(stack) == 0 {
                    position = target as usize;
                }
            }
            Instruction::JumpIfDecided(truth, target) => {
                let word = pop(stack);
                if (word != 0) == truth {
                    stack.push(word);
                    position = target as usize;
                }
            }
        }
    }
    Ok(pop(stack))
}

fn pop(stack: &mut Vec<i128>) -> i128 {
    stack.pop().expect("compiled code pushes before it pops")
}

/// The slot of an array element. A negative index, or a bit-vector too large for `i128`, is
/// out of range like any other.
pub(crate) fn element(first: Slot, length: u32, index: i128) -> Result<Slot, EvalError> {
    if (0..i128::from(length)).contains(&index) {
        Ok(Slot(first.0 + index as u32))
    } else {
        Err(EvalError::IndexOutOfRange { index, length })
    }
}

fn unary(op: Op, width: u32, a: i128) -> Result<i128, EvalError> {
    let bits = a as u128;
    Ok(match op {
        Op::Not => i128::from(a == 0),
        Op::Neg => a.checked_neg().ok_or(EvalError::IntegerOverflow)?,
        Op::BvNot => (!bits & mask(width)) as i128,
        Op::BvNeg => (bits.wrapping_neg() & mask(width)) as i128,
        Op::Extract { high, low } => (bits >> low & mask(high - low + 1)) as i128,
        Op::ZeroExtend { .. } => a,
        Op::SignExtend { by } => (to_signed(width, bits) as u128 & mask(width + by)) as i128,
        _ => panic!("internal error: `{op}` is not a unary operator on words"),
    })
}

fn binary(op: Op, width: u32, a: i128, b: i128) -> Result<i128, EvalError> {
    let overflow = EvalError::IntegerOverflow;
    let (x, y) = (a as u128, b as u128);
    let wrapped = |bits: u128| (bits & mask(width)) as i128;
    let signed = |word: i128| to_signed(width, word as u128);
    Ok(match op {
        Op::Eq => i128::from(a == b),
        Op::Add => a.checked_add(b).ok_or(overflow)?,
        Op::Sub => a.checked_sub(b).ok_or(overflow)?,
        Op::Mul => a.checked_mul(b).ok_or(overflow)?,
        Op::Div | Op::Mod if b == 0 => return Err(EvalError::DivisionByZero),
        Op::Div => a.checked_div_euclid(b).ok_or(overflow)?,
        Op::Mod => a.checked_rem_euclid(b).unwrap_or(0),
        Op::Lt => i128::from(a < b),
        Op::Le => i128::from(a <= b),
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvAdd => wrapped(x.wrapping_add(y)),
        Op::BvSub => wrapped(x.wrapping_sub(y)),
        Op::BvMul => wrapped(x.wrapping_mul(y)),
        Op::BvUlt => i128::from(x < y),
        Op::BvUle => i128::from(x <= y),
        Op::BvSlt => i128::from(signed(a) < signed(b)),
        Op::BvSle => i128::from(signed(a) <= signed(b)),
        Op::BvShl if y < width.into() => wrapped(x << y),
        Op::BvLshr if y < width.into() => (x >> y) as i128,
        Op::BvAshr if y < width.into() => wrapped((signed(a) >> y) as u128),
        // Divisions, and shifts by the width or more, are rare.
        _ => {
            let constant = |word| crate::layout::decode(Scalar::BitVec(width), word);
            encode(op.fold(&[constant(a), constant(b)])?)
        }
    })
}
