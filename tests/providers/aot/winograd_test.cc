// SPDX-License-Identifier: MIT
// ep.aot.winograd: which convolutions become others, and that their results are the model's.
#include "providers/aot/aot_options.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Window {
  int64_t in, out, side, stride;
};

// Convolutions in a row, with Relu between them.
std::string network(const std::vector<Window>& windows, int64_t pixels, bool is_open = false) {
  GraphBuilder g;
  const int64_t extent = is_open ? -1 : pixels;
  ValueId value = g.input("x", DType::kFloat32, {1, windows[0].in, extent, extent});
  for (size_t i = 0; i < windows.size(); ++i) {
    const Window& w = windows[i];
    const int64_t pad = w.side / 2;
    const auto weights =
        g.random_floats(str_cat("w", i), {w.out, w.in, w.side, w.side}, static_cast<uint32_t>(i));
    const auto bias = g.random_floats(str_cat("b", i), {w.out}, static_cast<uint32_t>(i + 9));
    value = g.node("Conv", {value, weights, bias}, {str_cat("c", i)},
                   {Attribute::of_ints("pads", {pad, pad, pad, pad}),
                    Attribute::of_ints("strides", {w.stride, w.stride})})[0];
    value = g.node("Relu", {value}, {str_cat("r", i)})[0];
  }
  g.output(value);
  g.infer();
  return g.model_bytes();
}

std::unique_ptr<Session> open(const std::string& file, const char* winograd, int threads = 1) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"}, threads);
  CHECK_OK(options.set("ep.aot.winograd", winograd));
  auto session = Session::create(environment, file_source(file), options);
  CHECK_OK(session);
  return std::move(session).value();
}

// The file of the compiled model.
std::string compiled(const std::string& model, const char* winograd) {
  const std::string folder = fresh_folder(str_cat("winograd_", winograd));
  put_file(folder + "/m.onnx", model);
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  CHECK_OK(options.session.set("ep.aot.winograd", winograd));
  options.input = file_source(folder + "/m.onnx");
  options.output_path = folder + "/m_ctx.onnx";
  CHECK_OK(compile_to_output(environment, options));
  return folder;
}

size_t count_of(const std::string& folder, std::string_view kernel) {
  const auto bytes = get_file(folder + "/m_aot.bin");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  size_t count = 0;
  for (size_t at = text.find(kernel); at != text.npos; at = text.find(kernel, at + 1)) ++count;
  return count;
}

std::vector<Tensor> image(int64_t channels, int64_t pixels) {
  const auto count = static_cast<size_t>(channels * pixels * pixels);
  return {Tensor::from<float>({1, channels, pixels, pixels}, random_numbers(count, 3))};
}

bool is_changed(const std::string& model) {
  return count_of(compiled(model, "1"), "conv_winograd.f32") > 0;
}

}  // namespace

TEST(winograd, gives_the_results_of_the_model_where_it_is_asked_for) {
  const std::string model = network({{32, 48, 3, 1}, {48, 48, 3, 2}, {48, 32, 1, 1}}, 14);
  const std::string with = compiled(model, "1"), without = compiled(model, "0");
  CHECK_EQ(count_of(without, "conv_winograd.f32"), size_t{0});
  CHECK(count_of(with, "conv_winograd.f32") > 0 && count_of(with, "conv_nhwc.f32") > 0);
  const auto x = image(32, 14);
  const auto exact = run_all(*open(without + "/m_ctx.onnx", "0"), x);
  const auto found = run_all(*open(with + "/m_ctx.onnx", "0"), x);
  CHECK(all_near(found, exact, 1e-4, 1e-4));
  CHECK(!same_bits(found, exact));
  // The context says how; a session from the source does the same, on any number of threads.
  CHECK(same_bits(run_all(*open(with + "/m.onnx", "1", 2), x), found));
  CHECK(same_bits(run_all(*open(with + "/m.onnx", "0"), x), exact));
}

TEST(winograd, is_for_windows_of_enough_channels_and_pixels) {
  CHECK(is_changed(network({{16, 32, 3, 1}}, 6)));
  CHECK(is_changed(network({{16, 32, 3, 1}}, 6, /*is_open=*/true)));
  CHECK(!is_changed(network({{16, 32, 3, 1}}, 5)));
  CHECK(!is_changed(network({{8, 32, 3, 1}}, 20)));
  CHECK(!is_changed(network({{32, 16, 3, 1}}, 20)));
  CHECK(!is_changed(network({{32, 32, 5, 1}}, 20)));
  CHECK(!is_changed(network({{32, 32, 3, 2}}, 20)));
}

TEST(winograd, refuses_values_that_are_no_flag) {
  CHECK_CODE(aot::read_aot_options({{"winograd", "fast"}}), Code::kInvalidArgument);
}
