// SPDX-License-Identifier: MIT
// The provider that a session gets: claims what the NPU can compute, compiles it to programs, and
// runs them.
#pragma once

#include <memory>
#include <string>

#include "npu_contexts.h"
#include "npu_program.h"
#include "npu_tables.h"

namespace virtual_npu {

inline constexpr char kEpName[] = "VirtualNpuExecutionProvider";
inline constexpr char kCompatibility[] = "virtual_npu;program=1";

struct Ep : OrtEp {
  Ep(const Tables& tables, Workspace& workspace, const OrtSessionOptions& options);
  ~Ep();
  Ep(const Ep&) = delete;
  Ep& operator=(const Ep&) = delete;
  const Tables& tables;
  ContextSettings contexts;
  OrtKernelRegistry* kernels = nullptr;  // null: groups of nodes are compiled
  bool takes_images = false;             // channels last
  bool was_asked = false, has_claimed = false;

  // When the last model of a group is made, or has failed: then nothing is written.
  void end_group(bool is_made);
};

// What runs in place of one fused node.
struct ComputeInfo : OrtNodeComputeInfo {
  ComputeInfo(const Tables& tables, Program program);
  const Tables& tables;
  Program program;
};

// A copy of a tensor of float32.
Tensor read_tensor(const Tables& tables, const OrtValue& value);

// Compiles one fused graph, or loads what was compiled.
Program compile_graph(const Tables& tables, const OrtGraph& graph, const OrtNode& fused,
                      const ContextSettings& contexts);
// In an order in which makers come before readers.
std::vector<const OrtNode*> nodes_of(const Tables& tables, const OrtGraph& graph);
// Whether the node is an EPContext of this provider; whether the graph is one.
bool is_own_context(const Tables& tables, const OrtNode& node);
bool is_compiled(const Tables& tables, const OrtGraph& graph);
// Whether the NPU computes it.
bool is_supported(const Tables& tables, const OrtNode& node);

}  // namespace virtual_npu
