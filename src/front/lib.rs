pub mod facts;
pub mod hd;
