// SPDX-License-Identifier: MIT
// ortc.Conv against plain double loops: both algorithms, epilogues, padding, broken records.
#include <algorithm>

#include "tests/providers/cpu/kernels/conv_testing.h"

namespace ortc::cpu {
namespace {

using testing::ConvCase;
using testing::NodeCase;
using testing::random_tensor;

NodeCase conv_node(const ConvCase& c, const char* op = "Conv") {
  return {op, std::string(kInternalDomain), 0, c.attributes()};
}

void check_conv_nhwc(const ConvCase& c, const char* op = "Conv") {
  const Tensor x = random_tensor(c.x, 1), w = random_tensor(c.w, 2), b = random_tensor({c.w[0]}, 3);
  const Dims y_dims = c.y_dims();
  const Dims out = {y_dims[0], y_dims[2], y_dims[3], y_dims[1]};
  for (const Tensor& bias : {b, Tensor()}) {
    const auto y = testing::channels_last(
        testing::plain_conv(c, x.elements<float>(), w.elements<float>(), bias), y_dims);
    testing::run_everywhere(conv_node(c, op), {testing::channels_last(x), w, bias},
                            [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], out, y, 1e-4, 1e-4);
                            });
  }
}

TEST(conv_nhwc, agrees_with_plain_loops) {
  check_conv_nhwc({{1, 64, 14, 14}, {32, 64, 1, 1}});
  check_conv_nhwc({{2, 32, 20, 20}, {70, 32, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}});
  check_conv_nhwc({{1, 3, 40, 40}, {16, 3, 7, 7}, 1, {2, 2}, {3, 3, 3, 3}});
  check_conv_nhwc({{1, 30, 12, 9}, {8, 30, 3, 2}, 1, {2, 1}, {0, 2, 1, 0}, {2, 3}});
  check_conv_nhwc({{3, 40, 9, 9}, {33, 40, 1, 1}, 1, {2, 2}});
}

TEST(conv_nhwc, divides_channels_into_groups) {
  check_conv_nhwc({{1, 64, 10, 10}, {96, 16, 3, 3}, 4, {1, 1}, {1, 1, 1, 1}});
  check_conv_nhwc({{2, 6, 10, 10}, {9, 2, 3, 3}, 3, {1, 1}, {1, 1, 1, 1}});
  check_conv_nhwc({{1, 4, 8, 8}, {8, 1, 3, 3}, 4});
}

TEST(conv_nhwc, has_a_depthwise_form) {
  check_conv_nhwc({{2, 40, 20, 20}, {40, 1, 3, 3}, 40, {1, 1}, {1, 1, 1, 1}});
  check_conv_nhwc({{1, 200, 30, 30}, {200, 1, 5, 5}, 200, {2, 2}, {2, 2, 2, 2}});
  check_conv_nhwc({{1, 300, 6, 200}, {300, 1, 1, 7}, 300, {6, 1}, {0, 3, 0, 3}});
  check_conv_nhwc({{1, 5, 9, 9}, {5, 1, 3, 3}, 5, {1, 1}, {2, 2, 2, 2}, {2, 2}});
}

TEST(conv_nhwc, has_a_form_for_groups_of_few_channels) {
  check_conv_nhwc({{2, 40, 20, 20}, {40, 2, 3, 3}, 20, {1, 1}, {1, 1, 1, 1}});
  check_conv_nhwc({{1, 200, 15, 30}, {200, 4, 3, 3}, 50, {2, 2}, {1, 1, 1, 1}});
  check_conv_nhwc({{1, 152, 16, 16}, {152, 8, 3, 3}, 19, {1, 1}, {1, 0, 1, 2}});
  check_conv_nhwc({{1, 24, 9, 9}, {24, 8, 1, 5}, 3, {1, 1}, {2, 2, 2, 2}, {2, 2}});
  check_conv_nhwc({{1, 2, 9, 9}, {2, 2, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}});
}

TEST(conv_nhwc, has_a_form_for_few_results) {
  check_conv_nhwc({{2, 40, 20, 21}, {1, 40, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}});
  check_conv_nhwc({{1, 33, 15, 30}, {3, 33, 3, 3}, 1, {2, 2}, {1, 1, 1, 1}});
  check_conv_nhwc({{1, 8, 40, 70}, {2, 8, 9, 9}, 1, {1, 1}, {4, 3, 4, 5}});
  check_conv_nhwc({{1, 64, 9, 19}, {4, 64, 3, 3}, 1, {1, 1}, {2, 2, 2, 2}, {2, 2}});
  check_conv_nhwc({{1, 64, 9, 9}, {3, 64, 1, 1}});
}

