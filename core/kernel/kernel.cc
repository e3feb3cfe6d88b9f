// SPDX-License-Identifier: MIT
// Kernel contexts and the registry: see the header.
#include "core/kernel/kernel.h"

#include <unordered_map>

namespace ortc {

const TensorRef BindContext::kOmitted{};

Status BindContext::bad_params() const {
  return invalid_graph("kernel '", id_, "': its params record has ", params_.size(),
                       " bytes, fewer than it needs");
}

Status BindContext::set_output(size_t i, DType dtype, std::span<const int64_t> dims) {
  if (i >= outputs_.size()) {
    return invalid_graph("kernel '", id_, "' gives output ", i, ", but the step has only ",
                         outputs_.size());
  }
  auto count = checked_element_count(dims);
  const bool sized =
      dtype == DType::kString || (count && dtype_bytes(dtype, static_cast<uint64_t>(*count)));
  if (!count || !sized) {
    return invalid_graph("kernel '", id_, "': output ", i, " would have the impossible shape ",
                         dims_to_string(dims));
  }
  Output& output = outputs_[i];
  output.is_set = true;
  output.dtype = dtype;
  output.dims.assign(dims.begin(), dims.end());
  return Status::ok();
}

Status RunContext::allocate_output(size_t i, DType dtype, std::span<const int64_t> dims) {
  if (i >= outputs_.size() || environment_.allocate == nullptr) {
    return fail("a kernel that is not data-dependent asked for the memory of output ", i);
  }
  return environment_.allocate(environment_.allocate_state, i, dtype, dims, &outputs_[i]);
}

KernelRegistry::KernelRegistry(std::vector<KernelTable> tables) : tables_(std::move(tables)) {
  for (const KernelTable& table : tables_) {
    for (const KernelRow& row : table) {
      by_op_.emplace(row.op, &row);
      by_id_.emplace(row.id, &row);
    }
  }
}

const KernelRow* KernelRegistry::find(const Node& node, DType type) const {
  const int64_t opset = node.opset();
  const KernelRow* best = nullptr;
  auto [begin, end] = by_op_.equal_range(node.op_type());
  for (auto it = begin; it != end; ++it) {
    const KernelRow& row = *it->second;
    if (row.domain != node.domain() || opset < row.first_opset || opset > row.last_opset) continue;
    if (type != DType::kUndefined && (row.types & mask_of(type)) == 0) continue;
    if (type == DType::kUndefined && row.types != kAnyType) continue;
    // Rows of one table are ordered best first; the map does not keep that order, addresses do.
    if (best == nullptr || &row < best) best = &row;
  }
  return best;
}

const KernelRow* KernelRegistry::find(const Node& node) const {
  auto [begin, end] = by_op_.equal_range(node.op_type());
  const KernelRow* best = nullptr;
  for (auto it = begin; it != end; ++it) {
    const Value* typed = node.graph()->value(node.input(it->second->typed_input));
    const DType type =
        typed != nullptr && typed->type.is_tensor() ? typed->type.dtype : DType::kUndefined;
    const KernelRow* row = find(node, type);
    if (row != nullptr && row->typed_input == it->second->typed_input &&
        (best == nullptr || row < best)) {
      best = row;
    }
  }
  return best;
}

bool KernelRegistry::knows_operator(std::string_view op, std::string_view domain) const {
  auto [begin, end] = by_op_.equal_range(op);
  for (auto it = begin; it != end; ++it) {
    if (it->second->domain == domain) return true;
  }
  return false;
}

const KernelRow* KernelRegistry::find_by_id(std::string_view id, uint16_t contract) const {
  auto [begin, end] = by_id_.equal_range(id);
  for (auto it = begin; it != end; ++it) {
    if (it->second->contract == contract) return it->second;
  }
  return nullptr;
}

}  // namespace ortc
