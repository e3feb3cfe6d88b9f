// SPDX-License-Identifier: MIT
// ONNX's pools against plain double loops.
#include <limits>

#include "tests/providers/cpu/kernels/half_tensors.h"
#include "tests/providers/cpu/kernels/pool_testing.h"

namespace ortc::cpu {
namespace {

using testing::narrowed;
using testing::NodeCase;
using testing::PoolCase;
using testing::PoolKind;
using testing::random_tensor;
using testing::widened;

// The largest is one of the inputs: nothing is rounded.
template <typename T>
void check_largest_of_halves(const PoolCase& c, const Tensor& x) {
  const Tensor halves = narrowed<T>(x), rounded = widened<T>(halves);
  const auto y = testing::plain_pool(c, PoolKind::kMax, rounded.elements<float>());
  const NodeCase node{"MaxPool", "", 22, c.attributes()};
  testing::run_everywhere(node, {halves}, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(widened<T>(outputs[0]), c.y_dims(), y, 0, 0);
  });
}

void check_pool_nchw(const PoolCase& c, const char* op, PoolKind kind) {
  const Tensor x = random_tensor(c.x, 1);
  const auto y = testing::plain_pool(c, kind, x.elements<float>());
  NodeCase node{op, "", 22, c.attributes()};
  if (kind == PoolKind::kLp) node.attributes.push_back(Attribute::of_int("p", c.p));
  testing::run_everywhere(node, {x}, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], c.y_dims(), y, 1e-5, 1e-6);
  });
  testing::run_everywhere(node, {testing::as_doubles(x)}, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], c.y_dims(), y, 1e-12, 1e-12);
  });
  if (kind != PoolKind::kMax) return;
  check_largest_of_halves<Float16>(c, x);
  check_largest_of_halves<Bfloat16>(c, x);
}

TEST(pool_nchw, agrees_with_plain_loops) {
  auto cases = testing::pool_cases();
  cases.push_back({.x = {2, 3, 30}, .kernel = {4}, .strides = {3}, .pads = {1, 2}, .out = {10}});
  cases.push_back({.x = {1, 2, 5, 6, 7},
                   .kernel = {2, 3, 2},
                   .strides = {1, 2, 3},
                   .pads = {1, 1, 0, 0, 1, 1},
                   .ceil = true,
                   .include_pad = true,
                   .out = {5, 4, 3}});
  for (PoolCase& c : cases) {
    check_pool_nchw(c, "MaxPool", PoolKind::kMax);
    check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
    for (c.p = 1; c.p <= 3; ++c.p) check_pool_nchw(c, "LpPool", PoolKind::kLp);
  }
}

// Images that are small enough to be joined as a whole, and those that are not any more.
TEST(pool_nchw, agrees_with_plain_loops_on_images_of_any_size) {
  for (const int64_t size : {1, 2, 3, 5, 7, 13, 16, 17, 20, 31, 33, 58, 60, 61, 67}) {
    for (const int64_t kernel : {1, 2, 3, 5}) {
      const int64_t pad = kernel / 2, out = size + 2 * pad - kernel + 1;
      if (out < 1) continue;
      PoolCase c{.x = {1, 3, size, size + 1},
                 .kernel = {kernel, kernel},
                 .strides = {1, 1},
                 .pads = {pad, pad, pad, pad},
                 .out = {out, out + 1}};
      check_pool_nchw(c, "MaxPool", PoolKind::kMax);
      check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
      if (size > 33 && kernel > 3) continue;
      c.strides = {2, 2};
      c.out = {(out + 1) / 2, (out + 2) / 2};
      check_pool_nchw(c, "MaxPool", PoolKind::kMax);
      check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
      c.strides = {1, 2};
      c.out = {out, (out + 2) / 2};
      check_pool_nchw(c, "MaxPool", PoolKind::kMax);
    }
  }
}

