//! Sums of integer terms, as the normal form of comparisons.

use heddle_program::{Constant, Op, Term, TermId, Terms};
use std::collections::BTreeMap;

/// Numbers below are negated and added without a second thought.
const LARGE: u128 = 1 << 120;

/// `Σ coefficient · term + constant`; the terms are not looked into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    pub(crate) coefficients: BTreeMap<TermId, i128>,
    pub(crate) constant: i128,
}

impl Linear {
    /// An integer term as a sum. `None` if a coefficient is too large.
    pub(crate) fn of(terms: &Terms, term: TermId) -> Option<Linear> {
        let mut sum = Linear::default();
        sum.add(terms, term, 1)?;
        sum.normal()
    }

    /// `left - right`. `None` if a coefficient is too large.
    pub(crate) fn difference(terms: &Terms, left: TermId, right: TermId) -> Option<Linear> {
        let mut sum = Linear::default();
        sum.add(terms, left, 1)?;
        sum.add(terms, right, -1)?;
        sum.normal()
    }

    /// Without what cancelled out. `None` if a number is large.
    fn normal(mut self) -> Option<Linear> {
        self.coefficients.retain(|_, coefficient| *coefficient != 0);
        let fits = |number: &i128| number.unsigned_abs() < LARGE;
        let fit = self.coefficients.values().all(fits) && fits(&self.constant);
        fit.then_some(self)
    }

    pub(crate) fn times(&self, factor: i128) -> Option<Linear> {
        let mut product = self.clone();
        product.constant = product.constant.checked_mul(factor)?;
        for coefficient in product.coefficients.values_mut() {
            *coefficient = coefficient.checked_mul(factor)?;
        }
        product.normal()
    }

