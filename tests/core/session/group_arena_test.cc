// SPDX-License-Identifier: MIT
// Sessions of a group that never run at once share the memory of their activations.
#include <future>
#include <thread>

#include "core/session/stages.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kGroupWidth = 64;

// Two products, so that there is an activation between them.
std::string two_products() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, kGroupWidth});
  const auto h =
      g.node("MatMul", {x, g.random_floats("a", {kGroupWidth, kGroupWidth}, 1)}, {"h"})[0];
  const auto t = g.node("Tanh", {h}, {"t"})[0];
  g.output(g.node("MatMul", {t, g.random_floats("b", {kGroupWidth, kGroupWidth}, 2)}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

Result<std::unique_ptr<Session>> make(const std::shared_ptr<const Environment>& environment,
                                      const KeyValues& config,
                                      std::shared_ptr<SharingGroup> group = nullptr) {
  SessionOptions options = options_with(*environment, {"AOT"});
  for (const auto& [key, value] : config) CHECK_OK(options.set(key, value));
  options.sharing_group = std::move(group);
  return Session::create(environment, memory_source(two_products()), options);
}

const KeyValues kExclusive = {{"ep.share_ep_contexts", "1"}, {"session.group_exclusive", "1"}};
const KeyValues kRefusing = {{"ep.share_ep_contexts", "1"},
                             {"session.group_exclusive", "1"},
                             {"session.group_if_busy", "refuse"}};

Tensor rows(int64_t count) {
  return Tensor::from<float>({count, kGroupWidth},
                             random_numbers(static_cast<size_t>(count * kGroupWidth), 3));
}

Status run(const Session& session, const Tensor& x, const RunOptions* options = nullptr,
           const StepObserver* observer = nullptr) {
  const std::string_view input = "x", output = "y";
  const ValueRef value = ref_to(x);
  OutputTarget target;
  return session.run_in_place(
      {{&input, 1}, {&value, 1}, {&output, 1}, {&target, 1}, options, observer});
}

// Calls once, while the session runs.
Status run_meanwhile(const Session& session, const std::function<void()>& meanwhile) {
  bool is_called = false;
  const StepObserver observer = [&](const StepEvent&) {
    if (!std::exchange(is_called, true)) meanwhile();
  };
  const Status status = run(session, rows(2), nullptr, &observer);
  CHECK(is_called);
  return status;
}

}  // namespace

TEST(group_arena, takes_the_most_that_a_session_needs_and_not_the_sum) {
  const auto environment = quiet_environment();
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 6; ++i) {
    auto session = make(environment, kExclusive);
    CHECK_OK(session);
    sessions.push_back(std::move(session).value());
  }
  const auto group = environment->group_arenas().of(nullptr, true);
  CHECK_OK(run(*sessions[0], rows(4096)));
  const uint64_t one = group->arenas().total_bytes();
  CHECK(one >= 4096u * kGroupWidth * 4);
  for (const auto& session : sessions) CHECK_OK(run(*session, rows(4096)));
  CHECK_EQ(group->arenas().total_bytes(), one);
}

TEST(group_arena, is_another_one_for_another_group_and_for_sessions_that_do_not_ask) {
  const auto environment = quiet_environment();
  const auto handle = std::make_shared<SharingGroup>();
  const auto shared = make(environment, kExclusive);
  const auto named = make(environment, {{"session.group_exclusive", "1"}}, handle);
  const auto alone = make(environment, {});
  CHECK_OK(shared);
  CHECK_OK(named);
  CHECK_OK(alone);
  CHECK_OK(run_meanwhile(**shared, [&] {
    CHECK_OK(run(**named, rows(2)));
    CHECK_OK(run(**alone, rows(2)));
  }));
  CHECK_CODE(make(environment, {{"session.group_exclusive", "1"}}), Code::kInvalidArgument);
}

TEST(group_arena, a_second_run_is_refused_when_the_options_say_so) {
  const auto environment = quiet_environment();
  const auto first = make(environment, kExclusive), second = make(environment, kRefusing);
  CHECK_OK(first);
  CHECK_OK(second);
  CHECK_OK(run_meanwhile(**first, [&] {
    const Status status =
        std::async(std::launch::async, [&] { return run(**second, rows(2)); }).get();
    CHECK_CODE(status, Code::kFail);
    CHECK(status.message().find("session.group_if_busy") != std::string::npos);
  }));
  CHECK_OK(run(**second, rows(2)));
}

TEST(group_arena, a_run_that_waits_can_be_terminated) {
  const auto environment = quiet_environment();
  const auto first = make(environment, kExclusive), second = make(environment, kExclusive);
  CHECK_OK(first);
  CHECK_OK(second);
  CHECK_OK(run_meanwhile(**first, [&] {
    RunOptions options;
    auto waiting = std::async(std::launch::async, [&] { return run(**second, rows(2), &options); });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    options.terminate = true;
    const Status status = waiting.get();
    CHECK_CODE(status, Code::kFail);
    CHECK(status.message().find("terminate flag") != std::string::npos);
  }));
}

TEST(group_arena, a_run_inside_a_run_of_the_group_would_wait_for_itself) {
  const auto environment = quiet_environment();
  const auto first = make(environment, kExclusive), second = make(environment, kExclusive);
  CHECK_OK(first);
  CHECK_OK(second);
  CHECK_OK(run_meanwhile(**first, [&] { CHECK_CODE(run(**second, rows(2)), Code::kFail); }));
}

TEST(group_arena, threads_take_turns_and_get_the_right_answers) {
  const auto environment = quiet_environment();
  const auto expected_session = make(environment, {});
  CHECK_OK(expected_session);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 4; ++i) {
    auto session = make(environment, kExclusive);
    CHECK_OK(session);
    sessions.push_back(std::move(session).value());
  }
  std::vector<std::vector<Tensor>> expected;
  for (int64_t n = 0; n < 8; ++n) expected.push_back(run_all(**expected_session, {rows(n + 1)}));
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (size_t k = 0; k < 40; ++k) {
        const size_t n = (t + k) % 8;
        const auto answers = run_all(*sessions[(t + k) % 4], {rows(static_cast<int64_t>(n) + 1)});
        CHECK(same_bits(answers, expected[n]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
