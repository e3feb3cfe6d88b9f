// SPDX-License-Identifier: MIT
//! Threads: settings of a pool that the sessions of an environment share, and closures that make
//! threads in place of the system's.

use std::io;
use std::os::raw::{c_int, c_void};
use std::ptr::null;
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;

use ortc_sys as sys;

use crate::call::Owned;
use crate::callback::{lock, quietly, Slot};
use crate::error::Result;
use crate::text::c_text;

/// What a thread of the library is to do.
#[must_use]
pub struct ThreadWork(Arc<Work>);

impl ThreadWork {
    /// Does the work; returns when the library needs the thread no more. Does nothing when the
    /// thread that was made for it has ended without this, and the library has joined it.
    pub fn run(self) {
        self.0.run();
    }
}

/// Work that a thread may begin until the library has joined it. The lock is held while it runs.
struct Work(Mutex<Option<Entry>>);

struct Entry {
    worker: unsafe extern "C" fn(*mut c_void),
    state: *mut c_void,
}

// SAFETY: the library means it for another thread.
unsafe impl Send for Entry {}

impl Work {
    fn run(&self) {
        let mut entry = lock(&self.0);
        if let Some(Entry { worker, state }) = entry.take() {
            // SAFETY: called once, with the parameter that came with it, which lives until `end`.
            unsafe { worker(state) }
        }
    }

    /// Waits for work that runs; none begins later.
    fn end(&self) {
        *lock(&self.0) = None;
    }

    /// The same without waiting: false when the work has begun.
    fn end_unbegun(&self) -> bool {
        match self.0.try_lock() {
            Ok(mut entry) => entry.take().is_some(),
            Err(TryLockError::Poisoned(entry)) => entry.into_inner().take().is_some(),
            Err(TryLockError::WouldBlock) => false,
        }
    }
}

/// What the library knows a thread by. Without a handle the program did not give one, but its work
/// has begun all the same.
struct Thread {
    handle: Option<JoinHandle<()>>,
    work: Arc<Work>,
}

pub(crate) type SpawnFn = dyn Fn(ThreadWork) -> io::Result<JoinHandle<()>> + Send + Sync;

/// What the library hands to [`create_thread`].
pub(crate) struct Spawner {
    pub(crate) spawn: Arc<SpawnFn>,
    pub(crate) slot: Slot,
}

/// Makes a thread with the closure of the [`Spawner`] behind `state`; null when it makes none.
///
/// # Safety
/// `state` is a live [`Spawner`].
pub(crate) unsafe extern "C" fn create_thread(
    state: *mut c_void,
    worker: sys::OrtThreadWorkerFn,
    parameter: *mut c_void,
) -> sys::OrtCustomThreadHandle {
    // SAFETY: as the caller promises.
    let spawner = unsafe { &*(state as *const Spawner) };
    let worker = match worker {
        Some(worker) => worker,
        None => return null(),
    };
    let work = Arc::new(Work(Mutex::new(Some(Entry { worker, state: parameter }))));
    let mut handle = None;
    let status = spawner.slot.guard(|| {
        handle = Some((spawner.spawn)(ThreadWork(work.clone()))?);
        Ok(())
    });
    // SAFETY: ours; null says the same to the library.
    unsafe { sys::OrtReleaseStatus(status) };
    if handle.is_none() && work.end_unbegun() {
        return null();
    }
    Box::into_raw(Box::new(Thread { handle, work })) as sys::OrtCustomThreadHandle
}

/// Waits for a thread of [`create_thread`] and its work, and gives them back.
///
/// # Safety
/// `thread` came from there, and is joined once.
pub(crate) unsafe extern "C" fn join_thread(thread: sys::OrtCustomThreadHandle) {
    // SAFETY: as the caller promises.
    let Thread { handle, work } = *unsafe { Box::from_raw(thread as *mut Thread) };
    // The work itself is C; a panic around it was the program's, and the hook has told of it.
    quietly(|| drop(handle.map(JoinHandle::join)));
    // A thread of the program's may have gone without it, or have left it to another.
    work.end();
}

/// Settings of the threads that the sessions of an environment share.
///
/// ```
/// let threads = ortc::ThreadingOptions::new().intra_op_threads(2).spinning(false);
/// let env = ortc::Env::builder().threads(threads).build()?;
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct ThreadingOptions {
    intra_op: Option<i32>,
    inter_op: Option<i32>,
    spinning: Option<bool>,
    denormal_as_zero: bool,
    affinity: Option<String>,
    spawn: Option<Arc<SpawnFn>>,
}

impl ThreadingOptions {
    /// The defaults: a thread per core, which spins for a short while after work.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many threads work on one operator, that of the caller included; 0: one per core.
    #[doc(alias = "OrtSetGlobalIntraOpNumThreads")]
    pub fn intra_op_threads(mut self, count: i32) -> Self {
        self.intra_op = Some(count);
        self
    }

    /// How many operators run at once. Accepted; operators run one after the other.
    #[doc(alias = "OrtSetGlobalInterOpNumThreads")]
    pub fn inter_op_threads(mut self, count: i32) -> Self {
        self.inter_op = Some(count);
        self
    }

