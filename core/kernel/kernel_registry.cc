// SPDX-License-Identifier: MIT
// The registry of kernels: see the header.
#include "core/kernel/kernel_registry.h"

namespace ortc {
namespace {

std::vector<const KernelRow*> rows_of(std::span<const KernelTable> tables) {
  size_t count = 0;
  for (const KernelTable& table : tables) count += table.size();
  std::vector<const KernelRow*> rows;
  rows.reserve(count);
  for (const KernelTable& table : tables) {
    for (const KernelRow& row : table) rows.push_back(&row);
  }
  return rows;
}

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

}  // namespace

KernelRegistry::KernelRegistry(std::vector<KernelTable> tables)
    : tables_(std::move(tables)),
      rows_(rows_of(tables_)),
      by_op_(rows_.size()),
      by_id_(rows_.size()) {
  for (size_t row = rows_.size(); row-- > 0;) {
    by_op_.add(rows_[row]->op, row);
    by_id_.add(rows_[row]->id, row);
  }
}

template <typename F>
const KernelRow* KernelRegistry::first_row(std::string_view op, F&& fits) const {
  const KernelRow *for_all = nullptr, *found = nullptr;
  by_op_.find(op, [&](size_t at) {
    const KernelRow& row = *rows_[at];
    if (row.op != op || !fits(row)) return false;
    if (!is_for_all_values(row)) {
      found = &row;
      return true;
    }
    if (for_all == nullptr) for_all = &row;
    return false;
  });
  return found != nullptr ? found : for_all;
}

const KernelRow* KernelRegistry::find(const Node& node, DType type) const {
  return first_row(node.op_type(),
                   [&](const KernelRow& row) { return serves(row, node) && takes(row, type); });
}

const KernelRow* KernelRegistry::find(const Node& node) const {
  return first_row(node.op_type(), [&](const KernelRow& row) {
    return serves(row, node) && takes(row, node.graph()->value(node.input(row.typed_input)));
  });
}

bool KernelRegistry::knows_operator(std::string_view op, std::string_view domain) const {
  return first_row(op, [&](const KernelRow& row) { return row.domain == domain; }) != nullptr;
}

const KernelRow* KernelRegistry::find_by_id(std::string_view id, uint16_t contract) const {
  const KernelRow* found = nullptr;
  by_id_.find(id, [&](size_t at) {
    const KernelRow& row = *rows_[at];
    if (row.id == id && row.contract == contract) found = &row;
    return found != nullptr;
  });
  return found;
}

}  // namespace ortc
