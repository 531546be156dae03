//! Bit-vector arithmetic as circuits of gates. A word is a slice of literals, lowest bit
//! first. The meaning of every operation is SMT-LIB's, division by zero included.

use crate::Literal;
use crate::gates::Gates;

pub(crate) type Word = Vec<Literal>;

pub(crate) enum Shift {
    Left,
    /// What comes in from the left.
    Right(Literal),
}

/// Bit by bit.
impl Gates {
    pub(crate) fn zip(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        gate: impl Fn(&mut Gates, Literal, Literal) -> Literal,
    ) -> Word {
        debug_assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    pub(crate) fn choose(&mut self, condition: Literal, yes: &[Literal], no: &[Literal]) -> Word {
        self.zip(yes, no, |gates, yes, no| gates.ite(condition, yes, no))
    }

    pub(crate) fn equal(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let same = self.zip(a, b, |gates, a, b| !gates.xor2(a, b));
        self.and(&same)
    }
}

/// Variables.
impl Gates {
    /// Some signed number, of no more bits than those between the two need: above them, all
    /// bits are the sign.
    pub(crate) fn numbers_between(&mut self, width: u32, least: i128, most: i128) -> Word {
        let length = |number: i128| i128::BITS - (number ^ (number >> 127)).leading_zeros();
        let length = length(least).max(length(most)).min(width);
        let mut word: Word = (0..length).map(|_| self.sat.new_literal()).collect();
        if length < width {
            let sign = match (least < 0, most < 0) {
                (false, _) => Literal::FALSE,
                (_, true) => Literal::TRUE,
                (true, false) => self.sat.new_literal(),
            };
            word.resize(width as usize, sign);
        }
        word
    }
}

/// Sums, comparisons, products.
impl Gates {
    /// The sum and the carry out of the highest bit.
    fn add_with_carry(&mut self, a: &[Literal], b: &[Literal], carry: Literal) -> (Word, Literal) {
        let mut carry = carry;
        let mut sum = Word::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            sum.push(self.xor3(a, b, carry));
            carry = self.majority(a, b, carry);
        }
        (sum, carry)
    }

    pub(crate) fn add(&mut self, a: &[Literal], b: &[Literal]) -> Word {
        self.add_with_carry(a, b, Literal::FALSE).0
    }

    pub(crate) fn subtract(&mut self, a: &[Literal], b: &[Literal]) -> Word {
        self.add_with_carry(a, &complement(b), Literal::TRUE).0
    }

    pub(crate) fn negate(&mut self, a: &[Literal]) -> Word {
        let zero = vec![Literal::FALSE; a.len()];
        self.subtract(&zero, a)
    }

    fn negate_if(&mut self, condition: Literal, a: &[Literal]) -> Word {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    pub(crate) fn less_unsigned(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let mut less = Literal::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            less = self.majority(!a, b, less);
        }
        less
    }

    pub(crate) fn less_signed(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        let top = a.len() - 1;
        (a[top], b[top]) = (!a[top], !b[top]);
        self.less_unsigned(&a, &b)
    }

    pub(crate) fn multiply(&mut self, a: &[Literal], b: &[Literal]) -> Word {
        let zeros = |word: &[Literal]| word.iter().filter(|&&l| l == Literal::FALSE).count();
        // One row of adders for each bit that may be set: the fewer the better.
        let (a, b) = if zeros(a) > zeros(b) { (b, a) } else { (a, b) };
        let mut product = vec![Literal::FALSE; a.len()];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == Literal::FALSE {
                continue;
            }
            let row: Word = a[..a.len() - shift]
                .iter()
                .map(|&a| self.and2(a, bit))
                .collect();
            let sum = self.add(&product[shift..], &row);
            product.splice(shift.., sum);
        }
        product
    }
}

/// Quotients and remainders.
impl Gates {
    /// Quotient and remainder, as in school: bring down a bit, subtract where that is
    /// possible. For divisor 0 it always is, which gives just what SMT-LIB asks for: all
    /// ones, and the dividend.
    pub(crate) fn divide_unsigned(&mut self, a: &[Literal], b: &[Literal]) -> (Word, Word) {
        let width = a.len();
        let mut divisor = b.to_vec();
        divisor.push(Literal::FALSE);
        let mut quotient = vec![Literal::FALSE; width];
        let mut remainder = vec![Literal::FALSE; width];
        for position in (0..width).rev() {
            remainder.insert(0, a[position]);
            let (difference, fits) =
                self.add_with_carry(&remainder, &complement(&divisor), Literal::TRUE);
            quotient[position] = fits;
            remainder = self.choose(fits, &difference[..width], &remainder[..width]);
        }
        (quotient, remainder)
    }

    /// Rounds towards zero; the remainder has the sign of the dividend.
    pub(crate) fn divide_signed(&mut self, a: &[Literal], b: &[Literal]) -> (Word, Word) {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let size_a = self.negate_if(sign_a, a);
        let size_b = self.negate_if(sign_b, b);
        let (quotient, remainder) = self.divide_unsigned(&size_a, &size_b);
        let signs_differ = self.xor2(sign_a, sign_b);
        (
            self.negate_if(signs_differ, &quotient),
            self.negate_if(sign_a, &remainder),
        )
    }
}

/// Shifts.
impl Gates {
    pub(crate) fn shift(&mut self, a: &[Literal], amount: &[Literal], shift: Shift) -> Word {
        let width = a.len();
        let mut word = a.to_vec();
        let mut beyond = Vec::new();
        let fill = match shift {
            Shift::Left => Literal::FALSE,
            Shift::Right(fill) => fill,
        };
        for (position, &bit) in amount.iter().enumerate() {
            let distance = 1usize.checked_shl(position as u32).unwrap_or(usize::MAX);
            if distance >= width {
                beyond.push(bit);
                continue;
            }
            let filling = std::iter::repeat_n(fill, distance);
            let shifted: Word = match shift {
                Shift::Left => filling.chain(word[..width - distance].to_vec()).collect(),
                Shift::Right(_) => word[distance..].iter().copied().chain(filling).collect(),
            };
            word = self.choose(bit, &shifted, &word);
        }
        let beyond = self.or(&beyond);
        self.choose(beyond, &vec![fill; width], &word)
    }
}

pub(crate) fn complement(a: &[Literal]) -> Word {
    a.iter().map(|&literal| !literal).collect()
}

pub(crate) fn constant(width: u32, bits: u128) -> Word {
    (0..width)
        .map(|position| Literal::from(bits >> position & 1 == 1))
        .collect()
}
