// SPDX-License-Identifier: MIT
// Einsum: operands from left to right, each step a batched matrix product (providers/cpu/
// einsum_plan.h). Labels that only one of the two has and nobody needs are summed before the
// product; operands are brought into the product's order only where they are not in it already.
#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/copy_permuted.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/products/einsum_plan.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/plain_product.h"

namespace ortc::cpu {
namespace {

using EinsumTypes = Join<TypeList<float, double>, IntegerTypes>;

// --- Arithmetic: y[i] = sum of x over the labels that y does not have.

struct SumLoops {
  NdLoop<1> kept, summed;
};

SumLoops sum_loops(const LabelledTensor& x, const LabelledTensor& y) {
  SumLoops loops;
  for (const int64_t label : y.labels) {
    const auto* found = std::find(x.labels.begin(), x.labels.end(), label);
    const auto d = static_cast<size_t>(found - x.labels.begin());
    loops.kept.append(x.dims[d], {x.strides[d]});
  }
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (!y.has(x.labels[d])) loops.summed.append(x.dims[d], {x.strides[d]});
  }
  loops.kept.finish();
  loops.summed.finish();
  return loops;
}

// n neighbouring outputs from floats: rows or columns of x, where they lie side by side.
bool sum_floats(const ReduceF32Kernels& kernels, const SumLoops& loops, const float* x, float* y,
                int64_t n) {
  constexpr int64_t kTogether = 256;
  const int64_t step = loops.kept.inner_stride(0), inner = loops.summed.inner_stride(0);
  const bool has_rows = inner == 1 && loops.summed.rank == 1;
  if (!has_rows && step != 1) return false;
  for (int64_t i = 0; i < n; i += kTogether) {
    double sums[kTogether];
    const int64_t part = std::min(kTogether, n - i);
    const auto count = static_cast<size_t>(part);
    if (has_rows) {
      kernels.sum.rows(x + i * step, static_cast<size_t>(step),
                       static_cast<size_t>(loops.summed.count), sums, count);
    } else {
      std::fill_n(sums, part, 0.0);
      for_each_row(loops.summed, 0, loops.summed.count,
                   [&](int64_t, const auto& starts, int64_t rows) {
                     kernels.sum.columns(x + i + starts[0], static_cast<size_t>(inner),
                                         static_cast<size_t>(rows), sums, count);
                   });
    }
    kernels.narrow(sums, 1.0, y + i, count);
  }
  return true;
}

template <typename T>
void sum_each(const SumLoops& loops, const T* x, T* y, int64_t n) {
  using W = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  const int64_t step = loops.kept.inner_stride(0), inner = loops.summed.inner_stride(0);
  for (int64_t i = 0; i < n; ++i, x += step) {
    W sum = 0;
    for_each_row(loops.summed, 0, loops.summed.count,
                 [&](int64_t, const auto& starts, int64_t count) {
                   const T* row = x + starts[0];
                   for (int64_t k = 0; k < count; ++k) sum += static_cast<W>(row[k * inner]);
                 });
    y[i] = static_cast<T>(sum);
  }
}

template <typename T>
void sum_into(const RunContext& ctx, const LabelledTensor& x_view, const T* x,
              const LabelledTensor& y_view, T* y) {
  const SumLoops loops = sum_loops(x_view, y_view);
  if (loops.summed.count == 1) return copy_permuted(ctx, loops.kept, sizeof(T), x, y);
  const int64_t cost = std::clamp<int64_t>(loops.summed.count, 1, kElementGrain);
  parallel_rows(ctx, loops.kept, cost, [&](int64_t at, const auto& offsets, int64_t n) {
    const T* from = x + offsets[0];
    if constexpr (std::is_same_v<T, float>) {
      if (sum_floats(reduce_f32_kernels(ctx.isa()), loops, from, y + at, n)) return;
    }
    sum_each(loops, from, y + at, n);
  });
}

// --- Prepare.

struct EinsumParams {
  uint32_t record_bytes;
  uint32_t length;
  char text[kEinsumTextMax];
};
static_assert(sizeof(EinsumParams) == 256);

Status prepare_einsum(PrepareContext& ctx) {
  const std::string_view text = ctx.node().string_attribute("equation", "");
  if (text.size() > kEinsumTextMax)
    return not_implemented("an equation of ", text.size(), " bytes");
  EinsumParams params{};
  params.record_bytes = sizeof params;
  params.length = static_cast<uint32_t>(text.size());
  std::memcpy(params.text, text.data(), text.size());
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// One operand of a product: as it lies, or summed and moved into scratch.
struct Side {
  LabelledTensor wanted;
  bool is_direct = false;
  bool transposed = false;
  uint64_t offset = 0;
};

bool lies_like(const LabelledTensor& x, const LabelledTensor& wanted) {
  if (!std::ranges::equal(x.labels, wanted.labels)) return false;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (x.dims[d] != 1 && x.strides[d] != wanted.strides[d]) return false;
  }
  return true;
}

// `rows` and `columns` are the labels of the matrices.
Side plan_side(const LabelledTensor& x, const DimList& batch, const DimList& rows,
               const DimList& columns, size_t element_size, ScratchPlan* scratch) {
  Side side;
  side.wanted = contiguous(x, x, {&batch, &rows, &columns});
  side.is_direct = lies_like(x, side.wanted);
  if (side.is_direct) return side;
  const LabelledTensor turned = contiguous(x, x, {&batch, &columns, &rows});
  side.transposed = lies_like(x, turned);
  side.is_direct = side.transposed;
  if (!side.is_direct) side.offset = scratch->add(product(side.wanted.dims), element_size);
  return side;
}

struct ProductStep {
  Side x, y;
  BatchedProduct product;
  LabelledTensor result;
  uint64_t offset = 0;  // of the result; unused for a last step that writes the output
  bool writes_output = false;
  uint64_t product_offset = 0;
};

int64_t size_of(const LabelledTensor& view, const DimList& labels) {
  const LabelledTensor part = contiguous(view, view, {&labels});
  return product(part.dims);
}

// The labels without those of dimension lists whose product would overflow are refused by the
// caller, who checks the result's element count.
Result<ProductStep> plan_product(const Einsum& einsum, const LabelledTensor& x,
                                 const LabelledTensor& y, size_t next, DType dtype, int threads,
                                 ScratchPlan* scratch) {
  const EinsumStep labels = plan_step(einsum, x, y, next);
  const size_t size = element_bytes(dtype);
  ProductStep step;
  if (labels.batch.size() + labels.m.size() + labels.n.size() > kMaxRank) {
    return not_implemented("an intermediate result of more than ", kMaxRank, " axes");
  }
  step.x = plan_side(x, labels.batch, labels.m, labels.k, size, scratch);
  step.y = plan_side(y, labels.batch, labels.k, labels.n, size, scratch);
  step.result = contiguous(x, y, {&labels.batch, &labels.m, &labels.n});
  if (!checked_element_count(step.result.dims)) {
    return invalid_argument("an intermediate result is too large");
  }
  BatchedProduct& p = step.product;
  p.m = size_of(x, labels.m);
  p.n = size_of(y, labels.n);
  p.k = size_of(x, labels.k);
  p.trans_a = step.x.transposed;
  p.trans_b = step.y.transposed;
  p.batch_count = size_of(x, labels.batch);
  p.batch_dims.push_back(p.batch_count);
  p.a_strides.push_back(1);
  p.b_strides.push_back(1);
  if (dtype == DType::kFloat32) {
    const auto bytes = product_scratch(p, threads);
    if (!bytes || *bytes > INT64_MAX) return invalid_argument("a product that is too large");
    step.product_offset = scratch->add(static_cast<int64_t>(*bytes), 1);
  }
  const bool is_last = next == einsum.operand_count;
  step.writes_output = is_last && std::ranges::equal(step.result.labels, einsum.out_labels);
  if (!step.writes_output) step.offset = scratch->add(product(step.result.dims), size);
  return step;
}

template <typename Context>
Status plan_operands(const Context& ctx, const EinsumParams& params, Einsum* einsum) {
  std::array<ValueRef, kEinsumOperandMax> operands;
  if (ctx.input_count() > kEinsumOperandMax) {
    return not_implemented("Einsum of ", ctx.input_count(), " tensors");
  }
  for (size_t i = 0; i < ctx.input_count(); ++i) operands[i] = ctx.input(i);
  return plan_einsum({params.text, params.length}, {operands.data(), ctx.input_count()}, einsum);
}

Status bind_einsum(BindContext& ctx) {
  const auto* params = ctx.params<EinsumParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->length > kEinsumTextMax)
    return damaged_params("its text has ", params->length, " characters");
  RETURN_IF_ERROR(check_arity(ctx, 1, kEinsumOperandMax));
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " is missing");
    RETURN_IF_ERROR(check_type(ctx, i, EinsumTypes::kMask));
    RETURN_IF_ERROR(check_same_type(ctx, i, 0));
  }
  Einsum einsum;
  RETURN_IF_ERROR(plan_operands(ctx, *params, &einsum));
  ScratchPlan scratch;
  LabelledTensor left = einsum.operands[0];
  for (size_t i = 1; i < einsum.operand_count; ++i) {
    ASSIGN_OR_RETURN(const ProductStep step,
                     plan_product(einsum, left, einsum.operands[i], i + 1, ctx.input(0).dtype,
                                  ctx.thread_count(), &scratch));
    left = step.result;
  }
  RETURN_IF_ERROR(scratch.declare(ctx));
  return ctx.set_output(0, ctx.input(0).dtype, einsum.out_dims);
}