// They are turned, some at a time.
TEST(pool_nchw, agrees_with_plain_loops_on_many_small_images) {
  for (const int64_t images : {4, 5, 33, 67}) {
    for (const int64_t size : {1, 2, 6, 9}) {
      for (const int64_t stride : {1, 3}) {
        PoolCase c{.x = {2, images, size + 2, size + 1},
                   .kernel = {3, 2},
                   .strides = {stride, stride},
                   .pads = {1, 0, 1, 1},
                   .out = {(size + 1) / stride + 1, size / stride + 1}};
        check_pool_nchw(c, "MaxPool", PoolKind::kMax);
        check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
        c.include_pad = true;
        check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
      }
      check_pool_nchw({.x = {1, images, 3, size + 3, 5},
                       .kernel = {2, 2, 3},
                       .strides = {2, 1, 2},
                       .dilations = {1, 3, 1},
                       .out = {1, size, 2}},
                      "MaxPool", PoolKind::kMax);
    }
  }
  check_pool_nchw({.x = {1, 70, 31, 33}, .kernel = {9, 5}, .strides = {4, 4}, .out = {6, 8}},
                  "AveragePool", PoolKind::kAverage);
}

// Their planes are joined first: volumes of any size, with padding and dilation, up to those that
// are turned.
TEST(pool_nchw, agrees_with_plain_loops_on_volumes) {
  for (const int64_t size : {4, 7, 12, 23}) {
    for (const int64_t kernel : {2, 3, 5}) {
      for (const int64_t stride : {1, 2}) {
        for (const int64_t pad : {int64_t{0}, kernel / 2}) {
          const int64_t free = size + 2 * pad - kernel;
          if (free < 1 || (size > 12 && kernel > 3)) continue;  // plain loops take long
          const int64_t out = free / stride + 1, far = (free - 1) / stride + 1;
          PoolCase c{.x = {1, 2, size, size, size - 1},
                     .kernel = {kernel, kernel, kernel},
                     .strides = {stride, stride, stride},
                     .pads = Dims(6, pad),
                     .out = {out, out, far}};
          check_pool_nchw(c, "MaxPool", PoolKind::kMax);
          check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
          c.include_pad = true;
          check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
        }
      }
    }
  }
  check_pool_nchw({.x = {1, 9, 11, 12, 13},
                   .kernel = {3, 2, 3},
                   .strides = {2, 1, 2},
                   .pads = {2, 1, 1, 2, 1, 1},
                   .dilations = {2, 3, 1},
                   .out = {6, 11, 7}},
                  "AveragePool", PoolKind::kAverage);
}

// Large windows with any stride, up to those that are the whole image.
TEST(pool_nchw, agrees_with_plain_loops_on_windows_of_any_size) {
  for (const int64_t kernel : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 67}) {
    for (const int64_t beyond : {0, 1, 18}) {
      for (const int64_t stride : {1, 4, 9}) {
        for (const int64_t pad : {int64_t{0}, kernel / 2}) {
          const int64_t out = (beyond + 2 * pad) / stride + 1;
          const PoolCase c{.x = {1, 2, kernel + beyond, kernel + beyond},
                           .kernel = {kernel, kernel},
                           .strides = {stride, stride},
                           .pads = {pad, pad, pad, pad},
                           .include_pad = stride == 4,
                           .out = {out, out}};
          if (out * kernel > 300) continue;  // plain loops take long
          check_pool_nchw(c, "MaxPool", PoolKind::kMax);
          check_pool_nchw(c, "AveragePool", PoolKind::kAverage);
        }
      }
    }
  }
}

TEST(pool_nchw, passes_over_what_is_not_a_number_wherever_it_stands) {
  for (size_t place = 0; place < 60; ++place) {
    // One image, and many.
    const int64_t images = place < 30 ? 1 : 9;
    const Dims dims = {1, images, 5, 6};
    std::vector<float> values(static_cast<size_t>(30 * images), 1.0f);
    values[place] = std::numeric_limits<float>::quiet_NaN();
    const NodeCase node{
        "MaxPool",
        "",
        12,
        {Attribute::of_ints("kernel_shape", {3, 3}), Attribute::of_ints("pads", {1, 1, 1, 1})}};
    const Tensor x = Tensor::from<float>(dims, values);
    const std::vector<double> ones(values.size(), 1.0);
    testing::run_everywhere(node, {x}, [&](const std::vector<Tensor>& outputs) {
      testing::check_close(outputs[0], dims, ones, 0, 0);
    });
    testing::run_everywhere(node, {narrowed<Float16>(x)}, [&](const std::vector<Tensor>& outputs) {
      testing::check_close(widened<Float16>(outputs[0]), dims, ones, 0, 0);
    });
  }
}

