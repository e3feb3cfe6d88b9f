// SPDX-License-Identifier: MIT
// A cache of compiled models: ortc's own. A session that names a folder finds what it would compile
// there, or compiles it once and keeps it; any number of processes may use one folder at a time.
//
// What is found is decided by the contents of the model and its external data, by the options and
// providers that change what is compiled, and by the build of this library; never by names or
// times. Nothing that is wrong with the folder makes a session fail: it is made from its source
// then, and a warning says why. Anyone who may write to the folder decides what sessions compute.
//
// The config keys `ep.context_cache_dir`, `ep.context_cache_max_bytes`, `ep.context_cache_wait_ms`
// and `ep.context_cache_if_busy` say the same to any function that makes a session. Its report
// (OrtSession_GetReportJson()) has an object `cache`: `result` is "hit", "made", "waited" (for
// another process that made it) or "bypassed", `reason` says why.
#pragma once

#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a session from a model file by way of a cache: loads what was compiled of the model
/// before, or compiles it and keeps that for the next.
///
/// `env`         Borrowed; may be released before the session.
/// `model_path`  UTF-8. As for OrtCreateSession().
/// `cache_dir`   UTF-8. The folder, in place of what the options name; made when it is missing.
/// `options`     Borrowed for this call. NULL means the defaults, with which nothing is compiled.
/// `out`         A new object; give it back with OrtReleaseSession(). NULL after a failure.
///
/// Fails as OrtCreateSession() does, never because of the cache. Thread-safe. Reads and writes
/// files; may compile, and may wait for another process that does. Since 1.0.
ORTC_API OrtStatus* OrtCreateSessionFromCache(const OrtEnv* env, const char* model_path,
                                              const char* cache_dir,
                                              const OrtSessionOptions* options, OrtSession** out);

/// Lists what is in a cache, as JSON: `entries`, the one that was unused for the longest time
/// first, with `key`, `source`, `bytes`, `created_ms`, `used_ms` and `state`; and `bytes` of all.
///
/// `cache_dir`  UTF-8.
/// `out`        A new object; give it back with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT or NO_SUCHFILE. Thread-safe. Reads files. Since 1.0.
ORTC_API OrtStatus* OrtListContextCache(const char* cache_dir, OrtInspection** out);

/// Removes entries, the one that was unused for the longest time first, until the others take no
/// more than a number of bytes; and what processes that were ended left behind. Sessions keep what
/// they have loaded.
///
/// `cache_dir`  UTF-8.
/// `max_bytes`  0 removes all entries.
/// `out`        A new report: `removed`, `removed_bytes`, `kept_bytes`. Give it back with
///              OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE or FAIL (something cannot be removed). Thread-safe.
/// Writes files. Since 1.0.
ORTC_API OrtStatus* OrtPruneContextCache(const char* cache_dir, uint64_t max_bytes,
                                         OrtInspection** out);

/// Compares every byte of a cache with its hash. Nothing is changed: a session that meets a damaged
/// entry makes it again.
///
/// `cache_dir`  UTF-8.
/// `out`        A new report: `sound`, and `entries` with `key`, `sound` and `damage`. Give it back
///              with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT or NO_SUCHFILE. Thread-safe. Reads files. Since 1.0.
ORTC_API OrtStatus* OrtVerifyContextCache(const char* cache_dir, OrtInspection** out);

/// Says whether a cache has what a session would compile, and what that follows from.
///
/// `env`         Borrowed for this call.
/// `model_path`  UTF-8.
/// `cache_dir`   UTF-8.
/// `options`     Borrowed for this call. Those of the session; NULL means the defaults.
/// `out`         A new report: `key`, `entry` ("whole", "missing", "damaged", "unreadable",
///               "nothing_to_compile" or "bypassed"), `reason`, `parts` of the key, and of a
///               missing entry what differs in the `nearest` one. Give it back with
///               OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Reads files. Since 1.0.
ORTC_API OrtStatus* OrtExplainContextCache(const OrtEnv* env, const char* model_path,
                                           const char* cache_dir, const OrtSessionOptions* options,
                                           OrtInspection** out);

#ifdef __cplusplus
}
#endif
