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

/// A place for log lines: what the library hands to code of the program that it calls.
typedef struct OrtLogger OrtLogger;

/// Writes a log line.
///
/// `logger`              Borrowed.
/// `log_severity_level`  The line is dropped when it is milder than the logger's severity.
/// `message`             The line, without line end.
/// `file_path`           Where the line comes from.
/// `line_number`         The line in that file.
/// `func_name`           The function.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtLogger_LogMessage(const OrtLogger* logger,
                                         OrtLoggingLevel log_severity_level, const char* message,
                                         const char* file_path, int line_number,
                                         const char* func_name);

/// Tells the severity below which lines are dropped.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtLogger_GetLoggingSeverityLevel(const OrtLogger* logger,
                                                      OrtLoggingLevel* out);

#ifdef __cplusplus
}
#endif
