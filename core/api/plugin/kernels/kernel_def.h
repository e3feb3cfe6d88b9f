// SPDX-License-Identifier: MIT
// What a kernel of a library computes, as the library describes it, and the library's kernels.
#pragma once

#include <climits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/status.h"
#include "core/graph/graph.h"
#include "ort_c/ort_api.h"

// A type of values that kernels are for: tensors of these elements. There is one object for each.
struct OrtDataType {
  ortc::DType dtype = ortc::DType::kUndefined;
};

struct OrtKernelDef {
  std::string op_type, domain, ep_name;  // domain "" is ONNX's
  int first_version = 1, last_version = INT_MAX;
  std::map<size_t, OrtMemType> input_memories, output_memories;  // all others: the default
  // By the name of a type parameter, of an input or of an output.
  std::map<std::string, std::vector<ortc::DType>> types;
  // Inputs whose bytes an output may have. The runtime makes no use of that leave.
  std::vector<std::pair<int, int>> aliases, mutable_aliases;

  // Whether the kernel wants the input on the host, or leaves the output there, whatever its
  // provider's memory is.
  bool is_input_on_host(size_t i) const { return is_on_host(input_memories, i); }
  bool is_output_on_host(size_t i) const { return is_on_host(output_memories, i); }
  // "Mul of versions 7 to 13"
  std::string label() const;
  // Whether some node could be for both.
  bool overlaps(const OrtKernelDef& other) const;

 private:
  static bool is_on_host(const std::map<size_t, OrtMemType>& memories, size_t i) {
    const auto found = memories.find(i);
    return found != memories.end() && found->second != OrtMemTypeDefault;
  }
};

struct OrtKernelDefBuilder {
  OrtKernelDef def;
};

namespace ortc::api {

// A kernel that can be made for nodes.
struct KernelEntry {
  OrtKernelDef def;
  OrtKernelCreateFunc create = nullptr;
  void* state = nullptr;
};

}  // namespace ortc::api

struct OrtKernelRegistry {
  // FAIL when a node could be for this one and for one that is there.
  ortc::Status add(const OrtKernelDef& def, OrtKernelCreateFunc create, void* state);
  // Null when no kernel of that provider fits. FAIL for a kernel that fits but for a type parameter
  // that the operator does not have.
  ortc::Result<std::shared_ptr<const ortc::api::KernelEntry>> find(const ortc::Node& node,
                                                                   std::string_view ep_name) const;

  // Sessions copy the list and keep what they use: the registry itself is the library's to end.
  std::vector<std::shared_ptr<const ortc::api::KernelEntry>> entries;
};
