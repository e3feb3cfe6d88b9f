// SPDX-License-Identifier: MIT
// What one call of OrtRun() is to do. An object may serve several runs, also at once, as long as
// it is not changed; only the terminate flag may be set and cleared while runs are under way.
#pragma once

#include "ort_c/config_keys.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes run options with their defaults.
///
/// `out`  A new object; give it back with OrtReleaseRunOptions(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateRunOptions(OrtRunOptions** out);

/// Gives run options back. No run may be using them.
///
/// `options`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseRunOptions(OrtRunOptions* options);

/// Stops every run that uses these options, now and until the flag is cleared. Such a run returns a
/// failure soon, not at once.
///
/// Fails with INVALID_ARGUMENT. Thread-safe, also during runs. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsSetTerminate(OrtRunOptions* options);

/// Clears the flag, so that the options can serve again.
///
/// Fails with INVALID_ARGUMENT. Thread-safe, also during runs. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsUnsetTerminate(OrtRunOptions* options);

/// Sets a text that stands in the log lines of the run.
///
/// `run_tag`  Copied. NULL means an empty text.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsSetRunTag(OrtRunOptions* options, const char* run_tag);

/// Tells the tag.
///
/// `run_tag`  Borrowed; lives until the tag is set again or the options are released.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsGetRunTag(const OrtRunOptions* options, const char** run_tag);

/// Sets the severity below which lines of the run are dropped.
///
/// `log_severity_level`  A value of OrtLoggingLevel.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsSetRunLogSeverityLevel(OrtRunOptions* options,
                                                        int log_severity_level);

/// Tells the severity; -1 when it was not set and the session's applies.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsGetRunLogSeverityLevel(const OrtRunOptions* options,
                                                        int* log_severity_level);

/// Sets how much detail lines of severity VERBOSE have; 0 is the least and the default.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options,
                                                         int log_verbosity_level);

/// Tells the detail of lines of severity VERBOSE.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsGetRunLogVerbosityLevel(const OrtRunOptions* options,
                                                         int* log_verbosity_level);

/// Sets a config entry of the run, replacing one that is there.
///
/// `config_key`    Copied. One of the run keys of config_keys.h; not empty.
/// `config_value`  Copied. May be empty.
///
/// Fails with INVALID_ARGUMENT for an unknown key or a wrong value. Since 1.0.
ORTC_API OrtStatus* OrtAddRunConfigEntry(OrtRunOptions* options, const char* config_key,
                                         const char* config_value);

/// Looks a config entry of the run up.
///
/// `config_key`  Borrowed for this call.
///
/// Gives NULL when it was not set; else the text lives until the entry is set again or the options
/// are released. Thread-safe. Since 1.0.
ORTC_API const char* OrtGetRunConfigEntry(const OrtRunOptions* options, const char* config_key);

/// Makes a profile of each run in a file of its own, written when the run ends.
///
/// `profile_file_prefix`  Copied. The file's name begins with it; date, time and ".json" follow.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsEnableProfiling(OrtRunOptions* options,
                                                 const char* profile_file_prefix);

/// Makes no profiles of runs. That is the default.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtRunOptionsDisableProfiling(OrtRunOptions* options);

/// Lets a run use a stream of a device; see sync_stream.h.
///
/// `sync_stream`  Borrowed while runs use the options, one run at a time. What the run does on the
///                stream's memory comes after what the program did there; when the run returns, it
///                is done. NULL: each run has streams of its own.
///
/// Since 1.0.
ORTC_API void OrtRunOptionsSetSyncStream(OrtRunOptions* options, OrtSyncStream* sync_stream);

#ifdef __cplusplus
}
#endif
