// SPDX-License-Identifier: MIT
//! `model_package_writer.h`. Writing model packages: models that are there already become
//! variants of components.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Begins a package without variants.
    pub fn OrtCreateModelPackageWriter(
        info: *const OrtKeyValuePairs,
        out: *mut *mut OrtModelPackageWriter,
    ) -> *mut OrtStatus;
    /// Adds a model as a variant of a component. Nothing is copied before the package is
    /// written.
    pub fn OrtModelPackageWriter_AddVariant(
        writer: *mut OrtModelPackageWriter,
        component_name: *const c_char,
        variant_name: *const c_char,
        model_path: *const c_char,
        settings: *const OrtKeyValuePairs,
    ) -> *mut OrtStatus;
    /// Adds a folder that variants share, as a tokenizer's. It is stored once, under a
    /// name that says what is in it.
    pub fn OrtModelPackageWriter_AddSharedAsset(
        writer: *mut OrtModelPackageWriter,
        folder: *const c_char,
        allocator: *mut OrtAllocator,
        out_uri: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Writes the package: everything at once, or nothing. External data that several
    /// variants have alike, of models that are not compiled, are stored once as a shared
    /// asset.
    pub fn OrtModelPackageWriter_Write(
        writer: *const OrtModelPackageWriter,
        package_root: *const c_char,
        flags: u32,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Gives a writer back. What it wrote stays.
    pub fn OrtReleaseModelPackageWriter(input: *mut OrtModelPackageWriter);
}