// --- Run.

template <typename T>
const T* bring(const RunContext& ctx, const Side& side, const LabelledTensor& view, const T* data) {
  if (side.is_direct) return data;
  T* moved = scratch_at<T>(ctx, side.offset);
  sum_into(ctx, view, data, side.wanted, moved);
  return moved;
}

template <typename T>
void multiply(const RunContext& ctx, const ProductStep& step, const T* a, const T* b, T* c) {
  const BatchedProduct& p = step.product;
  if (p.m == 0 || p.n == 0 || p.batch_count == 0) return;
  if constexpr (std::is_same_v<T, float>) {
    if (p.k == 0) {
      std::fill_n(c, product(step.result.dims), 0.0f);
      return;
    }
    const RunContext inner = ctx.with({}, {}, ctx.scratch() + step.product_offset);
    run_batched_product(inner, p, {a, b, c});
  } else {
    run_plain_product<T>(ctx, p, a, b, T(1), c);
  }
}

int64_t stride_of(const LabelledTensor& x, int64_t label) {
  const auto d =
      static_cast<size_t>(std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin());
  return d < x.labels.size() && x.dims[d] != 1 ? x.strides[d] : 0;
}

// The last step where nothing is summed up: elements times elements, in the output's order.
bool multiply_elements(const RunContext& ctx, const Einsum& einsum, const LabelledTensor& x,
                       const float* a, const LabelledTensor& y, const float* b) {
  const auto is_kept = [&](int64_t label) { return std::ranges::count(einsum.out_labels, label); };
  if (!std::ranges::all_of(x.labels, is_kept) || !std::ranges::all_of(y.labels, is_kept)) {
    return false;
  }
  NdLoop<2> loop;
  for (size_t d = 0; d < einsum.out_labels.size(); ++d) {
    const int64_t label = einsum.out_labels[d];
    loop.append(einsum.out_dims[d], {stride_of(x, label), stride_of(y, label)});
  }
  loop.finish();
  const int64_t x_step = loop.inner_stride(0), y_step = loop.inner_stride(1);
  if (x_step > 1 || y_step > 1) return false;
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  auto* c = ctx.output(0).as_mutable<float>();
  parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& starts, int64_t count) {
    const float *p = a + starts[0], *q = b + starts[1];
    const auto n = static_cast<size_t>(count);
    if (x_step == 0) std::swap(p, q);
    if (x_step == y_step && x_step != 0) {
      vector.mul(p, q, c + at, n);
    } else {
      vector.mul_scalar(p, *q, c + at, n);
    }
  });
  return true;
}

