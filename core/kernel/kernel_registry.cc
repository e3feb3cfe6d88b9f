// SPDX-License-Identifier: MIT
// The registry of kernels: see the header.
#include "core/kernel/kernel_registry.h"

#include <algorithm>

namespace ortc {

KernelRegistry::KernelRegistry(std::vector<KernelTable> tables) : tables_(std::move(tables)) {
  for (const KernelTable& table : tables_) {
    for (const KernelRow& row : table) {
      by_op_[row.op].push_back(&row);
      by_id_[row.id].push_back(&row);
    }
  }
}

namespace {

bool is_for_all_values(const KernelRow& row) { return (row.types & kNotTensor) != 0; }

bool serves(const KernelRow& row, const Node& node) {
  return node.custom() == nullptr && row.domain == node.domain() &&
         node.opset() >= row.first_opset && node.opset() <= row.last_opset;
}

// An operator whose typed input is omitted needs a row that takes every type.
bool takes(const KernelRow& row, DType type) {
  return type != DType::kUndefined ? (row.types & mask_of(type)) != 0
                                   : (row.types & kAnyType) == kAnyType;
}

bool takes(const KernelRow& row, const Value* typed) {
  const TypeKind kind = typed != nullptr ? typed->type.kind : TypeKind::kNone;
  if (kind == TypeKind::kTensor) return takes(row, typed->type.dtype);
  return kind == TypeKind::kNone ? takes(row, DType::kUndefined) : is_for_all_values(row);
}

// The first row that `fits`, one for tensors alone if there is one.
template <typename F>
const KernelRow* first_row(std::span<const KernelRow* const> rows, F&& fits) {
  const KernelRow* for_all = nullptr;
  for (const KernelRow* row : rows) {
    if (!fits(*row)) continue;
    if (!is_for_all_values(*row)) return row;
    if (for_all == nullptr) for_all = row;
  }
  return for_all;
}

}  // namespace

std::span<const KernelRow* const> KernelRegistry::rows_of(std::string_view op) const {
  const auto found = by_op_.find(op);
  if (found == by_op_.end()) return {};
  return found->second;
}

const KernelRow* KernelRegistry::find(const Node& node, DType type) const {
  return first_row(rows_of(node.op_type()),
                   [&](const KernelRow& row) { return serves(row, node) && takes(row, type); });
}

const KernelRow* KernelRegistry::find(const Node& node) const {
  return first_row(rows_of(node.op_type()), [&](const KernelRow& row) {
    return serves(row, node) && takes(row, node.graph()->value(node.input(row.typed_input)));
  });
}

bool KernelRegistry::knows_operator(std::string_view op, std::string_view domain) const {
  const auto rows = rows_of(op);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const KernelRow* row) { return row->domain == domain; });
}

const KernelRow* KernelRegistry::find_by_id(std::string_view id, uint16_t contract) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  for (const KernelRow* row : found->second) {
    if (row->contract == contract) return row;
  }
  return nullptr;
}

}  // namespace ortc
