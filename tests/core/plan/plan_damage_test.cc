// SPDX-License-Identifier: MIT
// Plan images are untrusted once a context was crafted with right checksums: every flipped byte and
// every truncation is refused, or the plan still runs without touching memory that is not its own
// (the sanitizers' builds look).
#include <sys/resource.h>

#include "tests/core/plan/plan_samples.h"
#include "tests/core/plan/watchdog.h"
#include "tests/support/failing_allocations.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// True when the image was opened and the run ended in success or in a status.
bool try_image(const Sample& sample, std::string image, Watchdog& watchdog) {
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
  RunRequest request;
  request.terminate = &watchdog.start();
  const Status status = (*runner)->run(refs, outputs, request);
  return status.is_ok() || !status.message().empty();
}

// A padding that got a high byte asks for an image that takes seconds to fill: without the
// memory for it, the run ends in a status at once. A sanitizer needs more than all runs together,
// and has a limit of its own.
void limit_memory() {
  constexpr rlim_t kBytesMax = rlim_t{256} << 20;
  rlimit limit{};
  if (is_sanitized() || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, kBytesMax);
  CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
}

void damage(const Sample& sample) {
  limit_memory();
  const std::string image(sample.plan.image.text());
  Watchdog watchdog;
  CHECK(try_image(sample, image, watchdog));
  int opened = 0, tried = 0;
  static constexpr int kMasks[] = {1, 0x80, 0xff};
  // What is looked for does not depend on the processor: a sample will do where every byte takes an
  // hour.
  const size_t step = is_emulated() ? 17 : 1;
  for (size_t at = 0; at < image.size(); at += step) {
    std::string damaged = image;
    damaged[at] = static_cast<char>(damaged[at] ^ kMasks[at % 3]);
    opened += try_image(sample, std::move(damaged), watchdog) ? 1 : 0;
    ++tried;
  }
  // Names do not matter to a run; most of the rest does.
  CHECK(opened > 0 && opened < tried);
  for (size_t size = 0; size < image.size(); size += step)
    CHECK(!try_image(sample, image.substr(0, size), watchdog));
}

}  // namespace

// The sanitizers ask for these; nobody else does.
constexpr char kLimit[] = "max_allocation_size_mb=16:allocator_may_return_null=1";
extern "C" const char* __asan_default_options() { return kLimit; }  // NOLINT
extern "C" const char* __tsan_default_options() { return kLimit; }  // NOLINT

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
