// SPDX-License-Identifier: MIT
// Where programs are stored when a context model is made, and where they come from when one is
// loaded: in the model, through functions of the application, or in files beside the model.
#pragma once

#include <string>
#include <vector>

#include "npu_program.h"
#include "npu_shared.h"
#include "npu_tables.h"

namespace virtual_npu {

struct ContextSettings {
  bool is_on = false;              // ep.context_enable
  bool is_embedded = false;        // ep.context_embed_mode
  std::string model_path;          // of the context model; that of the source when it has none
  bool is_shared = false;          // ep.share_ep_contexts: one binary for several models
  bool is_last = false;            // ep.stop_share_ep_contexts: of these models
  Workspace* workspace = nullptr;  // of the library
  OrtWriteNamedBufferFunc write = nullptr;
  void* write_state = nullptr;
  OrtReadNamedBufferFunc read = nullptr;
  void* read_state = nullptr;
};

ContextSettings read_context_settings(const Tables& tables, const OrtSessionOptions& options,
                                      Workspace& workspace);

// Stores a program and makes the EPContext node that stands for it, named as the fused node and
// with its inputs and outputs.
OrtNode* store_context(const Tables& tables, const ContextSettings& settings, const OrtNode& fused,
                       const Program& program);

// "" when the model is in memory.
std::string model_path_of(const Tables& tables, const OrtGraph& graph);

// Writes the binary that models share, when something was added to it; with `ends_group` the next
// model is the first of another.
void write_shared(const ContextSettings& settings, bool ends_group);

// The program that an EPContext node holds or names.
Program load_context(const Tables& tables, const ContextSettings& settings, const OrtGraph& graph,
                     const OrtNode& node);

// An attribute of type STRING; "" when the node has none.
std::string text_attribute(const Tables& tables, const OrtNode& node, const char* name);

// The names of the node's inputs or outputs.
std::vector<std::string> input_names(const Tables& tables, const OrtNode& node);
std::vector<std::string> output_names(const Tables& tables, const OrtNode& node);

}  // namespace virtual_npu
