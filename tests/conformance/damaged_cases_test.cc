// SPDX-License-Identifier: MIT
// Records of the plans of ONNX's packaged cases, with numbers changed: opening or binding refuses
// them, or the run stays inside its memory (a sanitizer sees every byte too many, and a process
// that ends early names its case). Each case is tried as it is, and with constants for all inputs
// but the first, since those are packed.
//
//   ORTC_DAMAGED_CASES="ROUNDS SEED"   of each case; "20 1" when it is not set
//   ORTC_CONFORMANCE_CASES             another folder of cases
#include <cstdio>
#include <cstdlib>
#include <random>

#include "core/compile/lowering.h"
#include "core/graph/model.h"
#include "core/ops/infer.h"
#include "core/optimise/pipeline.h"
#include "core/plan/plan.h"
#include "core/run/runner.h"
#include "providers/cpu/fusions/fusions.h"
#include "tests/conformance/case_reader.h"
#include "tests/conformance/workers.h"
#include "tests/core/plan/watchdog.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

struct Amount {
  int rounds = 20;
  unsigned seed = 1;

  static Amount read() {
    Amount amount;
    if (const char* text = getenv("ORTC_DAMAGED_CASES")) {
      CHECK_EQ(sscanf(text, "%d %u", &amount.rounds, &amount.seed), 2);
    }
    return amount;
  }
};

// --- Memory of exactly the size that is needed.

std::shared_ptr<void> exact_bytes(size_t size) {
  void* bytes = nullptr;
  if (posix_memalign(&bytes, 64, size) != 0) return nullptr;
  return {bytes, std::free};
}

Result<Tensor> exact_tensor(DType dtype, std::span<const int64_t> dims) {
  const auto count = checked_element_count(dims);
  const auto size = count ? dtype_bytes(dtype, static_cast<uint64_t>(*count)) : std::nullopt;
  if (dtype == DType::kString || !size)
    return Tensor::create(dtype, Dims(dims.begin(), dims.end()));
  constexpr size_t kMost = size_t{16} << 20;
  auto bytes = *size <= kMost ? exact_bytes(*size) : nullptr;
  if (bytes == nullptr) return fail("no memory for ", *size, " bytes");
  if (*size > 0) std::memset(bytes.get(), 0, *size);
  const Bytes view(static_cast<const std::byte*>(bytes.get()), *size);
  return Tensor::view(dtype, Dims(dims.begin(), dims.end()), view, std::move(bytes));
}

Datum exact_copy(const Datum& datum) {
  const Tensor* tensor = datum.tensor();
  if (tensor == nullptr || tensor->dtype() == DType::kString) return datum;
  Tensor copy = exact_tensor(tensor->dtype(), tensor->dims()).value();
  if (copy.byte_size() > 0) std::memcpy(copy.mutable_data(), tensor->data(), copy.byte_size());
  return copy;
}

// --- A plan, and where its records are.

struct Victim {
  PlanImage plan;
  std::vector<Datum> inputs;
  std::vector<size_t> words;  // offsets in the image
};

std::vector<size_t> words_of_records(const Plan& plan) {
  std::vector<size_t> words;
  const std::byte* image = plan.image().bytes().data();
  for (uint32_t b = 0; b < plan.body_count(); ++b) {
    const BodyRecord& body = plan.body(b);
    for (uint32_t i = 0; i < body.steps.count; ++i) {
      const Bytes record = plan.params(plan.step(body, i).params);
      for (size_t at = 0; at + 4 <= record.size(); at += 4) {
        words.push_back(static_cast<size_t>(record.data() - image) + at);
      }
    }
  }
  return words;
}

// All inputs but the first become constants.
void fix_inputs(Graph& graph, std::vector<Datum>& inputs) {
  const auto ids = inputs_without_values(graph);
  for (size_t i = 1; i < ids.size(); ++i) {
    if (inputs[i].tensor() == nullptr) return;
  }
  for (size_t i = 1; i < ids.size(); ++i) {
    Constant constant;
    constant.name = std::string(graph.value(ids[i])->name);
    constant.tensor = *inputs[i].tensor();
    graph.set_initializer(ids[i], std::make_shared<const Constant>(std::move(constant)));
  }
  graph.set_inputs({ids[0]});
  inputs.resize(1);
}

// Nothing for a case that cannot be compiled as a whole.
std::optional<Victim> victim_of(const TestCase& test_case, bool has_constants) {
  auto model = import_model_file(test_case.model_path, {});
  if (!model.is_ok()) return std::nullopt;
  Graph& graph = *(*model)->graph;
  auto sets = read_data_sets(test_case, graph);
  if (!sets.is_ok() || sets->empty()) return std::nullopt;
  Victim victim;
  victim.inputs = std::move((*sets)[0].inputs);
  if (victim.inputs.size() != graph.inputs().size()) return std::nullopt;
  if (has_constants && victim.inputs.size() > 1) fix_inputs(graph, victim.inputs);
  for (Datum& input : victim.inputs) input = exact_copy(input);
  const LoweringRules& rules = cpu::lowering_rules();
  LoweringOptions options;
  options.rules = &rules;
  if (!infer_types(graph).is_ok() || !optimise(**model, Evaluator(rules.kernels), {}).is_ok())
    return std::nullopt;
  auto plan = lower(graph, options);
  if (!plan.is_ok()) return std::nullopt;
  victim.plan = std::move(plan).value();
  const auto opened = Plan::open(victim.plan, rules.kernels);
  CHECK_OK(opened);
  victim.words = words_of_records(**opened);
  return victim;
}

