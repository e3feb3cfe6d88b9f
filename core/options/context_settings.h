// SPDX-License-Identifier: MIT
// What a session or a compile does with compiled models: making them, finding them, refusing them.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/status.h"
#include "core/options/compression.h"

namespace ortc {

struct ContextSettings {
  bool enable = false;                // making the session also writes a compiled model
  std::string file_path;              // where it goes; for a model from memory, also its folder
  bool embed = false;                 // context data inside the model, not in a file beside it
  std::string node_name_prefix;       // before the names of EPContext nodes
  std::string external_initializers;  // file of the compiled model's initializers, relative to it
  uint64_t external_threshold = 0;    // in bytes; smaller initializers stay in the model
  std::string external_folder;        // of the source's external data; "": the model's folder
  bool disable_compile = false;       // load compiled models only
  bool compile_only = false;          // the session is not going to run
  bool fail_on_suboptimal = false;    // "prefer recompilation" is a failure, not a warning
  bool share = false;                 // one context binary for the sessions of a group
  bool stop_share = false;            // this session is the last of its group
  bool weightless = false;            // contexts without weights
  bool weightless_nodes = false;      // the same, weights as inputs of the nodes
  std::string source_model_path;      // where contexts without weights find them

  bool leaves_weights() const { return weightless || weightless_nodes; }
  bool overwrite = false;                // an output that exists is replaced
  bool replace_shared = false;           // even a context binary that other models refer to
  Compression compression;               // of context data
  Compression initializers_compression;  // of the file of external initializers
  std::string cache_folder;              // compiled models are kept there; "": no cache
  uint64_t cache_bytes_max = uint64_t{32} << 30;  // what is kept there takes no more; 0: no limit
  int cache_wait_ms = 60000;                      // for another process that compiles the same
  bool cache_source_if_busy = false;              // rather than wait, run from the source
};

// What can be said only once all is set. NOT_IMPLEMENTED for what no session here can do;
// RUNTIME_EXCEPTION, as in ONNX Runtime, for an absolute path of the external initializers.
Status check_context_settings(const ContextSettings& settings);

}  // namespace ortc
