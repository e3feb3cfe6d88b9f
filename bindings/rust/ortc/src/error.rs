// SPDX-License-Identifier: MIT
//! What failed, as a value.

use std::error::Error as StdError;
use std::fmt;

use ortc_sys as sys;

use crate::text::text;
use crate::ErrorCode;

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error of the program, as closures that the library calls give it.
pub type BoxError = Box<dyn StdError + Send + Sync + 'static>;

/// A failure: a code to decide by, and a message that says what was expected, what was found, and
/// where.
///
/// When a closure or a writer of the program was the reason, [`source`](StdError::source) is the
/// error that it gave.
///
/// ```
/// use ortc::{Env, Session, SessionOptions};
///
/// let env = Env::new("docs")?;
/// let error = Session::new(&env, "missing.onnx", &SessionOptions::new()?).unwrap_err();
/// assert!(error.is_not_found());
/// assert!(error.message().contains("missing.onnx"));
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    code: ErrorCode,
    message: String,
    details: Vec<(&'static str, String)>,
    cancelled: bool,
    source: Option<BoxError>,
}

impl Error {
    /// A failure of the program's own, for closures that the library calls: code and message reach
    /// the caller of the operation unchanged.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            code,
            message: message.into(),
            details: Vec::new(),
            cancelled: code == ErrorCode::ModelLoadCanceled,
            source: None,
        }))
    }

    /// What went wrong.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The whole story, without line end.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Facts beside the message, as names and values, where they are known: `function`, the C
    /// function that failed; `path`, the model that was to be opened; `report`, how far a compile
    /// came, as JSON.
    pub fn details(&self) -> &[(&'static str, String)] {
        &self.0.details
    }

    /// Stopped on request: a token, a deadline, or a progress function that said so.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled
    }

    /// The program passed something wrong.
    pub fn is_invalid_argument(&self) -> bool {
        self.code() == ErrorCode::InvalidArgument
    }

    /// A file, a name or a key is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self.code(), ErrorCode::NoSuchFile | ErrorCode::NotFound)
    }

    /// The bytes are not a model, or the model breaks a rule.
    pub fn is_invalid_model(&self) -> bool {
        matches!(self.code(), ErrorCode::InvalidProtobuf | ErrorCode::InvalidGraph)
    }

    /// Understood, but this library cannot do it.
    pub fn is_not_implemented(&self) -> bool {
        self.code() == ErrorCode::NotImplemented
    }

    /// Compiling is switched off, but the model needs it.
    pub fn is_compilation_required(&self) -> bool {
        self.code() == ErrorCode::ModelRequiresCompilation
    }

    pub(crate) fn with_detail(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.details.push((name, value.into()));
        self
    }

    pub(crate) fn with_source(mut self, source: BoxError) -> Self {
        self.0.source = Some(source);
        self
    }

    pub(crate) fn into_cancelled(mut self) -> Self {
        self.0.cancelled = true;
        self
    }

    /// Takes a status of the library over.
    ///
    /// # Safety
    /// `status` is a live status that ends here.
    pub(crate) unsafe fn from_status(status: *mut sys::OrtStatus) -> Self {
        // SAFETY: live until the release, and the text lives as long.
        unsafe {
            let code = ErrorCode::from_raw(sys::OrtGetErrorCode(status));
            let message = text(sys::OrtGetErrorMessage(status));
            sys::OrtReleaseStatus(status);
            Error::new(code, message)
        }
    }

    /// A status that says the same, for C.
    pub(crate) fn to_status(&self) -> *mut sys::OrtStatus {
        new_status(self.code(), self.message())
    }
}

/// A new status, for callbacks. A zero in the message would end it: it becomes a blank.
pub(crate) fn new_status(code: ErrorCode, message: &str) -> *mut sys::OrtStatus {
    let message = std::ffi::CString::new(message.replace('\0', " ")).unwrap_or_default();
    // A failure with the code of success would be none.
    let code = if code == ErrorCode::Ok { ErrorCode::Fail } else { code };
    // SAFETY: the message is copied.
    unsafe { sys::OrtCreateStatus(code.to_raw(), message.as_ptr()) }
}

/// Makes the status of a C function a result.
///
/// # Safety
/// `status` is null or a live status that ends here.
pub(crate) unsafe fn check(status: *mut sys::OrtStatus, function: &'static str) -> Result<()> {
    if status.is_null() {
        return Ok(());
    }
    // SAFETY: as the caller promises.
    Err(unsafe { Error::from_status(status) }.with_detail("function", function))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Error");
        debug.field("code", &self.0.code).field("message", &self.0.message);
        for (name, value) in &self.0.details {
            debug.field(name, value);
        }
        if let Some(source) = &self.0.source {
            debug.field("source", source);
        }
        debug.finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|source| &**source as &(dyn StdError + 'static))
    }
}
