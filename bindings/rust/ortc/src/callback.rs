// SPDX-License-Identifier: MIT
//! Closures that C calls. Neither an error nor a panic of a closure crosses C: it is kept, C gets a
//! status, and when the call of the program returns, it gets the error back or the panic goes on.

use std::any::Any;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ortc_sys as sys;

use crate::error::{new_status, BoxError, Error, Result};
use crate::ErrorCode;

/// What a closure gives that may fail.
pub type CallbackResult<T = ()> = std::result::Result<T, BoxError>;

enum Failure {
    Error(BoxError),
    Panic(Box<dyn Any + Send>),
}

/// Where the first failure of the closures of one operation is kept until its end.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Failure>>>);

impl Slot {
    /// Calls a closure for C.
    pub(crate) fn guard(&self, closure: impl FnOnce() -> CallbackResult) -> *mut sys::OrtStatus {
        // Whatever the closure leaves half done is the closure's own.
        match catch_unwind(AssertUnwindSafe(closure)) {
            Ok(Ok(())) => std::ptr::null_mut(),
            Ok(Err(error)) => {
                let status = match error.downcast_ref::<Error>() {
                    Some(error) => error.to_status(),
                    None => new_status(ErrorCode::Fail, &error.to_string()),
                };
                self.keep(Failure::Error(error));
                status
            }
            Err(payload) => {
                self.keep(Failure::Panic(payload));
                new_status(ErrorCode::Fail, "a function of the program panicked")
            }
        }
    }

    fn keep(&self, failure: Failure) {
        let mut kept = lock(&self.0);
        match &*kept {
            Some(Failure::Panic(_)) => {}
            Some(Failure::Error(_)) if matches!(failure, Failure::Error(_)) => {}
            _ => *kept = Some(failure),
        }
    }

    /// At the end of the operation: gives the error of a closure its place in the result, and lets
    /// a panic go on.
    pub(crate) fn settle<T>(&self, result: Result<T>) -> Result<T> {
        let failure = lock(&self.0).take();
        match (failure, result) {
            (Some(Failure::Panic(payload)), _) => resume_unwind(payload),
            (Some(Failure::Error(source)), Err(error)) => Err(match source.downcast::<Error>() {
                Ok(own) => *own,
                Err(source) => error.with_source(source),
            }),
            (_, result) => result,
        }
    }
}

thread_local! {
    /// A panic of a logger, which has no status to give.
    static PANIC: RefCell<Option<Box<dyn Any + Send>>> = const { RefCell::new(None) };
}

/// Calls a closure that has no way to fail. Its panic goes on in [`resume`] of this thread; on a
/// thread of the library the panic hook's message is all that is left of it.
pub(crate) fn quietly(closure: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(closure)) {
        PANIC.with(|kept| *kept.borrow_mut() = Some(payload));
    }
}

/// At the end of an operation that logs: lets the panic of a logger go on.
pub(crate) fn resume<T>(result: Result<T>) -> Result<T> {
    match PANIC.with(|kept| kept.borrow_mut().take()) {
        Some(payload) => resume_unwind(payload),
        None => result,
    }
}

/// A lock that does not care whether a thread panicked while it had it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far a compile or a load has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// What is being done, as "load", "optimise", "partition", "compile", "write"; at the end
    /// "done".
    pub stage: &'a str,
    /// What the stage works on, as a file's name; may be empty.
    pub detail: &'a str,
    /// Of the whole work, from 0 to 1; never less than before.
    pub fraction: f64,
}

/// What a progress function may give: nothing, `ControlFlow::Break(())` to stop the work, or a
/// `Result` whose error stops it and comes back to the caller.
pub trait ProgressAnswer: sealed::Sealed {
    #[doc(hidden)]
    fn into_result(self) -> CallbackResult;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for std::ops::ControlFlow<()> {}
    impl<E> Sealed for Result<(), E> {}
}

impl ProgressAnswer for () {
    fn into_result(self) -> CallbackResult {
        Ok(())
    }
}

impl ProgressAnswer for ControlFlow<()> {
    fn into_result(self) -> CallbackResult {
        match self {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                let message = "the progress function stopped the work";
                Err(Error::new(ErrorCode::ModelLoadCanceled, message).into())
            }
        }
    }
}

impl<E: Into<BoxError>> ProgressAnswer for std::result::Result<(), E> {
    fn into_result(self) -> CallbackResult {
        self.map_err(Into::into)
    }
}
