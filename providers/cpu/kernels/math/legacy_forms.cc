// SPDX-License-Identifier: MIT
// The first forms of operators (opsets 1 to 6) by the kernels of the later ones.
//
// Binary operators: without `broadcast` both shapes are the same; with it, b's dims are those of a
// from `axis` on, by default the last ones. PRelu's slope has one number, or one for each channel.
// Reshape's shape is an attribute. Dropout and BatchNormalization are those of inference (is_test).
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/row_of.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

enum Form : uint32_t { kSameShape = 0, kBroadcast = 1, kChannels = 2 };

struct LegacyParams {
  uint32_t record_bytes;
  uint32_t form;
  uint32_t has_axis;
  uint32_t reserved;
  int64_t axis;
};
static_assert(sizeof(LegacyParams) == 24);

struct Source {
  RowName name;
  int last_opset;
};
constexpr Source kSources[] = {
    {{elementwise_binary_kernels, "Add", "add"}, 6},
    {{elementwise_binary_kernels, "Sub", "sub"}, 6},
    {{elementwise_binary_kernels, "Mul", "mul"}, 6},
    {{elementwise_binary_kernels, "Div", "div"}, 6},
    {{elementwise_binary_kernels, "And", "and", DType::kBool}, 6},
    {{elementwise_binary_kernels, "Or", "or", DType::kBool}, 6},
    {{elementwise_binary_kernels, "Xor", "xor", DType::kBool}, 6},
    {{elementwise_binary_kernels, "Equal", "equal"}, 6},
    {{elementwise_binary_kernels, "Less", "less"}, 6},
    {{elementwise_binary_kernels, "Greater", "greater"}, 6},
    {{pow_kernels, "Pow", "pow"}, 6},
    {{prelu_kernels, "PRelu", "prelu"}, 6},
};
constexpr size_t kSourceCount = std::size(kSources);

// --- Prepare.

