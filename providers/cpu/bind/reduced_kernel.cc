// SPDX-License-Identifier: MIT
// float16 and bfloat16 by a float32 kernel: see the header.
#include "providers/cpu/bind/reduced_kernel.h"

#include <array>
#include <vector>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {
namespace {

using ReducedTypes = TypeList<Float16, Bfloat16>;
constexpr size_t kInputsMax = 16, kOutputsMax = 8;

bool is_reduced(DType dtype) { return (mask_of(dtype) & ReducedTypes::kMask) != 0; }

// --- Prepare.

Result<Tensor> widened(const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor wide, Tensor::create(DType::kFloat32, tensor.dims()));
  with_type(ReducedTypes{}, tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    widen(static_cast<const T*>(tensor.data()), tensor.element_count(),
          wide.mutable_elements<float>().data());
  });
  return wide;
}

// The node as the float32 kernel should see it.
class WidePrepare final : public PrepareContext {
 public:
  WidePrepare(PrepareContext& outer, size_t typed_input, size_t state_input)
      : outer_(outer), constants_(outer.input_count()), is_taken_(outer.input_count()) {
    for (size_t i = 0; i < outer.input_count(); ++i)
      types_.push_back(wide_type(outer.input_type(i)));
    for (size_t i = 0; i < outer.output_count(); ++i) {
      out_types_.push_back(wide_type(outer.output_type(i)));
    }
    if (typed_input < is_taken_.size()) is_taken_[typed_input] = true;
    if (state_input < is_taken_.size()) is_taken_[state_input] = true;
  }
  Status widen_constants() {
    for (size_t i = 0; i < constants_.size(); ++i) {
      const Tensor* constant = outer_.constant(i);
      if (constant == nullptr || !is_reduced(constant->dtype())) continue;
      ASSIGN_OR_RETURN(constants_[i], widened(*constant));
    }
    return Status::ok();
  }
  void replace_constants() {
    for (size_t i = 0; i < constants_.size(); ++i) {
      if (constants_[i].is_defined() && !is_taken_[i]) {
        outer_.replace_input(i, constants_[i], Layout::kRowMajor);
      }
    }
  }

  const Node& node() const override { return outer_.node(); }
  int64_t opset() const override { return outer_.opset(); }
  const Type& input_type(size_t i) const override { return i < types_.size() ? types_[i] : none_; }
  const Type& output_type(size_t i) const override {
    return i < out_types_.size() ? out_types_[i] : none_;
  }
  const Tensor* constant(size_t i) const override {
    return i < constants_.size() && constants_[i].is_defined() ? &constants_[i]
                                                               : outer_.constant(i);
  }
  void set_params_bytes(Bytes record) override { outer_.set_params_bytes(record); }
  void replace_input(size_t i, Tensor packed, Layout layout) override {
    if (i < is_taken_.size()) is_taken_[i] = true;
    outer_.replace_input(i, std::move(packed), layout);
  }
  void drop_input(size_t i) override {
    if (i < is_taken_.size()) is_taken_[i] = true;
    outer_.drop_input(i);
  }

 private:
  static Type wide_type(Type type) {
    if (is_reduced(type.dtype)) type.dtype = DType::kFloat32;
    return type;
  }

  PrepareContext& outer_;
  std::vector<Type> types_, out_types_;
  std::vector<Tensor> constants_;
  std::vector<bool> is_taken_;
  Type none_;
};

}  // namespace

Status prepare_reduced(PrepareContext& ctx, const KernelRow& row, const ReducedForm& form) {
  WidePrepare wide(ctx, row.typed_input, form.state_input);
  RETURN_IF_ERROR(wide.widen_constants());
  RETURN_IF_ERROR(row.prepare(wide));
  wide.replace_constants();
  return Status::ok();
}

// --- Bind.

Status bind_reduced(BindContext& ctx, const KernelRow& row, const ReducedForm& form) {
  if (ctx.input_count() > kInputsMax || ctx.output_count() > kOutputsMax) {
    return not_implemented(ctx.input_count(), " inputs and ", ctx.output_count(), " outputs");
  }
  RETURN_IF_ERROR(check_type(ctx, row.typed_input, ReducedTypes::kMask));
  if (!ctx.has_input(row.typed_input)) {
    return invalid_graph("input ", size_t{row.typed_input}, " is missing");
  }
  const DType dtype = ctx.input(row.typed_input).dtype;
  const bool keeps_state =
      form.state_input < ctx.input_count() && ctx.input(form.state_input).dtype == DType::kFloat32;
  const uint32_t float_outputs = keeps_state ? ~uint32_t{1} : form.float_outputs;
  std::array<ValueRef, kInputsMax> inputs;
  std::array<BindContext::Output, kOutputsMax> outputs;
  ScratchPlan plan;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    inputs[i] = ctx.input(i);
    if (!is_reduced(inputs[i].dtype)) continue;
    inputs[i].dtype = DType::kFloat32;
    inputs[i].data = nullptr;
    plan.add<float>(inputs[i].element_count());
  }
  for (size_t i = 0; i < ctx.output_count(); ++i) outputs[i].wanted = ctx.has_output(i);
  BindContext inner =
      ctx.with({inputs.data(), ctx.input_count()}, {outputs.data(), ctx.output_count()});
  RETURN_IF_ERROR(row.bind(inner));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    if (!outputs[i].is_set) continue;
    const bool narrows = outputs[i].dtype == DType::kFloat32 && (float_outputs >> i & 1) == 0;
    if (narrows) plan.add<float>(product(outputs[i].dims));
    RETURN_IF_ERROR(ctx.set_output(i, narrows ? dtype : outputs[i].dtype, outputs[i].dims));
  }
  const auto scratch = checked_cast<int64_t>(inner.scratch());
  plan.add<std::byte>(scratch ? *scratch : -1);
  return plan.declare(ctx);
}

// --- Run.

Status run_reduced(RunContext& ctx, const KernelRow& row) {
  std::array<ValueRef, kInputsMax> inputs;
  std::array<ValueRef, kOutputsMax> outputs;
  ScratchPlan plan;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const ValueRef& from = ctx.input(i);
    inputs[i] = from;
    if (!is_reduced(from.dtype)) continue;
    const int64_t count = from.element_count();
    float* to = scratch_at<float>(ctx, plan.add<float>(count));
    inputs[i].dtype = DType::kFloat32;
    inputs[i].data = to;
    with_type(ReducedTypes{}, from.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.parallel_for(count, kElementGrain, [&](int64_t begin, int64_t end) {
        widen(from.as<T>() + begin, end - begin, to + begin);
      });
    });
  }
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    outputs[i] = ctx.output(i);
    if (!is_reduced(outputs[i].dtype)) continue;
    outputs[i].dtype = DType::kFloat32;
    outputs[i].data = scratch_at<float>(ctx, plan.add<float>(outputs[i].element_count()));
  }
  RunContext inner =
      ctx.with({inputs.data(), ctx.input_count()}, {outputs.data(), ctx.output_count()},
               ctx.scratch() + plan.add<std::byte>(0));
  RETURN_IF_ERROR(row.run(inner));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const ValueRef& to = ctx.output(i);
    if (!is_reduced(to.dtype)) continue;
    const float* from = outputs[i].as<float>();
    with_type(ReducedTypes{}, to.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.parallel_for(to.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
        narrow(from + begin, end - begin, to.as_mutable<T>() + begin);
      });
    });
  }
  return Status::ok();
}

}  // namespace ortc::cpu
