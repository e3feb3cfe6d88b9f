// SPDX-License-Identifier: MIT
//! Memory and semaphores that somebody else made, as a graphics interface, on a device.

use std::os::raw::c_void;
use std::ptr::null;
use std::sync::Arc;

use ortc_sys as sys;

use super::sync_stream::{Semaphore, SyncStream};
use crate::call::Owned;
use crate::env::EpDevice;
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::value::Value;
use crate::{ElementType, ExternalMemoryType, ExternalSemaphoreType, GraphicsApi};

/// The interface that the structs here are of.
const VERSION: u32 = 30;

/// A handle of the system's or of a graphics interface: a pointer, or a file descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeHandle(*mut c_void);

impl From<*mut c_void> for NativeHandle {
    fn from(handle: *mut c_void) -> Self {
        NativeHandle(handle)
    }
}

#[cfg(unix)]
impl From<std::os::unix::io::RawFd> for NativeHandle {
    fn from(file: std::os::unix::io::RawFd) -> Self {
        NativeHandle(file as isize as *mut c_void)
    }
}

/// Imported memory. Tensors in it keep what they need of it.
#[derive(Debug)]
pub struct ExternalMemory {
    handle: Owned<sys::OrtExternalMemoryHandle>,
}

impl ExternalMemory {
    /// What handle it was imported from.
    pub fn memory_type(&self) -> ExternalMemoryType {
        ExternalMemoryType::from_raw(self.descriptor().handle_type)
    }

    /// How many bytes were imported.
    pub fn byte_len(&self) -> usize {
        self.descriptor().size_bytes - self.descriptor().offset_bytes
    }

    fn descriptor(&self) -> &sys::OrtExternalMemoryDescriptor {
        // SAFETY: the handle lives, and its members do not change.
        unsafe { &(*self.handle.as_ptr()).descriptor }
    }
}

/// An imported semaphore. Streams that wait for it, or set it, keep it.
#[derive(Debug)]
pub struct ExternalSemaphore {
    handle: Semaphore,
}

impl ExternalSemaphore {
    /// What handle it was imported from.
    pub fn semaphore_type(&self) -> ExternalSemaphoreType {
        // SAFETY: the handle lives, and its members do not change.
        ExternalSemaphoreType::from_raw(unsafe { (*self.handle.as_ptr()).descriptor.type_ })
    }
}

/// Imports memory and semaphores for a device, whose work then needs no copy.
///
/// ```no_run
/// # fn example(device: ortc::EpDevice, file: std::os::unix::io::RawFd) -> ortc::Result<()> {
/// use ortc::{ElementType, ExternalMemoryType, ExternalResourceImporter};
///
/// let mut importer = ExternalResourceImporter::new(&device)?;
/// // SAFETY: a file of 4096 bytes, which nobody else writes to while the model runs.
/// let x = unsafe {
///     let kind = ExternalMemoryType::VkMemoryOpaqueFd;
///     let memory = importer.import_memory(kind, file, 4096, 0)?;
///     importer.create_tensor(&memory, [1, 2], ElementType::Float, 0)?
/// };
/// # Ok(())
/// # }
/// ```
///
/// What it made stays after its end.
#[derive(Debug)]
pub struct ExternalResourceImporter {
    handle: Owned<sys::OrtExternalResourceImporter>,
}

impl ExternalResourceImporter {
    /// Fails with `NotImplemented` when the device's provider imports nothing.
    #[doc(alias = "OrtCreateExternalResourceImporterForDevice")]
    pub fn new(device: &EpDevice) -> Result<Self> {
        // SAFETY: the device lives; a new object, which keeps the provider's library.
        unsafe {
            let made = get!(OrtCreateExternalResourceImporterForDevice(device.as_ptr()))?;
            Ok(ExternalResourceImporter { handle: Owned::new(made) })
        }
    }

    /// Whether handles of memory of a type can be imported.
    #[doc(alias = "OrtCanImportMemory")]
    pub fn can_import_memory(&self, kind: ExternalMemoryType) -> Result<bool> {
        // SAFETY: the importer lives.
        unsafe { get!(OrtCanImportMemory(self.as_ptr(), kind.to_raw())) }
    }

    /// Imports memory of `size` bytes, from `offset` on. Who owns the handle afterwards is the
    /// provider's to say; on Linux it usually makes a file descriptor of its own.
    ///
    /// # Safety
    /// `handle` is of that type, and of memory of that size, which stays that large as long as
    /// something is imported from it.
    #[doc(alias = "OrtImportMemory")]
    pub unsafe fn import_memory(
        &mut self,
        kind: ExternalMemoryType,
        handle: impl Into<NativeHandle>,
        size: usize,
        offset: usize,
    ) -> Result<ExternalMemory> {
        let what = sys::OrtExternalMemoryDescriptor {
            version: VERSION,
            handle_type: kind.to_raw(),
            native_handle: handle.into().0,
            size_bytes: size,
            offset_bytes: offset,
        };
        // SAFETY: as the caller promises; the description is borrowed for the call.
        unsafe {
            let made = get!(OrtImportMemory(self.as_ptr(), &what))?;
            Ok(ExternalMemory { handle: Owned::new(made) })
        }
    }

