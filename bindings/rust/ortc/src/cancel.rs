// SPDX-License-Identifier: MIT
//! One way to stop runs, loads and compiles.

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::callback::lock;

/// Stops what it was given to: runs ([`RunOptions::cancel_with`]), loads
/// ([`SessionOptions::cancel_with`]) and compiles ([`ModelCompiler::cancel_with`]).
///
/// Clones are the same token. Cancelling is for good: what begins later with the token stops at
/// once. The work ends soon, not at that moment, with an error that
/// [`is_cancelled`](crate::Error::is_cancelled).
///
/// [`RunOptions::cancel_with`]: crate::RunOptions::cancel_with
/// [`SessionOptions::cancel_with`]: crate::SessionOptions::cancel_with
/// [`ModelCompiler::cancel_with`]: crate::ModelCompiler::cancel_with
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    cancelled: bool,
    next: u64,
    hooks: Vec<(u64, Box<dyn Fn() + Send>)>,
}

impl CancelToken {
    /// A token that was not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops everything that has the token. May be called from any thread, and more than once.
    pub fn cancel(&self) {
        let mut state = lock(&self.0);
        state.cancelled = true;
        // Under the lock, so that no object ends while its hook is at work. Hooks set a flag in C.
        state.hooks.iter().for_each(|(_, hook)| hook());
    }

    /// Whether somebody cancelled.
    pub fn is_cancelled(&self) -> bool {
        lock(&self.0).cancelled
    }

    /// Has `hook` called by [`cancel`](Self::cancel), at once if that was before, until the result
    /// is dropped.
    pub(crate) fn attach(&self, hook: impl Fn() + Send + 'static) -> Hook {
        let mut state = lock(&self.0);
        if state.cancelled {
            hook();
        }
        let number = state.next;
        state.next += 1;
        state.hooks.push((number, Box::new(hook)));
        Hook { token: self.clone(), number }
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// A hook of a token. After the drop it is not called any more, nor still at work.
pub(crate) struct Hook {
    token: CancelToken,
    number: u64,
}

impl Hook {
    pub(crate) fn token(&self) -> &CancelToken {
        &self.token
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        lock(&self.token.0).hooks.retain(|(number, _)| *number != self.number);
    }
}
