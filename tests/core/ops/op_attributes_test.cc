// SPDX-License-Identifier: MIT
// Attributes that an operator does not have, or has of another kind: a default must not stand in
// for what a model says.
#include "core/ops/signatures/op_attributes.h"

#include "core/ops/infer.h"
#include "core/ops/op_list.h"
#include "tests/core/ops/infer_testing.h"
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::string error_of(int64_t opset, const std::string& op, std::vector<Attribute> attributes,
                     const std::string& domain = "") {
  TestGraph g(opset);
  const auto imports = OpsetImports{{"", opset}, {"com.microsoft", 1}};
  g.graph().set_opsets(std::make_shared<OpsetImports>(imports));
  const ValueId x = g.input("x", kFloat, {n(), of(4)});
  const ValueId y = g.graph().add_value("y").value();
  CHECK_OK(g.graph().add_node(op, domain, "here", {x}, {y}, std::move(attributes)));
  return infer_types(g.graph()).to_string();
}

}  // namespace

TEST(op_attributes, of_a_wrong_kind_are_refused) {
  const std::string error = error_of(6, "Clip", {Attribute::of_int("min", 0)});
  for (const char* part :
       {"INVALID_GRAPH", "Clip 'here'", "'min'", "expected FLOAT", "found INT"}) {
    CHECK(contains(error, part));
  }
  CHECK(contains(error_of(13, "Softmax", {Attribute::of_float("axis", 0)}), "found FLOAT"));
  CHECK(contains(error_of(13, "Transpose", {Attribute::of_int("perm", 1)}), "expected INTS"));
  CHECK(contains(error_of(16, "QuickGelu", {Attribute::of_int("alpha", 1)}, "com.microsoft"),
                 "expected FLOAT"));
}

TEST(op_attributes, of_unknown_names_are_refused) {
  const std::string error = error_of(13, "ReduceSum", {Attribute::of_ints("axes", {1})});
  CHECK(contains(error, "'axes' is not one of opset 13"));
  CHECK(contains(error, "expected keepdims, noop_with_empty_axes"));
  CHECK(contains(error_of(13, "Softmax", {Attribute::of_int("axes", 1)}), "expected axis"));
  CHECK(contains(error_of(13, "Neg", {Attribute::of_int("axis", 1)}), "expected none"));
}

TEST(op_attributes, are_those_of_the_opset) {
  CHECK_EQ(error_of(12, "ReduceSum", {Attribute::of_ints("axes", {1})}), "OK");
  CHECK_EQ(error_of(6, "Clip", {Attribute::of_float("max", 1)}), "OK");
  CHECK(contains(error_of(11, "Clip", {Attribute::of_float("max", 1)}), "'max'"));
  CHECK_EQ(error_of(5, "Relu", {Attribute::of_ints("consumed_inputs", {0})}), "OK");
  CHECK(contains(error_of(6, "Relu", {Attribute::of_ints("consumed_inputs", {0})}), "'consumed_"));
  CHECK_EQ(error_of(5, "Cast", {Attribute::of_string("to", "INT64")}), "OK");
  CHECK(contains(error_of(6, "Cast", {Attribute::of_string("to", "INT64")}), "found STRING"));
}

TEST(op_attributes, that_nobody_lists_stay_free) {
  CHECK_EQ(error_of(13, "Relu", {Attribute::of_int("__private", 1)}), "OK");
  CHECK_EQ(error_of(13, "Anything", {Attribute::of_int("at_all", 1)}, "my.domain"), "OK");
  CHECK_EQ(error_of(16, "QuickGelu", {Attribute::of_int("later", 1)}, "com.microsoft"), "OK");
}

// The list knows every attribute that must be there.
TEST(op_attributes, include_those_that_are_required) {
  for (const OpRow& row : op_rows()) {
    for (std::string_view rest = row.required; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(','));
      CHECK(may_have_attribute(row.domain, row.name, name));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
}
