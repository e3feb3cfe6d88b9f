// SPDX-License-Identifier: MIT
// ortc.ConvTranspose against plain double loops: windows that meet, overlap and leave gaps, groups,
// images of several bands; broken records.
#include "providers/cpu/elements/float_rows.h"
#include "tests/providers/cpu/kernels/conv_testing.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;
using testing::Transposed;

NodeCase transposed_node(const Transposed& t) {
  return {"ConvTranspose", std::string(kInternalDomain), 0, t.attributes()};
}

void check_transposed_nhwc(const Transposed& t) {
  const Dims dims = t.y_dims(), out = {dims[0], dims[2], dims[3], dims[1]};
  const Tensor x = random_tensor(t.c.x, 1), w = random_tensor(t.c.w, 2);
  for (const Tensor& bias : {random_tensor({dims[1]}, 3), Tensor()}) {
    const auto y = testing::channels_last(
        testing::plain_transposed(t, x.elements<float>(), w.elements<float>(), bias), dims);
    testing::run_everywhere(transposed_node(t), {testing::channels_last(x), w, bias},
                            [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], out, y, 1e-4, 1e-4);
                            });
  }
}

TEST(conv_transpose_nhwc, agrees_with_plain_loops) {
  check_transposed_nhwc(
      {{{1, 8, 9, 10}, {8, 60, 3, 3}, 1, {2, 2}, {1, 1, 1, 1}}, {18, 20}, {1, 1}});
  check_transposed_nhwc({{{2, 17, 7, 5}, {17, 33, 2, 2}, 1, {2, 2}}, {14, 10}});
  check_transposed_nhwc({{{1, 4, 5, 6}, {4, 3, 3, 2}, 1, {1, 2}, {}, {2, 3}}, {9, 14}});
  check_transposed_nhwc({{{1, 3, 6, 4}, {3, 1, 4, 4}, 1, {2, 2}, {1, 1, 1, 1}}, {12, 8}});
  check_transposed_nhwc(
      {{{1, 5, 3, 4}, {5, 20, 1, 1}, 1, {3, 2}}, {7, 7}});  // gaps between the windows
  check_transposed_nhwc({{{1, 4, 1, 30}, {4, 16, 1, 16}, 1, {1, 8}, {0, 4, 0, 4}}, {1, 240}});
}

TEST(conv_transpose_nhwc, divides_channels_into_groups) {
  check_transposed_nhwc({{{2, 8, 5, 5}, {8, 3, 2, 2}, 2, {2, 2}}, {10, 10}});
  check_transposed_nhwc({{{1, 6, 5, 4}, {6, 1, 3, 3}, 6, {2, 2}, {1, 1, 1, 1}}, {9, 7}});
}

TEST(conv_transpose_nhwc, sums_over_channels_where_each_is_a_group) {
  for (const int64_t c : {7, 8, 9, 16, 17, 70}) {
    check_transposed_nhwc({{{2, c, 5, 4}, {c, 1, 3, 3}, c, {2, 2}, {1, 1, 1, 1}}, {9, 7}});
    check_transposed_nhwc({{{1, c, 6, 5}, {c, 1, 4, 5}, c, {1, 1}, {2, 0, 1, 3}}, {6, 6}});
    check_transposed_nhwc({{{1, c, 3, 4}, {c, 1, 2, 1}, c, {3, 4}, {}, {2, 1}}, {9, 13}});  // gaps
  }
  check_transposed_nhwc({{{1, 12, 5, 6}, {12, 1, 8, 8}, 12, {4, 4}, {2, 2, 2, 2}}, {20, 24}});
}

TEST(conv_transpose_nhwc, adds_bands_as_if_they_were_one) {
  check_transposed_nhwc({{{1, 2, 40, 50}, {2, 40, 5, 5}, 1, {2, 2}, {2, 1, 2, 1}}, {79, 101}});
}

