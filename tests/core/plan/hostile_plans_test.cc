// SPDX-License-Identifier: MIT
// Crafted Plans are refused quickly and with little memory, or run without harm and stop when they
// are told to; as images, and in context files whose checksums are right.
#include "tests/core/plan/hostile_plans.h"

#include "tests/core/plan/plan_samples.h"
#include "tests/core/plan/watchdog.h"
#include "tests/fuzz/seal_context.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/fault_table.h"

using namespace ortc;
using namespace ortc::test;

namespace {

Result<std::shared_ptr<const Plan>> open_image(const Sample& sample, const std::string& image) {
  const Blob bytes = exact_copy(image);
  watch_bytes();
  const double begin = cpu_ms();
  auto plan = Plan::open(bytes, sample.tensors, cpu::lowering_rules().kernels);
  const double ms = cpu_ms() - begin;
  const long limit = kBytesMax + static_cast<long>(image.size());
  if (!plan.is_ok() && !is_sanitized() && !is_emulated() && (ms > kMsMax || peak_bytes() > limit)) {
    check_failed(__FILE__, __LINE__,
                 str_cat("refused only after ", ms, " ms and ", peak_bytes(),
                         " bytes: ", plan.status().message()));
  }
  return plan;
}

void run_plan(const Sample& sample, std::shared_ptr<const Plan> plan, Watchdog& watchdog) {
  ArenaPool arenas;
  ExecutorContext context;
  context.isa = host_isa();
  context.arenas = &arenas;
  auto runner = Runner::create(std::move(plan), {}, context);
  if (!runner.is_ok()) return;
  std::vector<ValueRef> refs;
  for (const Tensor& input : sample.inputs) refs.push_back(ref_to(input));
  const BodyRecord& body = (*runner)->plan().body(0);
  refs.resize(body.inputs.count, refs.empty() ? ValueRef{} : refs[0]);
  std::vector<OutputTarget> outputs(body.outputs.count);
  RunRequest request;
  request.terminate = &watchdog.start();
  const Status status = (*runner)->run(refs, outputs, request);
  CHECK(status.is_ok() || !status.message().empty());
}

void try_sample(const Sample& sample) {
  Watchdog watchdog;
  const std::string image(sample.plan.image.text());
  int opened = 0, tried = 0;
  const auto try_image = [&](const std::string& edited) {
    // What is looked for does not depend on the processor.
    if (++tried % 17 != 0 && is_emulated()) return;
    auto plan = open_image(sample, edited);
    if (!plan.is_ok()) {
      CHECK(!plan.status().message().empty());
      return;
    }
    ++opened;
    CHECK(print_plan(**plan).size() < 200 * image.size());
    run_plan(sample, std::move(plan).value(), watchdog);
  };
  try_image(image);
  CHECK_EQ(opened, 1);
  for_each_edge(image, try_image);
  for_each_overlap(image, try_image);
  CHECK(opened < tried / 2);
}

void check_refused(const std::string& image, std::string_view text) {
  const auto plan = open_image(Sample{}, image);
  CHECK_CODE(plan, Code::kInvalidGraph);
  if (plan.status().message().find(text) != std::string::npos) return;
  check_failed(__FILE__, __LINE__, str_cat("'", text, "' in: ", plan.status().message()));
}

std::string relu_chain(uint32_t count) {
  const KernelRow* row = nullptr;
  for (const KernelTable& table : cpu::lowering_rules().kernels.tables()) {
    for (const KernelRow& r : table) {
      if (r.op == "Relu" && (r.types & mask_of(DType::kFloat32)) != 0) row = &r;
    }
  }
  CHECK(row != nullptr);
  return chain(count, row->id, row->contract);
}

}  // namespace

TEST(hostile_plans, a_network_with_each_field_at_its_edges) { try_sample(network()); }

TEST(hostile_plans, a_loop_with_each_field_at_its_edges) { try_sample(convolutions()); }

TEST(hostile_plans, a_scan_with_each_field_at_its_edges) { try_sample(scan()); }

TEST(hostile_plans, bodies_are_nested_as_deep_as_in_models_and_no_deeper) {
  CHECK_OK(open_image(Sample{}, nested_ifs(20, /*shared=*/false)));
  check_refused(nested_ifs(21, false), "bodies are nested deeper than 20");
  check_refused(nested_ifs(20000, false), "bodies are nested deeper than 20");
}

