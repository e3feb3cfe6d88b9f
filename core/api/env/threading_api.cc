// SPDX-License-Identifier: MIT
// ort_c/threading.h: settings of the threads that sessions share.
#include <cstring>

#include "core/api/env/config_entries.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/thread_functions.h"
#include "core/api/env/threading_options_handle.h"
#include "core/api/guard.h"
#include "core/platform/machine/thread_affinity.h"
#include "ort_c/ort_api.h"
#include "ort_c/threading.h"

namespace ortc::api {
namespace {

constexpr size_t kAffinitySizeMax = 4096;
// The interface that brought OrtThreadPoolCallbacksConfig.
constexpr uint32_t kCallbacksVersion = 25;

}  // namespace

Result<ThreadHooks> ThreadFunctions::hooks() const {
  ThreadHooks hooks;
  if (create == nullptr) return hooks;
  if (join == nullptr) {
    return fail("a function that creates threads was set, but none that joins them");
  }
  hooks.create = [create = create, creation_options = creation_options](void (*worker)(void*),
                                                                        void* parameter) {
    return const_cast<void*>(static_cast<const void*>(create(creation_options, worker, parameter)));
  };
  hooks.join = [join = join](void* handle) { join(static_cast<OrtCustomThreadHandle>(handle)); };
  return hooks;
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateThreadingOptions(OrtThreadingOptions** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    *out = new OrtThreadingOptions;
    return {};
  });
}

void OrtReleaseThreadingOptions(OrtThreadingOptions* input) { delete input; }

OrtStatus* OrtSetGlobalIntraOpNumThreads(OrtThreadingOptions* tp_options,
                                         int intra_op_num_threads) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    RETURN_IF_ERROR(api::check_thread_count("intra_op_num_threads", intra_op_num_threads));
    tp_options->pool.thread_count = intra_op_num_threads;
    return {};
  });
}

OrtStatus* OrtSetGlobalInterOpNumThreads(OrtThreadingOptions* tp_options,
                                         int inter_op_num_threads) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    return api::check_thread_count("inter_op_num_threads", inter_op_num_threads);
  });
}

OrtStatus* OrtSetGlobalSpinControl(OrtThreadingOptions* tp_options, int allow_spinning) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    if (allow_spinning != 0 && allow_spinning != 1) {
      return invalid_argument("'allow_spinning' is ", allow_spinning, ", expected 0 or 1");
    }
    tp_options->pool.allow_spinning = allow_spinning == 1;
    return {};
  });
}

OrtStatus* OrtSetGlobalDenormalAsZero(OrtThreadingOptions* tp_options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    tp_options->denormals_as_zero = true;
    return {};
  });
}

OrtStatus* OrtSetGlobalIntraOpThreadAffinity(OrtThreadingOptions* tp_options,
                                             const char* affinity_string) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    ORTC_NEEDED(affinity_string);
    const size_t size = std::strlen(affinity_string);
    if (size == 0 || size > api::kAffinitySizeMax) {
      return invalid_argument("'affinity_string' has ", size, " bytes, expected 1 to ",
                              api::kAffinitySizeMax);
    }
    RETURN_IF_ERROR_WHILE(judge_affinities(affinity_string), "affinity_string");
    tp_options->affinities = affinity_string;
    return {};
  });
}

OrtStatus* OrtSetGlobalCustomCreateThreadFn(OrtThreadingOptions* tp_options,
                                            OrtCustomCreateThreadFn ort_custom_create_thread_fn) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    tp_options->functions.create = ort_custom_create_thread_fn;
    return {};
  });
}

OrtStatus* OrtSetGlobalCustomThreadCreationOptions(OrtThreadingOptions* tp_options,
                                                   void* ort_custom_thread_creation_options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    tp_options->functions.creation_options = ort_custom_thread_creation_options;
    return {};
  });
}

OrtStatus* OrtSetGlobalCustomJoinThreadFn(OrtThreadingOptions* tp_options,
                                          OrtCustomJoinThreadFn ort_custom_join_thread_fn) {
  return guard([&]() -> Status {
    ORTC_NEEDED(tp_options);
    tp_options->functions.join = ort_custom_join_thread_fn;
    return {};
  });
}

OrtStatus* OrtSetPerSessionThreadPoolCallbacks(OrtEnv* env,
                                               const OrtThreadPoolCallbacksConfig* config) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(config);
    if (config->version < api::kCallbacksVersion || config->version > ORTC_ORT_API_VERSION) {
      return invalid_argument(
          "OrtThreadPoolCallbacksConfig requires version set to ORT_API_VERSION; "
          "'config->version' is ",
          config->version, ", expected ", api::kCallbacksVersion, " to ", ORTC_ORT_API_VERSION);
    }
    env->shared->environment->set_work_callbacks({.on_enqueue = config->on_enqueue,
                                                  .on_start = config->on_start_work,
                                                  .on_stop = config->on_stop_work,
                                                  .on_abandon = config->on_abandon,
                                                  .context = config->user_context});
    return {};
  });
}

}  // extern "C"
