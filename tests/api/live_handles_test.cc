// SPDX-License-Identifier: MIT
// What is alive is found among few and among many.
#include "core/api/live_handles.h"

#include <vector>

#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Thing : api::LiveHandle<Thing> {
  int number = 0;
};

}  // namespace

TEST(live_handles, keep_their_chains_short_however_many_there_are) {
  for (int round = 0; round < 2; ++round) {  // the second after all had gone
    std::vector<Thing> things(200'000);
    CHECK(api::live<Thing>().longest_chain() < 32);
    for (const Thing& thing : things) CHECK(api::is_alive(&thing));
    const Thing* const last = &things.back();
    things.pop_back();
    CHECK(!api::is_alive(last));
    CHECK(!api::live<Thing>().remove(last));
    CHECK(api::is_alive(&things.back()));
  }
  CHECK_EQ(api::live<Thing>().longest_chain(), size_t{0});
  const Thing one;
  CHECK(api::is_alive(&one));
}
