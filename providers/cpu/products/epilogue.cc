// SPDX-License-Identifier: MIT
// Epilogues: see the header.
#include "providers/cpu/products/epilogue.h"

#include <algorithm>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {
namespace {

// Contexts hold these numbers, and the names stand in their order.
static_assert(
    static_cast<int>(Activation::kNone) == 0 && static_cast<int>(Activation::kRelu) == 1 &&
    static_cast<int>(Activation::kClip) == 2 && static_cast<int>(Activation::kGelu) == 3 &&
    static_cast<int>(Activation::kGeluTanh) == 4 && static_cast<int>(Activation::kSilu) == 5 &&
    static_cast<int>(Activation::kSigmoid) == 6 && static_cast<int>(Activation::kTanh) == 7 &&
    static_cast<int>(Activation::kHardSwish) == 8 &&
    static_cast<int>(Activation::kLeakyRelu) == 9 && static_cast<int>(Activation::kMish) == 10);
constexpr uint32_t kActivationCount = 11;

}  // namespace

Result<EpilogueParams> epilogue_from_attributes(const Node& node, float scale) {
  ASSIGN_OR_RETURN(const uint32_t activation,
                   one_of(node, "activation", "",
                          {"", "Relu", "Clip", "Gelu", "GeluTanh", "Silu", "Sigmoid", "Tanh",
                           "HardSwish", "LeakyRelu", "Mish"}));
  return EpilogueParams{activation, node.float_attribute("activation_alpha", 0.0f),
                        node.float_attribute("activation_beta", 0.0f), scale};
}

Status check_epilogue(const BindContext& ctx, const EpilogueParams& params, int64_t channels,
                      std::span<const int64_t> output_dims) {
  if (params.activation >= kActivationCount) {
    return invalid_graph("its record has activation number ", params.activation);
  }
  RETURN_IF_ERROR(check_type(ctx, ProductInput::kBias, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_type(ctx, ProductInput::kResidual, mask_of(DType::kFloat32)));
  if (ctx.has_input(ProductInput::kBias)) {
    const ValueRef& bias = ctx.input(ProductInput::kBias);
    if (bias.rank != 1 || bias.dim(0) != channels) {
      return invalid_graph("the bias has shape ", dims_to_string(bias.dims()), ", expected [",
                           channels, "]");
    }
  }
  if (ctx.has_input(ProductInput::kResidual)) {
    const auto dims = ctx.input(ProductInput::kResidual).dims();
    if (!std::equal(dims.begin(), dims.end(), output_dims.begin(), output_dims.end())) {
      return invalid_argument("the residual has shape ", dims_to_string(dims), ", the result ",
                              dims_to_string(output_dims));
    }
  }
  return Status::ok();
}

EpilogueF32 make_epilogue(const RunContext& ctx, const EpilogueParams& params, int64_t channels) {
  EpilogueF32 epilogue;
  if (ctx.has_input(ProductInput::kBias))
    epilogue.bias = ctx.input(ProductInput::kBias).as<float>();
  if (ctx.has_input(ProductInput::kResidual)) {
    epilogue.residual = ctx.input(ProductInput::kResidual).as<float>();
    epilogue.residual_ld = static_cast<size_t>(channels);
  }
  epilogue.scale = params.scale;
  epilogue.activation.kind = static_cast<Activation>(params.activation);
  epilogue.activation.lo = params.alpha;
  epilogue.activation.hi = params.beta;
  epilogue.activation.slope = params.alpha;
  return epilogue;
}

}  // namespace ortc::cpu
