// SPDX-License-Identifier: MIT
// What a fingerprint is made of: every kernel with every layout of its constants.
#include <algorithm>

#include "core/compile/lowering.h"
#include "core/graph/model.h"
#include "core/ops/infer.h"
#include "core/plan/plan.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/layouts.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::vector<std::string> kernels_of(Graph& graph) {
  LoweringOptions options;
  options.rules = &cpu::lowering_rules();
  return kernels_of_image(lower(graph, options).value().image.bytes());
}

std::vector<std::string> kernels_of_file(const std::string& name) {
  const auto model = import_model_file(source_dir() + name, {});
  CHECK_OK(model);
  CHECK_OK(infer_types(*(*model)->graph));
  return kernels_of(*(*model)->graph);
}

bool has(const std::vector<std::string>& kernels, const std::string& kernel) {
  return std::count(kernels.begin(), kernels.end(), kernel) == 1;
}

}  // namespace

TEST(image_kernels, a_kernel_without_constants_is_row_major) {
  GraphBuilder g;
  g.output(g.node("Exp", {g.input("x", DType::kFloat32, {4})}, {"y"})[0]);
  g.infer();
  CHECK(kernels_of(g.graph()) == (std::vector<std::string>{"exp:1:0"}));
}

TEST(image_kernels, the_layout_of_weights_is_not_hidden_by_that_of_column_numbers) {
  const auto kernels = kernels_of_file("/tests/golden/1.0/bytes.onnx");
  for (Layout layout : {Layout::kRowMajor, cpu::kPanels32I8, cpu::kPanelColumns32}) {
    CHECK(has(kernels, str_cat("gemm.i8:1:", static_cast<uint32_t>(layout))));
  }
}

TEST(image_kernels, weights_of_two_layouts_for_one_kernel_stand_both) {
  const auto kernels = kernels_of_file("/tests/golden/1.0/image.onnx");
  for (Layout layout : {cpu::kConvPanels32F32, cpu::kDepthwiseF32}) {
    CHECK(has(kernels, str_cat("conv_nhwc.f32:1:", static_cast<uint32_t>(layout))));
  }
}
