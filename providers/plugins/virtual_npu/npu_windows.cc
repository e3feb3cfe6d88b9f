// SPDX-License-Identifier: MIT
// Images: see the header.
#include "npu_windows.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "npu_program.h"

namespace virtual_npu {
namespace {

using Place = std::array<int64_t, 2>;

void check_image(const Window& window, const Tensor& image) {
  const auto is_positive = [](int64_t number) { return number > 0; };
  const bool is_right = image.dims.size() == 4 && window.group > 0 &&
                        std::all_of(window.kernel.begin(), window.kernel.end(), is_positive) &&
                        std::all_of(window.strides.begin(), window.strides.end(), is_positive) &&
                        std::all_of(window.dilations.begin(), window.dilations.end(), is_positive);
  if (!is_right) throw std::invalid_argument("a window that no image has");
}

// Height and width of the result.
Place places_of(const Window& window, const Tensor& image) {
  Place places{};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
    const int64_t room = image.dims[axis + 1] + window.pads[axis] + window.pads[axis + 2] - reach;
    if (room < 0) throw std::invalid_argument("an image that is smaller than the window");
    places[axis] = room / window.strides[axis] + 1;
  }
  return places;
}

// Calls visit(number in the window, pixel of the image) for what the window sees from `place`.
template <typename Visit>
void for_seen(const Window& window, const Tensor& image, const Place& place, Visit visit) {
  for (int64_t k = 0; k < window.kernel[0]; ++k) {
    const int64_t row = place[0] * window.strides[0] + k * window.dilations[0] - window.pads[0];
    if (row < 0 || row >= image.dims[1]) continue;
    for (int64_t l = 0; l < window.kernel[1]; ++l) {
      const int64_t column =
          place[1] * window.strides[1] + l * window.dilations[1] - window.pads[1];
      if (column < 0 || column >= image.dims[2]) continue;
      visit(k * window.kernel[1] + l, row * image.dims[2] + column);
    }
  }
}

// Calls visit(numbers of one image, place, numbers of the result there).
template <typename Visit>
Tensor for_places(const Window& window, const Tensor& image, int64_t channels, Visit visit) {
  const Place places = places_of(window, image);
  Tensor result;
  result.dims = {image.dims[0], places[0], places[1], channels};
  result.numbers.resize(count_of(result.dims));
  if (result.numbers.empty()) return result;
  const int64_t image_size = image.dims[1] * image.dims[2] * image.dims[3];
  float* to = result.numbers.data();
  for (int64_t n = 0; n < image.dims[0]; ++n) {
    const float* from = image.numbers.data() + n * image_size;
    for (int64_t row = 0; row < places[0]; ++row) {
      for (int64_t column = 0; column < places[1]; ++column, to += channels) {
        visit(from, Place{row, column}, to);
      }
    }
  }
  return result;
}

// The channels of each image as rows (one for each pixel) or the other way round.
Tensor turned(const Tensor& tensor, std::vector<int64_t> dims, size_t rows, size_t columns) {
  Tensor result;
  result.dims = std::move(dims);
  result.numbers.resize(tensor.numbers.size());
  const size_t size = rows * columns;
  for (size_t i = 0; i < result.numbers.size(); ++i) {
    const size_t image = i / size, place = i % size;
    result.numbers[i] = tensor.numbers[image * size + place % rows * columns + place / rows];
  }
  return result;
}

size_t pixels_of(const Tensor& tensor, size_t first, size_t end) {
  size_t count = 1;
  for (size_t axis = first; axis < end; ++axis) count *= static_cast<size_t>(tensor.dims[axis]);
  return count;
}

}  // namespace

Tensor convolve(const Window& window, const Tensor& image, const Tensor& weights,
                const Tensor* bias) {
  check_image(window, image);
  const bool is_right = weights.dims.size() == 4 && weights.dims[2] == window.kernel[0] &&
                        weights.dims[3] == window.kernel[1] &&
                        weights.dims[1] * window.group == image.dims[3] &&
                        weights.dims[0] % window.group == 0 &&
                        (bias == nullptr || bias->dims == std::vector<int64_t>{weights.dims[0]});
  if (!is_right) throw std::invalid_argument("weights that are not for the image");
  const int64_t outputs = weights.dims[0], inputs = weights.dims[1];
  const int64_t outputs_of_group = outputs / window.group;
  const int64_t size = window.kernel[0] * window.kernel[1];
  return for_places(window, image, outputs, [&](const float* from, const Place& at, float* to) {
    if (bias != nullptr) std::copy(bias->numbers.begin(), bias->numbers.end(), to);
    for_seen(window, image, at, [&](int64_t in_window, int64_t pixel) {
      for (int64_t o = 0; o < outputs; ++o) {
        const float* channels = from + pixel * image.dims[3] + o / outputs_of_group * inputs;
        const float* weight = weights.numbers.data() + o * inputs * size + in_window;
        for (int64_t i = 0; i < inputs; ++i) to[o] += channels[i] * weight[i * size];
      }
    });
  });
}

Tensor pool_max(const Window& window, const Tensor& image) {
  check_image(window, image);
  const int64_t channels = image.dims[3];
  return for_places(window, image, channels, [&](const float* from, const Place& at, float* to) {
    std::fill(to, to + channels, -std::numeric_limits<float>::infinity());
    for_seen(window, image, at, [&](int64_t, int64_t pixel) {
      for (int64_t c = 0; c < channels; ++c) to[c] = std::max(to[c], from[pixel * channels + c]);
    });
  });
}

Tensor channels_to_last(const Tensor& tensor) {
  if (tensor.dims.size() < 3) throw std::invalid_argument("a tensor without channels");
  std::vector<int64_t> dims = tensor.dims;
  std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  const size_t rows = static_cast<size_t>(tensor.dims[1]);
  return turned(tensor, std::move(dims), rows, pixels_of(tensor, 2, tensor.dims.size()));
}

Tensor channels_to_first(const Tensor& tensor) {
  if (tensor.dims.size() < 3) throw std::invalid_argument("a tensor without channels");
  std::vector<int64_t> dims = tensor.dims;
  std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  const size_t columns = static_cast<size_t>(tensor.dims.back());
  return turned(tensor, std::move(dims), pixels_of(tensor, 1, tensor.dims.size() - 1), columns);
}

}  // namespace virtual_npu
