// SPDX-License-Identifier: MIT
// The operator list: the families' tables joined, and an index over them, both made at first use.
#include "core/ops/op_list.h"

#include <algorithm>
#include <vector>

#include "core/base/name_index.h"
#include "core/ops/families.h"
#include "core/ops/microsoft/microsoft_families.h"

namespace ortc {
namespace {

bool stands_before(const OpRow* a, const OpRow* b) {
  if (const int order = a->domain.compare(b->domain); order != 0) return order < 0;
  if (const int order = a->name.compare(b->name); order != 0) return order < 0;
  return a->since < b->since;
}

// Where the families have them.
std::vector<const OpRow*> join_families() {
  std::vector<const OpRow*> rows;
  for (auto family : {
#define ORTC_FAMILY_ROWS(name) name##_rows(),
           ORTC_OP_FAMILIES(ORTC_FAMILY_ROWS)
#undef ORTC_FAMILY_ROWS
               microsoft_plain_rows(),
           microsoft_kernel_rows(), microsoft_search_rows(), microsoft_recurrent_rows()}) {
    for (const OpRow& row : family) rows.push_back(&row);
  }
  return rows;
}

std::vector<OpRow> sorted_rows() {
  std::vector<const OpRow*> order = join_families();
  std::sort(order.begin(), order.end(), stands_before);
  std::vector<OpRow> rows;
  rows.reserve(order.size());
  for (const OpRow* row : order) rows.push_back(*row);
  return rows;
}

// A part of the first load of a process: nothing is sorted or copied.
struct OpIndex {
  OpIndex() : rows(join_families()), names(rows.size()) {
    for (size_t i = 0; i < rows.size(); ++i) names.add(rows[i]->name, i);
  }
  std::vector<const OpRow*> rows;
  NameIndex names;
};

}  // namespace

std::span<const OpRow> op_rows() {
  // Never destroyed: a session may still be made while the process exits.
  static const std::vector<OpRow>& rows = *new std::vector<OpRow>(sorted_rows());
  return rows;
}

const OpRow* find_op(std::string_view domain, std::string_view name, int64_t opset) {
  if (domain == "ai.onnx") domain = {};
  static const OpIndex& index = *new OpIndex();
  const OpRow* newest = nullptr;
  index.names.find(name, [&](size_t at) {
    const OpRow& row = *index.rows[at];
    const bool is_in_force = row.since <= opset && row.name == name && row.domain == domain;
    if (is_in_force && (newest == nullptr || row.since > newest->since)) newest = &row;
    return false;
  });
  return newest;
}

}  // namespace ortc
