// SPDX-License-Identifier: MIT
//! `key_values.h`. An ordered list of texts with unique keys: device metadata, provider options.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Makes an empty list.
    pub fn OrtCreateKeyValuePairs(out: *mut *mut OrtKeyValuePairs);
    /// Adds a pair, or replaces the value of a key that is there; the pair then keeps its place.
    pub fn OrtAddKeyValuePair(
        kvps: *mut OrtKeyValuePairs,
        key: *const c_char,
        value: *const c_char,
    );
    /// Looks a value up.
    pub fn OrtGetKeyValue(kvps: *const OrtKeyValuePairs, key: *const c_char) -> *const c_char;
    /// Shows all pairs.
    pub fn OrtGetKeyValuePairs(
        kvps: *const OrtKeyValuePairs,
        keys: *mut *const *const c_char,
        values: *mut *const *const c_char,
        num_entries: *mut usize,
    );
    /// Removes a pair.
    pub fn OrtRemoveKeyValuePair(kvps: *mut OrtKeyValuePairs, key: *const c_char);
    /// Gives a list back.
    pub fn OrtReleaseKeyValuePairs(kvps: *mut OrtKeyValuePairs);
}