template <typename T>
Status run_typed(RunContext& ctx, const Einsum& einsum) {
  ScratchPlan scratch;
  LabelledTensor left = einsum.operands[0];
  const T* data = ctx.input(0).as<T>();
  T* y = ctx.output(0).as_mutable<T>();
  for (size_t i = 1; i < einsum.operand_count; ++i) {
    const LabelledTensor& right = einsum.operands[i];
    if constexpr (std::is_same_v<T, float>) {
      const bool is_last = i + 1 == einsum.operand_count;
      if (is_last && multiply_elements(ctx, einsum, left, data, right, ctx.input(i).as<T>())) {
        return Status::ok();
      }
    }
    ASSIGN_OR_RETURN(
        const ProductStep step,
        plan_product(einsum, left, right, i + 1, ctx.input(0).dtype, ctx.thread_count(), &scratch));
    const T* a = bring(ctx, step.x, left, data);
    const T* b = bring(ctx, step.y, right, ctx.input(i).as<T>());
    T* c = step.writes_output ? y : scratch_at<T>(ctx, step.offset);
    multiply(ctx, step, a, b, c);
    if (step.writes_output) return Status::ok();
    left = step.result;
    data = c;
  }
  sum_into(ctx, left, data, contiguous(left, left, {&einsum.out_labels}), y);
  return Status::ok();
}

Status run_einsum(RunContext& ctx) {
  Einsum einsum;
  RETURN_IF_ERROR(plan_operands(ctx, ctx.params<EinsumParams>(), &einsum));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  Status status;
  with_type(EinsumTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {  // which wrap around: signed ones have the same bits
      status = run_typed<std::make_unsigned_t<T>>(ctx, einsum);
    } else {
      status = run_typed<T>(ctx, einsum);
    }
  });
  return status;
}

}  // namespace

KernelTable einsum_kernels() {
  static constexpr KernelRow kEinsumRow("Einsum", "", 12, kLatestOpset, EinsumTypes::kMask,
                                        "einsum", 1, kNoFlags, 0, prepare_einsum, bind_einsum,
                                        run_einsum);
  static constexpr KernelRow rows[] = {
      kEinsumRow,
      reduced_row<kEinsumRow>("Einsum.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
