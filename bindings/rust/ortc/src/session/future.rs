// SPDX-License-Identifier: MIT
//! Runs on a thread of the session. The run owns all it needs, so its future may be dropped at any
//! moment: that stops the run, which ends by itself.

use std::ffi::CString;
use std::future::Future;
use std::os::raw::{c_char, c_void};
use std::pin::Pin;
use std::ptr::null_mut;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Waker};

use ortc_sys as sys;

use super::outputs::Names;
use super::{Outputs, Session};
use crate::callback::{lock, quietly};
use crate::error::{Error, Result};
use crate::options::RunOptions;
use crate::text::c_text;
use crate::value::Value;
use crate::ErrorCode;

/// A run that is under way. It needs no runtime of a certain kind; without one,
/// [`wait`](Self::wait).
///
/// Dropping it stops the run without waiting for that.
#[must_use = "dropping the future stops the run"]
pub struct RunFuture(Arc<Shared>);

struct Shared {
    options: RunOptions,
    state: Mutex<State>,
    done: Condvar,
}

/// One lock around both: a run that ends between the look at the result and the storing of the
/// waker would wake nobody.
#[derive(Default)]
struct State {
    result: Option<Result<Outputs>>,
    waker: Option<Waker>,
}

/// What the run needs until its end.
struct Job {
    shared: Arc<Shared>,
    session: Session,
    _inputs: Vec<Arc<Value>>,
    outputs: Vec<*mut sys::OrtValue>,
}

impl Session {
    /// Begins a run on a thread of the session, for all outputs.
    ///
    /// Fails when the session has no thread of its own: its options must say
    /// [`set_intra_op_threads`](crate::SessionOptions::set_intra_op_threads) with 2 or more. What
    /// is wrong with inputs is the result of the future.
    ///
    /// ```no_run
    /// # async fn example(session: ortc::Session) -> ortc::Result<()> {
    /// use ortc::{RunOptions, Tensor};
    ///
    /// let x = Tensor::from_vec([1, 4], vec![1.0f32; 4])?;
    /// let outputs = session.run_async(RunOptions::new()?, [("x", x)])?.await?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "OrtRunAsync")]
    pub fn run_async<'n, V: Into<Arc<Value>>>(
        &self,
        options: RunOptions,
        inputs: impl IntoIterator<Item = (&'n str, V)>,
    ) -> Result<RunFuture> {
        let (names, values): (Vec<_>, Vec<Arc<Value>>) =
            inputs.into_iter().map(|(name, value)| (name, value.into())).unzip();
        let names = names.into_iter().map(c_text).collect::<Result<Vec<CString>>>()?;
        let input_names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let inputs: Vec<_> = values.iter().map(|value| value.as_ptr() as *const _).collect();
        let output_names: Vec<_> = self.0.outputs.iter().map(|name| name.as_ptr()).collect();

        let shared =
            Arc::new(Shared { options, state: Mutex::new(State::default()), done: Condvar::new() });
        let mut job = Box::new(Job {
            shared: shared.clone(),
            session: self.clone(),
            _inputs: values,
            outputs: vec![null_mut(); output_names.len()],
        });
        let outputs = job.outputs.as_mut_ptr();
        let job = Box::into_raw(job);
        // SAFETY: names are copied; the job keeps everything else until the callback, which is
        // called once unless this fails.
        let begun = unsafe {
            call!(OrtRunAsync(
                self.as_ptr(),
                shared.options.as_ptr(),
                input_names.as_ptr(),
                inputs.as_ptr(),
                inputs.len(),
                output_names.as_ptr(),
                output_names.len(),
                outputs,
                Some(run_ended),
                job.cast()
            ))
        };
        if let Err(error) = begun {
            // SAFETY: not begun: the job is still ours.
            drop(unsafe { Box::from_raw(job) });
            return Err(error);
        }
        Ok(RunFuture(shared))
    }
}

/// # Safety
/// `job` came from `run_async` and is ours; after a success `outputs` are new values.
unsafe extern "C" fn run_ended(
    job: *mut c_void,
    outputs: *mut *mut sys::OrtValue,
    count: usize,
    status: *mut sys::OrtStatus,
) {
    quietly(|| {
        // SAFETY: as the caller promises. The status ends here.
        let (job, result) = unsafe {
            let job = Box::from_raw(job.cast::<Job>());
            let result = match status.is_null() {
                true => Ok(job.outputs(crate::text::array(outputs, count))),
                false => Err(Error::from_status(status).with_detail("function", "OrtRunAsync")),
            };
            (job, result)
        };
        let shared = job.shared.clone();
        // Before the result is seen: who has it may count on session and inputs being free.
        drop(job);
        shared.finish(result);
    });
}

impl Job {
    /// # Safety
    /// `values` are new, and become the program's.
    unsafe fn outputs(&self, values: &[*mut sys::OrtValue]) -> Outputs {
        let inner = &self.session.0;
        let kept = || inner.memory_of_values.clone();
        // SAFETY: as the caller promises.
        let values = values.iter().map(|value| Some(unsafe { Value::from_raw(*value, kept()) }));
        Outputs::new(Names::All(inner.outputs.clone()), values.collect())
    }
}

impl Shared {
    fn finish(&self, result: Result<Outputs>) {
        let result = self.options.settle(result);
        let waker = {
            let mut state = lock(&self.state);
            state.result = Some(result);
            state.waker.take()
        };
        self.done.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl RunFuture {
    /// Stops the run; its result is then an error that
    /// [`is_cancelled`](crate::Error::is_cancelled), unless it had ended before.
    pub fn cancel(&self) {
        // Setting a flag of live options cannot fail.
        let _ = self.0.options.terminate();
    }

    /// Waits for the end, without a runtime.
    pub fn wait(self) -> Result<Outputs> {
        let mut state = lock(&self.0.state);
        loop {
            match state.result.take() {
                Some(result) => return result,
                None => {
                    let woken = self.0.done.wait(state);
                    state = woken.unwrap_or_else(std::sync::PoisonError::into_inner);
                }
            }
        }
    }
}

impl Future for RunFuture {
    type Output = Result<Outputs>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.0.state);
        match state.result.take() {
            Some(result) => {
                // Polled once more, it says so and does not sleep for ever.
                let message = "the future of a run has given its result";
                state.result = Some(Err(Error::new(ErrorCode::Fail, message)));
                Poll::Ready(result)
            }
            None => {
                if !state.waker.as_ref().map_or(false, |old| old.will_wake(context.waker())) {
                    state.waker = Some(context.waker().clone());
                }
                Poll::Pending
            }
        }
    }
}

impl Drop for RunFuture {
    fn drop(&mut self) {
        if lock(&self.0.state).result.is_none() {
            self.cancel();
        }
    }
}

impl std::fmt::Debug for RunFuture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_done = lock(&self.0.state).result.is_some();
        f.debug_struct("RunFuture").field("is_done", &is_done).finish()
    }
}