TEST(pool_nchw, lets_the_last_window_hang_over_without_padding_too) {
  const Tensor x = random_tensor({1, 1, 11}, 3);
  const NodeCase node{
      "MaxPool",
      "",
      22,
      {Attribute::of_ints("kernel_shape", {4}), Attribute::of_ints("strides", {4}),
       Attribute::of_string("auto_pad", "VALID"), Attribute::of_int("ceil_mode", 1)}};
  const auto from = x.elements<float>();
  testing::run_everywhere(node, {x}, [&](const std::vector<Tensor>& outputs) {
    CHECK_EQ(outputs[0].dims(), (Dims{1, 1, 3}));
    CHECK_EQ(outputs[0].elements<float>()[2], std::max({from[8], from[9], from[10]}));
  });
}

TEST(pool_nchw, gives_indices_of_the_largest_in_both_orders) {
  const std::vector<float> values = {1, 5, 5, 2, 8, 3, 0, 1, 9, 9, 4, 7};
  const Tensor x = Tensor::from<float>({1, 2, 2, 3}, values);
  for (const int64_t order : {0, 1}) {
    const NodeCase node{
        "MaxPool",
        "",
        12,
        {Attribute::of_ints("kernel_shape", {2, 2}), Attribute::of_int("storage_order", order)},
        2};
    const std::vector<int64_t> expected =
        order == 0 ? std::vector<int64_t>{4, 4, 9, 8} : std::vector<int64_t>{3, 3, 7, 10};
    const std::vector<double> tops = {8, 8, 9, 9};
    const auto check = [&](const Tensor& largest, const Tensor& indices) {
      testing::check_close(largest, {1, 2, 1, 2}, tops, 0, 0);
      CHECK(std::equal(expected.begin(), expected.end(), indices.elements<int64_t>().begin()));
    };
    testing::run_everywhere(
        node, {x}, [&](const std::vector<Tensor>& outputs) { check(outputs[0], outputs[1]); });
    testing::run_everywhere(node, {narrowed<Float16>(x)}, [&](const std::vector<Tensor>& outputs) {
      check(widened<Float16>(outputs[0]), outputs[1]);
    });
  }
}

TEST(pool_nchw, takes_bytes_where_the_largest_is_asked_for) {
  const std::vector<int8_t> values = {-128, -5, -7, -100};
  const NodeCase node{
      "MaxPool",
      "",
      12,
      {Attribute::of_ints("kernel_shape", {2}), Attribute::of_ints("pads", {1, 1})}};
  testing::run_everywhere(
      node, {Tensor::from<int8_t>({1, 1, 4}, values)}, [](const std::vector<Tensor>& outputs) {
        const std::vector<int8_t> expected = {-128, -5, -5, -7, -100};
        CHECK(std::equal(expected.begin(), expected.end(), outputs[0].elements<int8_t>().begin()));
      });
}

