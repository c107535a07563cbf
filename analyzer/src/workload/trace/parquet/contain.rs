//! Panics of the `parquet` crate, which a damaged file can provoke, turned into a value.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// What `read` returns; `None` when it panics, of which nothing is printed. What `read` has changed is not to be
/// used after a panic.
///
/// The panic hook of the process is wrapped once; panics outside of `read` go to the hook that was there before.
pub(super) fn contained<T>(read: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CONTAINED.get() {
                before(panic);
            }
        }));
    });
    IS_CONTAINED.set(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    IS_CONTAINED.set(false);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_none_and_ends_with_the_call() {
        assert_eq!(contained(|| 7), Some(7));
        assert_eq!(contained(|| -> u8 { panic!("damaged") }), None);
        assert!(!IS_CONTAINED.get());
        assert_eq!(contained(|| IS_CONTAINED.get()), Some(true));
    }
}
