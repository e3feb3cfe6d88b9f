// SPDX-License-Identifier: MIT
// ort_c/prepacked_weights.h: sessions that share packed weights.
#include "core/api/env/env_handle.h"
#include "core/api/guard.h"
#include "core/api/session/create_session.h"
#include "ort_c/prepacked_weights.h"

struct OrtPrepackedWeightsContainer {
  std::shared_ptr<ortc::PackedWeights> weights;
};

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    auto made = std::make_unique<OrtPrepackedWeightsContainer>();
    made->weights = std::make_shared<PackedWeights>();
    *out = made.release();
    return {};
  });
}

void OrtReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer* input) { delete input; }

OrtStatus* OrtCreateSessionWithPrepackedWeightsContainer(
    const OrtEnv* env, const char* model_path, const OrtSessionOptions* options,
    OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_path);
    ORTC_NEEDED(prepacked_weights_container);
    ASSIGN_OR_RETURN(const ModelSource source, api::file_source(model_path));
    return api::create_session(*env, source, options, prepacked_weights_container->weights, out);
  });
}

OrtStatus* OrtCreateSessionFromArrayWithPrepackedWeightsContainer(
    const OrtEnv* env, const void* model_data, size_t model_data_length,
    const OrtSessionOptions* options, OrtPrepackedWeightsContainer* prepacked_weights_container,
    OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(prepacked_weights_container);
    ASSIGN_OR_RETURN(const ModelSource source, api::memory_source(model_data, model_data_length));
    return api::create_session(*env, source, options, prepacked_weights_container->weights, out);
  });
}

}  // extern "C"
