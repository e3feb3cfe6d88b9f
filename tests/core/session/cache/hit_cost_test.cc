// SPDX-License-Identifier: MIT
// What a hit costs beyond loading the same compiled model without a cache.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/platform/clock.h"
#include "tests/core/session/cache/cache_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// The median of many.
double milliseconds_of(const CacheFixture& fixture, const ModelSource& source,
                       const SessionOptions& options) {
  std::vector<double> all;
  for (int i = 0; i < 101; ++i) {
    const int64_t begin_ns = now_ns();
    const auto made = make_model(fixture.environment, source, options);
    all.push_back(static_cast<double>(now_ns() - begin_ns) / 1e6);
    CHECK_OK(made);
    CHECK(made->facts()->report.loaded_from_context);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace

TEST(hit_cost, is_at_most_two_milliseconds_beyond_the_load) {
  const CacheFixture fixture("cost");
  put_file(fixture.source, small_network(1000));
  fixture.make();
  usleep(2'100'000);
  fixture.make();  // what the model holds is remembered from now on
  SessionOptions plain = fixture.options;
  plain.context.cache_folder.clear();
  const double load =
      milliseconds_of(fixture, file_source(fixture.only_entry() + "/model_ctx.onnx"), plain);
  const double hit = milliseconds_of(fixture, file_source(fixture.source), fixture.options);
  printf("load %.3f ms, hit %.3f ms: %.3f ms more\n", load, hit, hit - load);
  CHECK(is_emulated() || hit - load <= 2.0);
}
