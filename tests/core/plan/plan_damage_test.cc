// SPDX-License-Identifier: MIT
// Plan images are untrusted once a context was crafted with right checksums: every flipped byte and
// every truncation is refused, or the plan still runs without touching memory that is not its own
// (the sanitizers' builds look).
#include "core/compile/lowering.h"
#include "core/ops/infer.h"
#include "core/plan/plan.h"
#include "core/run/executor.h"
#include "providers/cpu/fusions/fusions.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Sample {
  PlanImage plan;
  std::vector<Blob> tensors;
  std::vector<Tensor> inputs;
};

Sample lowered(Graph& graph, std::vector<Tensor> inputs) {
  LoweringOptions options;
  options.rules = &cpu::lowering_rules();
  Sample sample;
  sample.plan = lower(graph, options).value();
  for (const Tensor& tensor : sample.plan.tensors)
    sample.tensors.emplace_back(tensor.bytes(), tensor.owner());
  sample.inputs = std::move(inputs);
  return sample;
}

Sample network() {
  auto model = import_model_bytes(Blob::from_string(small_network(16)), ImportOptions{}).value();
  CHECK_OK(infer_types(*model->graph));
  return lowered(*model->graph, {Tensor::from<float>({3, 16}, random_numbers(48, 1))});
}

// Conv -> Relu -> MaxPool -> Conv + residual -> GlobalAveragePool, and a Loop.
Sample convolutions() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 2, 6, 6});
  auto h = g.node("Conv", {x, g.random_floats("w1", {4, 2, 3, 3}, 1)}, {"c1"},
                  {Attribute::of_ints("pads", {1, 1, 1, 1})})[0];
  h = g.node("Relu", {h}, {"r"})[0];
  h = g.node(
      "MaxPool", {h}, {"p"},
      {Attribute::of_ints("kernel_shape", {2, 2}), Attribute::of_ints("strides", {2, 2})})[0];
  const auto c2 = g.node("Conv", {h, g.random_floats("w2", {4, 4, 1, 1}, 2)}, {"c2"})[0];
  h = g.node("Add", {c2, h}, {"a"})[0];
  h = g.node("GlobalAveragePool", {h}, {"gap"})[0];
  GraphBuilder body(17, &g.graph());
  body.input("i", DType::kInt64, {});
  const auto go = body.input("go", DType::kBool, {});
  const auto v = body.input("v", DType::kFloat32, {1, 4, 1, 1});
  body.output(body.node("Identity", {go}, {"go2"})[0]);
  body.output(body.node("Mul", {v, v}, {"vv"})[0]);
  Attribute attribute;
  attribute.name = "body";
  attribute.kind = AttributeKind::kGraph;
  attribute.graph = body.shared();
  g.output(g.node("Loop", {g.int64s("n", {}, {2}), kNoValue, h}, {"y"}, {attribute})[0]);
  g.infer();
  return lowered(g.graph(), {Tensor::from<float>({1, 2, 6, 6}, random_numbers(72, 4))});
}

// A Scan along axis 1, read and written from the end.
Sample scan() {
  GraphBuilder g;
  const auto start = g.input("start", DType::kFloat32, {2});
  const auto x = g.input("x", DType::kFloat32, {2, 5});
  GraphBuilder body(17, &g.graph());
  const auto sum = body.input("sum", DType::kFloat32, {2});
  const auto element = body.input("element", DType::kFloat32, {2});
  const auto next = body.node("Add", {sum, element}, {"next"})[0];
  body.output(next);
  body.output(body.node("Mul", {next, next}, {"square"})[0]);
  Attribute attribute;
  attribute.name = "body";
  attribute.kind = AttributeKind::kGraph;
  attribute.graph = body.shared();
  const auto out = g.node(
      "Scan", {start, x}, {"last", "squares"},
      {attribute, Attribute::of_int("num_scan_inputs", 1),
       Attribute::of_ints("scan_input_axes", {1}), Attribute::of_ints("scan_output_axes", {-1}),
       Attribute::of_ints("scan_input_directions", {1}),
       Attribute::of_ints("scan_output_directions", {1})});
  g.output(out[0]);
  g.output(out[1]);
  g.infer();
  return lowered(g.graph(), {Tensor::from<float>({2}, random_numbers(2, 5)),
                             Tensor::from<float>({2, 5}, random_numbers(10, 6))});
}

// True when the image was opened and the run ended in success or in a status.
bool try_image(const Sample& sample, std::string image) {
  // A copy of its own, exactly as large, so that reading beyond it is seen.
  Tensor bytes = Tensor::create(DType::kUint8, {static_cast<int64_t>(image.size())}).value();
  std::memcpy(bytes.mutable_data(), image.data(), image.size());
  auto plan =
      Plan::open(Blob(bytes.bytes(), bytes.owner()), sample.tensors, cpu::lowering_rules().kernels);
  if (!plan.is_ok()) return false;
  ArenaPool arenas;
  ExecutorContext context;
  context.isa = host_isa();
  context.arenas = &arenas;
  auto runner = Runner::create(std::move(plan).value(), {}, context);
  if (!runner.is_ok()) return false;
  std::vector<ValueRef> refs;
  for (const Tensor& input : sample.inputs) {
    refs.push_back({input.dtype(), static_cast<uint32_t>(input.dims().size()), input.dims().data(),
                    const_cast<void*>(input.data())});
  }
  const BodyRecord& body = (*runner)->plan().body(0);
  refs.resize(body.inputs.count, refs.empty() ? ValueRef{} : refs[0]);
  std::vector<OutputTarget> outputs(body.outputs.count);
  std::atomic<bool> stop{false};
  RunRequest request;
  request.terminate = &stop;
  const Status status = (*runner)->run(refs, outputs, request);
  return status.is_ok() || !status.message().empty();
}

void damage(const Sample& sample) {
  const std::string image(sample.plan.image.text());
  CHECK(try_image(sample, image));
  int opened = 0, tried = 0;
  static constexpr int kMasks[] = {1, 0x80, 0xff};
  // What is looked for does not depend on the processor: a sample will do where every byte takes an
  // hour.
  const size_t step = is_emulated() ? 17 : 1;
  for (size_t at = 0; at < image.size(); at += step) {
    std::string damaged = image;
    damaged[at] = static_cast<char>(damaged[at] ^ kMasks[at % 3]);
    opened += try_image(sample, std::move(damaged)) ? 1 : 0;
    ++tried;
  }
  // Names and last uses do not matter to a run; most of the rest does.
  CHECK(opened > 0 && opened < tried);
  for (size_t size = 0; size < image.size(); size += step)
    CHECK(!try_image(sample, image.substr(0, size)));
}

}  // namespace

TEST(plan_damage, every_byte_of_a_matmul_network_is_refused_or_harmless) { damage(network()); }

TEST(plan_damage, every_byte_of_a_convolutional_network_with_a_loop_is_refused_or_harmless) {
  damage(convolutions());
}

TEST(plan_damage, every_byte_of_a_scan_is_refused_or_harmless) { damage(scan()); }

TEST(plan_dump, names_kernels_slots_and_constants) {
  const Sample sample = network();
  const auto plan = Plan::open(sample.plan.image, sample.tensors, cpu::lowering_rules().kernels);
  CHECK_OK(plan);
  const std::string text = print_plan(*plan.value());
  for (const char* part : {"body 0", "[gemm.f32 #1]", "layout 1", "outputs:"}) {
    CHECK(text.find(part) != std::string::npos);
  }
}

ORTC_TEST_MAIN()
