// SPDX-License-Identifier: MIT
// An embedding that is the output head too: one copy of its weights in the context, the same
// answers.
#include <filesystem>

#include "core/graph/model.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// ids -> rows of the table -> logits over the table's rows.
std::string language_model(int64_t rows, int64_t width) {
  GraphBuilder g;
  const auto table = g.random_floats("table", {rows, width}, 1);
  const auto ids = g.input("ids", DType::kInt64, {1, -1});
  const auto h = g.node("Gather", {table, ids}, {"h"})[0];
  const auto turned =
      g.node("Transpose", {table}, {"turned"}, {Attribute::of_ints("perm", {1, 0})})[0];
  g.output(g.node("MatMul", {h, turned}, {"logits"})[0]);
  g.infer();
  return g.model_bytes();
}

constexpr int64_t kTableRows = 700, kTableWidth = 512;

// A model whose table AOT multiplies by, while another provider gathers its rows.
struct GatheredElsewhere {
  std::string folder;
  std::shared_ptr<const Environment> environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  CompileOptions compile;

  explicit GatheredElsewhere(const std::string& name) : folder(fresh_folder(name)) {
    put_file(folder + "/m.onnx", language_model(kTableRows, kTableWidth));
    CHECK_OK(options.set("ep.aot.excluded_operators", "Gather"));
    compile = CompileOptions::from(options);
    compile.input = file_source(folder + "/m.onnx");
  }
};

}  // namespace

TEST(tied_weights, are_stored_once_and_give_the_same_bits_from_source_and_context) {
  const std::string folder = fresh_folder("tied");
  put_file(folder + "/m.onnx", language_model(kTableRows, kTableWidth));
  compile_to(folder + "/m.onnx", folder + "/m_ctx.onnx");
  const auto bytes = std::filesystem::file_size(folder + "/m_aot.bin");
  CHECK(bytes >= kTableRows * kTableWidth * 4);
  CHECK(bytes < kTableRows * kTableWidth * 4 + 64 * 1024);

  const auto environment = quiet_environment();
  const SessionOptions options = options_with(*environment, {"AOT"});
  auto source = Session::create(environment, file_source(folder + "/m.onnx"), options);
  auto context = Session::create(environment, file_source(folder + "/m_ctx.onnx"), options);
  CHECK_OK(source);
  CHECK_OK(context);
  // Few rows are multiplied where the table lies, many by panels packed on the way.
  for (const int64_t count : {1, 5, 40}) {
    Tensor ids = Tensor::create(DType::kInt64, {1, count}).value();
    for (int64_t i = 0; i < count; ++i) ids.mutable_elements<int64_t>()[i] = i * 17 % kTableRows;
    const auto expected = run_all(**source, {ids});
    CHECK(same_bits(run_all(**context, {ids}), expected));
    // A row of the table has its largest product with itself: the numbers are random.
    const auto logits = expected[0].elements<float>();
    for (int64_t i = 0; i < count; ++i) {
      const auto row = logits.subspan(static_cast<size_t>(i * kTableRows), kTableRows);
      CHECK_EQ(std::max_element(row.begin(), row.end()) - row.begin(), i * 17 % kTableRows);
    }
  }
}

TEST(tied_weights, are_stored_once_when_another_provider_reads_them_too) {
  GatheredElsewhere setting("tied_elsewhere");
  const auto& [folder, environment, options, compile] = setting;
  CHECK_OK(compile_to_output(environment, compile));
  // The gathering node of the CPU provider reads the table where the context has it.
  CHECK(std::filesystem::file_size(folder + "/m_ctx.onnx") < 8 * 1024);
  CHECK(std::filesystem::file_size(folder + "/m_aot.bin") <
        kTableRows * kTableWidth * 4 + 64 * 1024);
  const auto written = import_model_file(folder + "/m_ctx.onnx", ImportOptions{});
  CHECK_OK(written);
  const Value* table = (*written)->graph->find_value("table");
  CHECK(table != nullptr && table->initializer != nullptr);
  CHECK(table->initializer->external != nullptr);
  CHECK_EQ(table->initializer->external->location, "m_aot.bin");

  auto source = Session::create(environment, file_source(folder + "/m.onnx"), options);
  auto context = Session::create(environment, file_source(folder + "/m_ctx.onnx"), options);
  CHECK_OK(source);
  CHECK_OK(context);
  for (const int64_t count : {1, 5, 40}) {
    Tensor ids = Tensor::create(DType::kInt64, {1, count}).value();
    for (int64_t i = 0; i < count; ++i) ids.mutable_elements<int64_t>()[i] = i * 17 % kTableRows;
    CHECK(same_bits(run_all(**context, {ids}), run_all(**source, {ids})));
  }
}

