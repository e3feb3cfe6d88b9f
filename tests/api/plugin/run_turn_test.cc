// SPDX-License-Identifier: MIT
// Runs that take turns: who waits hears of a terminate, and nobody waits for himself.
#include "core/api/plugin/run_turn.h"

#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
using api::RunTurns;

TEST(run_turn, a_run_inside_a_run_is_refused) {
  RunTurns turns;
  {
    const auto turn = turns.take("MyEp", nullptr);
    CHECK_OK(turn);
    const auto inner = turns.take("MyEp", nullptr);
    CHECK_CODE(inner, Code::kFail);
    CHECK(inner.status().message().find("a run inside a run of MyEp") != std::string::npos);
  }
  CHECK_OK(turns.take("MyEp", nullptr));
}

TEST(run_turn, a_terminate_is_heard_while_waiting) {
  RunTurns turns;
  auto turn = turns.take("MyEp", nullptr);
  CHECK_OK(turn);
  turn->keep();
  std::atomic<bool> terminate{false};
  std::thread waiting([&] { CHECK_CODE(turns.take("MyEp", &terminate), Code::kFail); });
  terminate = true;
  waiting.join();
  std::thread next([&] { CHECK_OK(turns.take("MyEp", nullptr)); });
  { const RunTurns::Turn kept = turns.kept(); }
  next.join();
}
