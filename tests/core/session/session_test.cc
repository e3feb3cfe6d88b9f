// SPDX-License-Identifier: MIT
// Sessions from source, from external and from embedded contexts: the same bits; what a run
// refuses.
#include <filesystem>

#include "core/platform/path.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::unique_ptr<Session> open_session(const std::string& path, std::vector<std::string> providers,
                                      int threads = 1) {
  const auto environment = quiet_environment();
  auto session = Session::create(environment, file_source(path),
                                 options_with(*environment, std::move(providers), threads));
  CHECK_OK(session);
  return std::move(session).value();
}

std::string network_file() {
  static const std::string path = [] {
    const std::string p = temp_dir() + "/network.onnx";
    write_whole_file(p, small_network());
    return p;
  }();
  return path;
}

Tensor batch(int64_t rows, unsigned seed) {
  return Tensor::from<float>({rows, 40}, random_numbers(static_cast<size_t>(rows) * 40, seed));
}

}  // namespace

TEST(session, gives_the_same_bits_from_source_and_contexts_at_one_and_two_threads) {
  const std::string external = temp_dir() + "/a_ctx.onnx", embedded = temp_dir() + "/b_ctx.onnx";
  compile_to(network_file(), external, false);
  compile_to(network_file(), embedded, true);
  CHECK(path_exists(temp_dir() + "/a_aot.bin"));
  CHECK(!path_exists(temp_dir() + "/b_aot.bin"));
  for (const int64_t rows : {1, 7, 64}) {
    const std::vector<Tensor> input = {batch(rows, 3)};
    const auto expected = run_all(*open_session(network_file(), {"AOT"}), input);
    for (const std::string& path : {network_file(), external, embedded}) {
      for (const int threads : {1, 2}) {
        CHECK(same_bits(run_all(*open_session(path, {"AOT"}, threads), input), expected));
      }
    }
    CHECK(all_near(run_all(*open_session(network_file(), {}), input), expected, 1e-5, 1e-6));
  }
}

TEST(session, claims_the_whole_network_for_aot) {
  const auto session = open_session(network_file(), {"AOT"});
  CHECK_EQ(session->report().partitions.size(), 1u);
  CHECK(session->report().assignments.empty());
}

TEST(session, agrees_with_plain_loops) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {3, 4});
  const std::vector<float> w = random_numbers(8, 5), b = random_numbers(2, 6);
  auto h = g.node("MatMul", {x, g.floats("w", {4, 2}, w)}, {"h"})[0];
  h = g.node("Add", {h, g.floats("b", {2}, b)}, {"s"})[0];
  g.output(g.node("Relu", {h}, {"y"})[0]);
  g.infer();
  const std::string path = temp_dir() + "/plain.onnx";
  write_whole_file(path, g.model_bytes());
  const std::vector<float> in = random_numbers(12, 7);
  for (const std::vector<std::string>& providers : {std::vector<std::string>{}, {"AOT"}}) {
    const auto out = run_all(*open_session(path, providers), {Tensor::from<float>({3, 4}, in)});
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 2; ++j) {
        double sum = b[static_cast<size_t>(j)];
        for (int k = 0; k < 4; ++k)
          sum += double{in[static_cast<size_t>(i * 4 + k)]} * w[static_cast<size_t>(k * 2 + j)];
        CHECK_NEAR(out[0].elements<float>()[static_cast<size_t>(i * 2 + j)], sum > 0 ? sum : 0,
                   1e-5, 1e-6);
      }
    }
  }
}

