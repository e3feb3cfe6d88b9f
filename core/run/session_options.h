// SPDX-License-Identifier: MIT
// What an application says before a session is made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/optimise/pipeline.h"
#include "core/provider/registry.h"

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
