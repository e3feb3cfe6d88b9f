// SPDX-License-Identifier: MIT
// The operator list: order, versions, what is looked up most.
#include "core/ops/op_list.h"

#include <set>
#include <tuple>

#include "tests/support/test.h"

using namespace ortc;

TEST(op_list, has_each_operator_version_once_and_in_order) {
  std::set<std::tuple<std::string_view, std::string_view, int>> seen;
  const OpRow* last = nullptr;
  for (const OpRow& row : op_rows()) {
    CHECK(seen.emplace(row.domain, row.name, row.since).second);
    CHECK(row.since >= 1 && row.since <= kNewestOpset);
    CHECK(row.min_inputs <= row.max_inputs && row.min_outputs <= row.max_outputs);
    if (last != nullptr) {
      CHECK(std::tuple(last->domain, last->name, last->since) <
            std::tuple(row.domain, row.name, row.since));
    }
    last = &row;
  }
  CHECK(seen.size() > 600);
}

TEST(op_list, finds_the_row_in_force) {
  CHECK_EQ(find_op("", "Softmax", 12)->since, 11);
  CHECK_EQ(find_op("", "Softmax", 13)->since, 13);
  CHECK_EQ(find_op("", "Softmax", kNewestOpset)->since, 13);
  CHECK_EQ(find_op("ai.onnx", "Add", 7)->since, 7);
  CHECK(find_op("", "LayerNormalization", 16) == nullptr);
  CHECK(find_op("", "NoSuchOperator", 13) == nullptr);
  CHECK(find_op("custom", "Add", 13) == nullptr);
}

TEST(op_list, finds_for_every_opset_the_last_row_that_is_not_later) {
  for (const OpRow& row : op_rows()) {
    for (int64_t opset = 1; opset <= kNewestOpset; ++opset) {
      const OpRow* wanted = nullptr;
      for (const OpRow& other : op_rows()) {
        const bool is_older =
            other.domain == row.domain && other.name == row.name && other.since <= opset;
        if (is_older) wanted = &other;
      }
      const OpRow* found = find_op(row.domain, row.name, opset);
      CHECK_EQ(found != nullptr ? found->since : 0, wanted != nullptr ? wanted->since : 0);
      CHECK(found == nullptr || (found->domain == row.domain && found->name == row.name));
    }
  }
}

TEST(op_list, knows_inputs_outputs_and_required_attributes) {
  const OpRow* context = find_op("com.microsoft", "EPContext", 1);
  CHECK(context != nullptr);
  CHECK_EQ(int{context->min_inputs}, 0);
  CHECK_EQ(context->max_inputs, kVariadic);
  CHECK_EQ(int{context->min_outputs}, 1);
  CHECK_EQ(find_op("", "Slice", 9)->required, "ends,starts");
  CHECK_EQ(find_op("", "Slice", 10)->required, "");
  CHECK_EQ(int{find_op("", "ReduceSum", 13)->max_inputs}, 2);
  CHECK_EQ(int{find_op("", "ReduceMean", 17)->max_inputs}, 1);
  CHECK_EQ(int{find_op("", "ReduceMean", 18)->max_inputs}, 2);
}
