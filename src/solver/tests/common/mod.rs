//! Random terms from a list of instructions, which proptest shrinks well.

use heddle_program::{ArraySort, Op, Scalar, Sort, TermId, Terms};

/// What to build next: an operator and where its arguments come from.
pub(crate) type Instruction = (u8, u16, u16, u16);

pub(crate) struct Generated {
    pub(crate) terms: Terms,
    pub(crate) bools: Vec<TermId>,
    pub(crate) words: Vec<TermId>,
    pub(crate) arrays: Vec<TermId>,
}

fn pick(pool: &[TermId], choice: u16) -> TermId {
    pool[choice as usize % pool.len()]
}

const WORD_OPS: [Op; 13] = [
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvAdd,
    Op::BvSub,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
];

const COMPARISONS: [Op; 5] = [Op::Eq, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle];

/// Terms over three words of `width` bits, two booleans and two arrays of such words with
/// `length` elements. Every index is below the length.
pub(crate) fn generate(width: u32, length: u32, instructions: &[Instruction]) -> Generated {
    let mut terms = Terms::new();
    let array = ArraySort {
        index: Scalar::BitVec(3),
        element: Scalar::BitVec(width),
        length,
    };
    let mut variable = |name: &str, sort| {
        let variable = terms.declare(name, sort);
        terms.variable(variable)
    };
    let mut words: Vec<TermId> = ["x", "y", "z"]
        .map(|name| variable(name, Sort::BitVec(width)))
        .into();
    let mut bools: Vec<TermId> = ["p", "q"].map(|name| variable(name, Sort::Bool)).into();
    let mut arrays: Vec<TermId> = ["a", "b"]
        .map(|name| variable(name, Sort::Array(array)))
        .into();
    for &(kind, a, b, c) in instructions {
        match kind % 12 {
            0..=2 => {
                let op = WORD_OPS[c as usize % WORD_OPS.len()];
                words.push(terms.apply(op, &[pick(&words, a), pick(&words, b)]));
            }
            3 | 4 => {
                let op = COMPARISONS[c as usize % COMPARISONS.len()];
                bools.push(terms.apply(op, &[pick(&words, a), pick(&words, b)]));
            }
            5 => {
                let arguments = [pick(&bools, a), pick(&bools, b), pick(&bools, c)];
                bools.push(match a % 3 {
                    0 => terms.and(&arguments),
                    1 => terms.or(&arguments),
                    _ => terms.ite(arguments[0], arguments[1], arguments[2]),
                });
            }
            6 => {
                let term = pick(&bools, a);
                bools.push(match b % 2 {
                    0 => terms.not(term),
                    _ => terms.eq(term, pick(&bools, c)),
                });
            }
            7 => {
                let condition = pick(&bools, a);
                words.push(terms.ite(condition, pick(&words, b), pick(&words, c)));
            }
            8 => words.push(terms.bit_vec(width, a.into())),
            9 => {
                let word = pick(&words, a);
                let low = u32::from(b) % width;
                let high = low + u32::from(c) % (width - low);
                let part = terms.extract(high, low, word);
                let missing = width - (high - low + 1);
                words.push(match c % 4 {
                    0 => terms.zero_extend(missing, part),
                    1 => terms.sign_extend(missing, part),
                    2 if missing > 0 => {
                        let filling = terms.extract(missing - 1, 0, pick(&words, b));
                        terms.concat(filling, part)
                    }
                    2 => terms.bv_neg(word),
                    _ => terms.bv_not(word),
                });
            }
            10 => {
                let at = index(&mut terms, width, length, pick(&words, b));
                words.push(terms.select(pick(&arrays, a), at));
            }
            _ => match c % 4 {
                0 => {
                    let element = pick(&words, a);
                    arrays.push(terms.const_array(array, element));
                }
                1 => bools.push(terms.eq(pick(&arrays, a), pick(&arrays, b))),
                2 => {
                    let condition = pick(&bools, c);
                    arrays.push(terms.ite(condition, pick(&arrays, a), pick(&arrays, b)));
                }
                _ => {
                    let at = index(&mut terms, width, length, pick(&words, b));
                    let value = pick(&words, a.rotate_left(3));
                    arrays.push(terms.store(pick(&arrays, a), at, value));
                }
            },
        }
    }
    Generated {
        terms,
        bools,
        words,
        arrays,
    }
}

/// Three bits that are below the length.
fn index(terms: &mut Terms, width: u32, length: u32, word: TermId) -> TermId {
    let word = if width >= 3 {
        terms.extract(2, 0, word)
    } else {
        terms.zero_extend(3 - width, word)
    };
    if length == 8 {
        return word;
    }
    let length = terms.bit_vec(3, length.into());
    terms.bv_urem(word, length)
}
