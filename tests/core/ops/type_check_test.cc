// SPDX-License-Identifier: MIT
// Types of inputs against published signatures: what is refused, and in which words.
#include "core/ops/signatures/type_check.h"

#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

Status checked(const std::string& op, int64_t opset, std::vector<DType> types,
               const std::string& domain = "") {
  test::GraphBuilder g(opset);
  std::vector<ValueId> inputs;
  for (const DType type : types) {
    inputs.push_back(g.input("x" + std::to_string(inputs.size()), type, {2}));
  }
  g.node(op, inputs, {"y"}, {}, domain);
  return check_input_types(*g.graph().node(0));
}

}  // namespace

TEST(type_check, allows_what_the_version_of_the_operator_allows) {
  CHECK(checked("Abs", 13, {DType::kUint8}).is_ok());
  CHECK(checked("Where", 16, {DType::kBool, DType::kString, DType::kString}).is_ok());
  CHECK_CODE(checked("Abs", 5, {DType::kUint8}), Code::kInvalidGraph);
}

TEST(type_check, names_input_type_and_what_is_allowed) {
  const Status status = checked("And", 7, {DType::kBool, DType::kFloat64});
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(status.message().find("input 'B' has type tensor(double)") != std::string::npos);
  CHECK(status.message().find("And of opset 7 takes tensor(bool)") != std::string::npos);
}

TEST(type_check, sees_every_input_of_a_variadic_parameter) {
  CHECK_CODE(checked("Max", 13, {DType::kFloat32, DType::kFloat32, DType::kBool}),
             Code::kInvalidGraph);
}

TEST(type_check, says_nothing_of_operators_without_a_signature) {
  CHECK(checked("Mine", 17, {DType::kBool}, "mine").is_ok());
}
