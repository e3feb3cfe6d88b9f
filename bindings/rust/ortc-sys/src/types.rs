// SPDX-License-Identifier: MIT
//! `types.h` and the types of other headers: opaque handles, open structs and callbacks.

use std::marker::{PhantomData, PhantomPinned};
use std::os::raw::{c_char, c_void};

use crate::*;

/// A handle is only ever seen behind a pointer, and says nothing of threads by itself.
macro_rules! handles {
    ($($name:ident)*) => {$(
        #[doc = concat!("An opaque handle, `", stringify!($name), "`.")]
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            _marker: PhantomData<(*mut u8, PhantomPinned)>,
        }
    )*};
}

handles! {
    OrtEnv OrtStatus OrtMemoryInfo OrtSession OrtSessionOptions OrtRunOptions OrtValue OrtTypeInfo
    OrtTensorTypeAndShapeInfo OrtMapTypeInfo OrtSequenceTypeInfo OrtOptionalTypeInfo
    OrtModelMetadata OrtModelCompilationOptions OrtKeyValuePairs OrtHardwareDevice OrtEpDevice
    OrtSyncStream OrtExternalInitializerInfo OrtModelCompiler OrtInspection OrtSharingGroup
    OrtArenaCfg OrtLogger OrtLoraAdapter OrtModel OrtGraph OrtNode OrtValueInfo OrtOpAttr
    OrtEpAssignedSubgraph OrtEpAssignedNode OrtIoBinding OrtPrepackedWeightsContainer
    OrtThreadingOptions OrtCustomHandleType OrtApi OrtCustomOpDomain OrtKernelContext OrtKernelInfo
    OrtShapeInferContext OrtOp OrtModelPackageOptions OrtModelPackageContext
    OrtModelPackageComponentContext OrtModelPackageWriter OrtDeviceEpIncompatibilityDetails
    OrtExternalResourceImporter
}

/// Hands out memory; programs may implement one. What each member does stands in `allocator.h`.
#[repr(C)]
pub struct OrtAllocator {
    /// Of the interface the allocator was written for.
    pub version: u32,
    /// Gives at least `size` bytes, or null.
    pub Alloc:
        Option<unsafe extern "C" fn(this_ptr: *mut OrtAllocator, size: usize) -> *mut c_void>,
    /// Takes a block back.
    pub Free: Option<unsafe extern "C" fn(this_ptr: *mut OrtAllocator, p: *mut c_void)>,
    /// Tells what memory it is.
    pub Info: Option<unsafe extern "C" fn(this_ptr: *const OrtAllocator) -> *const OrtMemoryInfo>,
    /// As `Alloc`, for memory that stays long.
    pub Reserve:
        Option<unsafe extern "C" fn(this_ptr: *mut OrtAllocator, size: usize) -> *mut c_void>,
    /// Makes a list of figures.
    pub GetStats: Option<
        unsafe extern "C" fn(
            this_ptr: *const OrtAllocator,
            out: *mut *mut OrtKeyValuePairs,
        ) -> *mut OrtStatus,
    >,
    /// As `Alloc`, for use on one stream of a device.
    pub AllocOnStream: Option<
        unsafe extern "C" fn(
            this_ptr: *mut OrtAllocator,
            size: usize,
            stream: *mut OrtSyncStream,
        ) -> *mut c_void,
    >,
    /// Gives unused memory back to the system.
    pub Shrink: Option<unsafe extern "C" fn(this_ptr: *mut OrtAllocator) -> *mut OrtStatus>,
}

/// What an environment is to be, for `OrtCreateEnvWithOptions`. Start from zeros.
#[repr(C)]
pub struct OrtEnvCreationOptions {
    /// Of the interface the program was written for: 24.
    pub version: u32,
    /// An `OrtLoggingLevel`.
    pub logging_severity_level: i32,
    /// Copied; not null, may be empty.
    pub log_id: *const c_char,
    /// None: stderr.
    pub custom_logging_function: OrtLoggingFunction,
    /// Passed to the function.
    pub custom_logging_param: *mut c_void,
    /// Borrowed; null: no threads of its own.
    pub threading_options: *const OrtThreadingOptions,
    /// Borrowed; may be null.
    pub config_entries: *const OrtKeyValuePairs,
}

/// Hears that a thread is about to hand work to another; gives what the other callbacks get of it.
pub type OrtThreadPoolWorkEnqueueFn =
    Option<unsafe extern "C" fn(user_context: *mut c_void) -> *mut c_void>;

/// Hears that a thread begins with work that was handed to it.
pub type OrtThreadPoolWorkStartFn =
    Option<unsafe extern "C" fn(user_context: *mut c_void, enqueue_data: *mut c_void)>;

/// Hears that it has ended.
pub type OrtThreadPoolWorkStopFn =
    Option<unsafe extern "C" fn(user_context: *mut c_void, enqueue_data: *mut c_void)>;