    pub(crate) fn plus(&self, other: &Linear) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant)?;
        for (&term, &coefficient) in &other.coefficients {
            let entry = sum.coefficients.entry(term).or_insert(0);
            *entry = entry.checked_add(coefficient)?;
        }
        sum.normal()
    }

    /// Adds a multiple of the term. Each subterm is looked at once, with the factor that all of its
    /// uses add up to: users come later in the arena than what they use.
    fn add(&mut self, terms: &Terms, term: TermId, factor: i128) -> Option<()> {
        let mut pending = BTreeMap::from([(term, factor)]);
        while let Some((term, factor)) = pending.pop_last() {
            let mut part = |term: TermId, factor: i128| {
                let sum = pending.entry(term).or_insert(0);
                *sum = sum.checked_add(factor)?;
                Some(())
            };
            match terms.get(term) {
                Term::Constant(Constant::Int(value)) => {
                    let product = value.checked_mul(factor)?;
                    self.constant = self.constant.checked_add(product)?;
                    continue;
                }
                Term::Apply { op, arguments } => match (op, &arguments[..]) {
                    (Op::Neg, &[a]) => {
                        part(a, factor.checked_neg()?)?;
                        continue;
                    }
                    (Op::Add, &[a, b]) => {
                        part(a, factor)?;
                        part(b, factor)?;
                        continue;
                    }
                    (Op::Sub, &[a, b]) => {
                        part(a, factor)?;
                        part(b, factor.checked_neg()?)?;
                        continue;
                    }
                    (Op::Mul, &[a, b]) => {
                        let constant = |term: TermId| match terms.as_constant(term) {
                            Some(Constant::Int(value)) => Some(value),
                            _ => None,
                        };
                        let scaled = constant(a).map(|value| (value, b));
                        let scaled = scaled.or_else(|| constant(b).map(|value| (value, a)));
                        if let Some((value, other)) = scaled {
                            part(other, factor.checked_mul(value)?)?;
                            continue;
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
            let coefficient = self.coefficients.entry(term).or_insert(0);
            *coefficient = coefficient.checked_add(factor)?;
        }
        Some(())
    }

    pub(crate) fn plus_constant(mut self, constant: i128) -> Option<Linear> {
        self.constant = self.constant.checked_add(constant)?;
        Some(self)
    }

    /// `Σ <= 0`: positive parts on the left, negative ones on the right.
    pub(crate) fn is_at_most_zero(&self, terms: &mut Terms) -> TermId {
        let divisor = self.divisor();
        if divisor == 0 {
            return terms.bool(self.constant <= 0);
        }
        // Integers: what a sum of multiples of the divisor is at most can be rounded down.
        let bound = (-self.constant).div_euclid(divisor);
        let (left, right) = self.sides(terms, divisor, bound);
        terms.le(left, right)
    }

    /// `Σ = 0`
    pub(crate) fn is_zero(&self, terms: &mut Terms) -> TermId {
        let divisor = self.divisor();
        if divisor == 0 {
            return terms.bool(self.constant == 0);
        }
        if self.constant % divisor != 0 {
            return terms.bool(false);
        }
        // The first term gets a positive factor, so that both ways to write it are one.
        let first = self.coefficients.values().next().copied().unwrap_or(1);
        let divisor = if first < 0 { -divisor } else { divisor };
        let (left, right) = self.sides(terms, divisor, -self.constant / divisor);
        terms.eq(left, right)
    }

    /// The greatest common divisor of the coefficients; 0 if there are none.
    fn divisor(&self) -> i128 {
        let coefficients = self.coefficients.values();
        coefficients.fold(0, |divisor, &coefficient| gcd(divisor, coefficient.abs()))
    }

    /// The sum over the divisor, without its constant, on one side and the bound on the
    /// other, arranged so that there is as little subtraction as possible.
    fn sides(&self, terms: &mut Terms, divisor: i128, bound: i128) -> (TermId, TermId) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (&term, &coefficient) in &self.coefficients {
            let factor = coefficient / divisor;
            let scaled = match factor.abs() {
                1 => term,
                factor => {
                    let factor = terms.int(factor);
                    terms.mul(term, factor)
                }
            };
            match factor > 0 {
                true => left.push(scaled),
                false => right.push(scaled),
            }
        }
        if left.is_empty() {
            left.push(terms.int(-bound));
        } else if bound > 0 || right.is_empty() {
            right.push(terms.int(bound));
        } else if bound < 0 {
            left.push(terms.int(-bound));
        }
        (sum(terms, &left), sum(terms, &right))
    }
}

fn sum(terms: &mut Terms, summands: &[TermId]) -> TermId {
    let (first, rest) = summands.split_first().expect("each side has a summand");
    rest.iter().fold(*first, |sum, &next| terms.add(sum, next))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_program::Sort;

    fn shown(
        compare: impl Fn(&Linear, &mut Terms) -> TermId,
        sums: [&[(i128, &str)]; 2],
    ) -> String {
        let mut terms = Terms::new();
        for name in ["a", "s", "t"] {
            terms.declare(name, Sort::Int);
        }
        let [left, right] = sums.map(|sum| {
            let mut total = terms.int(0);
            for &(factor, name) in sum {
                let factor_term = terms.int(factor);
                let summand = match terms.lookup(name) {
                    Some(variable) => {
                        let variable = terms.variable(variable);
                        terms.mul(factor_term, variable)
                    }
                    None => factor_term,
                };
                total = terms.add(total, summand);
            }
            total
        });
        let difference = Linear::difference(&terms, left, right).unwrap();
        let term = compare(&difference, &mut terms);
        terms.display(term).to_string()
    }

    #[test]
    fn comparisons_look_as_papers_print_them() {
        let at_most = |left: &[(i128, &str)], right: &[(i128, &str)]| {
            shown(Linear::is_at_most_zero, [left, right])
        };
        assert_eq!(at_most(&[(1, "a")], &[(1, "s"), (1, "")]), "a <= s + 1");
        assert_eq!(at_most(&[(1, "t"), (1, "")], &[(1, "s")]), "t + 1 <= s");
        assert_eq!(
            at_most(&[(1, "t"), (1, "")], &[(1, "s"), (1, "")]),
            "t <= s"
        );
        assert_eq!(at_most(&[(1, "a"), (1, "")], &[]), "a <= -1");
        assert_eq!(at_most(&[], &[(1, "a")]), "0 <= a");
        assert_eq!(at_most(&[], &[(1, "a"), (3, "")]), "-3 <= a");
        assert_eq!(at_most(&[(3, "")], &[(1, "a")]), "3 <= a");
        assert_eq!(at_most(&[(2, "a")], &[(2, "s"), (3, "")]), "a <= s + 1");
        assert_eq!(at_most(&[(1, "a")], &[(1, "a"), (1, "")]), "true");
        let equal =
            |left: &[(i128, &str)], right: &[(i128, &str)]| shown(Linear::is_zero, [left, right]);
        assert_eq!(equal(&[(1, "a"), (1, "")], &[]), "a = -1");
        assert_eq!(
            equal(&[(1, "s")], &[(1, "a")]),
            equal(&[(1, "a")], &[(1, "s")])
        );
        assert_eq!(equal(&[(2, "a")], &[(3, "")]), "false");
    }
}
