// SPDX-License-Identifier: MIT
// Loops whose bodies declare vectors of one element where scalars come, and the other way round, as
// some exporters write them.
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

// for i in range(3): a = a + i
std::string summing_loop(const std::vector<int64_t>& iteration, const std::vector<int64_t>& inside,
                         const std::vector<int64_t>& outside) {
  GraphBuilder g;
  const auto count = g.int64s("count", {}, {3});
  const auto start = g.input("start", DType::kInt64, outside);
  GraphBuilder body(17, &g.graph());
  const auto i = body.input("i", DType::kInt64, iteration);
  const auto go = body.input("go", DType::kBool, {});
  const auto a = body.input("a", DType::kInt64, inside);
  body.output(body.node("Identity", {go}, {"go_on"})[0]);
  body.output(body.node("Add", {a, i}, {"sum"})[0]);
  const Attribute attribute = graph_attribute("body", body.shared());
  g.output(g.node("Loop", {count, kNoValue, start}, {"last"}, {attribute})[0]);
  return g.model_bytes();
}

TEST(loop, takes_bodies_that_mix_scalars_and_vectors_of_one) {
  const auto environment = quiet_environment();
  const std::vector<int64_t> scalar, vector = {1};
  for (const auto& iteration : {scalar, vector}) {
    for (const auto& inside : {scalar, vector}) {
      for (const auto& outside : {scalar, vector}) {
        for (const std::string& provider : {std::string("AOT"), std::string("CPU")}) {
          auto session =
              Session::create(environment, memory_source(summing_loop(iteration, inside, outside)),
                              options_with(*environment, {provider}));
          CHECK_OK(session);
          const Tensor start =
              Tensor::from<int64_t>(Dims(outside.begin(), outside.end()), std::vector<int64_t>{10});
          const auto outputs = run_all(**session, {start});
          CHECK_EQ(outputs[0].element_count(), 1);
          CHECK_EQ(outputs[0].elements<int64_t>()[0], 13);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::test

ORTC_TEST_MAIN()
