// SPDX-License-Identifier: MIT
// Kernel contexts and the registry: see the header.
#include "core/kernel/kernel.h"

#include <unordered_map>

namespace ortc {

TensorRef ref_to(const Tensor& tensor) {
  return {tensor.dtype(), static_cast<uint32_t>(tensor.dims().size()), tensor.dims().data(),
          const_cast<void*>(tensor.data())};
}

TensorRef ref_to(const Datum& datum) {
  if (const Tensor* tensor = datum.tensor()) return ref_to(*tensor);
  TensorRef ref;
  ref.datum = &datum;
  return ref;
}

Result<Datum> datum_of(const TensorRef& ref) {
  if (ref.datum != nullptr) return *ref.datum;
  if (!ref.is_present()) return Datum();
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::create(ref.dtype, Dims(ref.dims().begin(), ref.dims().end())));
  copy_elements(ref.dtype, copy.element_count(), ref.data, copy.mutable_data());
  return Datum(std::move(copy));
}

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

Status RunContext::give_output(size_t i, Datum value) {
  if (i >= outputs_.size() || environment_.give == nullptr) {
    return fail("a kernel that is not data-dependent gave a value as output ", i);
  }
  return environment_.give(environment_.allocate_state, i, std::move(value));
}

KernelRegistry::KernelRegistry(std::vector<KernelTable> tables) : tables_(std::move(tables)) {
  for (const KernelTable& table : tables_) {
    for (const KernelRow& row : table) {
      by_op_.emplace(row.op, &row);
      by_id_.emplace(row.id, &row);
    }
  }
}

namespace {

// Rows for tensors alone come before those for all values. Otherwise rows of one table are ordered
// best first; the maps do not keep that order, addresses do.
bool is_better(const KernelRow& row, const KernelRow* best) {
  if (best == nullptr) return true;
  const bool for_all = (row.types & kNotTensor) != 0,
             best_for_all = (best->types & kNotTensor) != 0;
  return for_all != best_for_all ? best_for_all : &row < best;
}

bool serves(const KernelRow& row, const Node& node) {
  return row.domain == node.domain() && node.opset() >= row.first_opset &&
         node.opset() <= row.last_opset;
}

}  // namespace

const KernelRow* KernelRegistry::find(const Node& node, DType type) const {
  const KernelRow* best = nullptr;
  auto [begin, end] = by_op_.equal_range(node.op_type());
  for (auto it = begin; it != end; ++it) {
    const KernelRow& row = *it->second;
    if (!serves(row, node)) continue;
    if (type != DType::kUndefined && (row.types & mask_of(type)) == 0) continue;
    if (type == DType::kUndefined && (row.types & kAnyType) != kAnyType) continue;
    if (is_better(row, best)) best = &row;
  }
  return best;
}

const KernelRow* KernelRegistry::find(const Node& node) const {
  auto [begin, end] = by_op_.equal_range(node.op_type());
  const KernelRow* best = nullptr;
  for (auto it = begin; it != end; ++it) {
    const Value* typed = node.graph()->value(node.input(it->second->typed_input));
    const TypeKind kind = typed != nullptr ? typed->type.kind : TypeKind::kNone;
    if (kind != TypeKind::kTensor && kind != TypeKind::kNone) {
      const KernelRow& row = *it->second;
      const bool fits = serves(row, node) && (row.types & kNotTensor) != 0;
      if (fits && is_better(row, best)) best = &row;
      continue;
    }
    const KernelRow* row =
        find(node, kind == TypeKind::kTensor ? typed->type.dtype : DType::kUndefined);
    if (row != nullptr && row->typed_input == it->second->typed_input && is_better(*row, best)) {
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
