// SPDX-License-Identifier: MIT
// The operator list: the families' tables joined, and an index over it, both made at first use.
#include "core/ops/op_list.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/ops/families.h"

namespace ortc {
namespace {

auto sort_key(const OpRow& row) { return std::tuple(row.domain, row.name, row.since); }

std::vector<OpRow> join_families() {
  std::vector<OpRow> rows;
  for (auto family : {
#define ORTC_FAMILY_ROWS(name) name##_rows(),
           ORTC_OP_FAMILIES(ORTC_FAMILY_ROWS)
#undef ORTC_FAMILY_ROWS
       }) {
    rows.insert(rows.end(), family.begin(), family.end());
  }
  std::sort(rows.begin(), rows.end(),
            [](const OpRow& a, const OpRow& b) { return sort_key(a) < sort_key(b); });
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
