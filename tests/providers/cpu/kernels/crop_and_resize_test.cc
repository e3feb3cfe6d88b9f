// SPDX-License-Identifier: MIT
// CropAndResize of com.microsoft at the edge of what floats can count.
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

TEST(crop_and_resize, the_last_pixel_of_an_axis_that_floats_cannot_count_is_read_and_none_beyond) {
  constexpr int64_t kWidth = (int64_t{1} << 24) + 4;  // kWidth - 1 becomes kWidth as a float
  Tensor x = Tensor::create(DType::kFloat32, {1, 1, 1, kWidth}).value();
  x.mutable_elements<float>()[kWidth - 1] = 3;
  const Tensor box = Tensor::from<float>({1, 4}, std::vector<float>{0, 1, 0, 1});
  const Tensor image = Tensor::from<int32_t>({1}, std::vector<int32_t>{0});
  const Tensor size = Tensor::from<int32_t>({2}, std::vector<int32_t>{1, 1});
  for (const char* mode : {"nearest", "bilinear"}) {
    const testing::NodeCase what{
        "CropAndResize", "com.microsoft", 1, {Attribute::of_string("mode", mode)}};
    const auto y = testing::evaluate(what, {x, box, image, size}, 1, Isa::kGeneric);
    CHECK_OK(y);
    CHECK_EQ((*y)[0].elements<float>()[0], 3.0f);
  }
}

}  // namespace
}  // namespace ortc::cpu