TEST(session, refuses_wrong_inputs_and_names_them) {
  const auto session = open_session(network_file(), {"AOT"});
  std::vector<Tensor> out(1);
  const std::string_view y[] = {"y"};
  const std::string_view x[] = {"x"};
  const std::string_view wrong[] = {"z"};
  const Tensor good[] = {batch(2, 1)};
  const Tensor bad_type[] = {Tensor::from<int64_t>({1}, std::vector<int64_t>{1})};
  const Tensor bad_rank[] = {Tensor::from<float>({40}, random_numbers(40, 1))};
  const Tensor bad_dim[] = {Tensor::from<float>({2, 39}, random_numbers(78, 1))};
  CHECK_CODE(session->run(wrong, good, y, out), Code::kInvalidArgument);
  CHECK_CODE(session->run({}, {}, y, out), Code::kInvalidArgument);
  CHECK_CODE(session->run(x, bad_type, y, out), Code::kInvalidArgument);
  CHECK_CODE(session->run(x, bad_rank, y, out), Code::kInvalidArgument);
  CHECK_CODE(session->run(x, good, wrong, out), Code::kInvalidArgument);
  const Status status = session->run(x, bad_dim, y, out);
  CHECK(status.message().find("expected float32[d0,40], found float32[2,39]") != std::string::npos);
}

TEST(session, writes_into_outputs_of_the_right_shape_and_refuses_others) {
  const auto session = open_session(network_file(), {"AOT"});
  const std::string_view x[] = {"x"}, y[] = {"y"};
  const Tensor in[] = {batch(2, 1)};
  std::vector<Tensor> right = {Tensor::create(DType::kFloat32, {2, 40}).value()};
  const void* memory = right[0].data();
  CHECK_OK(session->run(x, in, y, right));
  CHECK(right[0].data() == memory);
  CHECK(same_bits(right, run_all(*session, {in[0]})));
  std::vector<Tensor> wrong = {Tensor::create(DType::kFloat32, {3, 40}).value()};
  CHECK_CODE(session->run(x, in, y, wrong), Code::kInvalidArgument);
}

TEST(session, stops_when_told_to) {
  const auto session = open_session(network_file(), {});
  RunOptions options;
  options.terminate = true;
  const std::string_view x[] = {"x"}, y[] = {"y"};
  const Tensor in[] = {batch(2, 1)};
  std::vector<Tensor> out(1);
  CHECK_CODE(session->run(x, in, y, out, &options), Code::kFail);
}

TEST(session, keeps_a_bounded_number_of_bindings_for_changing_shapes) {
  const auto session = open_session(network_file(), {"AOT"});
  for (int64_t rows = 1; rows < 90; ++rows) {
    const auto out = run_all(*session, {batch(rows, 9)});
    CHECK_EQ(out[0].dims()[0], rows);
  }
}

// if (c) y = x + w else y = x - w, with w captured; also as a context.
TEST(session, runs_if_with_captures_from_source_and_context) {
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {2});
  const auto w = g.floats("w", {2}, {1, 2});
  Attribute branches[2];
  for (int i = 0; i < 2; ++i) {
    GraphBuilder inner(17, &g.graph());
    const auto cx = inner.graph().capture(x).value(), cw = inner.graph().capture(w).value();
    inner.output(inner.node(i == 0 ? "Add" : "Sub", {cx, cw}, {i == 0 ? "t" : "e"})[0]);
    branches[i] = graph_attribute(i == 0 ? "then_branch" : "else_branch", inner.shared());
  }
  g.output(g.node("If", {c}, {"y"}, {branches[0], branches[1]})[0]);
  g.infer();
  const std::string path = temp_dir() + "/if.onnx", context = temp_dir() + "/if_ctx.onnx";
  write_whole_file(path, g.model_bytes());
  compile_to(path, context);
  for (const std::string& file : {path, context}) {
    const auto session = open_session(file, {"AOT"});
    CHECK_EQ(session->report().partitions.size(), 1u);
    for (const bool flag : {true, false}) {
      const auto out = run_all(*session, {Tensor::scalar<bool>(flag),
                                          Tensor::from<float>({2}, std::vector<float>{10, 20})});
      CHECK_EQ(out[0].elements<float>()[0], flag ? 11.0f : 9.0f);
      CHECK_EQ(out[0].elements<float>()[1], flag ? 22.0f : 18.0f);
    }
  }
}

