// SPDX-License-Identifier: MIT
//! `model_package.h`. Model packages: one folder with a model in several variants, each for an
//! execution provider and what it was compiled for.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Reads a package: its manifest, its components and their variants. No model is
    /// opened.
    pub fn OrtCreateModelPackageContext(
        package_root: *const c_char,
        out: *mut *mut OrtModelPackageContext,
    ) -> *mut OrtStatus;
    /// Gives a package back.
    pub fn OrtReleaseModelPackageContext(input: *mut OrtModelPackageContext);
    /// Notes the execution providers and devices that session options choose, in their
    /// order: the default provider is behind them, unless
    /// `session.disable_cpu_ep_fallback` = "1".
    pub fn OrtCreateModelPackageOptionsFromSessionOptions(
        env: *const OrtEnv,
        session_options: *const OrtSessionOptions,
        out: *mut *mut OrtModelPackageOptions,
    ) -> *mut OrtStatus;
    /// Gives options for packages back.
    pub fn OrtReleaseModelPackageOptions(input: *mut OrtModelPackageOptions);
    /// Tells the major version of the format in which a package is written.
    pub fn OrtModelPackage_GetSchemaVersion(
        ctx: *const OrtModelPackageContext,
        out_version: *mut i64,
    ) -> *mut OrtStatus;
    /// Counts the components of a package.
    pub fn OrtModelPackage_GetComponentCount(
        ctx: *const OrtModelPackageContext,
        out_count: *mut usize,
    ) -> *mut OrtStatus;
    /// Gives the names of all components, in the order of the manifest.
    pub fn OrtModelPackage_GetComponentNames(
        ctx: *const OrtModelPackageContext,
        out_names: *mut *const *const c_char,
        out_count: *mut usize,
    ) -> *mut OrtStatus;
    /// Counts the variants of a component.
    pub fn OrtModelPackage_GetVariantCount(
        ctx: *const OrtModelPackageContext,
        component_name: *const c_char,
        out_count: *mut usize,
    ) -> *mut OrtStatus;
    /// Gives the names of all variants of a component, in the order of the manifest.
    pub fn OrtModelPackage_GetVariantNames(
        ctx: *const OrtModelPackageContext,
        component_name: *const c_char,
        out_variant_names: *mut *const *const c_char,
        out_count: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells for which execution provider a variant is.
    pub fn OrtModelPackage_GetVariantEpName(
        ctx: *const OrtModelPackageContext,
        component_name: *const c_char,
        variant_name: *const c_char,
        out_ep: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Finds what a text in a package means: `sha256:<digits>` the folder of a shared
    /// asset, `sha256:<digits>/<name>` something in it, anything else a path seen from
    /// `base_dir`.
    pub fn OrtModelPackage_ResolveStringRef(
        ctx: *const OrtModelPackageContext,
        base_dir: *const c_char,
        input: *const c_char,
        must_exist: i32,
        out_path: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Selects a variant of a component. The first provider that takes any is asked which;
    /// a variant that it cannot run is left out, and among equals the first of the
    /// manifest is taken.
    pub fn OrtModelPackage_SelectComponent(
        context: *const OrtModelPackageContext,
        component_name: *const c_char,
        options: *const OrtModelPackageOptions,
        out: *mut *mut OrtModelPackageComponentContext,
    ) -> *mut OrtStatus;
    /// Gives a selected component back. Sessions made from it stay.
    pub fn OrtReleaseModelPackageComponentContext(input: *mut OrtModelPackageComponentContext);
    /// Tells the name of the variant that was selected.
    pub fn OrtModelPackageComponent_GetSelectedVariantName(
        ctx: *const OrtModelPackageComponentContext,
        out_name: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the folder of the variant that was selected, as a real path. Empty when it
    /// has none.
    pub fn OrtModelPackageComponent_GetSelectedVariantFolderPath(
        ctx: *const OrtModelPackageComponentContext,
        folder_path: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Makes a session of the selected variant's model, with the provider that it was
    /// selected for.
    pub fn OrtModelPackage_CreateSession(
        env: *const OrtEnv,
        context: *mut OrtModelPackageComponentContext,
        session_options: *const OrtSessionOptions,
        session: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// Describes a package as JSON: components, variants and shared assets; with options
    /// what is said of each variant here, and which is selected.
    pub fn OrtModelPackage_Describe(
        ctx: *const OrtModelPackageContext,
        options: *const OrtModelPackageOptions,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Compares everything in a package that has a hash with it, and says so as JSON:
    /// `verdict`, "sound" or "broken", and `items`. Shared assets have one by their names,
    /// other files where the writer of the package noted it.
    pub fn OrtModelPackage_Verify(
        ctx: *const OrtModelPackageContext,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
}
