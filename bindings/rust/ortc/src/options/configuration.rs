// SPDX-License-Identifier: MIT
//! Config entries of session options.

use std::os::raw::c_int;
use std::ptr::null_mut;

use super::SessionOptions;
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::text::c_text;

impl SessionOptions {
    /// Sets a config entry, replacing one that is there: a key of [`keys`](crate::keys), or
    /// `ep.<provider>.<option>`.
    ///
    /// Fails for an unknown key or word (the message names the nearest one) and a wrong value.
    #[doc(alias = "OrtAddSessionConfigEntry")]
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let (key, value) = (c_text(key)?, c_text(value)?);
        // SAFETY: texts are copied.
        unsafe { call!(OrtAddSessionConfigEntry(self.as_ptr(), key.as_ptr(), value.as_ptr())) }
    }

    /// The value of a config entry; none when it was not set.
    #[doc(alias = "OrtGetSessionConfigEntry")]
    #[doc(alias = "OrtHasSessionConfigEntry")]
    pub fn get(&self, key: &str) -> Result<Option<String>> {
        let key = c_text(key)?;
        let mut size = 0;
        // SAFETY: the first call asks for the room that the second one fills.
        unsafe {
            let is_set: c_int = get!(OrtHasSessionConfigEntry(self.as_ptr(), key.as_ptr()))?;
            if is_set == 0 {
                return Ok(None);
            }
            let (options, key) = (self.as_ptr(), key.as_ptr());
            call!(OrtGetSessionConfigEntry(options, key, null_mut(), &mut size))?;
            let mut value = vec![0u8; size];
            let room = value.as_mut_ptr().cast();
            call!(OrtGetSessionConfigEntry(options, key, room, &mut size))?;
            value.truncate(size.saturating_sub(1)); // without the zero
            Ok(Some(String::from_utf8_lossy(&value).into_owned()))
        }
    }

    /// All config entries.
    #[doc(alias = "OrtGetSessionOptionsConfigEntries")]
    pub fn entries(&self) -> Result<KeyValuePairs> {
        // SAFETY: a new list.
        unsafe {
            get!(OrtGetSessionOptionsConfigEntries(self.as_ptr()))
                .map(|list| KeyValuePairs::from_raw(list))
        }
    }
}
