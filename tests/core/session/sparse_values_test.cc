// SPDX-License-Identifier: MIT
// Sparse tensors through sessions: constants that stay sparse or become dense, and products by
// sparse matrices.
#include "core/rewrite/changes.h"
#include "tests/core/session/values_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

Tensor places(Dims dims, const std::vector<int64_t>& numbers) {
  return Tensor::from<int64_t>(std::move(dims), numbers);
}

// 0 0 5 / 6 0 0, its indices as pairs or as places.
Attribute sparse_attribute(bool is_flat) {
  auto sparse = std::make_shared<SparseConstant>();
  sparse->dims = {2, 3};
  sparse->values.name = "s";
  sparse->values.tensor = floats({2}, {5, 6});
  sparse->indices.name = "i";
  sparse->indices.tensor = is_flat ? places({2}, {2, 3}) : places({2, 2}, {0, 2, 1, 0});
  Attribute attribute;
  attribute.name = "sparse_value";
  attribute.kind = AttributeKind::kSparseTensor;
  attribute.sparse = std::move(sparse);
  return attribute;
}

Type sparse_type(Shape shape) {
  Type type = Type::tensor(DType::kFloat32, std::move(shape));
  type.kind = TypeKind::kSparseTensor;
  return type;
}

ValueId sparse_value(GraphBuilder& g, const std::string& name, int64_t rows, int64_t columns) {
  return g.graph().add_value(name, sparse_type({Dim::known(rows), Dim::known(columns)})).value();
}

// 1 2 0 / 0 0 3
SparseTensor matrix(SparseFormat format) {
  SparseTensor sparse;
  sparse.format = format;
  sparse.dtype = DType::kFloat32;
  sparse.dims = {2, 3};
  sparse.values = floats({3}, {1, 2, 3});
  if (format == SparseFormat::kCsr) {
    sparse.indices = {places({3}, {0, 1, 2}), places({3}, {0, 2, 3})};
  } else {
    sparse.indices = {places({3, 2}, {0, 0, 0, 1, 1, 2})};
  }
  return sparse;
}

bool holds(const Datum& found, const Dims& dims, const std::vector<float>& expected) {
  if (!found.is_tensor() || found.tensor()->dims() != dims) return false;
  const auto elements = found.tensor()->elements<float>();
  return std::equal(elements.begin(), elements.end(), expected.begin(), expected.end());
}

}  // namespace

TEST(sparse_values, a_constant_stays_sparse_where_the_file_says_so) {
  for (const bool is_flat : {true, false}) {
    for (const std::vector<std::string>& providers : {std::vector<std::string>{}, {"AOT"}}) {
      GraphBuilder g(21);
      const ValueId y = sparse_value(g, "y", 2, 3);
      CHECK_OK(g.graph().add_node("Constant", "", "c", {}, {y}, {sparse_attribute(is_flat)}));
      g.output(y);
      const auto session = open_graph(g, providers);
      std::vector<Datum> out;
      CHECK_OK(try_run_values(*session, {}, &out));
      const SparseTensor* found = out[0].sparse();
      CHECK(found != nullptr);
      CHECK(found->format == SparseFormat::kCoo);
      CHECK_EQ(found->dims, (Dims{2, 3}));
      CHECK(holds(found->values, {2}, {5, 6}));
      CHECK_EQ(found->indices[0].elements<int64_t>()[0], 2);
      CHECK_EQ(found->indices[0].elements<int64_t>()[1], 3);
    }
  }
}

TEST(sparse_values, a_constant_is_dense_for_operators) {
  GraphBuilder g(21);
  const ValueId x = g.input("x", DType::kFloat32, {2, 3});
  const ValueId c = g.node("Constant", {}, {"c"}, {sparse_attribute(false)})[0];
  g.output(g.node("Add", {x, c}, {"y"})[0]);
  g.infer();
  const auto session = open_graph(g);
  std::vector<Datum> out;
  CHECK_OK(try_run_values(*session, {floats({2, 3}, {1, 1, 1, 1, 1, 1})}, &out));
  CHECK(holds(out[0], {2, 3}, {1, 1, 6, 7, 1, 1}));
}

// Whose memory the caller may use again when the run is over.
TEST(sparse_values, an_input_over_memory_of_the_caller_leaves_as_a_copy) {
  std::vector<float> numbers = {5, 6};
  std::vector<int64_t> at = {2, 3};
  const auto view = [](DType dtype, const auto& elements) {
    return Tensor::view(dtype, {2}, std::as_bytes(std::span(elements)), nullptr).value();
  };
  SparseTensor sparse;
  sparse.format = SparseFormat::kCoo;
  sparse.dtype = DType::kFloat32;
  sparse.dims = {2, 3};
  sparse.values = view(DType::kFloat32, numbers);
  sparse.indices = {view(DType::kInt64, at)};
  const Datum input = Datum::of(std::move(sparse));
  for (const char* op : {"", "Identity"}) {
    GraphBuilder g(17);
    const ValueId x = sparse_value(g, "x", 2, 3);
    g.graph().add_input(x);
    g.output(*op == '\0' ? x : g.node(op, {x}, {"y"})[0]);
    g.infer();
    const auto session = open_graph(g);
    std::vector<Datum> out;
    numbers = {5, 6};
    CHECK_OK(try_run_values(*session, {input}, &out));
    numbers = {0, 0};
    const SparseTensor* const found = out[0].sparse();
    CHECK(found != nullptr && holds(found->values, {2}, {5, 6}));
    CHECK(found->indices[0].owner() != nullptr);
    CHECK_EQ(found->indices[0].elements<int64_t>()[1], 3);
  }
}

