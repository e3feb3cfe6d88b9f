// SPDX-License-Identifier: MIT
// The environment: the first object of a program. It owns the logger, the list of execution
// providers and their devices, and everything that sessions share.
#pragma once

#include "ort_c/key_values.h"
#include "ort_c/logger.h"
#include "ort_c/threading.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes an environment that logs to stderr.
///
/// Each call makes an environment of its own; most programs need one. Sessions and compilers made
/// from it keep what they need of it, so it may be released before them.
///
/// `log_severity_level`  Milder lines are dropped.
/// `logid`               Copied. Stands in the log lines; must not be NULL, may be empty.
/// `out`                 A new object; give it back with OrtReleaseEnv(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateEnv(OrtLoggingLevel log_severity_level, const char* logid,
                                 OrtEnv** out);

/// Makes an environment that hands its log lines to a callback.
///
/// `logging_function`    Must be callable until the environment and all that was made from it are
///                       released. See OrtLoggingFunction for threads.
/// `logger_param`        Passed to each call as it is; stays the caller's.
/// `log_severity_level`  Milder lines are dropped.
/// `logid`               Copied. Must not be NULL, may be empty.
/// `out`                 A new object; give it back with OrtReleaseEnv(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateEnvWithCustomLogger(OrtLoggingFunction logging_function,
                                                 void* logger_param,
                                                 OrtLoggingLevel log_severity_level,
                                                 const char* logid, OrtEnv** out);

/// Makes an environment with threads that sessions share: those whose options say
/// OrtDisablePerSessionThreads().
///
/// `log_severity_level`  Milder lines are dropped.
/// `logid`               Copied. Must not be NULL, may be empty.
/// `tp_options`          Borrowed for this call.
/// `out`                 A new object; give it back with OrtReleaseEnv(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, or FAIL when the program's function makes no thread. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtCreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level,
                                                      const char* logid,
                                                      const OrtThreadingOptions* tp_options,
                                                      OrtEnv** out);

/// Makes an environment that hands its log lines to a callback and has threads that sessions share.
///
/// Parameters are those of OrtCreateEnvWithCustomLogger() and OrtCreateEnvWithGlobalThreadPools().
/// Fails with INVALID_ARGUMENT, or FAIL when the program's function makes no thread. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtCreateEnvWithCustomLoggerAndGlobalThreadPools(
    OrtLoggingFunction logging_function, void* logger_param, OrtLoggingLevel log_severity_level,
    const char* logid, const struct OrtThreadingOptions* tp_options, OrtEnv** out);

/// What an environment is to be, for OrtCreateEnvWithOptions(). Start from zeros.
typedef struct OrtEnvCreationOptions {
  uint32_t version;                            // of the interface the program was written for: 24
  int32_t logging_severity_level;              // an OrtLoggingLevel
  const char* log_id;                          // copied; must not be NULL, may be empty
  OrtLoggingFunction custom_logging_function;  // NULL: stderr
  void* custom_logging_param;
  const OrtThreadingOptions* threading_options;  // borrowed; NULL: no threads of its own
  const OrtKeyValuePairs* config_entries;        // borrowed; environment keys; may be NULL
} OrtEnvCreationOptions;

/// Makes an environment from a description.
///
/// `options`  Borrowed for this call.
/// `out`      A new object; give it back with OrtReleaseEnv(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT (also a version below 24 and an unknown key), or FAIL when the
/// program's function makes no thread. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateEnvWithOptions(const OrtEnvCreationOptions* options, OrtEnv** out);

/// Gives an environment back. What is still in use by sessions lives on until they end.
///
/// `env`  Ends here, and with it the devices borrowed from it. NULL is allowed.
///
/// Thread-safe. Since 1.0.
ORTC_API void OrtReleaseEnv(OrtEnv* env);

/// Tells the release of the library, as "1.0.0".
///
/// The text is static. Thread-safe; needs no environment. Since 1.0.
ORTC_API const char* OrtGetVersionString(void);

/// Tells how the library was built, in one line for bug reports: release, compiler, build type.
///
/// The text is static. Its form is not fixed; do not parse it. Thread-safe. Since 1.0.
ORTC_API const char* OrtGetBuildInfoString(void);

/// Lists the execution providers in this library, the preferred ones first, the CPU provider last.
///
/// `out_ptr`          A new array of new texts; give both back with OrtReleaseAvailableProviders().
///                    NULL after a failure.
/// `provider_length`  How many there are. 0 after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetAvailableProviders(char*** out_ptr, int* provider_length);

/// Gives the result of OrtGetAvailableProviders() back.
///
/// `ptr`               The array. NULL is allowed.
/// `providers_length`  The length that came with it.
///
/// Cannot fail. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtReleaseAvailableProviders(char** ptr, int providers_length);

/// Changes the severity below which lines are dropped: of the environment, and of sessions made
/// from now on.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtUpdateEnvWithCustomLogLevel(OrtEnv* ort_env,
                                                   OrtLoggingLevel log_severity_level);

/// The language a program is written in.
typedef enum OrtLanguageProjection {
  ORT_PROJECTION_C = 0,
  ORT_PROJECTION_CPLUSPLUS = 1,
  ORT_PROJECTION_CSHARP = 2,
  ORT_PROJECTION_PYTHON = 3,
  ORT_PROJECTION_JAVA = 4,
  ORT_PROJECTION_WINML = 5,
  ORT_PROJECTION_NODEJS = 6,
} OrtLanguageProjection;

/// Takes note of the program's language. Nothing depends on it.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSetLanguageProjection(const OrtEnv* ort_env,
                                             OrtLanguageProjection projection);

/// Does nothing: this library sends no telemetry.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtEnableTelemetryEvents(const OrtEnv* env);

/// Does nothing: this library sends no telemetry.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtDisableTelemetryEvents(const OrtEnv* env);

#ifdef __cplusplus
}
#endif
