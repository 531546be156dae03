//! Smaller unsatisfiable cores.

use crate::{Answer, Literal, Solver};

/// Leaves out assumptions one by one as long as the rest still has no model, with at most
/// `calls` solver calls. `core` must be unsatisfiable for the solver as it stands; so is the
/// result, and if all calls were answered and sufficed, no literal of it can be spared.
pub fn shrink_core(solver: &mut dyn Solver, core: &[Literal], calls: usize) -> Vec<Literal> {
    let mut core = core.to_vec();
    core.sort_unstable();
    core.dedup();
    let mut untried = core.clone();
    for _ in 0..calls {
        let Some(candidate) = untried.pop() else {
            break;
        };
        let rest: Vec<Literal> = core.iter().copied().filter(|&l| l != candidate).collect();
        if solver.check(&rest) == Answer::Unsat {
            core = solver.core().to_vec();
            untried.retain(|literal| core.contains(literal));
        }
    }
    core
}
