// SPDX-License-Identifier: MIT
// What a model says of a compiled part must be true of its context.
#include "core/run/runner.h"

#include "core/graph/export.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// Loads the compiled small_network after `edit` has changed its graph.
Status load_edited(const std::function<void(Graph&)>& edit) {
  const std::string source = temp_dir() + "/m.onnx", context = temp_dir() + "/m_ctx.onnx";
  write_whole_file(source, small_network(16));
  compile_to(source, context);
  auto model = import_model_bytes(Blob::from_string(read_whole_file(context)), ImportOptions{});
  CHECK_OK(model);
  edit(*(*model)->graph);
  std::string bytes;
  CHECK_OK(export_model(**model, ExportOptions{}, [&](Bytes piece) {
    bytes.append(as_text(piece));
    return Status::ok();
  }));
  write_whole_file(context, bytes);
  const auto environment = quiet_environment();
  return Session::create(environment, file_source(context), options_with(*environment, {"AOT"}))
      .status();
}

void set_dtype(Graph& graph, ValueId id, DType dtype) { graph.value(id)->type.dtype = dtype; }

}  // namespace

TEST(runner, takes_a_context_whose_types_are_those_of_the_model) {
  CHECK_OK(load_edited([](Graph&) {}));
}

TEST(runner, refuses_a_context_that_gives_other_types_than_the_model_declares) {
  const Status status =
      load_edited([](Graph& graph) { set_dtype(graph, graph.outputs()[0], DType::kFloat64); });
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(status.message().find("'y' is float32, the model declares float64") != std::string::npos);
}

TEST(runner, refuses_a_context_that_takes_other_types_than_the_model_declares) {
  const Status status =
      load_edited([](Graph& graph) { set_dtype(graph, graph.inputs()[0], DType::kFloat64); });
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(status.message().find("'x' is float32, the model declares float64") != std::string::npos);
}
