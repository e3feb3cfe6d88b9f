// SPDX-License-Identifier: MIT
// Weights shared by sessions: those made with one container keep equal packed weights once. Files
// that are mapped (compiled models, external data used in place) are shared without it.
#pragma once

#include "ort_c/session_options.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtPrepackedWeightsContainer OrtPrepackedWeightsContainer;

/// Makes an empty container.
///
/// `out`  A new object; give it back with OrtReleasePrepackedWeightsContainer(). NULL after a
///        failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer** out);

/// Gives a container back. Sessions keep the weights they use.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer* input);

/// As OrtCreateSession(), and weights equal to some in the container are not kept twice.
///
/// `prepacked_weights_container`  Changed: takes the weights it does not have. Several sessions may
///                                be made with it at once.
///
/// Fails as OrtCreateSession() does. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSessionWithPrepackedWeightsContainer(
    const OrtEnv* env, const char* model_path, const OrtSessionOptions* options,
    OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out);

/// As OrtCreateSessionFromArray(), and weights equal to some in the container are not kept twice.
///
/// `prepacked_weights_container`  As for OrtCreateSessionWithPrepackedWeightsContainer().
///
/// Fails as OrtCreateSession() does. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSessionFromArrayWithPrepackedWeightsContainer(
    const OrtEnv* env, const void* model_data, size_t model_data_length,
    const OrtSessionOptions* options, OrtPrepackedWeightsContainer* prepacked_weights_container,
    OrtSession** out);

#ifdef __cplusplus
}
#endif
