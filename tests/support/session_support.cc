// SPDX-License-Identifier: MIT
// Sessions for tests: see the header.
#include "tests/support/session_support.h"

#include <cstring>

#include "tests/support/test.h"

namespace ortc::test {

std::shared_ptr<const Environment> quiet_environment() {
  auto sink = std::make_shared<const LogSink>([](const LogRecord&) {});
  return std::make_shared<const Environment>(Logger(sink, "test", Severity::kWarning),
                                             built_in_providers());
}

SessionOptions options_with(const Environment& environment, std::vector<std::string> providers,
                            int threads) {
  SessionOptions options;
  options.intra_op_threads = threads;
  for (const std::string& name : providers) {
    const auto factory = environment.providers().find(name);
    CHECK(factory != nullptr);
    options.providers.push_back({factory, {}, {}});
  }
  return options;
}

ModelSource file_source(const std::string& path) {
  ModelSource source;
  source.path = path;
  return source;
}

ModelSource memory_source(std::string bytes) {
  ModelSource source;
  source.bytes = Blob::from_string(std::move(bytes));
  source.from_memory = true;
  return source;
}

Status try_run(const Session& session, const std::vector<Tensor>& inputs,
               std::vector<Tensor>* outputs) {
  std::vector<std::string_view> input_names, output_names;
  for (size_t i = 0; i < inputs.size(); ++i) input_names.push_back(session.inputs()[i].name);
  for (const Port& port : session.outputs()) output_names.push_back(port.name);
  outputs->assign(output_names.size(), Tensor());
  return session.run(input_names, inputs, output_names, *outputs);
}

Status try_run_values(const Session& session, const std::vector<Datum>& inputs,
                      std::vector<Datum>* outputs) {
  std::vector<std::string_view> input_names, output_names;
  for (size_t i = 0; i < inputs.size(); ++i) input_names.push_back(session.inputs()[i].name);
  for (const Port& port : session.outputs()) output_names.push_back(port.name);
  outputs->assign(output_names.size(), Datum());
  return session.run_values(input_names, inputs, output_names, *outputs);
}

std::vector<Tensor> run_all(const Session& session, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> outputs;
  CHECK_OK(try_run(session, inputs, &outputs));
  return outputs;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i].dtype() == b[i].dtype() && a[i].dims() == b[i].dims() &&
                      std::memcmp(a[i].data(), b[i].data(), a[i].byte_size()) == 0;
    if (!same) return false;
  }
  return true;
}

bool all_near(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double rtol,
              double atol) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype() != b[i].dtype() || a[i].dims() != b[i].dims()) return false;
    if (a[i].dtype() != DType::kFloat32) {
      if (std::memcmp(a[i].data(), b[i].data(), a[i].byte_size()) != 0) return false;
      continue;
    }
    const auto x = a[i].elements<float>(), y = b[i].elements<float>();
    for (size_t k = 0; k < x.size(); ++k) {
      if (!nearly_equal(x[k], y[k], rtol, atol)) return false;
    }
  }
  return true;
}

CompileReport compile_to(const std::string& source, const std::string& output, bool embed) {
  const auto environment = quiet_environment();
  CompileOptions options = CompileOptions::from(options_with(*environment, {"AOT"}));
  options.input = file_source(source);
  options.output_path = output;
  options.embed = embed;
  auto report = compile_to_output(environment, options);
  CHECK_OK(report);
  return std::move(report).value();
}

Tensor random_input(const Port& port, int64_t free_dim, unsigned seed) {
  Dims dims;
  for (const Dim& dim : *port.type.shape) dims.push_back(dim.is_known() ? dim.value : free_dim);
  Tensor tensor = Tensor::create(port.type.dtype, dims).value();
  const auto numbers = random_numbers(static_cast<size_t>(tensor.element_count()), seed);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (port.type.dtype == DType::kFloat32) tensor.mutable_elements<float>()[i] = numbers[i];
    if (port.type.dtype == DType::kInt64)
      tensor.mutable_elements<int64_t>()[i] = numbers[i] > 0 ? 1 : 0;
    if (port.type.dtype == DType::kBool) tensor.mutable_elements<bool>()[i] = numbers[i] > 0;
  }
  return tensor;
}

std::string small_network(int64_t width, unsigned seed) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, width});
  const auto w1 = g.random_floats("w1", {width, width}, seed, 0.3f);
  const auto b1 = g.random_floats("b1", {width}, seed + 1);
  const auto w2 = g.random_floats("w2", {width, width}, seed + 2, 0.3f);
  auto h = g.node("MatMul", {x, w1}, {"h"})[0];
  h = g.node("Add", {h, b1}, {"hb"})[0];
  h = g.node("Relu", {h}, {"hr"})[0];
  h = g.node("MatMul", {h, w2}, {"g"})[0];
  h = g.node("Add", {h, x}, {"sum"})[0];
  const auto shape = g.node("Shape", {x}, {"shape"})[0];
  const auto first = g.node("Gather", {shape, g.int64s("zero", {1}, {0})}, {"first"})[0];
  const auto wanted = g.node("Concat", {first, g.int64s("minus", {1}, {-1})}, {"wanted"},
                             {Attribute::of_int("axis", 0)})[0];
  const auto flat = g.node("Reshape", {h, wanted}, {"flat"})[0];
  g.output(g.node("Tanh", {flat}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

}  // namespace ortc::test
