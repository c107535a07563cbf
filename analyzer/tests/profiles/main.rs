//! Profiles as a user meets them: the files that are shipped, the records they make, the errors of those that are wrong.

#![allow(clippy::unwrap_used)] // clippy knows #[test] functions only, not those they call

mod errors;
mod shipped;
mod traffic;