TEST(conv_nhwc, has_a_form_by_winograd) {
  check_conv_nhwc({{2, 8, 7, 9}, {70, 8, 3, 3}, 1, {1, 1}, {1, 1, 1, 1}}, "WinogradConv");
  check_conv_nhwc({{1, 160, 12, 21}, {4, 160, 3, 3}, 1, {}, {0, 1, 2, 0}}, "WinogradConv");
  check_conv_nhwc({{3, 5, 3, 3}, {2, 5, 3, 3}}, "WinogradConv");
  check_conv_nhwc({{1, 6, 13, 20}, {35, 6, 3, 3}, 1, {}, {}, {}, "SAME_LOWER", {1, 1, 1, 1}},
                  "WinogradConv");
}

TEST(conv_nhwc, by_winograd_refuses_other_windows) {
  for (const ConvCase& c :
       {ConvCase{{1, 8, 9, 9}, {4, 8, 3, 3}, 1, {2, 1}},
        ConvCase{{1, 8, 9, 9}, {4, 8, 3, 3}, 1, {}, {}, {1, 2}},
        ConvCase{{1, 8, 9, 9}, {4, 4, 3, 3}, 2}, ConvCase{{1, 8, 9, 9}, {4, 8, 3, 2}}}) {
    const auto result = testing::evaluate(
        conv_node(c, "WinogradConv"),
        {testing::channels_last(random_tensor(c.x, 1)), random_tensor(c.w, 2)}, 1, host_isa());
    CHECK_CODE(result, Code::kNotImplemented);
  }
}

TEST(conv_nhwc, resolves_auto_pad_at_binding) {
  check_conv_nhwc({{1, 8, 10, 11}, {4, 8, 3, 4}, 1, {2, 1}, {}, {}, "SAME_UPPER", {0, 1, 1, 2}});
  check_conv_nhwc({{1, 8, 10, 11}, {4, 8, 3, 4}, 1, {2, 1}, {}, {}, "SAME_LOWER", {1, 2, 0, 1}});
  check_conv_nhwc({{1, 8, 10, 11}, {4, 8, 3, 4}, 1, {2, 1}, {}, {}, "VALID"});
}

TEST(conv_nhwc, applies_the_epilogue) {
  struct Form {
    int64_t group;
    const char* op;
  };
  for (const auto& [group, op] :
       {Form{1, "Conv"}, {6, "Conv"}, {24, "Conv"}, {1, "WinogradConv"}}) {
    const ConvCase c{{1, 24, 15, 15}, {24, 24 / group, 3, 3}, group, {1, 1}, {1, 1, 1, 1}};
    const Tensor x = random_tensor(c.x, 1), w = random_tensor(c.w, 2), b = random_tensor({24}, 3);
    const Tensor residual = random_tensor({1, 15, 15, 24}, 4);
    auto y = testing::channels_last(
        testing::plain_conv(c, x.elements<float>(), w.elements<float>(), b), c.y_dims());
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = std::clamp<double>(y[i] + residual.elements<float>()[i], 0.0, 0.75);
    }
    NodeCase node = conv_node(c, op);
    node.attributes.push_back(Attribute::of_string("activation", "Clip"));
    node.attributes.push_back(Attribute::of_float("activation_alpha", 0.0f));
    node.attributes.push_back(Attribute::of_float("activation_beta", 0.75f));
    testing::run_everywhere(node, {testing::channels_last(x), w, b, residual},
                            [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], {1, 15, 15, 24}, y, 1e-4, 1e-4);
                            });
  }
}

TEST(conv_nhwc, refuses_what_does_not_fit) {
  const ConvCase c{{1, 8, 5, 5}, {4, 8, 3, 3}};
  const Tensor w = random_tensor(c.w, 2);
  const auto code = [&](const Tensor& x, const Tensor& bias = {}) {
    return testing::evaluate(conv_node(c), {x, w, bias}, 1, host_isa()).status().code();
  };
  CHECK_EQ(code(random_tensor({0, 5, 5, 8}, 1)), Code::kOk);
  CHECK_EQ(code(random_tensor({1, 5, 5, 7}, 1)), Code::kInvalidArgument);
  CHECK_EQ(code(random_tensor({1, 1, 5, 8}, 1)), Code::kInvalidArgument);
  CHECK_EQ(code(random_tensor({1, 0, 5, 8}, 1)), Code::kInvalidArgument);
  CHECK_EQ(code(random_tensor({1, 2, 5, 8}, 1)), Code::kOk);  // and empty
  CHECK_EQ(code(random_tensor({5, 5, 8}, 1)), Code::kInvalidArgument);
  CHECK_EQ(code(random_tensor({1, 5, 5, 8}, 1), random_tensor({5}, 1)), Code::kInvalidGraph);
}

