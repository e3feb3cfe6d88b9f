// SPDX-License-Identifier: MIT
// The operator list: the families' tables joined, and an index over it, both made at first use.
#include "core/ops/op_list.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/ops/families.h"
#include "core/ops/microsoft/microsoft_families.h"

namespace ortc {
namespace {

bool stands_before(const OpRow* a, const OpRow* b) {
  if (const int order = a->domain.compare(b->domain); order != 0) return order < 0;
  if (const int order = a->name.compare(b->name); order != 0) return order < 0;
  return a->since < b->since;
}

// A part of the first load of a process: no row is moved more than once.
std::vector<OpRow> join_families() {
  std::vector<const OpRow*> order;
  for (auto family : {
#define ORTC_FAMILY_ROWS(name) name##_rows(),
           ORTC_OP_FAMILIES(ORTC_FAMILY_ROWS)
#undef ORTC_FAMILY_ROWS
               microsoft_plain_rows(),
           microsoft_kernel_rows(), microsoft_search_rows(), microsoft_recurrent_rows()}) {
    for (const OpRow& row : family) order.push_back(&row);
  }
  std::sort(order.begin(), order.end(), stands_before);
  std::vector<OpRow> rows;
  rows.reserve(order.size());
  for (const OpRow* row : order) rows.push_back(*row);
  return rows;
}

}  // namespace

std::span<const OpRow> op_rows() {
  // Never destroyed: a session may still be made while the process exits.
  static const std::vector<OpRow>& rows = *new std::vector<OpRow>(join_families());
  return rows;
}

const OpRow* find_op(std::string_view domain, std::string_view name, int64_t opset) {
  if (domain == "ai.onnx") domain = {};
  auto rows = op_rows();
  auto after = std::upper_bound(rows.begin(), rows.end(), std::tuple(domain, name, opset),
                                [](const auto& key, const OpRow& row) {
                                  return key < std::tuple(row.domain, row.name,
                                                          static_cast<int64_t>(row.since));
                                });
  if (after == rows.begin()) return nullptr;
  const OpRow& row = *(after - 1);
  return row.domain == domain && row.name == name ? &row : nullptr;
}

}  // namespace ortc
