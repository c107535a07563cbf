//! Where records come from.
