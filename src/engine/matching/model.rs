//! The program as the paper's models are: a program counter, and guarded updates of all other
//! variables.

use super::control::Control;
use crate::action::Action;
use heddle_interpret::{Interleavings, Runner};
use heddle_program::{EvalError, Op, Program, Statement, Term, TermId, Terms, VarId};

pub(crate) struct Model {
    /// By edge.
    pub(crate) actions: Vec<Action>,
    pub(crate) control: Control,
    /// By edge.
    pub(crate) guards: Vec<ControlGuard>,
}

/// The part of a guard that the program counter decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlGuard {
    pub(crate) term: TermId,
    /// Whether it is all of the guard.
    pub(crate) is_all: bool,
}

impl Model {
    /// Terms are added to the program's. Fails if an initial value has none.
    pub(crate) fn new(
        program: &mut Program,
        interleavings: Interleavings,
    ) -> Result<Model, EvalError> {
        let runner = Runner::new(program, interleavings)?;
        let dying: Vec<Vec<VarId>> = program.edge_ids().map(|edge| runner.dying(edge)).collect();
        drop(runner);
        let statements: Vec<Statement> = program
            .edges
            .iter()
            .map(|edge| edge.statement.clone())
            .collect();
        let actions: Vec<Action> = statements
            .iter()
            .zip(&dying)
            .map(|(statement, dying)| Action::new(&mut program.terms, statement, dying))
            .collect();
        let control = Control::new(program, &actions);
        let guards = actions
            .iter()
            .map(|action| control_guard(&mut program.terms, &control, action));
        Ok(Model {
            guards: guards.collect(),
            actions,
            control,
        })
    }
}

fn control_guard(terms: &mut Terms, control: &Control, action: &Action) -> ControlGuard {
    let conjuncts = match terms.get(action.guard) {
        Term::Apply {
            op: Op::And,
            arguments,
        } => arguments.to_vec(),
        _ => vec![action.guard],
    };
    let all = conjuncts.len();
    let decided = conjuncts.into_iter().filter(|&c| control.decides(terms, c));
    let decided: Vec<TermId> = decided.collect();
    ControlGuard {
        term: terms.and(&decided),
        is_all: decided.len() == all,
    }
}
