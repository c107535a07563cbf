//! The page in a real browser: Chromium, without a window. What Chromium alone can judge is ignored unless it is asked
//! for: `cargo test -p analyzer --test browser -- --include-ignored`.

#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

mod chromium;
mod inert;
mod layout;
mod picture;
mod report;
mod sorting;
mod tab;
