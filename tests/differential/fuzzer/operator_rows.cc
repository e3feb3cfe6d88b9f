// SPDX-License-Identifier: MIT
// The families' rows joined, and what has none.
#include "tests/differential/fuzzer/operator_rows.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace ortc::fuzz {

const std::vector<OperatorRow>& operator_rows() {
  static const std::vector<OperatorRow> rows = [] {
    std::vector<OperatorRow> all;
#define ORTC_FUZZ_ADD(name) \
  for (const OperatorRow& row : name##_rows()) all.push_back(row);
    ORTC_FUZZ_FAMILIES(ORTC_FUZZ_ADD)
#undef ORTC_FUZZ_ADD
    return all;
  }();
  return rows;
}

size_t row_of(std::string_view op, std::string_view domain) {
  static const auto index = [] {
    std::map<std::pair<std::string_view, std::string_view>, size_t> places;
    const auto& rows = operator_rows();
    for (size_t i = 0; i < rows.size(); ++i) places[{rows[i].domain, rows[i].op}] = i;
    return places;
  }();
  const auto found = index.find({domain, domain == "local" ? "*" : op});
  if (found == index.end()) {
    std::fprintf(stderr, "no row for %.*s\n", static_cast<int>(op.size()), op.data());
    std::abort();
  }
  return found->second;
}

}  // namespace ortc::fuzz
