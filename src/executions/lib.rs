//! Is a rule set sound? Random small executions, with every legal total order known by
//! brute force.
//!
//! A rule set that orders events (`rules/sc.dl`, or one that a user invents) is sound if
//! every order that it derives holds in all legal total orders, and if a conflict means
//! that there is none. How many of the infeasible executions end in a conflict says how
//! complete it is.

pub mod campaign;
pub mod culprit;
pub mod execution;
pub mod legal_orders;
pub mod minimise;
pub mod random;
pub mod soundness;