/// Hears that no thread needed to begin.
pub type OrtThreadPoolWorkAbandonFn =
    Option<unsafe extern "C" fn(user_context: *mut c_void, enqueue_data: *mut c_void)>;

/// What is told about the work of a thread pool.
#[repr(C)]
pub struct OrtThreadPoolCallbacksConfig {
    /// Of the interface the program was written for: 25 or more.
    pub version: u32,
    /// When work is handed out.
    pub on_enqueue: OrtThreadPoolWorkEnqueueFn,
    /// When another thread begins with it.
    pub on_start_work: OrtThreadPoolWorkStartFn,
    /// When that thread has ended it.
    pub on_stop_work: OrtThreadPoolWorkStopFn,
    /// When no thread needed to begin.
    pub on_abandon: OrtThreadPoolWorkAbandonFn,
    /// First parameter of each.
    pub user_context: *mut c_void,
}

/// The way to ONNX Runtime's tables of functions.
#[repr(C)]
pub struct OrtApiBase {
    /// The tables of a version.
    pub GetApi: Option<unsafe extern "C" fn(version: u32) -> *const OrtApi>,
    /// The release of ONNX Runtime that the tables correspond to.
    pub GetVersionString: Option<unsafe extern "C" fn() -> *const c_char>,
}

/// Gives back the `state` of a callback.
pub type OrtReleaseStateFn = Option<unsafe extern "C" fn(state: *mut c_void)>;

/// Hears how far a compile or a load has come.
pub type OrtProgressFn = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        stage: *const c_char,
        detail: *const c_char,
        fraction: f64,
    ) -> *mut OrtStatus,
>;

/// Receives one log line.
pub type OrtLoggingFunction = Option<
    unsafe extern "C" fn(
        param: *mut c_void,
        severity: OrtLoggingLevel,
        category: *const c_char,
        logid: *const c_char,
        code_location: *const c_char,
        message: *const c_char,
    ),
>;

/// Takes the next piece of a compiled model.
pub type OrtWriteBufferFunc = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        buffer: *const c_void,
        buffer_num_bytes: usize,
    ) -> *mut OrtStatus,
>;

/// Says where an initializer of the compiled model stands.
pub type OrtGetInitializerLocationFunc = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        initializer_name: *const c_char,
        initializer_value: *const OrtValue,
        external_info: *const OrtExternalInitializerInfo,
        new_external_info: *mut *mut OrtExternalInitializerInfo,
    ) -> *mut OrtStatus,
>;

/// Takes one context binary whole, in place of a file.
pub type OrtWriteNamedBufferFunc = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        file_name: *const c_char,
        buffer: *const c_void,
        buffer_num_bytes: usize,
    ) -> *mut OrtStatus,
>;

/// Gives one context binary.
pub type OrtReadNamedBufferFunc = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        file_name: *const c_char,
        allocator: *mut OrtAllocator,
        buffer: *mut *mut c_void,
        size: *mut usize,
    ) -> *mut OrtStatus,
>;

/// Chooses devices for a session that is being made.
pub type EpSelectionDelegate = Option<
    unsafe extern "C" fn(
        ep_devices: *mut *const OrtEpDevice,
        num_devices: usize,
        model_metadata: *const OrtKeyValuePairs,
        runtime_metadata: *const OrtKeyValuePairs,
        selected: *mut *const OrtEpDevice,
        max_selected: usize,
        num_selected: *mut usize,
        state: *mut c_void,
    ) -> *mut OrtStatus,
>;

/// Hears that a run on another thread has ended.
pub type RunAsyncCallbackFn = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        outputs: *mut *mut OrtValue,
        num_outputs: usize,
        status: *mut OrtStatus,
    ),
>;

/// What a thread is to do: called once, with the parameter that came with it.
pub type OrtThreadWorkerFn = Option<unsafe extern "C" fn(ort_worker_fn_param: *mut c_void)>;

/// What `OrtKernelContext_ParallelFor` calls for each number. The type has no name in C.
pub type ParallelForFn = Option<unsafe extern "C" fn(usr_data: *mut c_void, index: usize)>;

/// A thread of the program; anything but null.
pub type OrtCustomThreadHandle = *const OrtCustomHandleType;

/// Makes a thread that calls the function with the parameter and then ends.
pub type OrtCustomCreateThreadFn = Option<
    unsafe extern "C" fn(
        ort_custom_thread_creation_options: *mut c_void,
        ort_thread_worker_fn: OrtThreadWorkerFn,
        ort_worker_fn_param: *mut c_void,
    ) -> OrtCustomThreadHandle,
>;

/// Waits until the thread has ended and gives it back.
pub type OrtCustomJoinThreadFn =
    Option<unsafe extern "C" fn(ort_custom_thread_handle: OrtCustomThreadHandle)>;
