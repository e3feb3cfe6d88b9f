// SPDX-License-Identifier: MIT
// The callback that receives log lines. It is given to OrtCreateEnvWithCustomLogger(); without one
// the library writes warnings and worse to stderr, and never anything to stdout.
#pragma once

#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Receives one log line. All texts are UTF-8 and live for this call only.
///
/// `param`          The pointer given together with the function.
/// `severity`       Never below the threshold of the object that speaks.
/// `category`       The stage of the library, as "context" or "partition".
/// `logid`          The log id of the environment, the session or the run.
/// `code_location`  File and line inside the library.
/// `message`        The line, without line end.
///
/// May be called from any thread and from several at once, never while the library holds a lock.
/// It must not throw and must not release the environment it serves.
typedef void (*OrtLoggingFunction)(void* param, OrtLoggingLevel severity, const char* category,
                                   const char* logid, const char* code_location,
                                   const char* message);

#ifdef __cplusplus
}
#endif
