//! Profiles as a user meets them: the files that are shipped, the records they make, the errors of those that are wrong.

mod errors;
mod shipped;
mod traffic;
