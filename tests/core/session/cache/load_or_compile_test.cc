// SPDX-License-Identifier: MIT
// Loading from a cache, and compiling into it.
#include "core/session/cache/load_or_compile.h"

#include "tests/core/session/cache/cache_testing.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

TEST(load_or_compile, the_first_session_makes_an_entry_and_the_second_loads_it) {
  const CacheFixture fixture("first");
  const MadeModel first = fixture.make();
  CHECK_EQ(cache_report(first).result, "made");
  CHECK_EQ(cache_report(first).reason, "");
  CHECK(cache_report(first).compile_ns > 0);
  const MadeModel second = fixture.make();
  CHECK_EQ(cache_report(second).result, "hit");
  CHECK_EQ(cache_report(second).key, cache_report(first).key);
  CHECK(second.facts()->report.loaded_from_context);
  fixture.check_results(first);
  fixture.check_results(second);
  CHECK_EQ(fixture.warnings->load(), 0);
  CHECK(fixture.cache_folder().makings().empty());
  CHECK(fixture.cache_folder().locks().empty());
}

ORTC_TEST_MAIN()