    /// Whether idle threads wait awake for a short while.
    #[doc(alias = "OrtSetGlobalSpinControl")]
    pub fn spinning(mut self, allowed: bool) -> Self {
        self.spinning = Some(allowed);
        self
    }

    /// Asks for denormal numbers to count as zero, operands and results: in runs of the sessions
    /// that use these threads, on the calling thread too, whose own mode is back when the run has
    /// ended.
    #[doc(alias = "OrtSetGlobalDenormalAsZero")]
    pub fn denormal_as_zero(mut self) -> Self {
        self.denormal_as_zero = true;
        self
    }

    /// Asks for threads to stay on processors: a group for each thread but the caller's, of
    /// processors counted from 1, as "1,2;3-6" for two. Building the environment fails when the
    /// number of groups is not that of these threads. Where the system refuses, the threads run as
    /// it places them, and that is logged.
    #[doc(alias = "OrtSetGlobalIntraOpThreadAffinity")]
    pub fn affinity(mut self, processors: &str) -> Self {
        self.affinity = Some(processors.into());
        self
    }

    /// Has a closure make the threads. Each must call [`ThreadWork::run`].
    #[doc(alias = "OrtSetGlobalCustomCreateThreadFn")]
    pub fn spawner<F>(mut self, spawn: F) -> Self
    where
        F: Fn(ThreadWork) -> io::Result<JoinHandle<()>> + Send + Sync + 'static,
    {
        self.spawn = Some(Arc::new(spawn));
        self
    }

    /// The settings for C, and what must live as long as the threads.
    pub(crate) fn create(
        self,
        slot: &Slot,
    ) -> Result<(Owned<sys::OrtThreadingOptions>, Option<Arc<Spawner>>)> {
        // SAFETY: a new object; texts are copied; the spawner is kept by the caller.
        unsafe {
            let pool = Owned::new(get!(OrtCreateThreadingOptions())?);
            let this = pool.as_ptr();
            if let Some(count) = self.intra_op {
                call!(OrtSetGlobalIntraOpNumThreads(this, count))?;
            }
            if let Some(count) = self.inter_op {
                call!(OrtSetGlobalInterOpNumThreads(this, count))?;
            }
            if let Some(allowed) = self.spinning {
                call!(OrtSetGlobalSpinControl(this, c_int::from(allowed)))?;
            }
            if self.denormal_as_zero {
                call!(OrtSetGlobalDenormalAsZero(this))?;
            }
            if let Some(processors) = &self.affinity {
                call!(OrtSetGlobalIntraOpThreadAffinity(this, c_text(processors)?.as_ptr()))?;
            }
            let spawner = self.spawn.map(|spawn| Arc::new(Spawner { spawn, slot: slot.clone() }));
            if let Some(spawner) = &spawner {
                let state = Arc::as_ptr(spawner) as *mut c_void;
                call!(OrtSetGlobalCustomCreateThreadFn(this, Some(create_thread)))?;
                call!(OrtSetGlobalCustomThreadCreationOptions(this, state))?;
                call!(OrtSetGlobalCustomJoinThreadFn(this, Some(join_thread)))?;
            }
            Ok((pool, spawner))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    unsafe extern "C" fn count(state: *mut c_void) {
        // SAFETY: a test's own counter.
        unsafe { &*(state as *const AtomicUsize) }.fetch_add(1, Ordering::SeqCst);
    }

    /// How often work ran that the spawner only kept: before the join, and after it.
    fn runs(gives_handle: bool, is_run_before: bool) -> (usize, usize) {
        let kept = Arc::new(Mutex::new(None));
        let (own, ran) = (kept.clone(), AtomicUsize::new(0));
        let spawn = move |work| {
            *lock(&own) = Some(work);
            match gives_handle {
                true => Ok(std::thread::spawn(|| {})),
                false => Err(io::ErrorKind::Other.into()),
            }
        };
        let spawner = Spawner { spawn: Arc::new(spawn), slot: Slot::default() };
        let run = || lock(&kept).take().map(ThreadWork::run);
        // SAFETY: spawner and counter live to the end; a thread is joined once.
        unsafe {
            let state = (&spawner as *const Spawner) as *mut c_void;
            let counter = (&ran as *const AtomicUsize) as *mut c_void;
            let thread = create_thread(state, Some(count), counter);
            assert_eq!(thread.is_null(), !gives_handle);
            if is_run_before {
                run();
            }
            let before = ran.load(Ordering::SeqCst);
            if !thread.is_null() {
                join_thread(thread);
            }
            run();
            (before, ran.load(Ordering::SeqCst))
        }
    }

    #[test]
    fn work_runs_until_its_thread_is_joined_and_not_after() {
        assert_eq!(runs(true, true), (1, 1));
        assert_eq!(runs(true, false), (0, 0));
        assert_eq!(runs(false, true), (0, 0)); // no thread was made
        assert_eq!(runs(false, false), (0, 0));
    }
}
