// SPDX-License-Identifier: MIT
//! What a library of operators exports. This program exports it, too, and is such a library then.

use std::os::raw::{c_char, c_int};
use std::ptr::{null, null_mut};

use ortc::sys::{OrtApi, OrtApiBase, OrtErrorCode, OrtStatus};
use ortc::OperatorDomain;

use crate::operator_testing::TestOp;

ortc::export_operators!(OperatorDomain::new("mine")?.with(TestOp::same("Same")));

/// Code and text of a status, which ends here.
fn read(status: *mut OrtStatus) -> (OrtErrorCode, String) {
    assert!(!status.is_null());
    // SAFETY: a status of the library, of which nothing is used afterwards.
    unsafe {
        let text = std::ffi::CStr::from_ptr(ortc::sys::OrtGetErrorMessage(status));
        let result = (ortc::sys::OrtGetErrorCode(status), text.to_str().unwrap().to_string());
        ortc::sys::OrtReleaseStatus(status);
        result
    }
}

/// That such operators work is seen where a sample loads a library of them.
#[test]
fn options_take_what_a_library_exports_any_number_of_times() {
    let mut options = null_mut();
    // SAFETY: the options are of the library whose base is given, and end here.
    unsafe {
        assert!(ortc::sys::OrtCreateSessionOptions(&mut options).is_null());
        assert!(RegisterCustomOps(options, ortc::api_base()).is_null());
        assert!(RegisterCustomOps(options, ortc::api_base()).is_null());
        ortc::sys::OrtReleaseSessionOptions(options);
    }
}

#[test]
fn options_of_other_libraries_are_refused() {
    // SAFETY: there is no library to be asked, so the answer is this one's.
    let (code, text) = read(unsafe { RegisterCustomOps(null_mut(), null()) });
    assert_eq!(code, ortc::sys::ORT_NOT_IMPLEMENTED);
    assert!(text.contains("programs that use ortc"), "{text}");
}

/// The only function of another library that may be called.
unsafe extern "C" fn create_status(code: c_int, text: *const c_char) -> *mut OrtStatus {
    // SAFETY: the text is copied.
    let own = unsafe { std::ffi::CStr::from_ptr(text) }.to_str().unwrap();
    let own = std::ffi::CString::new(format!("elsewhere: {own}")).unwrap();
    // SAFETY: as above.
    unsafe { ortc::sys::OrtCreateStatus(code, own.as_ptr()) }
}

struct Table([unsafe extern "C" fn(c_int, *const c_char) -> *mut OrtStatus; 1]);

unsafe extern "C" fn table(version: u32) -> *const OrtApi {
    static TABLE: Table = Table([create_status]);
    assert_eq!(version, 1, "the oldest has all that is needed");
    TABLE.0.as_ptr().cast()
}

#[test]
fn other_libraries_get_a_status_of_their_own() {
    let base = OrtApiBase { GetApi: Some(table), GetVersionString: None };
    // SAFETY: the base is live, and its table has the function that is called.
    let (_, text) = read(unsafe { RegisterCustomOps(null_mut(), &base) });
    assert!(text.starts_with("elsewhere: "), "{text}");
}