    /// A tensor in imported memory, `offset` bytes from where the import begins.
    ///
    /// # Safety
    /// Nobody writes to the memory while the tensor is read, nor reads it while the tensor is
    /// written, be it a run, another tensor, or whoever made the memory: semaphores order that.
    #[doc(alias = "OrtCreateTensorFromMemory")]
    pub unsafe fn create_tensor(
        &mut self,
        memory: &ExternalMemory,
        shape: impl AsRef<[i64]>,
        element: ElementType,
        offset: usize,
    ) -> Result<Value> {
        let shape = shape.as_ref();
        let what = sys::OrtExternalTensorDescriptor {
            version: VERSION,
            element_type: element.to_raw(),
            shape: if shape.is_empty() { null() } else { shape.as_ptr() },
            rank: shape.len(),
            offset_bytes: offset,
        };
        // SAFETY: as the caller promises; the value keeps what it needs.
        unsafe {
            let made =
                get!(OrtCreateTensorFromMemory(self.as_ptr(), memory.handle.as_ptr(), &what))?;
            Ok(Value::from_raw(made, None))
        }
    }

    /// Whether handles of semaphores of a type can be imported.
    #[doc(alias = "OrtCanImportSemaphore")]
    pub fn can_import_semaphore(&self, kind: ExternalSemaphoreType) -> Result<bool> {
        // SAFETY: the importer lives.
        unsafe { get!(OrtCanImportSemaphore(self.as_ptr(), kind.to_raw())) }
    }

    /// Imports a semaphore. Who owns the handle afterwards is the provider's to say.
    ///
    /// # Safety
    /// `handle` is of that type.
    #[doc(alias = "OrtImportSemaphore")]
    pub unsafe fn import_semaphore(
        &mut self,
        kind: ExternalSemaphoreType,
        handle: impl Into<NativeHandle>,
    ) -> Result<ExternalSemaphore> {
        let what = sys::OrtExternalSemaphoreDescriptor {
            version: VERSION,
            type_: kind.to_raw(),
            native_handle: handle.into().0,
        };
        // SAFETY: as the caller promises; the description is borrowed for the call.
        unsafe {
            let made = get!(OrtImportSemaphore(self.as_ptr(), &what))?;
            Ok(ExternalSemaphore { handle: Arc::new(Owned::new(made)) })
        }
    }

    /// Lets what is added to a stream afterwards wait until a semaphore has a value, or a greater
    /// one.
    #[doc(alias = "OrtWaitSemaphore")]
    pub fn wait(
        &mut self,
        semaphore: &ExternalSemaphore,
        stream: &SyncStream,
        value: u64,
    ) -> Result<()> {
        stream.keep(&semaphore.handle)?;
        let (semaphore, stream) = (semaphore.handle.as_ptr(), stream.as_ptr());
        // SAFETY: the stream keeps the semaphore.
        unsafe { call!(OrtWaitSemaphore(self.as_ptr(), semaphore, stream, value)) }
    }

    /// Lets a stream set a semaphore to a value when it has done what was added to it before.
    #[doc(alias = "OrtSignalSemaphore")]
    pub fn signal(
        &mut self,
        semaphore: &ExternalSemaphore,
        stream: &SyncStream,
        value: u64,
    ) -> Result<()> {
        stream.keep(&semaphore.handle)?;
        let (semaphore, stream) = (semaphore.handle.as_ptr(), stream.as_ptr());
        // SAFETY: the stream keeps the semaphore.
        unsafe { call!(OrtSignalSemaphore(self.as_ptr(), semaphore, stream, value)) }
    }

    fn as_ptr(&self) -> *mut sys::OrtExternalResourceImporter {
        self.handle.as_ptr()
    }
}

impl EpDevice {
    /// Tells the provider which graphics interface its streams for the device share from now on.
    /// `options` are the provider's own. Fails with `NotImplemented` when it shares none.
    ///
    /// # Safety
    /// `command_queue` is null or a live queue of that interface, until
    /// [`deinit_graphics_interop`](Self::deinit_graphics_interop).
    #[doc(alias = "OrtInitGraphicsInteropForEpDevice")]
    pub unsafe fn init_graphics_interop(
        &self,
        api: GraphicsApi,
        command_queue: *mut c_void,
        options: Option<&KeyValuePairs>,
    ) -> Result<()> {
        let config = sys::OrtGraphicsInteropConfig {
            version: VERSION,
            graphics_api: api.to_raw(),
            command_queue,
            additional_options: options.map_or(null(), |options| options.as_ptr() as *const _),
        };
        // SAFETY: as the caller promises; the description is borrowed for the call.
        unsafe { call!(OrtInitGraphicsInteropForEpDevice(self.as_ptr(), &config)) }
    }

    /// Ends what [`init_graphics_interop`](Self::init_graphics_interop) began.
    #[doc(alias = "OrtDeinitGraphicsInteropForEpDevice")]
    pub fn deinit_graphics_interop(&self) -> Result<()> {
        // SAFETY: the device lives.
        unsafe { call!(OrtDeinitGraphicsInteropForEpDevice(self.as_ptr())) }
    }
}
