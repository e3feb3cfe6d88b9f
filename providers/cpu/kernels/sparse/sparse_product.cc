// SPDX-License-Identifier: MIT
// Sparse tensors: SparseToDenseMatMul (com.microsoft), a sparse matrix by a dense one, and
// ortc.SparseConstant, which hands a constant out as the sparse tensor that it is in the file.
//
// Sums go over the values in the order in which they stand, one row of the result after the other
// where the sparse matrix is not transposed.
#include <algorithm>
#include <array>

#include "core/base/checked_math.h"
#include "core/graph/type.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using ProductTypes = TypeList<float, double, int32_t, int64_t, uint32_t, uint64_t>;

struct ProductParams {
  uint32_t record_bytes;
  float alpha;
  uint32_t turns_a, turns_b;
};
static_assert(sizeof(ProductParams) == 16);

// --- Prepare.

Status prepare_product(PrepareContext& ctx) {
  const Node& node = ctx.node();
  if (ctx.input_type(0).kind != TypeKind::kSparseTensor) {
    return not_implemented("a first input that is ", type_to_string(ctx.input_type(0)));
  }
  ctx.set_params(ProductParams{sizeof(ProductParams), node.float_attribute("alpha", 1.0f),
                               node.int_attribute("transA", 0) != 0 ? 1u : 0u,
                               node.int_attribute("transB", 0) != 0 ? 1u : 0u});
  return Status::ok();
}

// --- Bind.

Status bind_product(BindContext& ctx) {
  if (ctx.params<ProductParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  return check_type(ctx, 1, ProductTypes::kMask);
}

Status bind_constant(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt64)));
  RETURN_IF_ERROR(check_type(ctx, 2, mask_of(DType::kInt64)));
  const ValueRef &values = ctx.input(0), &places = ctx.input(1), &dims = ctx.input(2);
  if (values.rank != 1 || places.rank != 1 || dims.rank != 1 || dims.dim(0) > 64 ||
      values.dim(0) != places.dim(0)) {
    return invalid_graph("values, places and dims do not fit each other");
  }
  return Status::ok();
}

// --- Run.

// One value of a matrix and where it stands.
struct Place {
  int64_t row, column;
};

class Places {
 public:
  explicit Places(const SparseTensor& sparse) : sparse_(sparse) {}

  // f(place, number of the value) for each value; INVALID_ARGUMENT when one is outside the matrix.
  template <typename F>
  Status for_each(F&& f) const {
    if (sparse_.format == SparseFormat::kCsr) return for_rows(f);
    if (sparse_.format != SparseFormat::kCoo || sparse_.indices.size() != 1) {
      return not_implemented("a sparse tensor that has neither coordinates nor rows");
    }
    const auto indices = sparse_.indices[0].elements<int64_t>();
    const bool is_pairs = sparse_.indices[0].dims().size() == 2;
    const auto count = static_cast<size_t>(sparse_.values.element_count());
    if (indices.size() != (is_pairs ? 2 * count : count)) return bad_indices();
    const int64_t columns = std::max<int64_t>(1, sparse_.dims[1]);
    for (size_t i = 0; i < count; ++i) {
      const Place place = is_pairs ? Place{indices[2 * i], indices[2 * i + 1]}
                                   : Place{indices[i] / columns, indices[i] % columns};
      RETURN_IF_ERROR(check(place));
      f(place, i);
    }
    return Status::ok();
  }

 private:
  template <typename F>
  Status for_rows(F&& f) const {
    if (sparse_.indices.size() != 2) return bad_indices();
    const auto columns = sparse_.indices[0].elements<int64_t>();
    const auto starts = sparse_.indices[1].elements<int64_t>();
    const auto count = static_cast<size_t>(sparse_.values.element_count());
    if (columns.size() != count) return bad_indices();
    size_t i = 0;
    for (size_t row = 0; row + 1 < starts.size(); ++row) {
      if (starts[row + 1] < 0 || static_cast<size_t>(starts[row + 1]) > count) return bad_indices();
      for (; i < static_cast<size_t>(starts[row + 1]); ++i) {
        const Place place{static_cast<int64_t>(row), columns[i]};
        RETURN_IF_ERROR(check(place));
        f(place, i);
      }
    }
    return Status::ok();
  }
  Status check(const Place& place) const {
    const bool fits = place.row >= 0 && place.row < sparse_.dims[0] && place.column >= 0 &&
                      place.column < sparse_.dims[1];
    return fits ? Status::ok() : bad_indices();
  }
  Status bad_indices() const {
    return invalid_argument("the indices of the sparse tensor do not fit its shape ",
                            dims_to_string(sparse_.dims));
  }