TEST(conv_transpose_nhwc, divides_padding_as_output_shape_and_auto_pad_ask) {
  const Dims x = {1, 3, 4, 4}, w = {3, 5, 3, 3};
  check_transposed_nhwc({{x, w, 1, {2, 2}, {}, {}, "SAME_UPPER", {0, 0, 1, 1}}, {8, 8}});
  check_transposed_nhwc({{x, w, 1, {2, 2}, {}, {}, "SAME_LOWER", {1, 1, 0, 0}}, {8, 8}});
  check_transposed_nhwc({{x, w, 1, {3, 3}, {}, {}, "", {0, 0, 0, 0}}, {13, 14}, {}, {13, 14}});
}

TEST(conv_transpose_nhwc, takes_an_output_shape_with_batch_and_channels) {
  const Dims x = {1, 3, 4, 4}, w = {3, 5, 3, 3};
  check_transposed_nhwc(
      {{x, w, 1, {3, 3}, {}, {}, "", {0, 0, 0, 0}}, {13, 14}, {}, {1, 5, 13, 14}});
}

template <typename T>
void check_narrow(const Transposed& t) {
  const Dims dims = t.y_dims();
  const Tensor x = testing::channels_last(random_tensor(t.c.x, 1)), w = random_tensor(t.c.w, 2);
  const Tensor bias = random_tensor({dims[1]}, 3);
  Tensor half = Tensor::create(kDTypeOf<T>, w.dims()).value();
  Tensor wide = Tensor::create(DType::kFloat32, w.dims()).value();
  auto* bits = static_cast<T*>(half.mutable_data());
  narrow(w.elements<float>().data(), w.element_count(), bits);
  widen(bits, w.element_count(), wide.mutable_elements<float>().data());
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    const auto isa = static_cast<Isa>(level);
    const auto expected = testing::evaluate(transposed_node(t), {x, wide, bias}, 1, isa);
    CHECK_OK(expected);
    for (const int threads : {1, 2, 3, 5}) {
      const auto found = testing::evaluate(transposed_node(t), {x, half, bias}, threads, isa);
      CHECK_OK(found);
      CHECK(testing::same_bytes((*found)[0], (*expected)[0]));
    }
  }
}

TEST(conv_transpose_nhwc, weights_of_16_bits_give_the_bits_of_the_same_numbers_in_32) {
  const auto check_both = [](const Transposed& t) {
    check_narrow<Float16>(t);
    check_narrow<Bfloat16>(t);
  };
  check_both({{{1, 8, 9, 10}, {8, 60, 3, 3}, 1, {2, 2}, {1, 1, 1, 1}}, {18, 20}, {1, 1}});
  check_both({{{2, 17, 2, 3}, {17, 33, 2, 2}, 1, {2, 2}}, {4, 6}});       // rows as they are
  check_both({{{1, 1000, 5, 5}, {1000, 7, 2, 2}, 1, {2, 2}}, {10, 10}});  // several blocks
  check_both({{{2, 8, 5, 5}, {8, 3, 2, 2}, 2, {2, 2}}, {10, 10}});
  check_both({{{1, 6, 5, 7}, {6, 1, 3, 3}, 6, {2, 2}, {1, 1, 1, 1}}, {9, 13}});
  check_both({{{1, 2, 40, 50}, {2, 40, 5, 5}, 1, {2, 2}, {2, 1, 2, 1}}, {79, 101}});  // bands
  for (int64_t size = 1; size <= 67; size += 6) {
    check_narrow<Float16>({{{1, size, 5, 6}, {size, 9, 2, 2}, 1, {2, 2}}, {10, 12}});
    check_narrow<Bfloat16>({{{1, 5, 3, size}, {5, 7, 3, 2}, 1, {3, 2}}, {9, 2 * size}});
    check_narrow<Float16>({{{1, 9, size, 6}, {9, 1, 2, 3}, 9, {2, 2}}, {2 * size, 13}});
    check_narrow<Bfloat16>({{{1, 9, size, 6}, {9, 1, 2, 3}, 9, {2, 2}}, {2 * size, 13}});
  }
}

