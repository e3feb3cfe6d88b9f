// SPDX-License-Identifier: MIT
// Initializers in a file of their own: see the header.
#include "core/context/external_initializers.h"

#include "core/context/format.h"

namespace ortc {

void ExternalInitializers::collect(const Graph& graph) {
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) == nullptr) continue;
    for (const Graph* body : graph.node(id)->subgraphs()) collect(*body);
  }
  for (ValueId id : graph.initializers()) {
    const Constant* constant = graph.value(id)->initializer.get();
    const uint64_t bytes = constant->tensor.byte_size();
    if (constant->tensor.dtype() == DType::kString || bytes < threshold_ ||
        places_.count(constant) != 0)
      continue;
    size_ = align_up(size_, bytes >= kLargeTensor ? kContextPage : kSmallAlignment);
    items_.emplace_back(constant, size_);
    places_[constant] = {file_name_, size_, bytes};
    size_ += bytes;
  }
}

Status ExternalInitializers::write_to(StagedFile& file) const {
  for (const auto& [constant, offset] : items_) {
    const bool large = constant->tensor.byte_size() >= kLargeTensor;
    RETURN_IF_ERROR(file.align(large ? kContextPage : kSmallAlignment));
    RETURN_IF_ERROR(file.write(constant->tensor.bytes()));
  }
  return Status::ok();
}

void ExternalInitializers::add_to(Hasher& hasher) const {
  for (const auto& [constant, offset] : items_) hasher.add(constant->tensor.bytes());
}

Result<std::optional<ExternalLocation>> ExternalInitializers::place(const Value& value) const {
  const auto it = places_.find(value.initializer.get());
  if (it == places_.end()) return std::optional<ExternalLocation>();
  return std::optional<ExternalLocation>(it->second);
}

}  // namespace ortc
