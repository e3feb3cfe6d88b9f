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

// for i in range(count): a = a + 1, rows.append(a), others.append(-a). The last a, then rows or
// others, of which one is left out.
std::vector<ValueId> counting_loop(GraphBuilder& g, ValueId start, int64_t count, bool has_rows) {
  const std::string name = has_rows ? "second" : "first";
  GraphBuilder body(17, &g.graph());
  body.input("i", DType::kInt64, {});
  const auto go = body.input("go", DType::kBool, {});
  const auto a = body.input("a", DType::kInt64, {});
  const auto one = body.int64s("one", {}, {1});
  body.output(body.node("Identity", {go}, {"go_on"})[0]);
  const auto next = body.node("Add", {a, one}, {"next"})[0];
  body.output(next);
  body.output(body.node("Identity", {next}, {"row"})[0]);
  body.output(body.node("Neg", {next}, {"other"})[0]);
  const auto outputs = g.node("Loop", {g.int64s(name + "_count", {}, {count}), kNoValue, start},
                              {name, has_rows ? "rows" : "", has_rows ? "" : "others"},
                              {graph_attribute("body", body.shared())});
  return {outputs[0], outputs[has_rows ? 1 : 2]};
}

TEST(loop, rows_that_nobody_wants_do_not_reach_the_next_loop) {
  const auto environment = quiet_environment();
  for (const int64_t count : {0, 2}) {
    GraphBuilder g;
    const auto first = counting_loop(g, g.input("start", DType::kInt64, {}), 5, false);
    g.output(counting_loop(g, first[0], count, true)[1]);
    g.output(first[1]);
    for (const std::string& provider : {std::string("AOT"), std::string("CPU")}) {
      auto session = Session::create(environment, memory_source(g.model_bytes()),
                                     options_with(*environment, {provider}));
      CHECK_OK(session);
      for (int run = 0; run < 2; ++run) {
        const auto outputs = run_all(**session, {Tensor::scalar(int64_t{10})});
        CHECK_EQ(outputs[0].element_count(), count);
        for (int64_t i = 0; i < count; ++i) {
          CHECK_EQ(outputs[0].elements<int64_t>()[static_cast<size_t>(i)], 16 + i);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::test
