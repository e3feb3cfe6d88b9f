// SPDX-License-Identifier: MIT
//! `model_metadata.h`. What a model says about itself.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Tells which program made the model.
    pub fn OrtModelMetadataGetProducerName(
        model_metadata: *const OrtModelMetadata,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the name of the main graph; parameters as for OrtModelMetadataGetProducerName().
    pub fn OrtModelMetadataGetGraphName(
        model_metadata: *const OrtModelMetadata,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the model's domain; parameters as for OrtModelMetadataGetProducerName().
    pub fn OrtModelMetadataGetDomain(
        model_metadata: *const OrtModelMetadata,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the model's description; parameters as for OrtModelMetadataGetProducerName().
    pub fn OrtModelMetadataGetDescription(
        model_metadata: *const OrtModelMetadata,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the main graph's description; parameters as for OrtModelMetadataGetProducerName().
    pub fn OrtModelMetadataGetGraphDescription(
        model_metadata: *const OrtModelMetadata,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the model's own version number; INT64_MAX when the model has none.
    pub fn OrtModelMetadataGetVersion(
        model_metadata: *const OrtModelMetadata,
        value: *mut i64,
    ) -> *mut OrtStatus;
    /// Looks a custom entry up.
    pub fn OrtModelMetadataLookupCustomMetadataMap(
        model_metadata: *const OrtModelMetadata,
        allocator: *mut OrtAllocator,
        key: *const c_char,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Lists the keys of the custom entries.
    pub fn OrtModelMetadataGetCustomMetadataMapKeys(
        model_metadata: *const OrtModelMetadata,
        allocator: *mut OrtAllocator,
        keys: *mut *mut *mut c_char,
        num_keys: *mut i64,
    ) -> *mut OrtStatus;
    /// Gives metadata back.
    pub fn OrtReleaseModelMetadata(model_metadata: *mut OrtModelMetadata);
}
