// SPDX-License-Identifier: MIT
// Local functions: inlining, attributes, captures, and the ways they can be wrong.
#include "core/graph/text/print.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::wire;

namespace {

std::string call(const Texts& inputs, const Texts& outputs, const Texts& attributes = {},
                 std::string_view name = "call", std::string_view op = "F") {
  return node(op, inputs, outputs, attributes, name, "local");
}

std::string printed(const Texts& nodes, const Texts& functions) {
  auto imported = import(model(graph(nodes, {kX}, {kY}), functions));
  if (!imported.is_ok()) return imported.status().to_string();
  const Status status = verify_graph(*(*imported)->graph);
  return status.is_ok() ? print_graph(*(*imported)->graph) : status.to_string();
}

Code code(const Texts& nodes, const Texts& functions) {
  return import(model(graph(nodes, {kX}, {kY}), functions)).status().code();
}

}  // namespace

TEST(import_function, inlines_a_body) {
  const auto f =
      function("F", {"a"}, {"c"}, {node("Neg", {"a"}, {"t"}, {}, "n"), node("Relu", {"t"}, {"c"})});
  CHECK_EQ(printed({call({"x"}, {"y"})}, {f}),
           "graph g(%x : float32[2]) -> (%y)\n"
           "  %call/t = Neg(%x) : ?  # call/n\n"
           "  %y = Relu(%call/t) : float32[2]  # call\n");
}

TEST(import_function, keeps_two_calls_apart) {
  const auto f =
      function("F", {"a"}, {"c"}, {node("Neg", {"a"}, {"t"}), node("Abs", {"t"}, {"c"})});
  const std::string text = printed({call({"x"}, {"m"}, {}, ""), call({"m"}, {"y"}, {}, "")}, {f});
  CHECK(text.find("%F/t = Neg(%x)") != std::string::npos);
  CHECK(text.find("%F_1/t = Neg(%m)") != std::string::npos);
}

