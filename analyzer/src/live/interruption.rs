//! Ctrl-C, noted instead of obeyed at once, so that what was begun can be cleaned up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::LiveError;

/// Whether the user wants the run to end. The first signal is noted; a second one ends the program at once.
#[derive(Clone, Debug)]
pub struct Interruption {
    signals: [(i32, Arc<AtomicBool>); 2],
}

impl Interruption {
    /// Notes signals from now on, for the rest of the program's life.
    ///
    /// # Errors
    /// When the system does not let signals be noted.
    pub fn noted() -> Result<Self, LiveError> {
        let signals = [SIGINT, SIGTERM].map(|signal| (signal, Arc::new(AtomicBool::new(false))));
        for (signal, is_set) in &signals {
            // In this order: at the first signal the flag is not set yet when the default action asks.
            flag::register_conditional_default(*signal, Arc::clone(is_set))
                .and_then(|_| flag::register(*signal, Arc::clone(is_set)))
                .map_err(|error| LiveError::new(format!("Ctrl-C cannot be waited for: {error}")))?;
        }
        Ok(Self { signals })
    }

    /// An error once a signal has come.
    ///
    /// # Errors
    /// [`LiveError`] with the signal.
    pub fn check(&self) -> Result<(), LiveError> {
        match self.signals.iter().find(|(_, is_set)| is_set.load(Relaxed)) {
            Some((signal, _)) => Err(LiveError::interrupted(*signal)),
            None => Ok(()),
        }
    }
}