struct ConvRecord {
  uint32_t record_bytes = 184, algorithm = 1;
  int64_t in_c = 8, out_c = 4, groups = 1;
  uint32_t rank = 2, auto_pad = 0, ceil_mode = 0, reserved = 0;
  int64_t kernel[3] = {3, 3, 0}, stride[3] = {1, 1, 0}, dilation[3] = {1, 1, 0};
  int64_t pad_begin[3] = {}, pad_end[3] = {};
  uint32_t activation = 0;
  float alpha = 0, beta = 0, scale = 1;
};
static_assert(sizeof(ConvRecord) == 184);

TEST(conv_nhwc, bind_refuses_broken_records) {
  testing::RawBind raw{
      "conv_nhwc.f32", {}, {random_tensor({1, 5, 5, 8}, 1), random_tensor({32 * 72}, 2)}};
  raw.set_params(ConvRecord{});
  CHECK_OK(raw.bind());
  const auto refused = [&](const std::function<void(ConvRecord&)>& change) {
    ConvRecord record;
    change(record);
    raw.set_params(record);
    CHECK(!raw.bind().is_ok());
  };
  refused([](ConvRecord& r) { r.algorithm = 2; });
  refused([](ConvRecord& r) { r.algorithm = 3; });  // its weights are larger
  refused([](ConvRecord& r) { r.algorithm = 4; });
  refused([](ConvRecord& r) { r.algorithm = 0; });
  refused([](ConvRecord& r) { r.groups = 0; });
  refused([](ConvRecord& r) { r.groups = 3; });
  refused([](ConvRecord& r) { r.out_c = 64; });
  refused([](ConvRecord& r) { r.out_c = -4; });
  refused([](ConvRecord& r) { r.in_c = int64_t{1} << 40; });
  refused([](ConvRecord& r) { r.kernel[0] = 0; });
  refused([](ConvRecord& r) { r.kernel[0] = int64_t{1} << 62; });
  refused([](ConvRecord& r) { r.stride[1] = 0; });
  refused([](ConvRecord& r) { r.stride[1] = -1; });
  refused([](ConvRecord& r) { r.dilation[0] = 0; });
  refused([](ConvRecord& r) { r.dilation[0] = INT64_MAX; });
  refused([](ConvRecord& r) { r.pad_begin[0] = -1; });
  refused([](ConvRecord& r) { r.pad_end[1] = INT64_MAX; });
  refused([](ConvRecord& r) { r.pad_end[0] = r.pad_end[1] = INT32_MAX - 10; });
  refused([](ConvRecord& r) { r.rank = 3; });
  refused([](ConvRecord& r) { r.auto_pad = 7; });
  refused([](ConvRecord& r) { r.activation = 11; });
  raw.set_params(uint32_t{184});
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
}

TEST(conv_nhwc, bind_refuses_broken_records_of_winograd) {
  testing::RawBind raw{
      "conv_winograd.f32", {}, {random_tensor({1, 5, 5, 8}, 1), random_tensor({16 * 8 * 32}, 2)}};
  ConvRecord whole;
  whole.algorithm = 3;
  raw.set_params(whole);
  CHECK_OK(raw.bind());
  const auto refused = [&](const std::function<void(ConvRecord&)>& change) {
    ConvRecord record = whole;
    change(record);
    raw.set_params(record);
    CHECK(!raw.bind().is_ok());
  };
  refused([](ConvRecord& r) { r.algorithm = 1; });
  refused([](ConvRecord& r) { r.stride[0] = 2; });
  refused([](ConvRecord& r) { r.stride[1] = -1; });
  refused([](ConvRecord& r) { r.dilation[1] = 2; });
  refused([](ConvRecord& r) { r.kernel[0] = 5; });
  refused([](ConvRecord& r) { r.groups = 2; });
  refused([](ConvRecord& r) { r.in_c = 9; });
  refused([](ConvRecord& r) { r.out_c = 64; });
  refused([](ConvRecord& r) { r.pad_begin[0] = -1; });
}

}  // namespace
}  // namespace ortc::cpu
