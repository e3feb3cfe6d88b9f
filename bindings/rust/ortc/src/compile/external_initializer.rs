// SPDX-License-Identifier: MIT
//! Where the bytes of an initializer stand.

use std::path::PathBuf;

use ortc_sys as sys;

use crate::call::Owned;
use crate::error::Result;
use crate::text::{c_path, text};

/// Bytes of a file that an initializer of a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalInitializer {
    /// The file, relative to the model's folder.
    pub path: PathBuf,
    /// Where in the file the bytes begin.
    pub offset: i64,
    /// How many they are.
    pub bytes: usize,
}

impl ExternalInitializer {
    /// Bytes of a file.
    pub fn new(path: impl Into<PathBuf>, offset: i64, bytes: usize) -> Self {
        ExternalInitializer { path: path.into(), offset, bytes }
    }

    #[doc(alias = "OrtCreateExternalInitializerInfo")]
    pub(crate) fn create(&self) -> Result<Owned<sys::OrtExternalInitializerInfo>> {
        let path = c_path(&self.path)?;
        // SAFETY: the path is copied; a new object.
        unsafe {
            get!(OrtCreateExternalInitializerInfo(path.as_ptr(), self.offset, self.bytes))
                .map(|new| Owned::new(new))
        }
    }

    /// The place that an object of the library tells; none for null.
    ///
    /// # Safety
    /// `info` lives for the call, or is null.
    #[doc(alias = "OrtExternalInitializerInfo_GetFilePath")]
    #[doc(alias = "OrtExternalInitializerInfo_GetFileOffset")]
    #[doc(alias = "OrtExternalInitializerInfo_GetByteSize")]
    pub(crate) unsafe fn read(info: *const sys::OrtExternalInitializerInfo) -> Option<Self> {
        if info.is_null() {
            return None;
        }
        // SAFETY: as the caller promises.
        Some(unsafe {
            ExternalInitializer {
                path: text(sys::OrtExternalInitializerInfo_GetFilePath(info)).into(),
                offset: sys::OrtExternalInitializerInfo_GetFileOffset(info),
                bytes: sys::OrtExternalInitializerInfo_GetByteSize(info),
            }
        })
    }
}
