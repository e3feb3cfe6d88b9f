// SPDX-License-Identifier: MIT
// Values whose rank is known in a run only, behind an If: what the optimiser has put in their way
// names the node that the model has.
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

// y = Conv(is_it ? Squeeze(x) : x), with these operators in between.
std::string squeezed_or_not(const std::vector<std::string>& between = {}) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, -1, -1, -1});
  const auto is_it = g.input("is_it", DType::kBool, {});
  std::vector<Attribute> branches;
  for (const std::string which : {"then", "else"}) {
    GraphBuilder body(17, &g.graph());
    const auto seen = body.graph().capture(x).value();
    body.output(body.node(which == "then" ? "Squeeze" : "Identity", {seen}, {which})[0]);
    branches.push_back(graph_attribute(which + "_branch", body.shared()));
  }
  auto chosen = g.node("If", {is_it}, {"chosen"}, branches)[0];
  for (const std::string& op : between) chosen = g.node(op, {chosen}, {op + "_result"})[0];
  const auto y = g.node("Conv", {chosen, g.random_floats("w", {2, 3, 1, 1}, 1)}, {"y"})[0];
  g.output(y);
  g.infer();
  return g.model_bytes();
}

// What a run says to a value of rank 3, beside one that succeeds.
template <typename F>
void for_each_refusal(const std::string& model, F&& check) {
  const auto environment = quiet_environment();
  const Tensor x = Tensor::from<float>({1, 3, 4, 5}, random_numbers(60, 1));
  for (const std::string& provider : {std::string("CPU"), std::string("AOT")}) {
    for (const auto level : {OptimisationLevel::kNone, OptimisationLevel::kAll}) {
      SessionOptions options = options_with(*environment, {provider});
      options.level = level;
      auto session = Session::create(environment, memory_source(model), options);
      CHECK_OK(session);
      const Tensor no = Tensor::create(DType::kBool, {}).value();
      Tensor yes = Tensor::create(DType::kBool, {}).value();
      yes.mutable_elements<uint8_t>()[0] = 1;
      std::vector<Tensor> outputs;
      CHECK_OK(try_run(**session, {x, no}, &outputs));
      const Status status = try_run(**session, {x, yes}, &outputs);
      CHECK(status.code() == Code::kInvalidArgument);
      check(status.message());
    }
  }
}

void expect_parts(std::string_view message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (message.find(part) == std::string_view::npos) fail_msg("%s", std::string(message).c_str());
  }
}

TEST(unknown_rank,
     a_wrong_one_behind_an_if_is_refused_by_the_name_of_the_convolution_that_reads_it) {
  for_each_refusal(squeezed_or_not(), [](const std::string& message) {
    expect_parts(message, {"Conv 'y_node'", "[3,4,5]", "expected rank 4"});
  });
}

TEST(unknown_rank, a_wrong_one_is_refused_behind_operators_that_take_any) {
  for_each_refusal(squeezed_or_not({"Relu", "Sigmoid"}), [](const std::string& message) {
    expect_parts(message, {"Conv 'y_node'", "[3,4,5]", "expected rank 4"});
  });
}

}  // namespace
}  // namespace ortc::test
