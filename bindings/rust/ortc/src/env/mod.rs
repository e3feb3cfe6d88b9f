// SPDX-License-Identifier: MIT
//! The environment: the first object of a program.

mod builder;
mod devices;
mod incompatibility;
mod live;
mod logger;
mod shared_allocators;
mod threading;
mod work;

use std::any::Any;
use std::fmt;
use std::os::raw::{c_char, c_int};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};

use ortc_sys as sys;

pub use builder::EnvBuilder;
pub use devices::{EpDevice, HardwareDevice};
pub use incompatibility::{Incompatibility, IncompatibilityReasons};
pub use logger::{LogRecord, Logger};
pub use threading::{ThreadWork, ThreadingOptions};
pub use work::WorkListener;

pub(crate) use devices::device_pointers;
pub(crate) use logger::{log_line, LogFn};
pub(crate) use threading::{create_thread, join_thread, SpawnFn, Spawner};

use crate::call::Owned;
use crate::callback::lock;
use crate::error::Result;
use crate::text::text;
use crate::{LanguageProjection, LoggingLevel};

/// Something that objects made from another one keep alive.
pub(crate) type Kept = Arc<dyn Any + Send + Sync>;

/// The environment: logger, execution providers and their devices, and everything that sessions
/// share.
///
/// Most programs need one. Clones are the same environment; sessions and compilers keep what they
/// need of it.
///
/// ```
/// let env = ortc::Env::new("docs")?;
/// assert!(env.ep_devices()?.iter().any(|device| device.ep_name() == "CPUExecutionProvider"));
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Clone)]
pub struct Env(Arc<Inner>);

struct Inner {
    handle: Owned<sys::OrtEnv>,
    // After the handle: what the library calls until its end.
    _logger: Option<Box<LogFn>>,
    _threads: Option<Arc<Spawner>>,
    /// Allocators of the program that are or were registered.
    allocators: Mutex<Vec<Kept>>,
    /// Closures of options that members of its group had.
    kept: Mutex<Vec<Kept>>,
}

impl Env {
    /// Makes an environment that logs warnings and worse to stderr.
    pub fn new(log_id: &str) -> Result<Self> {
        Self::builder().log_id(log_id).build()
    }

    /// Makes an environment with a logger, threads or config entries of its own.
    pub fn builder() -> EnvBuilder {
        EnvBuilder::default()
    }

    /// Changes the severity below which lines are dropped: here, and of sessions made from now on.
    #[doc(alias = "OrtUpdateEnvWithCustomLogLevel")]
    pub fn set_log_level(&self, level: LoggingLevel) -> Result<()> {
        // SAFETY: the environment lives; the call is thread-safe.
        unsafe { call!(OrtUpdateEnvWithCustomLogLevel(self.as_ptr(), level.to_raw())) }
    }

    /// Takes note of the program's language. Nothing depends on it.
    #[doc(alias = "OrtSetLanguageProjection")]
    pub fn set_language_projection(&self, projection: LanguageProjection) -> Result<()> {
        // SAFETY: the environment lives.
        unsafe { call!(OrtSetLanguageProjection(self.as_ptr(), projection.to_raw())) }
    }

    /// Does nothing: the library sends no telemetry. There for programs that switch it off.
    #[doc(alias = "OrtEnableTelemetryEvents")]
    #[doc(alias = "OrtDisableTelemetryEvents")]
    pub fn set_telemetry(&self, enabled: bool) -> Result<()> {
        // SAFETY: the environment lives.
        unsafe {
            if enabled {
                call!(OrtEnableTelemetryEvents(self.as_ptr()))
            } else {
                call!(OrtDisableTelemetryEvents(self.as_ptr()))
            }
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtEnv {
        self.0.handle.as_ptr()
    }

    /// Keeps something as long as the environment.
    pub(crate) fn keep(&self, kept: Kept) {
        lock(&self.0.kept).push(kept);
    }

    pub(crate) fn keep_allocator(&self, allocator: Kept) {
        lock(&self.0.allocators).push(allocator);
    }

    /// The environment, when values of its sessions may lie in memory that it keeps.
    pub(crate) fn memory_of_values(&self) -> Option<Kept> {
        (!lock(&self.0.allocators).is_empty()).then(|| self.0.clone() as Kept)
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Env").field(&self.as_ptr()).finish()
    }
}

/// The release of the library, as "1.0.0".
///
/// ```
/// assert!(ortc::version().starts_with("1."));
/// ```
#[doc(alias = "OrtGetVersionString")]
pub fn version() -> String {
    // SAFETY: the text is static.
    unsafe { text(sys::OrtGetVersionString()) }
}

/// How the library was built, in one line for bug reports.
#[doc(alias = "OrtGetBuildInfoString")]
pub fn build_info() -> String {
    // SAFETY: the text is static.
    unsafe { text(sys::OrtGetBuildInfoString()) }
}

/// The execution providers in the library, the preferred ones first, the CPU provider last.
#[doc(alias = "OrtGetAvailableProviders")]
#[doc(alias = "OrtReleaseAvailableProviders")]
pub fn available_providers() -> Result<Vec<String>> {
    let mut names: *mut *mut c_char = null_mut();
    let mut count: c_int = 0;
    // SAFETY: results are locals; the array has `count` texts and ends with the second call.
    unsafe {
        call!(OrtGetAvailableProviders(&mut names, &mut count))?;
        let list = crate::text::array(names, count as usize).iter().map(|name| text(*name));
        let list = list.collect();
        call!(OrtReleaseAvailableProviders(names, count))?;
        Ok(list)
    }
}

/// The way to ONNX Runtime's tables of functions, for code that was written for them.
#[doc(alias = "OrtcGetApiBase")]
pub fn api_base() -> *const sys::OrtApiBase {
    // SAFETY: one constant object for the whole process.
    unsafe { sys::OrtcGetApiBase() }
}
