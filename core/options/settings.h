// SPDX-License-Identifier: MIT
// What the config keys say, as typed values: code that acts on an option reads a field here, never
// a text. The rows of session_rows.cc and its neighbours say which key sets which field; a fresh
// struct holds the defaults. Objects (providers, pools, tensors) are not settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/options/context_settings.h"

namespace ortc {

// ONNX Runtime's values. kNone still does what is required to run (Constant nodes become
// initializers); kBasic keeps to ONNX's own operators; from kExtended on also com.microsoft
// operators that ONNX Runtime has.
enum class OptimisationLevel : int { kNone = 0, kBasic = 1, kExtended = 2, kLayout = 3, kAll = 99 };

// When the weights that a session's plans name come into memory, and how they are held there.
enum class Residency : int {
  kLazy,      // mapped; a page comes when a run first reads it
  kPrefetch,  // mapped; a thread brings the pages in while the session is used already
  kPopulate,  // mapped; the session is made when all pages are there
  kLocked,    // the same, and they stay: the system may not take them back
  kCopied,    // read into memory of the process; the files are not needed any more
};

// The optimised model as a file.
struct OptimisedModelSettings {
  std::string path;           // "": it is not written
  std::string external_file;  // for initializers, in the model's folder; "": all stay in the model
  uint64_t external_threshold = 1024;  // in bytes; smaller ones stay in the model
  std::string format;                  // "ONNX", "ORT"; "": as the path's extension says
};

struct SessionSettings {
  ContextSettings context;

  OptimisationLevel level = OptimisationLevel::kAll;
  std::vector<std::string> disabled_optimizers;  // names of passes
  OptimisedModelSettings optimised_model;

  int intra_op_threads = 0;         // 0: one per processor
  int inter_op_threads = 0;         // accepted; steps run in order
  bool parallel_execution = false;  // accepted; steps run in order
  bool own_threads = true;          // false: the environment's pool
  bool allow_spinning = true;
  int spin_duration_us = 50;
  std::string thread_affinities;   // see parse_affinities(); "": the system places threads
  bool denormals_as_zero = false;  // in runs
  bool deterministic = false;      // accepted; results never depend on the number of threads
  int small_weights_accuracy = 4;  // a level of MatMulNBits; 4 rounds rows to 8 bits
  bool rounds_rows() const { return small_weights_accuracy == 4; }

  bool memory_pattern = true;
  bool memory_arena = true;
  bool use_env_allocators = false;
  bool disable_file_mapping = false;
  Residency residency = Residency::kLazy;
  bool group_exclusive = false;  // one run at a time in the group, whose sessions share memory
  bool group_refuses_if_busy = false;  // a second run is refused; otherwise it waits

  bool strict_shapes = false;
  bool disable_cpu_fallback = false;
  bool record_assignment = false;

  std::string log_id;
  int log_severity = -1;  // -1: the environment's
  int log_verbosity = 0;
  std::optional<std::string> profile_prefix;  // none: no profile
};

// What one compile adds to the settings of its session.
struct CompileSettings {
  std::string output_path;            // "": beside the source
  std::optional<bool> embed;          // none: as the session's settings say
  std::string external_initializers;  // as in ContextSettings
  uint64_t external_threshold = 0;
  OptimisationLevel level = OptimisationLevel::kNone;
  bool error_if_output_exists = false;
  bool error_if_nothing_compiled = false;
};

// The settings of the session that a compile makes: generation on, not going to run.
SessionSettings settings_for_compiling(SessionSettings session, const CompileSettings& compile);

struct RunSettings {
  std::string shrink_arenas;  // of devices whose arenas give memory back after the run
};

struct EnvironmentSettings {
  bool allow_virtual_devices = false;
};

}  // namespace ortc
