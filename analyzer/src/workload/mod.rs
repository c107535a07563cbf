//! Where records come from.

pub mod key_book;
pub mod profile;
pub mod trace;