TEST(global_pool, pools_any_number_of_axes) {
  for (const Dims& dims : {Dims{3, 100, 7, 7}, Dims{1, 2, 3000}, Dims{2, 3, 4, 5, 6}}) {
    const Tensor x = random_tensor(dims, 1);
    const Dims spatial(dims.begin() + 2, dims.end());
    PoolCase c{.x = dims, .kernel = spatial, .out = Dims(spatial.size(), 1)};
    c.p = 3;
    for (const auto& [op, kind] : {std::pair{"GlobalMaxPool", PoolKind::kMax},
                                   std::pair{"GlobalAveragePool", PoolKind::kAverage},
                                   std::pair{"GlobalLpPool", PoolKind::kLp}}) {
      NodeCase node{op, "", 2};
      if (kind == PoolKind::kLp) node.attributes.push_back(Attribute::of_int("p", 3));
      const auto y = testing::plain_pool(c, kind, x.elements<float>());
      testing::run_everywhere(node, {x}, [&](const std::vector<Tensor>& outputs) {
        testing::check_close(outputs[0], c.y_dims(), y, 1e-5, 1e-6);
      });
      testing::run_everywhere(node, {testing::as_doubles(x)},
                              [&](const std::vector<Tensor>& outputs) {
                                testing::check_close(outputs[0], c.y_dims(), y, 1e-12, 1e-12);
                              });
    }
  }
}

TEST(pool_nchw, refuses_what_does_not_fit) {
  const auto code = [](const Dims& x, std::vector<Attribute> attributes) {
    return testing::evaluate({"MaxPool", "", 12, std::move(attributes)}, {random_tensor(x, 1)}, 1,
                             host_isa())
        .status()
        .code();
  };
  const Attribute kernel = Attribute::of_ints("kernel_shape", {3, 3});
  CHECK_EQ(code({0, 3, 5, 5}, {kernel}), Code::kOk);
  CHECK_EQ(code({1, 3, 1, 5}, {kernel}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 5}, {kernel}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 0, 5}, {kernel}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 3, 0, 5}, {kernel, Attribute::of_ints("pads", {2, 0, 2, 0})}),
           Code::kNotImplemented);
  CHECK_EQ(code({1, 3, 5, 5}, {}), Code::kInvalidGraph);
  CHECK_EQ(code({1, 3, 5, 5}, {kernel, Attribute::of_ints("strides", {1})}), Code::kInvalidGraph);
  CHECK_EQ(code({1, 3, 5, 5}, {kernel, Attribute::of_string("auto_pad", "SOME")}),
           Code::kInvalidGraph);
}

TEST(pool_nchw, only_the_largest_has_a_place) {
  const auto code = [](const char* op) {
    const NodeCase node{op, "", 18, {Attribute::of_ints("kernel_shape", {2, 2})}, 2};
    return testing::evaluate(node, {random_tensor({1, 1, 3, 3}, 1)}, 1, host_isa()).status().code();
  };
  CHECK_EQ(code("MaxPool"), Code::kOk);
  CHECK_EQ(code("AveragePool"), Code::kInvalidGraph);
  CHECK_EQ(code("LpPool"), Code::kInvalidGraph);
}

TEST(pool_nchw, refuses_lines_of_padding_that_nothing_stands_for) {
  constexpr int64_t kWide = int64_t{1} << 26;
  for (const char* op : {"MaxPool", "AveragePool"}) {
    const NodeCase node{
        op,
        "",
        18,
        {Attribute::of_ints("kernel_shape", {1, kWide}), Attribute::of_ints("strides", {1, kWide}),
         Attribute::of_ints("pads", {0, kWide - 1, 0, kWide - 1})}};
    const auto y = testing::evaluate(node, {random_tensor({1, 1, 1, 5}, 1)}, 1, host_isa());
    CHECK_CODE(y, Code::kNotImplemented);
    CHECK(y.status().message().find("elements beyond an axis of 5") != std::string::npos);
  }
}

TEST(pool_nchw, gives_nothing_for_windows_one_stride_too_large) {
  for (const char* op : {"MaxPool", "AveragePool", "LpPool"}) {
    const NodeCase node{op, "", 18, {Attribute::of_ints("kernel_shape", {3, 2})}};
    const auto y = testing::evaluate(node, {random_tensor({1, 2, 2, 4}, 1)}, 2, host_isa());
    CHECK_OK(y);
    CHECK_EQ((*y)[0].dims(), (Dims{1, 2, 0, 3}));
    CHECK_CODE(testing::evaluate(node, {random_tensor({1, 2, 1, 4}, 1)}, 2, host_isa()),
               Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ortc::cpu