TEST(sparse_values, a_sparse_matrix_is_multiplied_turned_and_scaled) {
  const Tensor b = floats({3, 2}, {1, 2, 3, 4, 5, 6}), bt = floats({2, 3}, {1, 3, 5, 2, 4, 6});
  for (const SparseFormat format : {SparseFormat::kCoo, SparseFormat::kCsr}) {
    for (const bool turns_b : {false, true}) {
      GraphBuilder g(21);
      import_domain(g.graph(), kMicrosoftDomain, 1);
      const ValueId a = sparse_value(g, "a", 2, 3);
      g.graph().add_input(a);
      const ValueId x = g.input("b", DType::kFloat32, turns_b ? Dims{2, 3} : Dims{3, 2});
      g.output(g.node("SparseToDenseMatMul", {a, x}, {"y"},
                      {Attribute::of_int("transB", turns_b), Attribute::of_float("alpha", 2)},
                      std::string(kMicrosoftDomain))[0]);
      g.infer();
      const auto session = open_graph(g);
      std::vector<Datum> out;
      CHECK_OK(try_run_values(*session, {Datum::of(matrix(format)), turns_b ? bt : b}, &out));
      CHECK(holds(out[0], {2, 2}, {14, 20, 30, 36}));
    }
    GraphBuilder g(21);
    import_domain(g.graph(), kMicrosoftDomain, 1);
    const ValueId a = sparse_value(g, "a", 2, 3);
    g.graph().add_input(a);
    const ValueId x = g.input("b", DType::kFloat32, {2, 1});
    g.output(g.node("SparseToDenseMatMul", {a, x}, {"y"}, {Attribute::of_int("transA", 1)},
                    std::string(kMicrosoftDomain))[0]);
    g.infer();
    const auto session = open_graph(g);
    std::vector<Datum> out;
    const Tensor column = floats({2, 1}, {10, 100});
    CHECK_OK(try_run_values(*session, {Datum::of(matrix(format)), column}, &out));
    CHECK(holds(out[0], {3, 1}, {10, 20, 300}));
  }
}

TEST(sparse_values, products_of_integers_wrap_around) {
  GraphBuilder g(21);
  import_domain(g.graph(), kMicrosoftDomain, 1);
  Type type = sparse_type({Dim::known(1), Dim::known(2)});
  type.dtype = DType::kInt64;
  const ValueId a = g.graph().add_value("a", type).value();
  g.graph().add_input(a);
  const ValueId x = g.input("b", DType::kInt64, {2, 1});
  g.output(g.node("SparseToDenseMatMul", {a, x}, {"y"}, {}, std::string(kMicrosoftDomain))[0]);
  g.infer();
  const auto session = open_graph(g);
  SparseTensor sparse;
  sparse.format = SparseFormat::kCoo;
  sparse.dtype = DType::kInt64;
  sparse.dims = {1, 2};
  sparse.values = places({2}, {INT64_MAX, INT64_MAX});
  sparse.indices = {places({2, 2}, {0, 0, 0, 1})};
  std::vector<Datum> out;
  CHECK_OK(try_run_values(*session, {Datum::of(std::move(sparse)), places({2, 1}, {3, 2})}, &out));
  CHECK_EQ(out[0].tensor()->elements<int64_t>()[0], INT64_MAX - 4);
}

TEST(sparse_values, matrices_that_do_not_fit_are_refused) {
  GraphBuilder g(21);
  import_domain(g.graph(), kMicrosoftDomain, 1);
  const ValueId a = g.graph().add_value("a", sparse_type({Dim::unknown(), Dim::unknown()})).value();
  g.graph().add_input(a);
  const ValueId x = g.input("b", DType::kFloat32, {4, 2});
  g.output(g.node("SparseToDenseMatMul", {a, x}, {"y"}, {}, std::string(kMicrosoftDomain))[0]);
  g.infer();
  const auto session = open_graph(g);
  std::vector<Datum> out;
  const Datum value = Datum::of(matrix(SparseFormat::kCoo));
  CHECK_CODE(try_run_values(*session, {value, floats({4, 2}, std::vector<float>(8))}, &out),
             Code::kInvalidArgument);
}
