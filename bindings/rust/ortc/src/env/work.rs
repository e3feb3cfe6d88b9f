// SPDX-License-Identifier: MIT
//! Hearing of the work of sessions' own threads.

use std::os::raw::c_void;
use std::sync::Arc;

use ortc_sys as sys;

use super::Env;
use crate::callback::quietly;
use crate::error::Result;

/// Hears of the shares of operators that are divided among threads, from several threads at once.
/// Panics stay on the thread where they are.
pub trait WorkListener: Send + Sync {
    /// A share is offered; the number is handed to the other functions.
    fn enqueued(&self) -> usize {
        0
    }
    /// A thread begins with the share.
    fn started(&self, _work: usize) {}
    /// That thread has ended it.
    fn stopped(&self, _work: usize) {}
    /// The share was done before another thread came.
    fn abandoned(&self, _work: usize) {}
}

type Listener = Arc<dyn WorkListener>;

/// The version of the interface that brought the callbacks.
const VERSION: u32 = 25;

/// # Safety
/// `state` is a live [`Listener`].
unsafe fn listener<'a>(state: *mut c_void) -> &'a Listener {
    // SAFETY: as the caller promises.
    unsafe { &*(state as *const Listener) }
}

unsafe extern "C" fn enqueue(state: *mut c_void) -> *mut c_void {
    let mut work = 0;
    // SAFETY: the environment keeps the listener.
    quietly(|| work = unsafe { listener(state) }.enqueued());
    work as *mut c_void
}

unsafe extern "C" fn start(state: *mut c_void, work: *mut c_void) {
    // SAFETY: as above.
    quietly(|| unsafe { listener(state) }.started(work as usize));
}

unsafe extern "C" fn stop(state: *mut c_void, work: *mut c_void) {
    // SAFETY: as above.
    quietly(|| unsafe { listener(state) }.stopped(work as usize));
}

unsafe extern "C" fn abandon(state: *mut c_void, work: *mut c_void) {
    // SAFETY: as above.
    quietly(|| unsafe { listener(state) }.abandoned(work as usize));
}

impl Env {
    /// Has a listener told about the work of the threads of sessions that are made from now on, in
    /// place of the one before; `None`: nobody.
    #[doc(alias = "OrtSetPerSessionThreadPoolCallbacks")]
    pub fn set_work_listener(&self, listener: Option<Arc<dyn WorkListener>>) -> Result<()> {
        let mut config = sys::OrtThreadPoolCallbacksConfig {
            version: VERSION,
            on_enqueue: None,
            on_start_work: None,
            on_stop_work: None,
            on_abandon: None,
            user_context: std::ptr::null_mut(),
        };
        if let Some(listener) = listener {
            let kept: Arc<Listener> = Arc::new(listener);
            config.on_enqueue = Some(enqueue);
            config.on_start_work = Some(start);
            config.on_stop_work = Some(stop);
            config.on_abandon = Some(abandon);
            config.user_context = Arc::as_ptr(&kept) as *mut c_void;
            self.keep(kept);
        }
        // SAFETY: the environment lives, and so does what it keeps.
        unsafe { call!(OrtSetPerSessionThreadPoolCallbacks(self.as_ptr(), &config)) }
    }
}
