// SPDX-License-Identifier: MIT
// ort_c/session_options.h: the threads of a session.
#include "core/api/env/config_entries.h"
#include "core/api/guard.h"
#include "core/api/session/session_options_handle.h"
#include "ort_c/session_options.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtSetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_thread_count("intra_op_num_threads", intra_op_num_threads));
    options->options.intra_op_threads = intra_op_num_threads;
    options->forget(kOrtSessionOptionsConfigIntraOpNumThreads);
    return {};
  });
}

OrtStatus* OrtSetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    RETURN_IF_ERROR(api::check_thread_count("inter_op_num_threads", inter_op_num_threads));
    options->options.inter_op_threads = inter_op_num_threads;
    options->forget(kOrtSessionOptionsConfigInterOpNumThreads);
    return {};
  });
}

OrtStatus* OrtDisablePerSessionThreads(OrtSessionOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.own_threads = false;
    options->forget(kOrtSessionOptionsConfigUsePerSessionThreads);
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetCustomCreateThreadFn(
    OrtSessionOptions* options, OrtCustomCreateThreadFn ort_custom_create_thread_fn) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->thread_functions.create = ort_custom_create_thread_fn;
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetCustomThreadCreationOptions(
    OrtSessionOptions* options, void* ort_custom_thread_creation_options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->thread_functions.creation_options = ort_custom_thread_creation_options;
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetCustomJoinThreadFn(OrtSessionOptions* options,
                                                  OrtCustomJoinThreadFn ort_custom_join_thread_fn) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->thread_functions.join = ort_custom_join_thread_fn;
    return {};
  });
}

}  // extern "C"