// --- Damage.

// A small number, one near to what is there, or a wild one.
uint32_t other_value(uint32_t value, std::mt19937& random) {
  constexpr uint32_t kWild[] = {UINT32_MAX, 1u << 31, INT32_MAX, 1 << 20, 1000, 64};
  switch (random() % 5) {
    case 0:
      return kWild[random() % 6];
    case 1:
      return random() % 6;
    case 2:
      return value * 2 + random() % 2;
    default:
      return value + random() % 33 - 16;
  }
}

std::string damaged(const Victim& victim, std::mt19937& random) {
  std::string image(victim.plan.image.text());
  for (size_t i = 0; i <= random() % 3; ++i) {
    char* word = image.data() + victim.words[random() % victim.words.size()];
    uint32_t value = 0;
    std::memcpy(&value, word, sizeof value);
    value = other_value(value, random);
    std::memcpy(word, &value, sizeof value);
  }
  return image;
}

// True when the run came to its end.
bool try_image(const Victim& victim, const std::string& image, Isa isa, ThreadPool& pool,
               Watchdog& watchdog) {
  PlanImage changed = victim.plan;
  changed.image = Blob::from_string(image);
  auto plan = Plan::open(std::move(changed), cpu::lowering_rules().kernels);
  if (!plan.is_ok()) return false;
  ArenaPool arenas;
  const TensorMaker maker = exact_tensor;
  ExecutorContext context;
  context.pool = &pool;
  context.isa = isa;
  context.arenas = &arenas;
  context.tensor_maker = &maker;
  auto runner = Runner::create(std::move(plan).value(), {}, context);
  if (!runner.is_ok()) return false;
  std::vector<ValueRef> refs;
  for (const Datum& input : victim.inputs) refs.push_back(ref_to(input));
  std::vector<OutputTarget> outputs((*runner)->plan().body(0).outputs.count);
  RunRequest request;
  request.terminate = &watchdog.start();
  const Status status = (*runner)->run(refs, outputs, request);
  CHECK(status.is_ok() || !status.message().empty());
  return status.is_ok();
}

// How many images were tried, and how many ran to their end.
std::string damage_case(const TestCase& test_case, const Amount& amount) {
  std::seed_seq seed(test_case.name.begin(), test_case.name.end());
  std::mt19937 random(seed);
  random.discard(amount.seed);
  int tried = 0, ran = 0;
  for (const bool has_constants : {false, true}) {
    const auto victim = victim_of(test_case, has_constants);
    if (!victim || victim->words.empty()) continue;
    ThreadPool pool({.thread_count = 2});
    Watchdog watchdog;
    for (int i = 0; i < amount.rounds; ++i, ++tried) {
      const auto isa = static_cast<Isa>(i % (static_cast<int>(host_isa()) + 1));
      if (try_image(*victim, damaged(*victim, random), isa, pool, watchdog)) ++ran;
    }
  }
  return str_cat(tried, " ", ran);
}

}  // namespace

// A changed number may ask for any amount of memory; without it the run ends in a status.
extern "C" const char* __asan_default_options() {  // NOLINT
  return "max_allocation_size_mb=256:allocator_may_return_null=1";
}

namespace {

TEST(damaged_cases, changed_records_are_refused_or_stay_inside_their_memory) {
  const char* folder = getenv("ORTC_CONFORMANCE_CASES");
  const auto cases = folder != nullptr ? find_cases(folder) : packaged_cases();
  if (cases.empty()) {
    std::printf("NO CASES: ONNX's test data (libonnx-testdata) are not installed; NOTHING RAN\n");
    skip();
  }
  const Amount amount = Amount::read();
  const auto texts = run_jobs(cases.size(), 2, temp_dir(),
                              [&](size_t i) { return damage_case(cases[i], amount); });
  int tried = 0, ran = 0, died = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    int case_tried = 0, case_ran = 0;
    if (sscanf(texts[i].c_str(), "%d %d", &case_tried, &case_ran) != 2) {
      std::printf("%s/%s: the process ended early\n", cases[i].set.c_str(), cases[i].name.c_str());
      ++died;
    }
    tried += case_tried;
    ran += case_ran;
  }
  std::printf("%d changed plans of %zu cases, %d ran to their end\n", tried, cases.size(), ran);
  CHECK_EQ(died, 0);
  CHECK(ran > 0 && ran < tried);
}

}  // namespace
}  // namespace ortc::test
