//! Front ends: text to programs.

pub mod c;
pub mod facts;
pub mod hd;
mod load;

pub use load::{Options, load};
