// SPDX-License-Identifier: MIT
// All kernels of a provider, found by what a node asks for or by what a Plan image says.
#pragma once

#include <vector>

#include "core/base/name_index.h"
#include "core/kernel/kernel_row.h"

namespace ortc {

// All rows of a provider. Row ids are unique up to rows that share all three functions' meaning.
// Rows stand in the order of the tables, best first.
class KernelRegistry {
 public:
  explicit KernelRegistry(std::vector<KernelTable> tables);
  // The first row that fits operator, opset and the type of its typed input; null when there is
  // none. Rows for tensors alone come before those for all values.
  const KernelRow* find(const Node& node, DType typed_input_type) const;
  // For a node whose types are known in its graph.
  const KernelRow* find(const Node& node) const;
  bool knows_operator(std::string_view op, std::string_view domain) const;
  // A row by what a Plan image says of it; null when this library has none.
  const KernelRow* find_by_id(std::string_view id, uint16_t contract) const;
  std::span<const KernelTable> tables() const { return tables_; }

 private:
  // The first row of the operator that `fits`, one for tensors alone if there is one.
  template <typename F>
  const KernelRow* first_row(std::string_view op, F&& fits) const;

  std::vector<KernelTable> tables_;
  std::vector<const KernelRow*> rows_;
  NameIndex by_op_, by_id_;
};

}  // namespace ortc
