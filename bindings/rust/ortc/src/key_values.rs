// SPDX-License-Identifier: MIT
//! Ordered lists of texts: metadata of devices, provider options, figures of allocators.

use std::fmt;
use std::os::raw::c_char;
use std::ptr::{null, null_mut};

use ortc_sys as sys;

use crate::call::{Owned, Ref};
use crate::error::Result;
use crate::text::{array, c_text, optional_text, text};

/// A list of pairs with unique keys, in the order in which they were added.
pub struct KeyValuePairs(Owned<sys::OrtKeyValuePairs>);

impl KeyValuePairs {
    /// An empty list.
    #[doc(alias = "OrtCreateKeyValuePairs")]
    pub fn new() -> Self {
        let mut pairs = null_mut();
        // SAFETY: the result is a local; null means that memory is short, which panics.
        unsafe {
            sys::OrtCreateKeyValuePairs(&mut pairs);
            KeyValuePairs(Owned::new(pairs))
        }
    }

    /// Adds a pair, or replaces the value of a key, which then keeps its place.
    ///
    /// Fails for an empty key, and for texts with a zero inside.
    #[doc(alias = "OrtAddKeyValuePair")]
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if key.is_empty() {
            return Err(crate::Error::new(crate::ErrorCode::InvalidArgument, "an empty key"));
        }
        let (key, value) = (c_text(key)?, c_text(value)?);
        // SAFETY: texts are copied.
        unsafe { sys::OrtAddKeyValuePair(self.as_ptr(), key.as_ptr(), value.as_ptr()) };
        Ok(())
    }

    /// Looks a value up.
    #[doc(alias = "OrtGetKeyValue")]
    pub fn get(&self, key: &str) -> Option<String> {
        let key = c_text(key).ok()?;
        // SAFETY: the text lives as long as the list is not changed.
        unsafe { optional_text(sys::OrtGetKeyValue(self.as_ptr(), key.as_ptr())) }
    }

    /// Removes a pair; a key that is not there is none.
    #[doc(alias = "OrtRemoveKeyValuePair")]
    pub fn remove(&mut self, key: &str) {
        if let Ok(key) = c_text(key) {
            // SAFETY: the key is borrowed for the call.
            unsafe { sys::OrtRemoveKeyValuePair(self.as_ptr(), key.as_ptr()) }
        }
    }

    /// All pairs in their order.
    #[doc(alias = "OrtGetKeyValuePairs")]
    pub fn iter(&self) -> impl Iterator<Item = (String, String)> {
        self.to_vec().into_iter()
    }

    /// All pairs in their order.
    pub fn to_vec(&self) -> Vec<(String, String)> {
        let (mut keys, mut values): (*const *const c_char, *const *const c_char) = (null(), null());
        let mut count = 0;
        // SAFETY: both arrays have `count` texts that live as long as the list is not changed.
        unsafe {
            sys::OrtGetKeyValuePairs(self.as_ptr(), &mut keys, &mut values, &mut count);
            let values = array(values, count);
            array(keys, count).iter().zip(values).map(|(k, v)| (text(*k), text(*v))).collect()
        }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.to_vec().len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn into_raw(self) -> *mut sys::OrtKeyValuePairs {
        self.0.into_raw()
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtKeyValuePairs {
        self.0.as_ptr()
    }

    /// # Safety
    /// `pairs` is a live list that this is the only owner of.
    pub(crate) unsafe fn from_raw(pairs: *mut sys::OrtKeyValuePairs) -> Self {
        // SAFETY: as the caller promises.
        KeyValuePairs(unsafe { Owned::new(pairs) })
    }

    /// # Safety
    /// `pairs` is a live list that lives as long as `'a`.
    pub(crate) unsafe fn borrow<'a>(pairs: *const sys::OrtKeyValuePairs) -> Ref<'a, Self> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        unsafe { Ref::new(Self::from_raw(pairs as *mut _)) }
    }
}

impl Default for KeyValuePairs {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for KeyValuePairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: AsRef<str>, V: AsRef<str>> TryFrom<&[(K, V)]> for KeyValuePairs {
    type Error = crate::Error;

    fn try_from(pairs: &[(K, V)]) -> Result<Self> {
        let mut list = KeyValuePairs::new();
        pairs.iter().try_for_each(|(key, value)| list.set(key.as_ref(), value.as_ref()))?;
        Ok(list)
    }
}
