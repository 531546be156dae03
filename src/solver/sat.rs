//! CaDiCaL: clauses, assumptions, models and cores, without any term.
//!
//! For what is propositional from the start, such as a minimal re-partitioning or a total
//! order; terms come in through [`BitBlaster`](crate::BitBlaster), which is built on this.

use crate::{Answer, Limits, Literal, Reason, Statistics};
use cadical_sys::{CaDiCal, Status, Terminator};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

pub struct Sat {
    cadical: CaDiCal,
    /// The variable with the highest number.
    last: i32,
    limits: Rc<RefCell<Limits>>,
    core: Vec<Literal>,
    statistics: Statistics,
    /// Reused for each clause.
    clause: Vec<i32>,
}

struct GiveUp(Rc<RefCell<Limits>>);

impl Terminator for GiveUp {
    fn terminated(&mut self) -> bool {
        self.0.borrow().exceeded().is_some()
    }
}

/// Problem specification.
impl Sat {
    pub fn new() -> Sat {
        let limits = Rc::new(RefCell::new(Limits::default()));
        let mut cadical = CaDiCal::new();
        // Variables that CaDiCaL makes up would take the numbers of later ones of ours.
        cadical.set("factor", 0);
        cadical.connect_terminator(GiveUp(limits.clone()));
        let truth = Literal::TRUE.number();
        cadical.clause1(truth);
        Sat {
            cadical,
            last: truth,
            limits,
            core: Vec::new(),
            statistics: Statistics::default(),
            clause: Vec::new(),
        }
    }

    /// A variable that no clause restricts yet.
    pub fn new_literal(&mut self) -> Literal {
        self.last = self
            .last
            .checked_add(1)
            .expect("fewer than 2^31 propositional variables");
        Literal::positive(self.last)
    }

    /// At least one of the literals is true from here on. Ends the validity of the model.
    pub fn add_clause(&mut self, literals: &[Literal]) {
        if literals.contains(&Literal::TRUE) {
            return;
        }
        self.clause.clear();
        self.clause.extend(
            literals
                .iter()
                .filter(|&&literal| literal != Literal::FALSE)
                .map(|literal| literal.number()),
        );
        self.cadical.clause6(&self.clause);
        self.statistics.clauses += 1;
    }

    /// The value to try first for the literal's variable: the one that makes it true.
    pub fn prefer(&mut self, literal: Literal) {
        self.cadical.phase(literal.number());
    }

    pub fn set_limits(&mut self, limits: Limits) {
        *self.limits.borrow_mut() = limits;
    }
}

/// Solving.
impl Sat {
    /// Is there an assignment that makes all clauses and all assumptions true?
    pub fn check(&mut self, assumptions: &[Literal]) -> Answer {
        let started = Instant::now();
        self.core.clear();
        let answer = self.solve(assumptions);
        if answer == Answer::Unsat {
            let failed = |&literal: &Literal| self.cadical.failed(literal.number());
            self.core = assumptions.iter().copied().filter(failed).collect();
            self.core.sort_unstable();
            self.core.dedup();
        }
        self.statistics.record(started, &answer);
        answer
    }

    fn solve(&mut self, assumptions: &[Literal]) -> Answer {
        let exceeded = self.limits.borrow().exceeded();
        if let Some(reason) = exceeded {
            return Answer::Unknown(reason);
        }
        for literal in assumptions {
            self.cadical.assume(literal.number());
        }
        match self.cadical.solve() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => {
                let limits = self.limits.borrow();
                Answer::Unknown(limits.exceeded().unwrap_or(Reason::Time))
            }
        }
    }

    /// The value in the model.
    ///
    /// # Panics
    /// If the last call was not answered [`Answer::Sat`], or a clause was added since.
    pub fn value(&mut self, literal: Literal) -> bool {
        self.cadical.val(literal.number()) == literal.number()
    }

    /// Assumptions of the last call, answered [`Answer::Unsat`], that are not all true
    /// together; not always the fewest. Empty if even without assumptions there is no model.
    pub fn core(&self) -> &[Literal] {
        &self.core
    }

    pub fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.last as u64 - 1,
            ..self.statistics
        }
    }
}

impl Default for Sat {
    fn default() -> Self {
        Sat::new()
    }
}