TEST(hostile_plans, a_body_is_used_once) {
  check_refused(nested_ifs(20, /*shared=*/true), "is used twice");
}

TEST(hostile_plans, lists_do_not_overlap) {
  ImageEditor plan(relu_chain(9000));
  // Every step reads the same long list: its own input, as often as there are entries.
  const PlanTable indices = plan.header().indices;
  for (uint32_t i = 0; i < indices.count; ++i) plan.record<uint32_t>(indices, i) = 0;
  for (uint32_t i = 0; i < plan.header().steps.count; ++i) {
    plan.step(i).inputs = {0, indices.count};
    plan.step(i).outputs = {0, 0};
  }
  check_refused(plan.bytes(), "overlaps");
}

TEST(hostile_plans, texts_are_not_much_longer_than_the_image) {
  ImageEditor plan(relu_chain(9000));
  for (uint32_t i = 0; i < plan.header().slots.count; ++i) {
    plan.slot(i).name = {0, plan.header().text.count};
  }
  CHECK_OK(open_image(Sample{}, plan.bytes()));  // its text is short
  PlanHeader& header = plan.header();
  header.text = {0, static_cast<uint32_t>(header.image_size), 1};
  for (uint32_t i = 0; i < header.slots.count; ++i) plan.slot(i).name = {0, header.text.count};
  check_refused(plan.bytes(), "the texts so far");
}

TEST(hostile_plans, records_of_bodies_are_their_own) {
  ImageEditor plan(nested_ifs(3, false));
  plan.body(2).slots = plan.body(1).slots;
  check_refused(plan.bytes(), "are those of the body before");
}

TEST(hostile_plans, last_readers_are_the_last) {
  ImageEditor early(relu_chain(3));
  early.slot(1).last_use = 0;
  check_refused(early.bytes(), "its last reader is step 1, the record says 0");
  ImageEditor output(relu_chain(3));
  output.slot(3).last_use = 2;
  check_refused(output.bytes(), "its last reader is step none, the record says 2");
}

TEST(hostile_plans, values_of_a_file_lie_on_the_host) {
  ImageEditor slot(relu_chain(3));
  slot.slot(2).memory = 1;
  check_refused(slot.bytes(), "values of a file lie on the host");
  ImageEditor step(relu_chain(3));
  step.step(1).kind = static_cast<uint16_t>(StepKind::kTransfer);
  check_refused(step.bytes(), "its record is damaged");
}

TEST(hostile_plans, kernels_with_endless_names_are_not_looked_up) {
  ImageEditor plan(relu_chain(9000));
  PlanHeader& header = plan.header();
  header.text = {0, static_cast<uint32_t>(header.image_size), 1};
  for (uint32_t i = 0; i < header.steps.count; ++i) plan.step(i).kernel = {0, header.text.count};
  check_refused(plan.bytes(), "which this library does not have");
}

// The same through files: the checksums of the container are right.
TEST(hostile_plans, in_context_files_are_refused_or_run) {
  const std::string source = temp_dir() + "/m.onnx", context = temp_dir() + "/m_ctx.onnx";
  write_whole_file(source, small_network(16));
  compile_to(source, context);
  const std::string binary = read_whole_file(temp_dir() + "/m_aot.bin");
  const size_t at = binary.find("OPLN");
  CHECK(at != std::string::npos);
  PlanHeader header;
  std::memcpy(&header, binary.data() + at, sizeof header);
  const std::string image = binary.substr(at, header.image_size);
  const auto environment = quiet_environment();
  const Tensor x = Tensor::from<float>({3, 16}, random_numbers(48, 1));
  int number = 0, opened = 0;
  const auto load = [&](const std::string& edited) {
    if (number++ % (is_sanitized() || is_emulated() ? 101 : 23) != 0) return;
    std::string file = binary;
    file.replace(at, edited.size(), edited);
    fuzz::seal_context(file);
    write_whole_file(temp_dir() + "/m_aot.bin", file);
    auto session =
        Session::create(environment, file_source(context), options_with(*environment, {"AOT"}));
    if (!session.is_ok()) {
      CHECK_CODE(session, Code::kInvalidGraph);
      return;
    }
    ++opened;
    std::vector<Tensor> outputs;
    const Status status = try_run(**session, {x}, &outputs);
    CHECK(status.is_ok() || !status.message().empty());
  };
  load(image);
  CHECK_EQ(opened, 1);
  for_each_edge(image, load);
  for_each_overlap(image, load);
  CHECK(opened < number);
}
