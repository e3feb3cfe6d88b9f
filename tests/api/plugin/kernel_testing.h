// SPDX-License-Identifier: MIT
// What the tests of libraries' kernels share: sessions with the kernel library, and what it counts.
#pragma once

#include "tests/api/plugin/plugin_testing.h"

namespace ortc::test {

inline constexpr char kKernelEp[] = "KernelLibraryEp";

struct KernelSetting {
  KernelSetting() : env(quiet_env()) {
    CHECK(add_library(env, "kernels", ORTC_KERNEL_LIBRARY).is_ok());
  }
  Options options(const std::string& fault = "") const { return options_of(env, kKernelEp, fault); }
  Outcome try_session(const std::string& model, const std::string& fault,
                      OwnSession* session) const {
    return make_session(env, model, options(fault), session);
  }
  Env env;
};

// "packed", "computed" and so on; -1 when the library is not loaded.
inline int kernel_number(const std::string& name) {
  void* library = dlopen(ORTC_KERNEL_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return -1;
  const auto function =
      reinterpret_cast<int (*)()>(dlsym(library, ("kernel_library_" + name).c_str()));
  CHECK(function != nullptr);
  const int number = function();
  dlclose(library);
  return number;
}

// The operators that a provider got, each with a space behind.
inline std::string nodes_of(OrtSession* session, const std::string& ep) {
  const OrtEpAssignedSubgraph* const* parts = nullptr;
  size_t count = 0;
  CHECK(Outcome(OrtSession_GetEpGraphAssignmentInfo(session, &parts, &count)).is_ok());
  std::string found;
  for (size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    const OrtEpAssignedNode* const* nodes = nullptr;
    size_t node_count = 0;
    CHECK(Outcome(OrtEpAssignedSubgraph_GetEpName(parts[i], &name)).is_ok());
    CHECK(Outcome(OrtEpAssignedSubgraph_GetNodes(parts[i], &nodes, &node_count)).is_ok());
    for (size_t k = 0; k < node_count && ep == name; ++k) {
      const char* op_type = nullptr;
      CHECK(Outcome(OrtEpAssignedNode_GetOperatorType(nodes[k], &op_type)).is_ok());
      found += std::string(op_type) + " ";
    }
  }
  return found;
}

// y = Neg(Relu(x * w + x)).
inline std::string mul_add_relu_neg(std::vector<float> w = {2, 2, 2, 2}) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId weight = g.floats("w", {4}, std::move(w));
  const ValueId product = g.node("Mul", {x, weight}, {"product"})[0];
  const ValueId sum = g.node("Add", {product, x}, {"sum"})[0];
  const ValueId positive = g.node("Relu", {sum}, {"positive"})[0];
  g.output(g.node("Neg", {positive}, {"y"})[0]);
  return g.model_bytes();
}

// y: the rows [i * x] for i in 0, 1, 2, by a Loop.
inline std::string loop_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId trips = g.int64s("trips", {}, {3});
  GraphBuilder body(17, &g.graph());
  const ValueId i = body.input("i", DType::kInt64, {});
  const ValueId go_on = body.input("go_on", DType::kBool, {});
  const ValueId number = body.node("Cast", {i}, {"number"}, {Attribute::of_int("to", 1)})[0];
  const ValueId outer = body.graph().capture(x).value();
  body.output(body.node("Identity", {go_on}, {"go_on_out"})[0]);
  body.output(body.node("Mul", {outer, number}, {"row"})[0]);
  g.output(g.node("Loop", {trips, kNoValue}, {"y"}, {graph_attribute("body", body.shared())})[0]);
  return g.model_bytes();
}

// y: the running sums of the columns of x, which is [2,3]; scanned and put together along axis 1.
inline std::string scan_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2, 3});
  const ValueId zero = g.floats("zero", {2}, {0, 0});
  GraphBuilder body(17, &g.graph());
  const ValueId sum = body.input("sum", DType::kFloat32, {2});
  const ValueId column = body.input("column", DType::kFloat32, {2});
  const ValueId next = body.node("Add", {sum, column}, {"next"})[0];
  body.output(next);
  body.output(body.node("Identity", {next}, {"seen"})[0]);
  const auto outputs = g.node(
      "Scan", {zero, x}, {"last", "y"},
      {graph_attribute("body", body.shared()), Attribute::of_int("num_scan_inputs", 1),
       Attribute::of_ints("scan_input_axes", {1}), Attribute::of_ints("scan_output_axes", {1})});
  g.output(outputs[1]);
  return g.model_bytes();
}

// y = x * 3 when the sum of x is positive, else Relu(x).
inline std::string if_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId zero = g.floats("zero", {}, {0});
  const ValueId sum = g.node("ReduceSum", {x}, {"sum"}, {Attribute::of_int("keepdims", 0)})[0];
  const ValueId is_positive = g.node("Greater", {sum, zero}, {"is_positive"})[0];
  GraphBuilder yes(17, &g.graph()), no(17, &g.graph());
  const ValueId inside = yes.graph().capture(x).value();
  const ValueId three = yes.floats("three", {4}, {3, 3, 3, 3});
  yes.output(yes.node("Mul", {inside, three}, {"tripled"})[0]);
  no.output(no.node("Relu", {no.graph().capture(x).value()}, {"positive"})[0]);
  g.output(g.node("If", {is_positive}, {"y"},
                  {graph_attribute("then_branch", yes.shared()),
                   graph_attribute("else_branch", no.shared())})[0]);
  return g.model_bytes();
}

}  // namespace ortc::test
