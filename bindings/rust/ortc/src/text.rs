// SPDX-License-Identifier: MIT
//! Texts and paths between Rust and C.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use ortc_sys as sys;

use crate::error::{Error, Result};
use crate::ErrorCode;

/// A text for C, which ends it with a zero: so it cannot have one.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    c_bytes(text.as_bytes(), text)
}

/// A path for C. Paths of the library are UTF-8; on Unix it is handed what the path is made of.
pub(crate) fn c_path(path: impl AsRef<Path>) -> Result<CString> {
    let path = path.as_ref();
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        c_bytes(path.as_os_str().as_bytes(), &path.to_string_lossy())
    }
    #[cfg(not(unix))]
    match path.to_str() {
        Some(text) => c_text(text),
        None => Err(Error::new(
            ErrorCode::InvalidArgument,
            format!("the path '{}' is not Unicode", path.display()),
        )),
    }
}

fn c_bytes(bytes: &[u8], shown: &str) -> Result<CString> {
    CString::new(bytes).map_err(|error| {
        Error::new(
            ErrorCode::InvalidArgument,
            format!("the text {:?} has a zero at byte {}", shown, error.nul_position()),
        )
    })
}

/// Texts for C as an array of pointers.
pub(crate) struct CTexts {
    _texts: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl CTexts {
    pub(crate) fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self> {
        let texts =
            texts.into_iter().map(|text| c_text(text.as_ref())).collect::<Result<Vec<_>>>()?;
        let pointers = texts.iter().map(|text| text.as_ptr()).collect();
        Ok(CTexts { _texts: texts, pointers })
    }

    pub(crate) fn len(&self) -> usize {
        self.pointers.len()
    }

    /// Null when there are none, as some functions want it.
    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        if self.pointers.is_empty() {
            null()
        } else {
            self.pointers.as_ptr()
        }
    }
}

/// A copy of a text of the library; empty for null.
///
/// # Safety
/// `text` is null or ends in zero.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    // SAFETY: as the caller promises.
    unsafe { optional_text(text) }.unwrap_or_default()
}

/// A copy of a text of the library; none for null.
///
/// # Safety
/// `text` is null or ends in zero.
pub(crate) unsafe fn optional_text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// A copy of a path of the library; empty for null.
///
/// # Safety
/// `path` is null or ends in zero.
pub(crate) unsafe fn path(path: *const c_char) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        if path.is_null() {
            return PathBuf::new();
        }
        // SAFETY: as the caller promises.
        let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
        std::ffi::OsStr::from_bytes(bytes).into()
    }
    #[cfg(not(unix))]
    // SAFETY: as the caller promises.
    unsafe { text(path) }.into()
}

/// A text for as long as a callback lasts. What is not UTF-8 is shown with replacement characters.
///
/// # Safety
/// `text` is null or ends in zero, and lives as long as `'a`.
pub(crate) unsafe fn shown<'a>(text: *const c_char) -> std::borrow::Cow<'a, str> {
    if text.is_null() {
        return "".into();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

/// The library's own allocator: one for the whole process.
pub(crate) fn default_allocator() -> Result<*mut sys::OrtAllocator> {
    // SAFETY: the result is a local.
    unsafe { get!(OrtGetAllocatorWithDefaultOptions()) }
}

/// A text that a function made with the library's allocator; none for null.
///
/// # Safety
/// `text` is null, or ends in zero and came from [`default_allocator`]. It ends here.
pub(crate) unsafe fn taken_text(text: *mut c_char) -> Result<Option<String>> {
    // SAFETY: as the caller promises.
    let copy = unsafe { optional_text(text) };
    // SAFETY: it came from this allocator.
    unsafe { call!(OrtAllocatorFree(default_allocator()?, text.cast())) }?;
    Ok(copy)
}

/// Bytes that a function made with the library's allocator; given back at the end.
pub(crate) struct Taken {
    pub(crate) data: *mut c_void,
    pub(crate) size: usize,
}

impl Default for Taken {
    fn default() -> Self {
        Taken { data: null_mut(), size: 0 }
    }
}

impl Taken {
    /// # Safety
    /// `data` is null or has `size` bytes.
    pub(crate) unsafe fn to_vec(&self) -> Vec<u8> {
        // SAFETY: as the caller promises.
        unsafe { array(self.data.cast::<u8>(), self.size) }.to_vec()
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Ok(allocator) = default_allocator() {
            // SAFETY: null, or of this allocator. It cannot fail.
            let _ = unsafe { call!(OrtAllocatorFree(allocator, self.data)) };
        }
    }
}

/// The elements of an array that the library shows; none for null.
///
/// # Safety
/// `first` has `count` elements that live as long as `'a`, or is null.
pub(crate) unsafe fn array<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(first, count) }
}
