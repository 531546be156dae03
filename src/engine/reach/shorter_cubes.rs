//! The same states in fewer words: a disjunction of cubes with fewer literals.
//!
//! If a cube, with one of its literals turned round, is below another one, then it need not
//! have the literal: where it does not hold, the other cube does.

use super::predicates::{Cube, Literal, is_below};

/// Of so many cubes nobody compares all with all.
const MOST_CUBES: usize = 300;

/// Cubes whose disjunction holds in the same states.
pub(crate) fn shorter_cubes(mut cubes: Vec<Cube>) -> Vec<Cube> {
    if cubes.len() > MOST_CUBES {
        return cubes;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for number in 0..cubes.len() {
            while let Some(shorter) = shorter(&cubes, number) {
                cubes[number] = shorter;
                changed = true;
            }
        }
        without_covered(&mut cubes);
    }
    cubes
}

fn shorter(cubes: &[Cube], number: usize) -> Option<Cube> {
    let cube = &cubes[number];
    let is_needed = |position: usize| {
        let mut turned = cube.to_vec();
        let literal = turned[position];
        turned[position] = Literal::new(literal.predicate(), !literal.holds());
        let mut others = cubes
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != number);
        !others.any(|(_, other)| is_below(&turned, other))
    };
    let position = (0..cube.len()).find(|&position| !is_needed(position))?;
    let mut shorter = cube.to_vec();
    shorter.remove(position);
    Some(shorter.into())
}

/// Leaves out what another one says.
fn without_covered(cubes: &mut Vec<Cube>) {
    let mut number = 0;
    while number < cubes.len() {
        let mut others = cubes
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != number);
        if others.any(|(_, other)| is_below(&cubes[number], other)) {
            cubes.remove(number);
        } else {
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::predicates::PredicateId;
    use super::*;

    /// Predicates by number from 1 on; negative ones do not hold.
    fn cube(literals: &[i32]) -> Cube {
        let literal = |&l: &i32| Literal::new(PredicateId(l.unsigned_abs() - 1), l > 0);
        literals.iter().map(literal).collect()
    }

    /// Whether one of the cubes holds where these predicates do and the others do not.
    fn holds(cubes: &[Cube], which: u32) -> bool {
        let is_true = |l: &Literal| (which >> l.predicate().0 & 1 == 1) == l.holds();
        cubes.iter().any(|cube| cube.iter().all(is_true))
    }

    #[test]
    fn what_does_not_matter_is_not_said() {
        let cubes = vec![cube(&[1, 2]), cube(&[-1, 2]), cube(&[1, -2, 3])];
        let shorter = shorter_cubes(cubes.clone());
        assert_eq!(shorter, [cube(&[2]), cube(&[1, 3])]);
        for which in 0..8 {
            assert_eq!(holds(&shorter, which), holds(&cubes, which));
        }
    }

    #[test]
    fn a_cube_that_another_one_covers_is_left_out() {
        assert_eq!(shorter_cubes(vec![cube(&[1, 3]), cube(&[3])]), [cube(&[3])]);
    }
}