// Who loads it from memory has no folder for external data.
TEST(tied_weights, stay_in_a_model_that_goes_to_a_stream) {
  GatheredElsewhere setting("tied_stream");
  auto& [folder, environment, options, compile] = setting;
  std::string model;
  compile.output_stream = ModelStream{nullptr, [&](Bytes piece) {
                                        model += as_text(piece);
                                        return Status::ok();
                                      }};
  compile.output_binary_folder = folder;
  compile.output_binary_model_name = "m";
  CHECK_OK(compile_to_output(environment, compile));
  CHECK(model.size() > kTableRows * kTableWidth * 4);
  SessionOptions loading = options;
  loading.context.file_path = folder + "/m.onnx";
  const auto context = Session::create(environment, memory_source(model), loading);
  const auto source = Session::create(environment, file_source(folder + "/m.onnx"), options);
  CHECK_OK(context);
  CHECK_OK(source);
  Tensor ids = Tensor::create(DType::kInt64, {1, 5}).value();
  for (int64_t i = 0; i < 5; ++i) ids.mutable_elements<int64_t>()[i] = i * 17 % kTableRows;
  CHECK(same_bits(run_all(**context, {ids}), run_all(**source, {ids})));
}

// They are external data in the context binary then, which is looked for as contexts are.
TEST(tied_weights, are_found_by_whoever_finds_the_context) {
  GatheredElsewhere setting("tied_found");
  auto& [folder, environment, options, compile] = setting;
  CHECK_OK(compile_to_output(environment, compile));
  const std::string model = get_file(folder + "/m_ctx.onnx");
  Tensor ids = Tensor::create(DType::kInt64, {1, 5}).value();
  for (int64_t i = 0; i < 5; ++i) ids.mutable_elements<int64_t>()[i] = i * 17 % kTableRows;
  const auto source = Session::create(environment, file_source(folder + "/m.onnx"), options);
  CHECK_OK(source);
  const auto expected = run_all(**source, {ids});
  const auto check = [&](const ModelSource& context, const SessionOptions& loading) {
    const auto session = Session::create(environment, context, loading);
    CHECK_OK(session);
    CHECK(same_bits(run_all(**session, {ids}), expected));
  };

  SessionOptions by_path = options;
  by_path.context.file_path = folder + "/m_ctx.onnx";
  check(memory_source(model), by_path);

  SessionOptions by_function = options;
  int asked = 0;
  by_function.read_context_data =
      [&, bytes = get_file(folder + "/m_aot.bin")](const std::string& name) -> Result<Blob> {
    CHECK_EQ(name, "m_aot.bin");
    ++asked;
    return Blob::from_string(bytes);
  };
  check(memory_source(model), by_function);
  CHECK_EQ(asked, 1);

  // What is said of the source's external data says nothing of contexts.
  const std::string other = fresh_folder("tied_other");
  SessionOptions elsewhere = options;
  elsewhere.context.external_folder = other;
  check(file_source(folder + "/m_ctx.onnx"), elsewhere);
  elsewhere.context.file_path = folder + "/m_ctx.onnx";
  check(memory_source(model), elsewhere);
  SessionOptions given = options;
  const std::string unread = "unread";
  given.external_files["w.data"] = as_bytes(unread);
  check(file_source(folder + "/m_ctx.onnx"), given);
}

TEST(tied_weights, go_to_the_file_that_was_asked_for) {
  GatheredElsewhere setting("tied_file");
  auto& [folder, environment, options, compile] = setting;
  compile.external_initializers = "x.w";
  CHECK_OK(compile_to_output(environment, compile));
  CHECK(std::filesystem::file_size(folder + "/x.w") >= kTableRows * kTableWidth * 4);
  const auto written = import_model_file(folder + "/m_ctx.onnx", ImportOptions{});
  CHECK_OK(written);
  const Value* table = (*written)->graph->find_value("table");
  CHECK(table != nullptr && table->initializer != nullptr);
  CHECK(table->initializer->external != nullptr);
  CHECK_EQ(table->initializer->external->location, "x.w");
}