  const SparseTensor& sparse_;
};

struct DenseShape {
  int64_t inner, columns;
};

// Integers wrap around.
template <typename T>
T plus_product(T sum, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(sum) + static_cast<U>(a) * static_cast<U>(b));
  } else {
    return sum + a * b;
  }
}

template <typename T>
Status multiply(const SparseTensor& a, const T* b, const DenseShape& b_shape,
                const ProductParams& params, T* y) {
  const auto values = a.values.elements<T>();
  const int64_t row_step = params.turns_b != 0 ? 1 : b_shape.columns;
  const int64_t column_step = params.turns_b != 0 ? b_shape.inner : 1;
  RETURN_IF_ERROR(Places(a).for_each([&](Place place, size_t i) {
    if (params.turns_a != 0) std::swap(place.row, place.column);
    T* to = y + place.row * b_shape.columns;
    const T* from = b + place.column * row_step;
    for (int64_t c = 0; c < b_shape.columns; ++c) {
      to[c] = plus_product(to[c], values[i], from[c * column_step]);
    }
  }));
  return Status::ok();
}

template <typename T>
void scale(T* y, int64_t count, float alpha) {
  if (alpha == 1.0f) return;
  for (int64_t i = 0; i < count; ++i) {
    y[i] = convert<T>(static_cast<double>(y[i]) * static_cast<double>(alpha));
  }
}

Status run_product(RunContext& ctx) {
  const auto& params = ctx.params<ProductParams>();
  const Datum* datum = ctx.input(0).datum;
  const SparseTensor* a = datum != nullptr ? datum->sparse() : nullptr;
  const ValueRef& b = ctx.input(1);
  if (a == nullptr || a->dims.size() != 2 || b.rank != 2 || a->dtype != b.dtype) {
    return invalid_argument("expected a sparse and a dense matrix of one type, found ",
                            datum != nullptr ? describe(*datum) : "a tensor", " and ",
                            dtype_name(b.dtype), dims_to_string(b.dims()));
  }
  const size_t row_axis = params.turns_a != 0 ? 1 : 0, inner_axis = params.turns_b != 0 ? 1 : 0;
  const int64_t rows = a->dims[row_axis], inner = a->dims[1 - row_axis];
  const DenseShape shape{b.dim(inner_axis), b.dim(1 - inner_axis)};
  if (inner != shape.inner) {
    return invalid_argument("the matrices ", dims_to_string(a->dims), " and ",
                            dims_to_string(b.dims()), " do not fit each other");
  }
  RETURN_IF_ERROR(ctx.allocate_output(0, b.dtype, std::array<int64_t, 2>{rows, shape.columns}));
  Status status;
  with_type(ProductTypes{}, b.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = ctx.output(0).as_mutable<T>();
    std::fill_n(y, rows * shape.columns, T{0});
    status = multiply(*a, b.as<T>(), shape, params, y);
    scale(y, rows * shape.columns, params.alpha);
  });
  return status;
}

Status run_constant(RunContext& ctx) {
  SparseTensor sparse;
  sparse.format = SparseFormat::kCoo;
  const auto* dims = ctx.input(2).as<int64_t>();
  sparse.dims.assign(dims, dims + ctx.input(2).element_count());
  ASSIGN_OR_RETURN(const Datum values, datum_of(ctx.input(0)));
  ASSIGN_OR_RETURN(const Datum places, datum_of(ctx.input(1)));
  sparse.dtype = values.tensor()->dtype();
  sparse.values = *values.tensor();
  sparse.indices = {*places.tensor()};
  const auto total = checked_element_count(sparse.dims);
  if (!total) return invalid_graph("a sparse constant of shape ", dims_to_string(sparse.dims));
  for (const int64_t place : sparse.indices[0].elements<int64_t>()) {
    if (place < 0 || place >= *total) return index_out_of_range(place, *total);
  }
  return ctx.give_output(0, Datum::of(std::move(sparse)));
}

}  // namespace

KernelTable sparse_product_kernels() {
  static constexpr KernelRow rows[] = {
      {"SparseToDenseMatMul", kMicrosoftDomain, 1, kLatestOpset, kNotTensor, "sparse_matmul", 1,
       kDataDependent, 0, prepare_product, bind_product, run_product},
      {"SparseConstant", kInternalDomain, 1, kLatestOpset, kAnyType, "sparse_constant", 1,
       kDataDependent, 0, prepare_nothing, bind_constant, run_constant},
  };
  return rows;
}

}  // namespace ortc::cpu
