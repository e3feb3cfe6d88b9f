// SPDX-License-Identifier: MIT
// What a fallible call returns: NULL for success, else an object with a code and a text.
#pragma once

#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Tells the code of a status.
///
/// `status`  Borrowed. NULL, that is success, gives ORT_OK.
///
/// Thread-safe. Since 1.0.
ORTC_API OrtErrorCode OrtGetErrorCode(const OrtStatus* status);

/// Tells the text of a status: what was expected, what was found, and where. Without line end.
///
/// `status`  Borrowed. NULL, that is success, gives an empty text.
///
/// The text is UTF-8 and lives as long as the status. Thread-safe. Since 1.0.
ORTC_API const char* OrtGetErrorMessage(const OrtStatus* status);

/// Gives a status back.
///
/// `status`  Ends here. NULL is allowed.
///
/// Thread-safe. Since 1.0.
ORTC_API void OrtReleaseStatus(OrtStatus* status);

/// Makes a status, for callbacks that have to report a failure.
///
/// `code`  What went wrong. ORT_OK gives NULL, since success has no object.
/// `msg`   Copied. NULL means an empty text.
///
/// Cannot fail: when memory is short the caller gets a status that says so. The result is a new
/// object; give it back with OrtReleaseStatus() or hand it to the library as the result of a
/// callback. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateStatus(OrtErrorCode code, const char* msg);

#ifdef __cplusplus
}
#endif
