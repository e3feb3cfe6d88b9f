// SPDX-License-Identifier: MIT
//! `context_cache.h`. A cache of compiled models: ortc's own.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Makes a session from a model file by way of a cache: loads what was compiled of the model
    /// before, or compiles it and keeps that for the next.
    pub fn OrtCreateSessionFromCache(
        env: *const OrtEnv,
        model_path: *const c_char,
        cache_dir: *const c_char,
        options: *const OrtSessionOptions,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// Lists what is in a cache, as JSON: `entries`, the one that was unused for the longest time
    /// first, with `key`, `source`, `bytes`, `created_ms`, `used_ms` and `state`; and `bytes` of
    /// all.
    pub fn OrtListContextCache(
        cache_dir: *const c_char,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Removes entries, the one that was unused for the longest time first, until the others take
    /// no more than a number of bytes; and what processes left behind that were ended.
    pub fn OrtPruneContextCache(
        cache_dir: *const c_char,
        max_bytes: u64,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Compares every byte of a cache with its hash.
    pub fn OrtVerifyContextCache(
        cache_dir: *const c_char,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Says whether a cache has what a session would compile, and what that follows from.
    pub fn OrtExplainContextCache(
        env: *const OrtEnv,
        model_path: *const c_char,
        cache_dir: *const c_char,
        options: *const OrtSessionOptions,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
}
