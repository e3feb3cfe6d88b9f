// SPDX-License-Identifier: MIT
// Channels-last pools against plain double loops.
#include "tests/providers/cpu/kernels/pool_testing.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::PoolCase;
using testing::PoolKind;
using testing::random_tensor;

Dims last(const Dims& d) { return {d[0], d[2], d[3], d[1]}; }

void check_pool_nhwc(const PoolCase& c, const char* op, PoolKind kind) {
  const Tensor x = random_tensor(c.x, 1);
  const auto y =
      testing::channels_last(testing::plain_pool(c, kind, x.elements<float>()), c.y_dims());
  testing::run_everywhere({op, std::string(kInternalDomain), 0, c.attributes()},
                          {testing::channels_last(x)}, [&](const std::vector<Tensor>& outputs) {
                            testing::check_close(outputs[0], last(c.y_dims()), y, 1e-5, 1e-6);
                          });
}

TEST(pool_nhwc, agrees_with_plain_loops) {
  for (const PoolCase& c : testing::pool_cases()) {
    check_pool_nhwc(c, "MaxPool", PoolKind::kMax);
    check_pool_nhwc(c, "AveragePool", PoolKind::kAverage);
  }
}

template <typename T>
void check_pool_of_bytes(const PoolCase& c) {
  Tensor floats = random_tensor(c.x, 1, -128, 128);
  for (float& v : floats.mutable_elements<float>()) v = static_cast<T>(static_cast<int32_t>(v));
  const Tensor order = testing::channels_last(floats);
  std::vector<T> codes;
  for (const float v : order.elements<float>()) codes.push_back(static_cast<T>(v));
  const auto y = testing::channels_last(
      testing::plain_pool(c, PoolKind::kMax, floats.elements<float>()), c.y_dims());
  testing::run_everywhere({"MaxPool", std::string(kInternalDomain), 0, c.attributes()},
                          {Tensor::from<T>(last(c.x), codes)},
                          [&](const std::vector<Tensor>& outputs) {
                            CHECK_EQ(outputs[0].dims(), last(c.y_dims()));
                            for (size_t i = 0; i < y.size(); ++i) {
                              CHECK_EQ(static_cast<double>(outputs[0].elements<T>()[i]), y[i]);
                            }
                          });
}

TEST(pool_nhwc, the_largest_of_bytes_agrees_with_plain_loops) {
  auto cases = testing::pool_cases();
  for (int64_t channels = 1; channels <= 67; ++channels) {
    cases.push_back({.x = {2, channels, 5, 7},
                     .kernel = {3, 3},
                     .strides = {2, 1},
                     .pads = {1, 1, 1, 1},
                     .out = {3, 7}});
  }
  for (const PoolCase& c : cases) {
    check_pool_of_bytes<int8_t>(c);
    check_pool_of_bytes<uint8_t>(c);
  }
}

TEST(pool_nhwc, pools_whole_images) {
  for (const Dims& dims : {Dims{3, 100, 7, 7}, Dims{1, 2, 40, 33}, Dims{2, 1300, 1, 1}}) {
    const Tensor x = random_tensor(dims, 1);
    const PoolCase c{.x = dims, .kernel = {dims[2], dims[3]}, .out = {1, 1}};
    for (const auto& [op, kind] : {std::pair{"GlobalMaxPool", PoolKind::kMax},
                                   std::pair{"GlobalAveragePool", PoolKind::kAverage}}) {
      const auto y = testing::plain_pool(c, kind, x.elements<float>());
      testing::run_everywhere(
          {op, std::string(kInternalDomain), 0}, {testing::channels_last(x)},
          [&](const std::vector<Tensor>& outputs) {
            testing::check_close(outputs[0], {dims[0], 1, 1, dims[1]}, y, 1e-5, 1e-6);
          });
    }
  }
}

// Nearly all of such a window is padding, tap by tap longer than anybody waits.
TEST(pool_nhwc, windows_of_mere_padding_but_for_one_pixel_end_at_once) {
  for (const int64_t dilation : {1, 3}) {
    const int64_t kernel = (int64_t{1} << 30) / dilation | 1;
    const int64_t pad = (kernel - 1) / 2 * dilation;
    const std::vector<Attribute> attributes = {
        Attribute::of_ints("kernel_shape", {kernel, kernel}),
        Attribute::of_ints("dilations", {dilation, dilation}),
        Attribute::of_ints("pads", {pad, pad, pad, pad})};
    const Tensor x = random_tensor({1, 1, 1, 1}, 1);
    const std::vector<uint8_t> byte = {200};
    for (const char* op : {"MaxPool", "AveragePool"}) {
      const NodeCase node{op, std::string(kInternalDomain), 0, attributes};
      testing::run_everywhere(node, {x}, [&](const std::vector<Tensor>& outputs) {
        CHECK_EQ(outputs[0].element_count(), 1);
        CHECK_EQ(outputs[0].elements<float>()[0], x.elements<float>()[0]);
      });
    }
    const NodeCase node{"MaxPool", std::string(kInternalDomain), 0, attributes};
    testing::run_everywhere(node, {Tensor::from<uint8_t>({1, 1, 1, 1}, byte)},
                            [&](const std::vector<Tensor>& outputs) {
                              CHECK_EQ(int{outputs[0].elements<uint8_t>()[0]}, 200);
                            });
  }
}

TEST(pool_nhwc, refuses_what_does_not_fit) {
  const NodeCase node{
      "MaxPool", std::string(kInternalDomain), 0, {Attribute::of_ints("kernel_shape", {3, 3})}};
  const auto code = [&](const Tensor& x) {
    return testing::evaluate(node, {x}, 1, host_isa()).status().code();
  };
  CHECK_EQ(code(random_tensor({0, 5, 5, 3}, 1)), Code::kOk);
  CHECK_EQ(code(random_tensor({1, 1, 5, 3}, 1)), Code::kInvalidArgument);
  CHECK_EQ(code(random_tensor({1, 2, 5, 3}, 1)), Code::kOk);  // and empty
  CHECK_EQ(code(random_tensor({2, 5, 3}, 1)), Code::kInvalidArgument);
  CHECK_CODE(testing::evaluate({"AveragePool", std::string(kInternalDomain), 0},
                               {random_tensor({1, 5, 5, 3}, 1)}, 1, host_isa()),
             Code::kInvalidGraph);
  CHECK_CODE(testing::evaluate({"GlobalMaxPool", std::string(kInternalDomain), 0},
                               {random_tensor({1, 0, 5, 3}, 1)}, 1, host_isa()),
             Code::kNotImplemented);
}

}  // namespace
}  // namespace ortc::cpu
