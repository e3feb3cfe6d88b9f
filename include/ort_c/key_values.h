// SPDX-License-Identifier: MIT
// An ordered list of texts with unique keys: device metadata, provider options. Order is that of
// insertion. Pointers borrowed from a list hold until it is changed or released.
#pragma once

#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes an empty list.
///
/// `out`  A new object; give it back with OrtReleaseKeyValuePairs(). NULL when memory is short.
///
/// Thread-safe. Since 1.0.
ORTC_API void OrtCreateKeyValuePairs(OrtKeyValuePairs** out);

/// Adds a pair, or replaces the value of a key that is there; the pair then keeps its place.
///
/// `kvps`   Changed. NULL: nothing happens.
/// `key`    Copied. NULL or empty: nothing happens.
/// `value`  Copied. NULL: nothing happens.
///
/// One thread at a time. Since 1.0.
ORTC_API void OrtAddKeyValuePair(OrtKeyValuePairs* kvps, const char* key, const char* value);

/// Looks a value up.
///
/// `kvps`  Borrowed.
/// `key`   Borrowed for this call.
///
/// Gives NULL when the key is not there; else the text lives until the list is changed or released.
/// Thread-safe. Since 1.0.
ORTC_API const char* OrtGetKeyValue(const OrtKeyValuePairs* kvps, const char* key);

/// Shows all pairs.
///
/// `kvps`         Borrowed.
/// `keys`         An array of keys that lives until the list is changed or released.
/// `values`       The values, in the same order and with the same life.
/// `num_entries`  How many there are; with 0 the arrays must not be read.
///
/// Thread-safe. Since 1.0.
ORTC_API void OrtGetKeyValuePairs(const OrtKeyValuePairs* kvps, const char* const** keys,
                                  const char* const** values, size_t* num_entries);

/// Removes a pair. Nothing happens when the key is not there.
///
/// `kvps`  Changed. NULL: nothing happens.
/// `key`   Borrowed for this call.
///
/// One thread at a time. Since 1.0.
ORTC_API void OrtRemoveKeyValuePair(OrtKeyValuePairs* kvps, const char* key);

/// Gives a list back. Not for lists that were borrowed from a device.
///
/// `kvps`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseKeyValuePairs(OrtKeyValuePairs* kvps);

#ifdef __cplusplus
}
#endif
