// SPDX-License-Identifier: MIT
// Operations on images whose channels are last: [N, height, width, channels]. Weights are as ONNX
// has them, [outputs, inputs of a group, height, width].
#pragma once

#include <array>
#include <cstdint>

namespace virtual_npu {

struct Tensor;

// What a step beside its values needs; as it stands in a program's bytes.
struct Window {
  uint32_t step = 0;      // that it is for
  uint32_t has_bias = 0;  // of Conv
  uint32_t bias = 0;      // its value
  uint32_t unused = 0;
  int64_t group = 1;
  std::array<int64_t, 2> kernel{}, strides{1, 1}, dilations{1, 1};
  std::array<int64_t, 4> pads{};  // top, left, bottom, right
};

// std::invalid_argument for shapes that do not go together.
Tensor convolve(const Window& window, const Tensor& image, const Tensor& weights,
                const Tensor* bias);
Tensor pool_max(const Window& window, const Tensor& image);

// Channels from axis 1 behind all other axes, and back.
Tensor channels_to_last(const Tensor& tensor);
Tensor channels_to_first(const Tensor& tensor);

}  // namespace virtual_npu