TEST(import_function, inlines_calls_in_functions) {
  const auto outer = function("F", {"a"}, {"c"},
                              {call({"a"}, {"t"}, {}, "g", "G"), call({"t"}, {"c"}, {}, "h", "G")},
                              field(9, opset("local", 1)));
  const auto inner = function("G", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"}, {}, "neg")});
  CHECK_EQ(printed({call({"x"}, {"y"})}, {outer, inner}),
           "graph g(%x : float32[2]) -> (%y)\n"
           "  %call/t = Neg(%x) : ?  # call/g/neg\n"
           "  %y = Neg(%call/t) : float32[2]  # call/h/neg\n");
}

TEST(import_function, gives_attributes_to_the_body) {
  const auto f = function(
      "F", {"a"}, {"c"},
      {node("Op", {"a"}, {"c"},
            {reference_attribute("axis", 2, "where"), reference_attribute("gone", 2, "never"),
             reference_attribute("mode", 3, "how")})},
      field(6, "where") + field(11, text_attribute("how", "linear")));
  const std::string text = printed({call({"x"}, {"y"}, {int_attribute("where", 7)})}, {f});
  CHECK(text.find("{axis=7, mode=\"linear\"}") != std::string::npos);
  CHECK_EQ(code({call({"x"}, {"y"}, {text_attribute("where", "7")})}, {f}), Code::kInvalidGraph);
}

TEST(import_function, gives_attributes_through_two_calls) {
  const auto outer = function("F", {"a"}, {"c"},
                              {call({"a"}, {"c"}, {reference_attribute("n", 2, "m")}, "g", "G")});
  const auto inner = function("G", {"a"}, {"b"},
                              {node("Op", {"a"}, {"b"}, {reference_attribute("axis", 2, "n")})});
  const std::string text = printed({call({"x"}, {"y"}, {int_attribute("m", 5)})}, {outer, inner});
  CHECK(text.find("{axis=5}") != std::string::npos);
}

TEST(import_function, captures_the_callers_values_in_bodies) {
  const std::string body = graph({node("Add", {"a", "t"}, {"z"})}, {}, {plain("z")});
  const auto f = function("F", {"a"}, {"c"},
                          {node("Neg", {"a"}, {"t"}),
                           node("If", {"a"}, {"c"}, {graph_attribute("then_branch", body)}, "if")});
  const std::string text = printed({call({"x"}, {"y"})}, {f});
  CHECK(text.find("%call/z = Add(%x, %call/t)") != std::string::npos);
}

TEST(import_function, reads_a_given_graph_in_the_callers_names) {
  // The body's own `a` is not what the given graph means by `a`.
  const std::string given = graph({node("Neg", {"a"}, {"z"})}, {}, {plain("z")});
  const auto f =
      function("F", {"b"}, {"c"},
               {node("Abs", {"b"}, {"a"}),
                node("If", {"a"}, {"c"}, {reference_attribute("then_branch", 5, "branch")}, "if")});
  const std::string text = printed(
      {node("Neg", {"x"}, {"a"}), call({"x"}, {"y"}, {graph_attribute("branch", given)})}, {f});
  CHECK(text.find("%z = Neg(%a)") != std::string::npos);
  CHECK(text.find("%call/a = Abs(%x)") != std::string::npos);
}

TEST(import_function, chooses_by_overload) {
  const auto plain_one = function("F", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"})});
  const auto other = function("F", {"a"}, {"b"}, {node("Abs", {"a"}, {"b"})}, field(13, "other"));
  const std::string text = printed({call({"x"}, {"y"}) + field(8, "other")}, {plain_one, other});
  CHECK(text.find("Abs") != std::string::npos);
  CHECK_EQ(code({call({"x"}, {"y"})}, {plain_one, plain_one}), Code::kInvalidGraph);
}

TEST(import_function, omits_inputs_and_outputs) {
  const auto f = function("F", {"a", "b"}, {"c", "d"},
                          {node("Clip", {"a", "b"}, {"c"}), node("Neg", {"a"}, {"d"})});
  const std::string text = printed({call({"x"}, {"y"})}, {f});
  CHECK(text.find("%y = Clip(%x, _)") != std::string::npos);
  CHECK(text.find("%call/d = Neg(%x)") != std::string::npos);
  CHECK_EQ(code({call({"x", "x", "x"}, {"y"})}, {f}), Code::kInvalidGraph);
}

TEST(import_function, passes_an_input_through) {
  const auto f = function("F", {"a"}, {"a"}, {});
  CHECK(printed({call({"x"}, {"y"})}, {f}).find("%y = Identity(%x)") != std::string::npos);
}

TEST(import_function, refuses_recursion) {
  const auto f = function("F", {"a"}, {"c"}, {call({"a"}, {"c"}, {}, "g", "G")});
  const auto g = function("G", {"a"}, {"c"}, {call({"a"}, {"c"}, {}, "f", "F")});
  auto status = import(model(graph({call({"x"}, {"y"})}, {kX}, {kY}), {f, g})).status();
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(says(status, "calls itself"));
}

TEST(import_function, refuses_bodies_that_explode) {
  Texts functions;
  for (int i = 0; i < 60; ++i) {
    functions.push_back(function(str_cat("F", i), {"a"}, {"c"},
                                 {call({"a"}, {"t"}, {}, "l", str_cat("F", i + 1)),
                                  call({"t"}, {"c"}, {}, "r", str_cat("F", i + 1))}));
  }
  functions.push_back(function("F60", {"a"}, {"c"}, {node("Neg", {"a"}, {"c"})}));
  auto status =
      import(model(graph({call({"x"}, {"y"}, {}, "call", "F0")}, {kX}, {kY}), functions)).status();
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(says(status, "would take more than"));
}

TEST(import_function, refuses_deep_chains) {
  Texts functions;
  for (int i = 0; i < 100; ++i) {
    functions.push_back(function(str_cat("F", i), {"a"}, {"c"},
                                 {call({"a"}, {"c"}, {}, "n", str_cat("F", i + 1))}));
  }
  functions.push_back(function("F100", {"a"}, {"c"}, {node("Neg", {"a"}, {"c"})}));
  auto status =
      import(model(graph({call({"x"}, {"y"}, {}, "call", "F0")}, {kX}, {kY}), functions)).status();
  CHECK_CODE(status, Code::kInvalidGraph);
  CHECK(says(status, "nested deeper"));
}

TEST(import_function, refuses_bodies_in_bodies_that_no_file_could_hold) {
  Texts functions;
  for (int i = 0; i < 25; ++i) {
    const std::string body =
        graph({call({"a"}, {"z"}, {}, "n", str_cat("F", i + 1))}, {}, {plain("z")});
    functions.push_back(
        function(str_cat("F", i), {"a"}, {"c"},
                 {node("If", {"a"}, {"c"}, {graph_attribute("then_branch", body)})}));
  }
  functions.push_back(function("F25", {"a"}, {"c"}, {node("Neg", {"a"}, {"c"})}));
  CHECK_EQ(code({call({"x"}, {"y"}, {}, "call", "F0")}, functions), Code::kInvalidGraph);
  auto imported =
      import(model(graph({call({"x"}, {"y"}, {}, "call", "F10")}, {kX}, {kY}), functions));
  CHECK_OK(imported);
  CHECK_OK(import(*export_text(**imported)));
}

TEST(import_function, wants_the_models_opset) {
  const Texts nodes = {node("Neg", {"a"}, {"c"})};
  auto status = import(model(graph({call({"x"}, {"y"})}, {kX}, {kY}),
                             {function("F", {"a"}, {"c"}, nodes, "", 18)}))
                    .status();
  CHECK_CODE(status, Code::kNotImplemented);
  CHECK(says(status, "'F' imports opset 18"));
  const Texts foreign = {node("Neg", {"a"}, {"c"}, {}, "", "elsewhere")};
  CHECK_EQ(code({call({"x"}, {"y"})}, {function("F", {"a"}, {"c"}, foreign)}), Code::kInvalidGraph);
  const std::string text =
      printed({call({"x"}, {"y"})},
              {function("F", {"a"}, {"c"}, foreign, field(9, opset("elsewhere", 3)))});
  CHECK(text.find("elsewhere::Neg") != std::string::npos);
}

TEST(import_function, refuses_broken_bodies) {
  const Texts calls = {call({"x"}, {"y"})};
  CHECK_EQ(code(calls, {function("F", {"a"}, {"c"}, {})}), Code::kInvalidGraph);
  CHECK_EQ(code(calls, {function("F", {"a"}, {"c"}, {node("Neg", {"x"}, {"c"})})}),
           Code::kInvalidGraph);
  CHECK_EQ(code(calls, {function("F", {"a"}, {"c"}, {node("Neg", {"a"}, {"a"})})}),
           Code::kInvalidGraph);
  CHECK_EQ(code(calls, {function("F", {"a", "a"}, {"c"}, {node("Neg", {"a"}, {"c"})})}),
           Code::kInvalidGraph);
  CHECK_EQ(code({node("Neg", {"x"}, {"y"}, {reference_attribute("axis", 2, "n")})}, {}),
           Code::kInvalidGraph);
}
