//! The set of reachable states is the strongest invariant there is: of a safe program it is
//! accepted, of an unsafe one it is not, and without any one of its states it is not either.

#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;

use heddle_certificate::{Cell, Rejected, check, read, write};
use heddle_interpret::{NondetRange, State, Step, choices, execute};
use heddle_program::{Constant, Program, Scalar, TermId, Terms, Value};
use heddle_solver::Limits;
use random_program::random_program;
use std::collections::HashSet;

const MAX_STATES: usize = 120;
const CASES: u32 = 1_500;

#[derive(Default)]
struct Reachable {
    states: Vec<State>,
    violated: bool,
    bound_reached: bool,
}

/// All reachable states; `None` if there are many, or if they cannot be enumerated.
fn reachable(program: &Program) -> Option<Reachable> {
    let all = NondetRange::default();
    let mut found = Reachable::default();
    let mut seen: HashSet<State> = HashSet::new();
    let mut pending: Vec<State> = Vec::new();
    if program.variables.iter().any(|v| v.initial.is_none()) {
        return None;
    }
    let initial = State::initial(program, |id| Value::zero(program.variable(id).sort)).ok()?;
    seen.insert(initial.clone());
    pending.push(initial);
    while let Some(state) = pending.pop() {
        if seen.len() > MAX_STATES {
            return None;
        }
        found.violated |= state.is_error(program).ok()?;
        for edge in program.edge_ids() {
            if state.location(program.thread_of(edge)) != Some(program.edge(edge).source) {
                continue;
            }
            let sorts = choices(program, &program.edge(edge).statement);
            if sorts.contains(&Scalar::Int) {
                return None;
            }
            for values in combinations(&sorts, all) {
                match execute(program, &state, edge, &values).ok()? {
                    Step::Next(next) => {
                        if seen.insert(next.clone()) {
                            pending.push(next);
                        }
                    }
                    Step::Blocked => {}
                    Step::Violated => found.violated = true,
                    Step::BoundReached => found.bound_reached = true,
                }
            }
        }
        found.states.push(state);
    }
    Some(found)
}

fn combinations(sorts: &[Scalar], range: NondetRange) -> Vec<Vec<Constant>> {
    sorts.iter().fold(vec![Vec::new()], |starts, &sort| {
        let longer = starts.into_iter().flat_map(|start| {
            let values = range.values(sort);
            values.map(move |value| [&start[..], &[value]].concat())
        });
        longer.collect()
    })
}

/// The cell of exactly this state.
fn cell(program: &Program, terms: &mut Terms, state: &State) -> Cell {
    let equations: Vec<TermId> = program
        .variable_ids()
        .map(|id| {
            let value = terms.value(state.value(id));
            let variable = terms.variable(id);
            terms.eq(variable, value)
        })
        .collect();
    Cell {
        at: program
            .thread_ids()
            .map(|thread| (thread, vec![state.location(thread)]))
            .collect(),
        holds: terms.and(&equations),
    }
}

fn accepted(
    program: &Program,
    terms: &Terms,
    cells: &[Cell],
) -> Result<heddle_certificate::Accepted, Rejected> {
    let text = write(program, terms, cells);
    let invariant = read(program, &text).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"));
    assert_eq!(
        invariant.cells.len(),
        cells.len(),
        "nothing is lost in the text"
    );
    check(program, &invariant, Limits::default())
}

#[test]
fn exactly_the_complete_sets_of_safe_programs_are_accepted() {
    let mut random = fastrand::Rng::with_seed(20);
    let (mut safe, mut unsafe_, mut bounded) = (0, 0, 0);
    for _ in 0..CASES {
        let choices: Vec<u16> = (0..random.usize(20..120)).map(|_| random.u16(..)).collect();
        let program = random_program(&choices);
        let Some(found) = reachable(&program) else {
            continue;
        };
        let mut terms = program.terms.clone();
        let mut cells: Vec<Cell> = found
            .states
            .iter()
            .map(|state| cell(&program, &mut terms, state))
            .collect();
        let answer = accepted(&program, &terms, &cells);
        if found.violated {
            unsafe_ += 1;
            assert!(matches!(answer, Err(Rejected::Refuted(_))), "{program}");
            continue;
        }
        safe += 1;
        match answer {
            Ok(accepted) => {
                assert_eq!(
                    accepted.up_to.is_some(),
                    found.bound_reached,
                    "a bound that can be reached is told\n{program}"
                );
                bounded += u32::from(found.bound_reached);
            }
            Err(rejected) => panic!("{}{program}", rejected.describe(&program)),
        }
        cells.remove(random.usize(..cells.len()));
        let answer = accepted(&program, &terms, &cells);
        assert!(
            matches!(answer, Err(Rejected::Refuted(_))),
            "without one of its states it is no invariant\n{program}"
        );
    }
    assert!(
        safe > 50 && unsafe_ > 50 && bounded > 0,
        "{safe} {unsafe_} {bounded}"
    );
}
