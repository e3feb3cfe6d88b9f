// SPDX-License-Identifier: MIT
// Signatures of operators: they and the operator list speak of the same operators.
#include "core/ops/signatures/op_signature.h"

#include <algorithm>

#include "core/ops/op_list.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

uint8_t count_max(const std::vector<OpParameter>& parameters) {
  if (!parameters.empty() && parameters.back().is_variadic) return kVariadic;
  return static_cast<uint8_t>(parameters.size());
}

bool is_known(const OpSignature& signature, std::string_view type) {
  return type.find('(') != std::string_view::npos ||
         std::ranges::any_of(signature.constraints,
                             [&](const auto& constraint) { return constraint.name == type; });
}

}  // namespace

TEST(op_signature, is_there_for_every_version_of_every_operator) {
  for (const OpRow& row : op_rows()) {
    const auto signature = find_op_signature(row.domain, row.name, row.since);
    CHECK(signature.has_value());
    CHECK_EQ(signature->since, row.since);
    CHECK(find_op_signature(row.domain, row.name, kNewestOpset).has_value());
  }
}

TEST(op_signature, agrees_with_the_operator_list_about_counts) {
  for (const OpRow& row : op_rows()) {
    const bool is_withdrawn = row.max_inputs == 0 && row.max_outputs == 0;
    if (is_withdrawn) continue;
    const auto signature = find_op_signature(row.domain, row.name, row.since);
    CHECK_EQ(count_max(signature->inputs), row.max_inputs);
    CHECK_EQ(count_max(signature->outputs), row.max_outputs);
  }
}

TEST(op_signature, names_only_types_that_it_explains) {
  for (const OpRow& row : op_rows()) {
    const auto signature = find_op_signature(row.domain, row.name, row.since);
    for (const auto& input : signature->inputs) CHECK(is_known(*signature, input.type));
    for (const auto& output : signature->outputs) CHECK(is_known(*signature, output.type));
    for (const auto& constraint : signature->constraints) CHECK(!constraint.types.empty());
  }
}

TEST(op_signature, is_that_of_the_opset) {
  CHECK_EQ(find_op_signature("", "Resize", 10)->inputs[1].name, "scales");
  const auto resize = find_op_signature("ai.onnx", "Resize", 12);
  CHECK_EQ(resize->since, 11);
  CHECK_EQ(resize->inputs[1].name, "roi");
  CHECK_EQ(resize->inputs[1].type, "T2");
  CHECK(resize->inputs[3].is_optional && !resize->inputs[2].is_optional);
  CHECK(find_op_signature("", "Resize", 9) == std::nullopt);
  CHECK(find_op_signature("", "Re", 20) == std::nullopt);
  CHECK(find_op_signature("", "", 20) == std::nullopt);
  CHECK(find_op_signature("", "Relu", -1) == std::nullopt);
  CHECK(find_op_signature("custom", "Relu", 20) == std::nullopt);
}