Status prepare_legacy(PrepareContext& ctx) {
  const Node& node = ctx.node();
  LegacyParams params{sizeof(LegacyParams), kSameShape, 0, 0, 0};
  if (node.is_op("PRelu")) {
    params.form = kChannels;
  } else if (node.int_attribute("broadcast", 0) != 0) {
    params.form = kBroadcast;
  }
  if (const Attribute* axis = node.attribute("axis")) {
    params.has_axis = 1;
    params.axis = axis->i;
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind and run: b under dims that numpy's rules align as the attributes say.

Status misfit(const ValueRef& a, const ValueRef& b) {
  return invalid_argument("b of shape ", dims_to_string(b.dims()), " does not fit a of ",
                          dims_to_string(a.dims()));
}

Result<DimList> aligned(const LegacyParams& params, const ValueRef& a, const ValueRef& b) {
  if (params.form == kSameShape) {
    if (!std::ranges::equal(a.dims(), b.dims())) return misfit(a, b);
    return DimList(b.dims());
  }
  if (params.form == kChannels && (b.element_count() == 1 || b.rank != 1)) {
    if (b.rank > a.rank) return misfit(a, b);
    return DimList(b.dims());
  }
  size_t axis = b.rank <= a.rank ? a.rank - b.rank : 0;
  if (params.form == kChannels) axis = 1;
  if (params.form == kBroadcast && params.has_axis != 0) {
    ASSIGN_OR_RETURN(axis, checked_axis(params.axis, a.rank));
  }
  if (axis + b.rank > a.rank) return misfit(a, b);
  DimList dims(b.dims());
  for (size_t d = 0; d < b.rank; ++d) {
    if (b.dim(d) != a.dim(axis + d) && b.dim(d) != 1) return misfit(a, b);
  }
  for (size_t d = axis + b.rank; d < a.rank; ++d) dims.push_back(1);
  return dims;
}

Status bind_legacy(BindContext& ctx, const KernelRow& row) {
  const auto* params = ctx.params<LegacyParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  ASSIGN_OR_RETURN(const DimList dims, aligned(*params, ctx.input(0), ctx.input(1)));
  std::array<ValueRef, 2> inputs = {ctx.input(0), ctx.input(1)};
  inputs[1].rank = static_cast<uint32_t>(dims.size());
  inputs[1].dim_data = dims.data();
  std::array<BindContext::Output, 1> outputs;
  outputs[0].wanted = true;
  BindContext inner = ctx.with(inputs, outputs);
  RETURN_IF_ERROR(row.bind(inner));
  ctx.set_scratch(inner.scratch());
  return ctx.set_output(0, outputs[0].dtype, outputs[0].dims);
}

Status run_legacy(RunContext& ctx, const KernelRow& row) {
  ASSIGN_OR_RETURN(const DimList dims,
                   aligned(ctx.params<LegacyParams>(), ctx.input(0), ctx.input(1)));
  std::array<ValueRef, 2> inputs = {ctx.input(0), ctx.input(1)};
  inputs[1].rank = static_cast<uint32_t>(dims.size());
  inputs[1].dim_data = dims.data();
  std::array<ValueRef, 1> outputs = {ctx.output(0)};
  RunContext inner = ctx.with(inputs, outputs, ctx.scratch());
  return row.run(inner);
}

// --- Reshape, Dropout, BatchNormalization.

constexpr size_t kShapeMax = 16;

// Begins as the record of the later Reshape does, whose kernel gives the shape.
struct ReshapeParams {
  uint32_t record_bytes;
  uint32_t flags;  // 0: a 0 copies the dim
  int64_t rank;
  int64_t dims[kShapeMax];
};
static_assert(sizeof(ReshapeParams) == 144);

Status prepare_reshape(PrepareContext& ctx) {
  const auto shape = ctx.node().ints_attribute("shape");
  if (shape.size() > kShapeMax) return not_implemented("a shape of rank ", shape.size());
  ReshapeParams params{sizeof(ReshapeParams), 0, static_cast<int64_t>(shape.size()), {}};
  std::copy(shape.begin(), shape.end(), params.dims);
  ctx.set_params(params);
  return Status::ok();
}

const KernelRow& later_reshape() {
  static const KernelRow& row = row_of({reshape_kernels, "Reshape", "reshape"});
  return row;
}

Status bind_reshape(BindContext& ctx) {
  const auto* params = ctx.params<ReshapeParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->rank < 0 || params->rank > static_cast<int64_t>(kShapeMax)) {
    return invalid_graph("its params record has a shape of rank ", params->rank);
  }
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  std::array<int64_t, kShapeMax> shape;
  std::copy_n(params->dims, kShapeMax, shape.begin());
  const std::array<ValueRef, 2> inputs = {ctx.input(0),
                                          ValueRef{DType::kInt64, 1, &params->rank, shape.data()}};
  std::array<BindContext::Output, 1> outputs;
  outputs[0].wanted = true;
  BindContext inner = ctx.with(inputs, outputs);
  RETURN_IF_ERROR(later_reshape().bind(inner));
  return ctx.set_output(0, outputs[0].dtype, outputs[0].dims);
}

Status run_reshape(RunContext& ctx) { return later_reshape().run(ctx); }

Status prepare_inference(PrepareContext& ctx) {
  const Node& node = ctx.node();
  if (node.int_attribute("is_test", 0) == 0) {
    return not_implemented(node.op_type(), " of opset ", ctx.opset(), " in training");
  }
  if (ctx.has_output(1)) return not_implemented("more than one output before opset 7");
  static const KernelRow& batch_norm =
      row_of({batch_norm_kernels, "BatchNormalization", "batch_norm"});
  return node.is_op("BatchNormalization") ? batch_norm.prepare(ctx) : Status::ok();
}

// --- Table.

template <size_t kIndex>
const KernelRow& inner_row() {
  static const KernelRow& row = row_of(kSources[kIndex].name);
  return row;
}
template <size_t kIndex>
Status bind(BindContext& ctx) {
  return bind_legacy(ctx, inner_row<kIndex>());
}
template <size_t kIndex>
Status run(RunContext& ctx) {
  return run_legacy(ctx, inner_row<kIndex>());
}

struct Rows {
  std::array<std::string, kSourceCount> ids;
  std::array<KernelRow, kSourceCount + 3> rows;

  Rows() {
    fill(std::make_index_sequence<kSourceCount>());
    rows[kSourceCount] = {"Reshape",
                          "",
                          1,
                          4,
                          kByteTypes,
                          "reshape.attribute",
                          1,
                          kViewOfInput,
                          0,
                          prepare_reshape,
                          bind_reshape,
                          run_reshape};
    rows[kSourceCount + 1] = of_inference({batch_norm_kernels, "BatchNormalization", "batch_norm"});
    rows[kSourceCount + 2] = of_inference({reshape_kernels, "Dropout", "dropout"});
  }

 private:
  static KernelRow of_inference(const RowName& name) {
    KernelRow row = row_of(name);
    row.first_opset = 1;
    row.last_opset = 6;
    row.prepare = prepare_inference;
    return row;
  }
  template <size_t... kIndex>
  void fill(std::index_sequence<kIndex...>) {
    (add<kIndex>(), ...);
  }
  template <size_t kIndex>
  void add() {
    KernelRow& row = rows[kIndex] = inner_row<kIndex>();
    ids[kIndex] = std::string(row.id) + ".legacy";
    row.id = ids[kIndex];
    row.contract = 1;
    row.first_opset = 1;
    row.last_opset = kSources[kIndex].last_opset;
    row.flags = kNoFlags;
    row.prepare = prepare_legacy;
    row.bind = bind<kIndex>;
    row.run = run<kIndex>;
  }
};

}  // namespace

KernelTable legacy_forms_kernels() {
  static const Rows rows;
  return rows.rows;
}

}  // namespace ortc::cpu
