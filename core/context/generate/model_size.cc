// SPDX-License-Identifier: MIT
// Adding up constants: see the header. Contents are looked at only where two could be equal, and
// only when the sum of all is too large; first the begins, which nearly always tell.
#include "core/context/generate/model_size.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/hash.h"
#include "core/graph/walk.h"

namespace ortc {
namespace {

constexpr uint64_t kModelSizeMax = INT32_MAX;

class ConstantCount {
 public:
  explicit ConstantCount(uint64_t external_threshold) : threshold_(external_threshold) {}

  void add(const Graph& graph) {
    for (const Node& node : nodes_of(graph)) {
      for (const Graph* body : node.subgraphs()) add(*body);
    }
    for (ValueId id : graph.initializers()) {
      const Value& value = *graph.value(id);
      const bool is_read = !value.uses.empty() || value.is_input || value.is_output;
      if (!is_read) continue;
      if (value.sparse_initializer != nullptr) {
        add(value.sparse_initializer->values.tensor);
        add(value.sparse_initializer->indices.tensor);
      } else if (value.initializer->tensor.byte_size() < threshold_) {
        add(value.initializer->tensor);
      }
    }
  }
  uint64_t total() const {
    uint64_t total = 0;
    for (const auto& [size, contents] : by_size_) total += size * contents.size();
    return total;
  }
  // Of those that `hash` tells apart.
  uint64_t total_of_different(Hash128 (*hash)(Bytes)) const {
    uint64_t total = 0;
    for (const auto& [size, contents] : by_size_) {
      std::set<Hash128> hashes;
      if (contents.size() > 1) {
        for (const std::byte* content : contents) hashes.insert(hash({content, size}));
      }
      total += size * std::max<size_t>(hashes.size(), 1);
    }
    return total;
  }

 private:
  void add(const Tensor& tensor) {
    if (tensor.dtype() == DType::kString) return;
    by_size_[tensor.byte_size()].insert(tensor.bytes().data());
  }

  uint64_t threshold_;
  std::map<uint64_t, std::set<const std::byte*>> by_size_;
};

// Where the begins differ, the contents do.
Hash128 hash_of_begin(Bytes content) {
  return hash128(content.first(std::min<size_t>(content.size(), 4096)));
}

}  // namespace

Status check_model_size(std::span<const Graph* const> graphs, uint64_t external_threshold) {
  ConstantCount count(external_threshold);
  for (const Graph* graph : graphs) count.add(*graph);
  if (count.total() <= kModelSizeMax) return Status::ok();
  uint64_t total = count.total_of_different(hash_of_begin);
  if (total <= kModelSizeMax) {
    total = count.total_of_different([](Bytes content) { return hash128(content); });
  }
  if (total <= kModelSizeMax) return Status::ok();
  return fail("the model would hold constants of ", total, " bytes, expected at most ",
              kModelSizeMax,
              " for all of it: keep the context in a file beside it (no embed mode) and put "
              "initializers into an external file");
}

}  // namespace ortc
