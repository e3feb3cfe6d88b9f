// SPDX-License-Identifier: MIT
// The memory of results that a session makes: given back by the caller, used by the next run.
#include <cmath>

#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kRowWidth = 64;

std::unique_ptr<Session> tanh_session(const KeyValues& config = {}) {
  GraphBuilder g;
  g.output(g.node("Tanh", {g.input("x", DType::kFloat32, {-1, kRowWidth})}, {"y"})[0]);
  g.infer();
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  for (const auto& [key, value] : config) CHECK_OK(options.set(key, value));
  return Session::create(environment, memory_source(g.model_bytes()), options).value();
}

Datum result(const Session& session, int64_t rows) {
  const Tensor x = Tensor::from<float>(
      {rows, kRowWidth}, std::vector<float>(static_cast<size_t>(rows * kRowWidth), 0.25f));
  std::vector<Datum> outputs;
  CHECK_OK(try_run_values(session, {Datum(x)}, &outputs));
  CHECK_EQ(outputs.size(), 1u);
  return outputs[0];
}

}  // namespace

TEST(results, lie_where_those_lay_that_the_caller_gave_back) {
  const auto session = tanh_session();
  const void* first = result(*session, 512).tensor()->data();
  CHECK_EQ(result(*session, 512).tensor()->data(), first);
  CHECK_EQ(result(*session, 513).tensor()->data(), first);
  const Datum kept = result(*session, 512), another = result(*session, 512);
  CHECK_EQ(kept.tensor()->data(), first);
  CHECK(another.tensor()->data() != first);
}

TEST(results, live_longer_than_their_session) {
  auto session = tanh_session();
  const Datum kept = result(*session, 512);
  session.reset();
  const auto y = kept.tensor()->elements<float>();
  CHECK_EQ(y.front(), y.back());
  CHECK(std::fabs(y.front() - std::tanh(0.25f)) < 1e-6f);
}

TEST(results, take_no_memory_once_they_are_back_where_the_arena_is_off) {
  const auto session = tanh_session({{"session.enable_cpu_mem_arena", "0"}});
  (void)result(*session, 512);
  CHECK_EQ(session->memory_report().value().arena, 0u);
  const auto other = tanh_session();
  (void)result(*other, 512);
  CHECK(other->memory_report().value().arena >= 512 * kRowWidth * 4);
}
