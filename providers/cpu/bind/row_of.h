// SPDX-License-Identifier: MIT
// Finding a kernel's row in its family's table, for kernels that compute by another one.
#pragma once

#include <cassert>

#include "core/kernel/kernel_row.h"

namespace ortc::cpu {

// A row by operator and id; `takes` is one of the types that it takes.
struct RowName {
  KernelTable (*table)();
  std::string_view op;
  std::string_view id;
  DType takes = DType::kFloat32;
};

inline const KernelRow& row_of(const RowName& name) {
  const KernelTable table = name.table();
  const KernelRow* found = table.data();
  for (const KernelRow& row : table) {
    if (row.op == name.op && row.id == name.id && (row.types & mask_of(name.takes)) != 0) {
      return row;
    }
  }
  assert(false && "a row that does not exist");
  return *found;
}

}  // namespace ortc::cpu
