// SPDX-License-Identifier: MIT
// What an application says before a session is made.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/optimise/pipeline.h"
#include "core/platform/threads.h"
#include "core/provider/registry.h"
#include "core/run/runner.h"
#include "core/session/packed_weights.h"

namespace ortc {

// A provider chosen by name or device, with its options (without the "ep.<name>." prefix).
struct ProviderChoice {
  const ProviderFactory* factory = nullptr;
  KeyValues options;
};

struct SessionOptions {
  OptimisationLevel level = OptimisationLevel::kAll;
  int intra_op_threads = 0;  // 0: one per processor
  int inter_op_threads = 0;  // accepted; steps run in order
  bool parallel_execution = false;
  bool memory_pattern = true;
  bool memory_arena = true;
  std::string log_id;
  int log_severity = -1;  // -1: the environment's
  int log_verbosity = 0;
  std::shared_ptr<const LogSink> log_sink;  // null: the environment's
  bool own_threads = true;                  // false: the environment's pool
  ThreadHooks thread_hooks;
  bool deterministic = false;  // accepted; results never depend on the number of threads
  bool profiling = false;
  std::string profile_prefix = "onnxruntime_profile_";
  std::string optimised_model_path;  // "": the optimised model is not written
  // Set by any thread to stop making the session; copies of the options share it.
  std::shared_ptr<std::atomic<bool>> cancel_load = std::make_shared<std::atomic<bool>>(false);
  // Tensors that stand for initializers of the model, by their names.
  std::map<std::string, Tensor> initializers;
  // The same, for initializers whose bytes the model has in other files: those are not opened.
  std::map<std::string, Tensor> external_initializers;
  // Contents of files with external data, by name; when there are any, no file is opened. They stay
  // valid until the session is made.
  std::map<std::string, Bytes> external_files;
  std::shared_ptr<PackedWeights> packed_weights;    // null: weights are the session's own
  std::shared_ptr<const TensorMaker> tensor_maker;  // null: Tensor::create
  std::vector<std::pair<std::string, int64_t>> dim_overrides_by_name;
  std::vector<std::pair<std::string, int64_t>> dim_overrides_by_denotation;
  KeyValues config;  // ep.context_enable = 1 ...
  std::vector<ProviderChoice>
      providers;  // in the user's order; the CPU provider is always behind them
};

// Applies the config keys that are string forms of setters ("session.intra_op_num_threads");
// INVALID_ARGUMENT with key, value and what was expected.
Status apply_config(SessionOptions& options);

}  // namespace ortc
