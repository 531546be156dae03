//! Boolean functions of literals, as clauses (the transformation of Tseitin).
//!
//! Every gate is defined in both directions, so its literal can be used negated as well and
//! shared by later terms. Constants are propagated, and a gate that was made before is
//! found again: two equal circuits are one.

use crate::{Literal, Sat};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(crate) struct Gates {
    pub(crate) sat: Sat,
    made: FxHashMap<Gate, Literal>,
}

/// Arguments in the normal form that the function of the same name establishes.
#[derive(PartialEq, Eq, Hash)]
enum Gate {
    And2(Literal, Literal),
    And(Box<[Literal]>),
    Xor2(Literal, Literal),
    Xor3([Literal; 3]),
    Ite(Literal, Literal, Literal),
    Majority([Literal; 3]),
}

impl Gates {
    pub(crate) fn and2(&mut self, a: Literal, b: Literal) -> Literal {
        match (a.constant(), b.constant()) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) | (_, Some(false)) => return Literal::FALSE,
            _ => {}
        }
        if a == b {
            return a;
        }
        if a == !b {
            return Literal::FALSE;
        }
        let (a, b) = (a.min(b), a.max(b));
        self.gate(Gate::And2(a, b), |sat, out| {
            sat.add_clause(&[!out, a]);
            sat.add_clause(&[!out, b]);
            sat.add_clause(&[out, !a, !b]);
        })
    }

    pub(crate) fn or2(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and2(!a, !b)
    }

    pub(crate) fn and(&mut self, arguments: &[Literal]) -> Literal {
        let mut literals: Vec<Literal> = arguments
            .iter()
            .copied()
            .filter(|&literal| literal != Literal::TRUE)
            .collect();
        // By variable, so that a literal and its negation are neighbours.
        literals.sort_unstable_by_key(|literal| (literal.variable(), literal.is_negative()));
        literals.dedup();
        let contradicting = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        if contradicting || literals.contains(&Literal::FALSE) {
            return Literal::FALSE;
        }
        match literals[..] {
            [] => Literal::TRUE,
            [only] => only,
            [a, b] => self.and2(a, b),
            _ => {
                let arguments: Box<[Literal]> = literals.into();
                self.gate(Gate::And(arguments.clone()), |sat, out| {
                    for &argument in &arguments {
                        sat.add_clause(&[!out, argument]);
                    }
                    let mut clause: Vec<Literal> = arguments.iter().map(|&a| !a).collect();
                    clause.push(out);
                    sat.add_clause(&clause);
                })
            }
        }
    }

    pub(crate) fn or(&mut self, arguments: &[Literal]) -> Literal {
        let negated: Vec<Literal> = arguments.iter().map(|&literal| !literal).collect();
        !self.and(&negated)
    }

    pub(crate) fn xor2(&mut self, a: Literal, b: Literal) -> Literal {
        let flip = a.is_negative() != b.is_negative();
        let (a, b) = (a.variable(), b.variable());
        let (a, b) = (a.min(b), a.max(b));
        let out = if a == b {
            Literal::FALSE
        } else if a == Literal::TRUE {
            !b
        } else {
            self.gate(Gate::Xor2(a, b), |sat, out| {
                sat.add_clause(&[!out, a, b]);
                sat.add_clause(&[!out, !a, !b]);
                sat.add_clause(&[out, !a, b]);
                sat.add_clause(&[out, a, !b]);
            })
        };
        out.negated_if(flip)
    }

    /// The sum bit of a full adder.
    pub(crate) fn xor3(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let flip = a.is_negative() ^ b.is_negative() ^ c.is_negative();
        let mut arguments = [a.variable(), b.variable(), c.variable()];
        arguments.sort_unstable();
        let [a, b, c] = arguments;
        let out = if a == b {
            c
        } else if b == c {
            a
        } else if a == Literal::TRUE {
            !self.xor2(b, c)
        } else {
            self.gate(Gate::Xor3(arguments), |sat, out| {
                for (x, y) in [(a, b), (a, !b), (!a, b), (!a, !b)] {
                    // x and y false: the output is c, flipped once for each true argument.
                    let odd = (x != a) != (y != b);
                    let c = c.negated_if(odd);
                    sat.add_clause(&[x, y, !out, c]);
                    sat.add_clause(&[x, y, out, !c]);
                }
            })
        };
        out.negated_if(flip)
    }

    /// The carry bit of a full adder: at least two of the three.
    pub(crate) fn majority(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        for (x, y, z) in [(a, b, c), (a, c, b), (b, c, a)] {
            if x == y {
                return x;
            }
            if x == !y {
                return z;
            }
        }
        let mut arguments = [a, b, c];
        if let Some(at) = arguments.iter().position(|a| a.constant().is_some()) {
            let (x, y) = (arguments[(at + 1) % 3], arguments[(at + 2) % 3]);
            return match arguments[at] {
                Literal::TRUE => self.or2(x, y),
                _ => self.and2(x, y),
            };
        }
        // The function is its own dual: negate all three so that at most one is negated.
        let flip = arguments.iter().filter(|a| a.is_negative()).count() >= 2;
        arguments = arguments.map(|a| a.negated_if(flip));
        arguments.sort_unstable();
        let [a, b, c] = arguments;
        let out = self.gate(Gate::Majority(arguments), |sat, out| {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                sat.add_clause(&[!x, !y, out]);
                sat.add_clause(&[x, y, !out]);
            }
        });
        out.negated_if(flip)
    }

    pub(crate) fn ite(&mut self, condition: Literal, yes: Literal, no: Literal) -> Literal {
        if condition.is_negative() {
            return self.ite(!condition, no, yes);
        }
        if condition == Literal::TRUE || yes == no {
            return yes;
        }
        if yes == !no {
            return self.xor2(condition, no);
        }
        if yes == Literal::TRUE || yes == condition {
            return self.or2(condition, no);
        }
        if yes == Literal::FALSE || yes == !condition {
            return self.and2(!condition, no);
        }
        if no == Literal::TRUE || no == !condition {
            return self.or2(!condition, yes);
        }
        if no == Literal::FALSE || no == condition {
            return self.and2(condition, yes);
        }
        let flip = yes.is_negative();
        let (yes, no) = (yes.negated_if(flip), no.negated_if(flip));
        let out = self.gate(Gate::Ite(condition, yes, no), |sat, out| {
            sat.add_clause(&[!condition, !yes, out]);
            sat.add_clause(&[!condition, yes, !out]);
            sat.add_clause(&[condition, !no, out]);
            sat.add_clause(&[condition, no, !out]);
            // Implied, but lets the output follow while the condition is open.
            sat.add_clause(&[!yes, !no, out]);
            sat.add_clause(&[yes, no, !out]);
        });
        out.negated_if(flip)
    }

    /// The gate's output: the one made before, or a literal that `define` ties to the gate.
    fn gate(&mut self, gate: Gate, define: impl FnOnce(&mut Sat, Literal)) -> Literal {
        if let Some(&out) = self.made.get(&gate) {
            return out;
        }
        let out = self.sat.new_literal();
        define(&mut self.sat, out);
        self.made.insert(gate, out);
        out
    }
}
