// SPDX-License-Identifier: MIT
// ort_c/cxx while memory runs out, at each allocation in turn: what was got is given back.
#include "tests/api/cxx/cxx_testing.h"
#include "tests/support/failing_allocations.h"

using namespace ortc::test;

namespace {

// Made while memory is there.
struct Made {
  Ort::Env env;
  Ort::Session session{env, data("described.onnx"), Ort::SessionOptions()};
  std::vector<float> numbers{1, 2};
  Ort::Value x = Ort::Value::CreateTensor<float>(numbers, {2});
};

// True when the work succeeds, false when it throws.
template <void work(const Made&)>
bool attempt(void* made) {
  try {
    work(*static_cast<const Made*>(made));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const Ort::Exception& failure) {
    CHECK(failure.what()[0] != '\0');
    return false;
  }
}

void ask(const Made& made) {
  Ort::AllocatorWithDefaultOptions allocator;
  CHECK_EQ(made.session.GetInputNames().size(), size_t{1});
  CHECK_EQ(made.session.GetMemoryInfoForInputs().size(), size_t{1});
  CHECK_EQ(made.session.GetInputs().size(), size_t{1});
  const Ort::ModelMetadata metadata = made.session.GetModelMetadata();
  CHECK_EQ(metadata.GetCustomMetadataMapKeysAllocated(allocator).size(), size_t{2});
  CHECK(!Ort::GetAvailableProviders().empty());
  CHECK(!made.env.GetEpDevices()[0].EpMetadata().GetKeyValuePairs().empty());
}

void run(const Made& made) {
  Ort::Outputs outputs = made.session.run({{"x", made.x}});
  CHECK_EQ(outputs["y"].GetTensorSpan<float>()[1], 22.0f);
}

void bind(const Made& made) {
  const Ort::MemoryInfo cpu = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  OrtIoBinding* binding = nullptr;
  Ort::ThrowOnError(OrtCreateIoBinding(made.session, &binding));
  Ort::IoBinding owner(binding);
  owner.BindInput("x", made.x);
  owner.BindOutput("y", cpu);
  made.session.Run(Ort::RunOptions{nullptr}, owner);
  CHECK_EQ(owner.GetOutputNames()[0], std::string("y"));
  CHECK_EQ(owner.GetOutputValues()[0].GetTensorSpan<float>()[1], 22.0f);
}

void build(const Made&) {
  const Ort::TensorTypeAndShapeInfo tensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {2});
  const Ort::TypeInfo type = Ort::TypeInfo::CreateTensorInfo(tensor.GetConst());
  std::vector<Ort::ValueInfo> inputs;
  inputs.emplace_back("x", type.GetConst());
  const float slope = 0.5f;
  std::vector<Ort::OpAttr> attributes;
  attributes.emplace_back("alpha", &slope, 1, ORT_OP_ATTR_FLOAT);
  Ort::Node node("LeakyRelu", "", "leak", {"x"}, {"y"}, attributes);
  Ort::Graph graph;
  graph.SetInputs(inputs);
  graph.AddNode(node);
  Ort::Model model({{"", 17}});
  model.AddGraph(graph);
}

void set(const Made&) {
  Ort::SessionOptions options;
  options.AppendExecutionProvider("AOT", {{"target", "host"}});
  options.SetLoadProgress([](const Ort::Progress&) { return true; });
  const Ort::SessionOptions copy = options.Clone();
  CHECK_EQ(copy.GetConfigEntryOrDefault("ep.context_enable", "none"), std::string("none"));
}

}  // namespace

TEST(cxx_memory, that_runs_out_loses_nothing) {
  Made made;
  run(made);  // what a first run prepares
  try_every_allocation("asking a session", attempt<ask>, &made);
  try_every_allocation("a run by names", attempt<run>, &made);
  try_every_allocation("a binding", attempt<bind>, &made);
  try_every_allocation("the model editor", attempt<build>, &made);
  try_every_allocation("session options", attempt<set>, &made);
}
