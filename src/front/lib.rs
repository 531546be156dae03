pub mod hd;
