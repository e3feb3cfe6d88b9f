// SPDX-License-Identifier: MIT
//! Values that share their content with something else.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use ortc_sys as sys;

use super::Value;

/// A value that shares its content with what it came from: read-only.
pub struct ValueView<'a> {
    value: Value,
    owner: PhantomData<&'a ()>,
}

impl ValueView<'_> {
    /// # Safety
    /// `value` is new, and its content is not changed as long as the result lives.
    pub(crate) unsafe fn from_raw(value: *mut sys::OrtValue) -> Self {
        // SAFETY: as the caller promises.
        let value = unsafe { Value::from_raw(value, None) };
        ValueView { value, owner: PhantomData }
    }
}

impl Deref for ValueView<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl fmt::Debug for ValueView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
