// SPDX-License-Identifier: MIT
//! What a model says about itself.

use std::os::raw::c_char;
use std::ptr::null_mut;

use ortc_sys as sys;

use crate::call::Owned;
use crate::error::Result;
use crate::text::{array, c_text, default_allocator, taken_text};

/// What a model says about itself; texts are empty when it says nothing.
pub struct ModelMetadata(Owned<sys::OrtModelMetadata>);

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident $function:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self) -> Result<String> {
            // SAFETY: a new text of the allocator.
            unsafe {
                let text = get!($function(self.0.as_ptr(), default_allocator()?))?;
                Ok(taken_text(text)?.unwrap_or_default())
            }
        }
    )*};
}

impl ModelMetadata {
    texts! {
        /// The program that made the model.
        #[doc(alias = "OrtModelMetadataGetProducerName")]
        producer OrtModelMetadataGetProducerName;
        /// The name of the main graph.
        #[doc(alias = "OrtModelMetadataGetGraphName")]
        graph_name OrtModelMetadataGetGraphName;
        /// The model's domain.
        #[doc(alias = "OrtModelMetadataGetDomain")]
        domain OrtModelMetadataGetDomain;
        /// The model's description.
        #[doc(alias = "OrtModelMetadataGetDescription")]
        description OrtModelMetadataGetDescription;
        /// The main graph's description.
        #[doc(alias = "OrtModelMetadataGetGraphDescription")]
        graph_description OrtModelMetadataGetGraphDescription;
    }

    /// The model's own version number; none when it has none.
    #[doc(alias = "OrtModelMetadataGetVersion")]
    pub fn version(&self) -> Result<Option<i64>> {
        // SAFETY: the object lives.
        let version = unsafe { get!(OrtModelMetadataGetVersion(self.0.as_ptr())) }?;
        Ok((version != i64::MAX).then_some(version))
    }

    /// The value of a custom entry; none when the key is not there.
    #[doc(alias = "OrtModelMetadataLookupCustomMetadataMap")]
    pub fn get(&self, key: &str) -> Result<Option<String>> {
        let key = c_text(key)?;
        let (metadata, allocator) = (self.0.as_ptr(), default_allocator()?);
        // SAFETY: a new text of the allocator, or null.
        unsafe {
            let lookup =
                get!(OrtModelMetadataLookupCustomMetadataMap(metadata, allocator, key.as_ptr()));
            taken_text(lookup?)
        }
    }

    /// The keys of the custom entries.
    #[doc(alias = "OrtModelMetadataGetCustomMetadataMapKeys")]
    pub fn keys(&self) -> Result<Vec<String>> {
        let (mut keys, mut count) = (null_mut::<*mut c_char>(), 0i64);
        let (metadata, allocator) = (self.0.as_ptr(), default_allocator()?);
        // SAFETY: `count` new texts in a new array.
        unsafe {
            call!(OrtModelMetadataGetCustomMetadataMapKeys(
                metadata, allocator, &mut keys, &mut count
            ))?;
            let texts = array(keys, usize::try_from(count).unwrap_or(0));
            let texts = texts.iter().map(|key| Ok(taken_text(*key)?.unwrap_or_default()));
            let texts = texts.collect::<Result<Vec<_>>>();
            call!(OrtAllocatorFree(allocator, keys.cast()))?;
            texts
        }
    }

    /// # Safety
    /// `metadata` is new.
    pub(crate) unsafe fn from_raw(metadata: *mut sys::OrtModelMetadata) -> Self {
        // SAFETY: as the caller promises.
        ModelMetadata(unsafe { Owned::new(metadata) })
    }
}

impl std::fmt::Debug for ModelMetadata {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelMetadata")
            .field("producer", &self.producer())
            .field("graph_name", &self.graph_name())
            .field("version", &self.version())
            .finish()
    }
}
