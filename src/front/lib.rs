//! Front ends: text to programs.

mod bounds;
pub mod c;
pub mod facts;
pub mod hd;
mod load;

pub use load::{Options, load};