// for i in range(n): a = a + x; scan a
TEST(session, runs_loop_with_scan_outputs_from_source_and_context) {
  GraphBuilder g;
  const auto n = g.input("n", DType::kInt64, {});
  const auto a0 = g.input("a0", DType::kFloat32, {2});
  const auto x = g.input("x", DType::kFloat32, {2});
  GraphBuilder body(17, &g.graph());
  body.input("i", DType::kInt64, {});
  const auto go = body.input("go", DType::kBool, {});
  const auto a = body.input("a", DType::kFloat32, {2});
  const auto sum = body.node("Add", {a, body.graph().capture(x).value()}, {"sum"})[0];
  const auto go_on = body.node("Identity", {go}, {"go_on"})[0];
  const auto scanned = body.node("Identity", {sum}, {"scanned"})[0];
  body.output(go_on);
  body.output(sum);
  body.output(scanned);
  const Attribute attribute = graph_attribute("body", body.shared());
  const auto out = g.node("Loop", {n, kNoValue, a0}, {"a_last", "all"}, {attribute});
  g.output(out[0]);
  g.output(out[1]);
  g.infer();
  const std::string path = temp_dir() + "/loop.onnx", context = temp_dir() + "/loop_ctx.onnx";
  write_whole_file(path, g.model_bytes());
  compile_to(path, context);
  for (const std::string& file : {path, context}) {
    const auto session = open_session(file, {"AOT"});
    for (const int64_t count : {3, 0}) {
      const auto result = run_all(*session, {Tensor::scalar<int64_t>(count),
                                             Tensor::from<float>({2}, std::vector<float>{0, 1}),
                                             Tensor::from<float>({2}, std::vector<float>{1, 10})});
      CHECK_EQ(result[0].elements<float>()[1], 1.0f + 10.0f * static_cast<float>(count));
      CHECK(result[1].dims() == (Dims{count, 2}));
      if (count == 3) CHECK_EQ(result[1].elements<float>()[2], 2.0f);
    }
  }
}

TEST(session, takes_an_overridable_initializer_or_its_own_value) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2});
  const auto w = g.floats("w", {2}, {1, 2});
  g.graph().add_input(w);
  g.output(g.node("Add", {x, w}, {"y"})[0]);
  g.infer();
  const std::string path = temp_dir() + "/override.onnx";
  write_whole_file(path, g.model_bytes());
  for (const std::vector<std::string>& providers : {std::vector<std::string>{}, {"AOT"}}) {
    const auto session = open_session(path, providers);
    CHECK_EQ(session->inputs().size(), 1u);
    CHECK_EQ(session->overridable().size(), 1u);
    const Tensor values[] = {Tensor::from<float>({2}, std::vector<float>{10, 20}),
                             Tensor::from<float>({2}, std::vector<float>{5, 6})};
    const std::string_view names[] = {"x", "w"}, y[] = {"y"};
    std::vector<Tensor> out(1);
    CHECK_OK(session->run(std::span(names, 1), std::span(values, 1), y, out));
    CHECK_EQ(out[0].elements<float>()[1], 22.0f);
    out.assign(1, Tensor());
    CHECK_OK(session->run(names, values, y, out));
    CHECK_EQ(out[0].elements<float>()[1], 26.0f);
  }
}

TEST(session, names_no_sizes_of_outputs_that_the_model_does_not_name) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1});
  const auto found = g.node("NonZero", {x}, {"found"})[0];
  g.output(g.node("Neg", {found}, {"y"})[0]);
  g.output(g.node("Abs", {x}, {"z"})[0]);
  g.infer();
  const std::string path = temp_dir() + "/found.onnx";
  write_whole_file(path, g.model_bytes());
  const auto session = open_session(path, {});
  CHECK_EQ(type_to_string(session->outputs()[0].type), "int64[1,?]");
  CHECK_EQ(type_to_string(session->outputs()[1].type), "float32[d0]");
}
