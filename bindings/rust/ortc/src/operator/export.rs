// SPDX-License-Identifier: MIT
//! Libraries of operators.

use std::ffi::CString;
use std::sync::Mutex;

use ortc_sys as sys;

use super::registered::guard;
use super::OperatorDomain;
use crate::callback::lock;
use crate::error::Result;

/// Makes a library of operators out of a crate of type `cdylib`: exports `RegisterCustomOps`, which
/// [`SessionOptions::register_operator_library`] and programs in all other languages call.
///
/// Give it expressions of type `Result<OperatorDomain>`, which are evaluated once.
///
/// ```
/// use ortc::OperatorDomain;
///
/// ortc::export_operators!(OperatorDomain::new("mine"));
/// # fn main() {}
/// ```
///
/// [`SessionOptions::register_operator_library`]: crate::SessionOptions::register_operator_library
#[macro_export]
macro_rules! export_operators {
    ($($domain:expr),+ $(,)?) => {
        /// Adds the operators of this library to session options.
        ///
        /// # Safety
        /// `options` are live session options of the library that `api` is of.
        #[no_mangle]
        pub unsafe extern "C" fn RegisterCustomOps(
            options: *mut $crate::sys::OrtSessionOptions,
            api: *const $crate::sys::OrtApiBase,
        ) -> *mut $crate::sys::OrtStatus {
            static OPERATORS: $crate::ExportedOperators = $crate::ExportedOperators::new();
            // SAFETY: as the caller promises.
            unsafe { OPERATORS.register(options, api, || Ok(vec![$($domain?),+])) }
        }
    };
}

/// What a library made with [`export_operators`](crate::export_operators) has: its operators, which
/// stay as long as it.
#[derive(Debug)]
pub struct ExportedOperators(Mutex<Vec<OperatorDomain>>);

impl ExportedOperators {
    /// No operators yet. Only the macro needs it.
    #[doc(hidden)]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        ExportedOperators(Mutex::new(Vec::new()))
    }

    /// # Safety
    /// `options` are live session options of the library that `api` is of.
    #[doc(hidden)]
    pub unsafe fn register(
        &'static self,
        options: *mut sys::OrtSessionOptions,
        api: *const sys::OrtApiBase,
        make: impl FnOnce() -> Result<Vec<OperatorDomain>>,
    ) -> *mut sys::OrtStatus {
        if api != crate::api_base() {
            // SAFETY: as the caller promises.
            return unsafe { refuse(api) };
        }
        guard(&CString::default(), || {
            let mut domains = lock(&self.0);
            if domains.is_empty() {
                *domains = make()?;
            }
            for domain in domains.iter() {
                // SAFETY: as the caller promises; the operators are never given back.
                unsafe { domain.add_to(options) }?;
            }
            Ok(())
        })
    }
}

/// The answer to another library that has the interface, as ONNX Runtime: its options are not those
/// of this one, and neither are its statuses. Each of its tables begins with CreateStatus.
///
/// # Safety
/// `api` is null or the base of such a library.
unsafe fn refuse(api: *const sys::OrtApiBase) -> *mut sys::OrtStatus {
    type CreateStatus =
        unsafe extern "C" fn(sys::OrtErrorCode, *const std::os::raw::c_char) -> *mut sys::OrtStatus;
    const TEXT: &[u8] = b"the operators of this library are for programs that use ortc\0";
    // SAFETY: as the caller promises.
    unsafe {
        let table = match api.as_ref().and_then(|api| api.GetApi) {
            Some(get) => get(1) as *const CreateStatus,
            None => std::ptr::null(),
        };
        let create = table.as_ref().copied().unwrap_or(sys::OrtCreateStatus);
        create(sys::ORT_NOT_IMPLEMENTED, TEXT.as_ptr().cast())
    }
}
