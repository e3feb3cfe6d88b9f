// SPDX-License-Identifier: MIT
// Types: text, equality, merging.
#include "core/graph/type.h"

#include "tests/support/test.h"

using namespace ortc;

namespace {

Type f32(std::optional<Shape> shape) { return Type::tensor(DType::kFloat32, std::move(shape)); }

}  // namespace

TEST(type, has_a_text) {
  const Type image = f32(Shape{Dim::named("batch"), Dim::known(3), Dim::unknown()});
  CHECK_EQ(type_to_string(image), "float32[batch,3,?]");
  CHECK_EQ(type_to_string(f32(std::nullopt)), "float32");
  CHECK_EQ(type_to_string(Type::sequence(Type::optional(f32(Shape{})))),
           "seq(optional(float32[]))");
  CHECK_EQ(type_to_string(Type{}), "?");
}

TEST(type, merging_prefers_numbers_to_symbols_to_nothing) {
  Type known = f32(Shape{Dim::named("n"), Dim::unknown(), Dim::known(4)});
  CHECK_OK(merge_type(known, f32(Shape{Dim::known(2), Dim::named("m"), Dim::named("k")})));
  CHECK_EQ(type_to_string(known), "float32[2,m,4]");
  Type nothing;
  CHECK_OK(merge_type(nothing, known));
  CHECK(types_equal(nothing, known));
}

TEST(type, merging_refuses_contradictions_and_changes_nothing) {
  Type known = f32(Shape{Dim::unknown(), Dim::known(4)});
  auto status = merge_type(known, f32(Shape{Dim::known(2), Dim::known(5)}));
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(status.message().find("float32[?,4]") != std::string::npos);
  CHECK_EQ(type_to_string(known), "float32[?,4]");
  CHECK_CODE(merge_type(known, f32(Shape{Dim::known(2)})), Code::kInvalidGraph);
  CHECK_CODE(merge_type(known, Type::tensor(DType::kInt64)), Code::kInvalidGraph);
  CHECK_CODE(merge_type(known, Type::sequence(f32(std::nullopt))), Code::kInvalidGraph);
}

TEST(type, merging_leniently_forgets_sizes_that_contradict_and_nothing_else) {
  Type known = f32(Shape{Dim::unknown(), Dim::known(4), Dim::named("n")});
  CHECK_OK(merge_type_leniently(known, f32(Shape{Dim::known(2), Dim::known(5), Dim::known(6)})));
  CHECK_EQ(type_to_string(known), "float32[2,?,6]");
  CHECK_OK(merge_type_leniently(known, f32(Shape{Dim::known(2)})));
  CHECK_EQ(type_to_string(known), "float32");
  CHECK_CODE(merge_type_leniently(known, Type::tensor(DType::kInt64)), Code::kInvalidGraph);
  Type list = Type::sequence(f32(Shape{Dim::known(1)}));
  CHECK_OK(merge_type_leniently(list, Type::sequence(f32(Shape{Dim::known(2)}))));
  CHECK_EQ(type_to_string(list), "seq(float32[?])");
}

TEST(type, merges_elements_of_sequences) {
  Type known = Type::sequence(f32(std::nullopt));
  CHECK_OK(merge_type(known, Type::sequence(f32(Shape{Dim::known(1)}))));
  CHECK_EQ(type_to_string(known), "seq(float32[1])");
  CHECK_CODE(merge_type(known, Type::sequence(f32(Shape{Dim::known(2)}))), Code::kInvalidGraph);
}

TEST(type, static_dims_need_every_number) {
  CHECK(static_dims(shape_of(Dims{2, 3})).has_value());
  CHECK(!static_dims(shape_of(Dims{2, -1})).has_value());
  CHECK(Dim::named("n").same_as(Dim::named("n")));
  CHECK(!Dim::unknown().same_as(Dim::unknown()));
}
