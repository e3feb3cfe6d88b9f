// SPDX-License-Identifier: MIT
// Models with custom operators, compiled ahead of time: what stands around them becomes contexts,
// they stay as they are, and who loads the result needs them again.
#include <algorithm>
#include <fstream>

#include "tests/api/custom_op_testing.h"

using namespace ortc;
using namespace ortc::test;
namespace w = ortc::wire;

namespace {

OrtStatus* compile(const Program& program, const std::string& model, const std::string& output) {
  OrtModelCompilationOptions* options = nullptr;
  CHECK_C(OrtCreateModelCompilationOptionsFromSessionOptions(program.env(), program.options(),
                                                             &options));
  CHECK_C(OrtModelCompilationOptions_SetInputModelFromBuffer(options, model.data(), model.size()));
  CHECK_C(OrtModelCompilationOptions_SetOutputModelPath(options, output.c_str()));
  OrtStatus* status = OrtCompileModel(program.env(), options);
  OrtReleaseModelCompilationOptions(options);
  return status;
}

// Operators of a model in its order.
std::vector<std::string> operators_in(const std::string& path) {
  auto model = w::import(read_whole_file(path));
  CHECK_OK(model);
  const Graph& graph = *(*model)->graph;
  std::vector<std::string> names;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node != nullptr) names.push_back(node->op_type());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST(custom_op, stands_between_the_contexts_of_a_compiled_model) {
  TestOp op;
  const std::string path = temp_dir() + "/sandwich_ctx.onnx";
  {
    Program compiler({&op});
    compiler.use("AOT");
    CHECK_C(compile(compiler, sandwich(), path));
  }
  CHECK_EQ(op.made, 0);
  CHECK(operators_in(path) == (std::vector<std::string>{"Double", "EPContext", "EPContext"}));
  Program program({&op});
  program.use("AOT");
  CHECK_C(program.load_file(path));
  CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
  CHECK_EQ(op.computed, 1);
}

TEST(custom_op, is_asked_for_by_name_when_a_compiled_model_is_loaded_without_it) {
  TestOp op;
  const std::string path = temp_dir() + "/alone_ctx.onnx";
  {
    Program compiler({&op});
    compiler.use("AOT");
    CHECK_C(compile(compiler, sandwich(), path));
  }
  Program program({});
  program.use("AOT");
  for (const char* text : {"Double 'custom'", "mine.Double", "the domain 'mine'",
                           "OrtRegisterCustomOpsLibrary_V2() or OrtAddCustomOpDomain()"}) {
    CHECK_C_FAILS(program.load_file(path), ORT_NOT_IMPLEMENTED, text);
  }
}

TEST(custom_op, that_cannot_run_here_is_refused_before_anything_is_compiled) {
  const std::string path = temp_dir() + "/refused_ctx.onnx";
  TestOp op;
  op.provider = "NpuExecutionProvider";
  Program compiler({&op});
  compiler.use("AOT");
  CHECK_C_FAILS(compile(compiler, sandwich(), path), ORT_NOT_IMPLEMENTED,
                "is for NpuExecutionProvider");
  Program without({});
  without.use("AOT");
  CHECK_C_FAILS(compile(without, sandwich(), path), ORT_NOT_IMPLEMENTED, "mine.Double");
  CHECK(!std::ifstream(path).good());
}

// An operator of the program in the place of ONNX's must not be compiled as ONNX's.
TEST(custom_op, of_a_name_of_onnx_is_not_compiled_as_that) {
  const std::string path = temp_dir() + "/replaced_ctx.onnx";
  TestOp abs("Abs");
  Program program({&abs}, "");
  program.use("AOT");
  const std::string model =
      w::model(w::graph({w::node("Abs", {"x"}, {"a"}, {}, "custom"), w::node("Neg", {"a"}, {"y"})},
                        {w::value("x", 1, {2})}, {w::value("y", 1, {2})}));
  CHECK_C(compile(program, model, path));
  CHECK(operators_in(path) == (std::vector<std::string>{"Abs", "EPContext"}));
  CHECK_C(program.load_file(path));
  CHECK(program.run({2}, {-1, 2}) == Numbers({2, -4}));
}

TEST(custom_op, makes_the_cache_of_compiled_models_step_aside) {
  TestOp op;
  Program program({&op});
  program.use("AOT");
  const std::string folder = temp_dir() + "/cache";
  CHECK_C(OrtAddSessionConfigEntry(program.options(), "ep.context_cache_dir", folder.c_str()));
  for (int i = 0; i < 2; ++i) {
    CHECK_C(program.load(sandwich()));
    CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
  }
  CHECK(!std::ifstream(folder).good());
  CHECK_EQ(op.made, 2);
}
