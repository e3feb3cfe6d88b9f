// SPDX-License-Identifier: MIT
// What a model says about itself. Each text is a copy made with the caller's allocator; give it
// back with OrtAllocatorFree().
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Tells which program made the model.
///
/// `allocator`  Takes the memory of the text.
/// `value`      A new text, empty when the model has none. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataGetProducerName(const OrtModelMetadata* model_metadata,
                                                    OrtAllocator* allocator, char** value);

/// Tells the name of the main graph; parameters as for OrtModelMetadataGetProducerName().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataGetGraphName(const OrtModelMetadata* model_metadata,
                                                 OrtAllocator* allocator, char** value);

/// Tells the model's domain; parameters as for OrtModelMetadataGetProducerName().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataGetDomain(const OrtModelMetadata* model_metadata,
                                              OrtAllocator* allocator, char** value);

/// Tells the model's description; parameters as for OrtModelMetadataGetProducerName().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataGetDescription(const OrtModelMetadata* model_metadata,
                                                   OrtAllocator* allocator, char** value);

/// Tells the main graph's description; parameters as for OrtModelMetadataGetProducerName().
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataGetGraphDescription(const OrtModelMetadata* model_metadata,
                                                        OrtAllocator* allocator, char** value);

/// Tells the model's own version number; INT64_MAX when the model has none.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataGetVersion(const OrtModelMetadata* model_metadata,
                                               int64_t* value);

/// Looks a custom entry up.
///
/// `allocator`  Takes the memory of the text.
/// `key`        Borrowed for this call.
/// `value`      A new text; NULL when the key is not there, which is not a failure, and after a
///              failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataLookupCustomMetadataMap(const OrtModelMetadata* model_metadata,
                                                            OrtAllocator* allocator,
                                                            const char* key, char** value);

/// Lists the keys of the custom entries.
///
/// `allocator`  Takes the memory of the array and of each text.
/// `keys`       A new array of new texts: give back each text, then the array. NULL when there are
///              none, and after a failure.
/// `num_keys`   How many.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata* model_metadata,
                                                             OrtAllocator* allocator, char*** keys,
                                                             int64_t* num_keys);

/// Gives metadata back.
///
/// `model_metadata`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModelMetadata(OrtModelMetadata* model_metadata);

#ifdef __cplusplus
}
#endif
