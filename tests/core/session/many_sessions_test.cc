// SPDX-License-Identifier: MIT
// Sixteen sessions of one context, at once: what they take of memory, and the same bits.
#include <atomic>
#include <thread>

#include "tests/support/failing_allocations.h"
#include "tests/support/private_memory.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

constexpr int kSessions = 16;
constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int64_t kWidth = 1024, kRows = 64;

std::string context_of_some_size() {
  const std::string source = temp_dir() + "/m.onnx", context = temp_dir() + "/m_ctx.onnx";
  write_whole_file(source, small_network(kWidth));
  compile_to(source, context);
  return context;
}

Tensor input_of(int session) {
  return Tensor::from<float>({kRows, kWidth}, random_numbers(static_cast<size_t>(kRows * kWidth),
                                                             static_cast<unsigned>(session)));
}

}  // namespace

TEST(many_sessions, of_one_context_take_a_megabyte_each_and_their_outputs) {
  const std::string context = context_of_some_size();
  const auto environment = quiet_environment();
  const auto make = [&](int threads) {
    auto session = Session::create(environment, file_source(context),
                                   options_with(*environment, {"AOT"}, threads));
    CHECK_OK(session);
    return std::move(*session);
  };
  std::vector<Tensor> inputs;
  std::vector<std::vector<Tensor>> expected, found(kSessions);
  int64_t output_bytes = 0;
  {
    const auto alone = make(1);
    for (int i = 0; i < kSessions; ++i) {
      inputs.push_back(input_of(i));
      expected.push_back(run_all(*alone, {inputs.back()}));
    }
    for (const Tensor& output : expected[0]) {
      output_bytes += static_cast<int64_t>(output.byte_size());
    }
  }
  const int64_t before = private_bytes();
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < kSessions; ++i) sessions.push_back(make(2));
  std::atomic<int> failed{0};
  const int64_t loaded = private_bytes() - before;
  for (auto& outputs : found) {  // written in place
    outputs = {Tensor::create(DType::kFloat32, expected[0][0].dims()).value()};
  }
  std::vector<std::thread> callers;
  for (size_t i = 0; i < kSessions; ++i) {
    callers.emplace_back([&, i] {
      const std::string_view input = sessions[i]->inputs()[0].name;
      const std::string_view output = sessions[i]->outputs()[0].name;
      for (int round = 0; round < 5; ++round) {
        failed += !sessions[i]->run({&input, 1}, {&inputs[i], 1}, {&output, 1}, found[i]).is_ok();
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  const int64_t run = private_bytes() - before;
  CHECK_EQ(failed.load(), 0);
  for (size_t i = 0; i < kSessions; ++i) CHECK(same_bits(found[i], expected[i]));
  std::printf("%lld KB a session when loaded, %lld KB after runs with outputs of %lld KB\n",
              static_cast<long long>(loaded / kSessions >> 10),
              static_cast<long long>(run / kSessions >> 10),
              static_cast<long long>(output_bytes >> 10));
  if (is_sanitized() || is_emulated()) return;
  CHECK(loaded <= kSessions * kMegabyte);
  CHECK(run <= kSessions * (kMegabyte + output_bytes));
}

}  // namespace ortc::test