TEST(conv_transpose_nhwc, refuses_what_does_not_fit) {
  const Tensor w = random_tensor({3, 4, 2, 2}, 2);
  const auto code = [&](const Dims& x, const Tensor& bias = {}) {
    return testing::evaluate({"ConvTranspose", std::string(kInternalDomain), 0},
                             {random_tensor(x, 1), w, bias}, 1, host_isa())
        .status()
        .code();
  };
  CHECK_EQ(code({1, 5, 5, 3}), Code::kOk);
  CHECK_EQ(code({1, 5, 5, 4}), Code::kInvalidArgument);
  CHECK_EQ(code({5, 5, 3}), Code::kInvalidArgument);
  CHECK_EQ(code({1, 0, 5, 3}), Code::kNotImplemented);
  CHECK_EQ(code({1, 5, 5, 3}, random_tensor({3}, 1)), Code::kInvalidGraph);
}

struct ConvTransposeRecord {
  uint32_t record_bytes = 216, has_output_shape = 0;
  int64_t groups = 1;
  uint32_t rank = 2, auto_pad = 0, ceil_mode = 0, reserved = 0;
  int64_t kernel[3] = {2, 2, 0}, stride[3] = {2, 2, 0}, dilation[3] = {1, 1, 0};
  int64_t pad_begin[3] = {}, pad_end[3] = {};
  int64_t output_padding[3] = {}, output_shape[3] = {};
  int64_t in_c = 3, out_c = 4;
};
static_assert(sizeof(ConvTransposeRecord) == 216);

TEST(conv_transpose_nhwc, bind_refuses_broken_records) {
  testing::RawBind raw{
      "conv_transpose_nhwc.f32", {}, {random_tensor({1, 5, 5, 3}, 1), random_tensor({32 * 3}, 2)}};
  raw.set_params(ConvTransposeRecord{});
  CHECK_OK(raw.bind());
  const auto refused = [&](const std::function<void(ConvTransposeRecord&)>& change) {
    ConvTransposeRecord record;
    change(record);
    raw.set_params(record);
    CHECK(!raw.bind().is_ok());
  };
  refused([](ConvTransposeRecord& r) { r.groups = 0; });
  refused([](ConvTransposeRecord& r) { r.groups = 2; });
  refused([](ConvTransposeRecord& r) { r.out_c = 64; });
  refused([](ConvTransposeRecord& r) { r.out_c = -4; });
  refused([](ConvTransposeRecord& r) { r.in_c = int64_t{1} << 40; });
  refused([](ConvTransposeRecord& r) { r.kernel[0] = 0; });
  refused([](ConvTransposeRecord& r) { r.kernel[0] = int64_t{1} << 62; });
  refused([](ConvTransposeRecord& r) { r.stride[1] = 0; });
  refused([](ConvTransposeRecord& r) { r.dilation[0] = INT64_MAX; });
  refused([](ConvTransposeRecord& r) { r.pad_begin[0] = -1; });
  refused([](ConvTransposeRecord& r) { r.pad_end[1] = INT64_MAX; });
  refused([](ConvTransposeRecord& r) { r.output_padding[0] = -1; });
  refused([](ConvTransposeRecord& r) { r.output_padding[1] = int64_t{1} << 40; });
  refused([](ConvTransposeRecord& r) { r.has_output_shape = 1; });
  refused([](ConvTransposeRecord& r) { r.rank = 3; });
  refused([](ConvTransposeRecord& r) { r.auto_pad = 7; });
  raw.set_params(uint32_t{216});
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
  raw.set_params(ConvTransposeRecord{});
  raw.id = "conv_transpose_nhwc.half";
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);  // weights of 32 bits
  raw.inputs[1] = Tensor::create(DType::kFloat16, {32 * 3}).value();
  CHECK_OK(raw.bind());
  raw.inputs[1] = Tensor::create(DType::kBfloat16, {32 * 3 - 1}).value();
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
  raw.inputs[1] = Tensor::create(DType::kFloat16, {32 * 3}).value();
  raw.id = "conv_transpose_nhwc.f32";
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
}

}  // namespace
}  // namespace ortc::cpu
