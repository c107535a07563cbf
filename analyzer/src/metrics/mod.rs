//! What a load table amounts to.
