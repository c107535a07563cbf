//! One model, many renderers.

pub mod model;
