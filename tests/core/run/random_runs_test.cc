// SPDX-License-Identifier: MIT
// Random numbers from run to run and from iteration to iteration.
#include <set>

#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

std::unique_ptr<Session> session_of(const std::string& model, const std::string& provider) {
  const auto environment = quiet_environment();
  auto session =
      Session::create(environment, memory_source(model), options_with(*environment, {provider}));
  CHECK_OK(session);
  return std::move(session).value();
}

// One number in each run, and one in each of four iterations.
std::string uniform_model(std::vector<Attribute> seed) {
  std::vector<Attribute> attributes = std::move(seed);
  attributes.push_back(Attribute::of_ints("shape", {1}));
  GraphBuilder g;
  g.output(g.node("RandomUniform", {}, {"once"}, attributes)[0]);
  GraphBuilder body(17, &g.graph());
  body.input("i", DType::kInt64, {});
  const auto go = body.input("go", DType::kBool, {});
  body.output(body.node("Identity", {go}, {"go_on"})[0]);
  body.output(body.node("RandomUniform", {}, {"number"}, attributes)[0]);
  const Attribute attribute = graph_attribute("body", body.shared());
  g.output(g.node("Loop", {g.int64s("count", {}, {4}), kNoValue}, {"each"}, {attribute})[0]);
  return g.model_bytes();
}

TEST(random_runs, draw_other_numbers_in_each_run_and_iteration) {
  for (const std::vector<Attribute>& seed :
       {std::vector<Attribute>{}, std::vector<Attribute>{Attribute::of_float("seed", 5.0f)}}) {
    const std::string model = uniform_model(seed);
    std::vector<Tensor> first_of[2];
    for (const std::string& provider : {std::string("CPU"), std::string("AOT")}) {
      const auto session = session_of(model, provider), other = session_of(model, provider);
      std::set<float> once, each;
      for (int run = 0; run < 3; ++run) {
        const auto outputs = run_all(*session, {});
        CHECK(same_bits(outputs, run_all(*other, {})));
        if (run == 0) first_of[provider == "AOT" ? 1 : 0] = outputs;
        once.insert(outputs[0].elements<float>()[0]);
        each.insert(outputs[1].elements<float>().begin(), outputs[1].elements<float>().end());
      }
      CHECK_EQ(once.size(), size_t{3});
      CHECK_EQ(each.size(), size_t{12});
    }
    CHECK(same_bits(first_of[0], first_of[1]));
  }
}

}  // namespace
}  // namespace ortc::test
