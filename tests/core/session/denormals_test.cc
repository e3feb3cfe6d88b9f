// SPDX-License-Identifier: MIT
// Runs that take denormal numbers for zero: session.set_denormal_as_zero, and the threads that an
// environment shares.
#include <cfenv>
#include <algorithm>
#include <limits>

#include "core/platform/machine/floating_point_mode.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kCount = int64_t{1} << 20;  // enough for several threads
constexpr float kDenormal = std::numeric_limits<float>::min() / 4;

// y = x · 0.5 + x, element by element.
std::string halves() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1});
  const ValueId half = g.floats("half", {1}, {0.5f});
  const ValueId product = g.node("Mul", {x, half}, {"product"})[0];
  g.output(g.node("Add", {product, x}, {"y"})[0]);
  return g.model_bytes();
}

Tensor filled(float value) {
  Tensor tensor = *Tensor::create(DType::kFloat32, {kCount});
  std::ranges::fill(tensor.mutable_elements<float>(), value);
  return tensor;
}

std::unique_ptr<Session> session_of(const std::shared_ptr<const Environment>& environment,
                                    const SessionOptions& options) {
  auto session = Session::create(environment, memory_source(halves()), options);
  CHECK_OK(session);
  return std::move(*session);
}

// The number of results that are `expected`.
int64_t count_results(const Session& session, float x, float expected) {
  const std::vector<Tensor> outputs = run_all(session, {filled(x)});
  return std::ranges::count(outputs[0].elements<float>(), expected);
}

}  // namespace

TEST(denormals, stay_what_they_are_without_the_option) {
  const auto environment = quiet_environment();
  for (const int threads : {1, 2, 4}) {
    const auto session = session_of(environment, options_with(*environment, {}, threads));
    CHECK_EQ(count_results(*session, kDenormal, 1.5f * kDenormal), kCount);
  }
}

TEST(denormals, count_as_zero_on_all_threads_of_a_run) {
  if (!has_denormals_as_zero()) return;
  const auto environment = quiet_environment();
  for (const int threads : {1, 2, 4}) {
    SessionOptions options = options_with(*environment, {}, threads);
    CHECK_OK(options.set("session.set_denormal_as_zero", "1"));
    const auto session = session_of(environment, options);
    const auto plain = session_of(environment, options_with(*environment, {}, threads));
    for (int round = 0; round < 20; ++round) {
      CHECK_EQ(count_results(*session, kDenormal, 0.0f), kCount);
      CHECK_EQ(count_results(*session, 1.0f, 1.5f), kCount);
      CHECK_EQ(count_results(*plain, kDenormal, 1.5f * kDenormal), kCount);
      // The smallest number that is not denormal: its half is.
      const float smallest = std::numeric_limits<float>::min();
      CHECK_EQ(count_results(*session, smallest, smallest), kCount);
    }
  }
}

TEST(denormals, leave_the_logarithm_of_zero_alone) {
  if (!has_denormals_as_zero()) return;
  GraphBuilder g;
  g.output(g.node("Log", {g.input("x", DType::kFloat32, {-1})}, {"y"})[0]);
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {}, 1);
  CHECK_OK(options.set("session.set_denormal_as_zero", "1"));
  auto session = Session::create(environment, memory_source(g.model_bytes()), options);
  CHECK_OK(session);
  for (const float zero : {0.0f, -0.0f, kDenormal, -kDenormal}) {
    CHECK_EQ(count_results(**session, zero, -std::numeric_limits<float>::infinity()), kCount);
  }
  CHECK_EQ(count_results(**session, 1.0f, 0.0f), kCount);
}

TEST(denormals, are_the_callers_own_matter_after_a_run) {
  if (!has_denormals_as_zero()) return;
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {}, 2);
  CHECK_OK(options.set("session.set_denormal_as_zero", "1"));
  const auto session = session_of(environment, options);
  CHECK_OK(options.set("session.set_denormal_as_zero", "0"));
  const auto plain = session_of(environment, options);
  const auto standard = FloatingPointMode::standard();
  CHECK(FloatingPointMode::current() == standard);
  CHECK_EQ(count_results(*session, kDenormal, 0.0f), kCount);
  CHECK(FloatingPointMode::current() == standard);
  std::vector<Tensor> outputs;
  CHECK(!try_run(*session, {}, &outputs).is_ok());  // nor after one that fails
  CHECK(FloatingPointMode::current() == standard);

  // A program that takes them for zero itself gets that on all threads, and keeps it.
  const InFloatingPointMode own(standard.with_denormals_as_zero());
  CHECK_EQ(count_results(*plain, kDenormal, 0.0f), kCount);
  CHECK(FloatingPointMode::current() == standard.with_denormals_as_zero());
}

TEST(denormals, count_as_zero_on_threads_of_an_environment_that_says_so) {
  if (!has_denormals_as_zero()) return;
  auto sink = std::make_shared<const LogSink>([](const LogRecord&) {});
  const auto environment = std::make_shared<const Environment>(
      Logger(sink, "test", Severity::kWarning), built_in_providers(),
      std::make_shared<ThreadPool>(ThreadPoolOptions{.thread_count = 2}),
      /*denormals_as_zero=*/true);
  SessionOptions options = options_with(*environment, {}, 2);
  options.own_threads = false;
  const auto sharing = session_of(environment, options);
  options.own_threads = true;
  const auto own = session_of(environment, options);
  CHECK_EQ(count_results(*sharing, kDenormal, 0.0f), kCount);
  CHECK_EQ(count_results(*own, kDenormal, 1.5f * kDenormal), kCount);
}

TEST(denormals, are_a_question_of_yes_and_no) {
  SessionOptions options;
  CHECK_CODE(options.set("session.set_denormal_as_zero", "yes"), Code::kInvalidArgument);
}
