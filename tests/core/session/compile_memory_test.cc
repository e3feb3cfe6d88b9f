// SPDX-License-Identifier: MIT
// How much memory a compile takes whose model goes to a stream and whose contexts go to files or to
// a function: what is packed, and little more than the largest tensor besides. The weights are
// sparse. tools/check.sh large does the same with 2.5 GB: ORTC_COMPILE_MEMORY_MB.
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "tests/core/graph/wire_model.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/private_memory.h"
#include "tests/support/session_support.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kCount = 8;
// Some MB are the library's own, whatever the model.
constexpr int64_t kOwn = 8 << 20;

int64_t width() {
  const char* given = std::getenv("ORTC_COMPILE_MEMORY_MB");
  const double bytes = (given != nullptr ? std::atof(given) : 160) * (1 << 20);
  return static_cast<int64_t>(std::sqrt(bytes / (kCount * 4)));
}

int64_t tensor_bytes() { return width() * width() * 4; }

// Products; after each an Add that stays on the CPU provider, so that initializers leave too. Each
// weight begins with another number, and is a hole for the rest.
std::string put_sparse_network(const std::string& folder) {
  const int64_t wide = width(), size = tensor_bytes();
  wire::Texts nodes, tensors;
  std::string value = "x";
  put_file(folder + "/w.data", "");
  std::filesystem::resize_file(folder + "/w.data", static_cast<uintmax_t>(kCount * size));
  std::fstream weights(folder + "/w.data", std::ios::in | std::ios::out | std::ios::binary);
  for (int64_t i = 0; i < kCount; ++i) {
    const std::string sum = i + 1 == kCount ? "y" : str_cat("s", i);
    const std::string weight = str_cat("w", i), bias = str_cat("b", i);
    nodes.push_back(wire::node("MatMul", {value, weight}, {str_cat("m", i)}));
    nodes.push_back(wire::node("Add", {str_cat("m", i), bias}, {sum}));
    const auto place = wire::external({{"location", "w.data"}, {"offset", str_cat(i * size)}});
    tensors.push_back(wire::tensor(weight, 1, {wide, wide}, place));
    tensors.push_back(wire::tensor(bias, 1, {wide}, place));
    weights.seekp(i * size).put(static_cast<char>(i + 1));
    value = sum;
  }
  CHECK(weights.good());
  put_file(folder + "/m.onnx", wire::model(wire::graph(nodes, {wire::value("x", 1, {1, wide})},
                                                       {wire::value("y", 1, {1, wide})}, tensors)));
  return folder + "/m.onnx";
}

// Products whose weights stand in the model's file, where most begin at odd places.
std::string put_askew_network(const std::string& folder) {
  constexpr int64_t kWide = 1024;
  wire::Texts nodes, tensors;
  std::string value = "x";
  for (int64_t i = 0; i < kCount; ++i) {
    const std::string weight = "w" + std::string(static_cast<size_t>(i), '_');
    const std::string next = i + 1 == kCount ? "y" : str_cat("m", i);
    nodes.push_back(wire::node("MatMul", {value, weight}, {next}));
    std::string raw(kWide * kWide * 4, '\0');
    raw[2] = static_cast<char>(i + 1);
    tensors.push_back(wire::tensor(weight, 1, {kWide, kWide}, wire::raw(raw)));
    value = next;
  }
  put_file(folder + "/m.onnx",
           wire::model(wire::graph(nodes, {wire::value("x", 1, {1, kWide})},
                                   {wire::value("y", 1, {1, kWide})}, tensors)));
  return folder + "/m.onnx";
}

// Where contexts go, and initializers.
enum class Route { kFiles, kFunctions, kFilesWithLittleMemory };

// The bytes of the context, when it is a file.
std::string check_memory(Route route) {
  const bool to_files = route != Route::kFunctions;
  const bool is_low = route == Route::kFilesWithLittleMemory;
  const std::string folder = fresh_folder(str_cat("route", static_cast<int>(route)));
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  CHECK_OK(options.session.set("ep.aot.excluded_operators", "Add"));
  if (is_low) CHECK_OK(options.session.set("ep.aot.low_memory", "1"));
  options.input = file_source(put_sparse_network(folder));
  int64_t model_bytes = 0, packed_bytes = 0;
  ModelStream stream;
  stream.write = [&](Bytes piece) {
    model_bytes += static_cast<int64_t>(piece.size());
    return Status::ok();
  };
  options.output_stream = stream;
  options.output_binary_model_name = "m_ctx.onnx";
  if (to_files) {
    options.output_binary_folder = folder;
    options.external_initializers = "b.bin";
  } else {
    options.program.write_context_data = [&](const std::string&, Bytes data) {
      packed_bytes += static_cast<int64_t>(data.size());
      return Status::ok();
    };
  }
  Peak peak;
  CHECK_OK(compile_to_output(environment, options));
  const int64_t taken = peak.stop();
  std::string context;
  if (to_files) {
    packed_bytes = static_cast<int64_t>(std::filesystem::file_size(folder + "/m_aot.bin"));
    if (packed_bytes < (int64_t{1} << 30)) context = get_file(folder + "/m_aot.bin");
  }
  std::filesystem::remove_all(folder);
  CHECK(model_bytes > 0 && packed_bytes >= kCount * tensor_bytes());
  std::printf("%lld MB private, %lld MB packed, %lld MB in the largest tensor\n",
              static_cast<long long>(taken >> 20), static_cast<long long>(packed_bytes >> 20),
              static_cast<long long>(tensor_bytes() >> 20));
  const int64_t most = is_low ? int64_t{64} << 20 : packed_bytes + tensor_bytes() * 12 / 10 + kOwn;
  CHECK(is_sanitized() || is_emulated() || taken <= most);
  return context;
}

}  // namespace

TEST(compile_memory, of_a_streamed_model_with_files_is_what_is_packed_and_a_tensor) {
  check_memory(Route::kFiles);
}

TEST(compile_memory, of_a_streamed_model_with_functions_is_what_is_packed_and_a_tensor) {
  check_memory(Route::kFunctions);
}

TEST(compile_memory, of_a_compile_with_little_memory_is_64_mb_and_the_context_the_same) {
  const std::string low = check_memory(Route::kFilesWithLittleMemory);
  CHECK(low == check_memory(Route::kFiles));
}

TEST(compile_memory, of_a_model_with_its_weights_inside_is_what_is_packed) {
  for (const bool is_low : {false, true}) {
    const std::string folder = fresh_folder("askew");
    const auto environment = quiet_environment();
    CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
    if (is_low) CHECK_OK(options.session.set("ep.aot.low_memory", "1"));
    options.input = file_source(put_askew_network(folder));
    options.output_path = folder + "/m_ctx.onnx";
    Peak peak;
    CHECK_OK(compile_to_output(environment, options));
    const int64_t taken = peak.stop();
    const auto packed = static_cast<int64_t>(std::filesystem::file_size(folder + "/m_aot.bin"));
    std::filesystem::remove_all(folder);
    CHECK(is_sanitized() || is_emulated() || taken <= (is_low ? 0 : packed) + kOwn);
  }
}
