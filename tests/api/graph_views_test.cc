// SPDX-License-Identifier: MIT
// Views of graphs through the C interface: what they tell of models with sub-graphs, functions,
// initializers of all kinds; parts of graphs; lifetimes; and models that are damaged.
#include <fstream>
#include <set>
#include <sstream>

#include "tests/api/graph_view_text.h"
#include "tests/core/graph/wire_model.h"
#include "tests/support/graph_builder.h"

using namespace ortc;
using namespace ortc::test;
namespace w = ortc::wire;

namespace {

std::string number(float value) {
  return w::raw(std::string(reinterpret_cast<const char*>(&value), sizeof value));
}
std::string scalar(const char* name, float value) { return w::tensor(name, 1, {}, number(value)); }

// If in If; both read values of the main graph, one a constant, one an input.
std::string nested_model() {
  const std::string inner_then =
      w::graph({w::node("Sub", {"m", "x"}, {"i"}, {}, "sub")}, {}, {w::plain("i")});
  const std::string inner_else =
      w::graph({w::node("Identity", {"e"}, {"j"}, {}, "id")}, {}, {w::plain("j")});
  const std::string then_branch = w::graph(
      {w::node("Add", {"m", "b"}, {"t"}, {}, "add"), w::node("Mul", {"t", "c"}, {"u"}, {}, "mul")},
      {}, {w::plain("u")}, {scalar("c", 3)});
  const std::string else_branch = w::graph({w::node("Neg", {"m"}, {"e"}, {}, "neg"),
                                            w::node("If", {"cond"}, {"f"},
                                                    {w::graph_attribute("then_branch", inner_then),
                                                     w::graph_attribute("else_branch", inner_else)},
                                                    "inner")},
                                           {}, {w::plain("f")});
  return w::model(w::graph({w::node("Abs", {"x"}, {"m"}, {}, "abs"),
                            w::node("If", {"cond"}, {"y"},
                                    {w::graph_attribute("then_branch", then_branch),
                                     w::graph_attribute("else_branch", else_branch)},
                                    "if")},
                           {w::value("x", 1, {2}), w::value("cond", 9, {})},
                           {w::value("y", 1, {2})}, {scalar("b", 1.5f)}));
}

// Clip with an input left out, an initializer that can be overridden, one that nothing reads, and a
// Constant node.
std::string initializers_model() {
  const std::string constant =
      w::attribute("value", 4, w::field(5, w::tensor("", 1, {}, number(4))));
  return w::model(w::graph({w::node("Constant", {}, {"k"}, {constant}, "constant"),
                            w::node("Clip", {"x", "", "max"}, {"c"}, {}, "clip"),
                            w::node("Add", {"c", "bias"}, {"s"}, {}, "add"),
                            w::node("Mul", {"s", "s"}, {"z"}, {}, "square"),
                            w::node("Mul", {"z", "k"}, {"y"}, {}, "scale")},
                           {w::value("x", 1, {2}), w::value("bias", 1, {})},
                           {w::value("y", 1, {2}), w::value("c", 1, {2})},
                           {scalar("bias", 2), scalar("max", 6), scalar("unread", 7)}));
}

// Scan and Loop with state; both bodies read an input of the main graph.
std::string loops_model() {
  const std::string scan_body =
      w::graph({w::node("Add", {"s", "e"}, {"s2"}, {}, "sum"),
                w::node("Mul", {"s2", "scale"}, {"o"}, {}, "scaled")},
               {w::value("s", 1, {2}), w::value("e", 1, {2})}, {w::plain("s2"), w::plain("o")});
  const std::string loop_body =
      w::graph({w::node("Add", {"a", "scale"}, {"a2"}, {}, "more"),
                w::node("Identity", {"go"}, {"go2"}, {}, "same")},
               {w::value("i", 7, {}), w::value("go", 9, {}), w::value("a", 1, {2})},
               {w::plain("go2"), w::plain("a2")});
  return w::model(w::graph(
      {w::node("Scan", {"x", "xs"}, {"state", "ys"},
               {w::graph_attribute("body", scan_body), w::int_attribute("num_scan_inputs", 1)},
               "scan"),
       w::node("Loop", {"trips", "", "state"}, {"y"}, {w::graph_attribute("body", loop_body)},
               "loop")},
      {w::value("x", 1, {2}), w::value("xs", 1, {3, 2}), w::value("scale", 1, {2}),
       w::value("trips", 7, {})},
      {w::value("y", 1, {2}), w::value("ys", 1, {3, 2})}));
}

std::string functions_model() {
  const std::string function = w::function(
      "F", {"a", "b"}, {"c"},
      {w::node("Add", {"a", "b"}, {"t"}, {}, "add"), w::node("Relu", {"t"}, {"c"}, {}, "relu")});
  return w::model(w::graph({w::node("F", {"x", "k"}, {"m"}, {}, "one", "local"),
                            w::node("F", {"m", "k"}, {"y"}, {}, "two", "local")},
                           {w::value("x", 1, {2})}, {w::value("y", 1, {2})}, {scalar("k", 1)}),
                  {function});
}

std::vector<std::string> rows_of(const std::string& file, const std::string& table) {
  std::vector<std::string> members;
  std::ifstream lines(source_dir() + "/core/api/" + file);
  CHECK(lines.good());
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, '\t');) cells.push_back(cell);
    if (table.empty()) members.push_back(cells.at(0));
    if (!table.empty() && cells.at(0) == table) members.push_back(cells.at(2));
  }
  return members;
}

// Asks everything of a graph that may be of any make.
void look_at(const std::string& bytes, const OrtEnv* env, int& loaded, int& refused) {
  OrtGraph* graph = nullptr;
  OrtStatus* status = OrtLoadGraphFromArray(env, bytes.data(), bytes.size(), &graph);
  if (status != nullptr) {
    CHECK(graph == nullptr);
    CHECK(OrtGetErrorMessage(status)[0] != '\0');
    OrtReleaseStatus(status);
    ++refused;
    return;
  }
  ++loaded;
  for (const OrtNode* node : list_of(graph, OrtGraph_GetNumNodes, OrtGraph_GetNodes)) {
    for (const OrtValueInfo* value : list_of(node, OrtNode_GetNumInputs, OrtNode_GetInputs)) {
      if (value != nullptr) (void)type_of(value);
    }
    size_t count = 0;
    CHECK_C(OrtNode_GetNumSubgraphs(node, &count));
    std::vector<const OrtGraph*> graphs(count);
    CHECK_C(OrtNode_GetSubgraphs(node, graphs.data(), count, nullptr));
  }
  OrtReleaseGraph(graph);
}

}  // namespace

TEST(graph_views, show_graphs_in_graphs) {
  const Loaded model(nested_model());
  CHECK_EQ(describe(model.graph),
           "in x float32[2] -> abs.0 if.* input\n"
           "in cond type 9[] -> if.0 if.* input\n"
           "out y float32[2] <- if.0 output\n"
           "init b float32[] -> if.* constant = 1.5\n"
           "abs: Abs-13(x)(m)\n"
           "  m float32[2] <- abs.0 -> if.*\n"
           "if: If-16(cond)(y) takes (m,b,cond,x) then_branch else_branch\n"
           "  [then_branch]\n"
           "  out u float32[2] <- mul.0 output\n"
           "  init c float32[] -> mul.1 constant = 3\n"
           "  add: Add-14(m,b)(t)\n"
           "    m float32[2] -> add.0 outer\n"
           "    b float32[] -> add.1 constant outer = 1.5\n"
           "    t float32[2] <- add.0 -> mul.0\n"
           "  mul: Mul-14(t,c)(u)\n"
           "  [else_branch]\n"
           "  out f float32[2] <- inner.0 output\n"
           "  neg: Neg-13(m)(e)\n"
           "    m float32[2] -> neg.0 inner.* outer\n"
           "    e float32[2] <- neg.0 -> inner.*\n"
           "  inner: If-16(cond)(f) takes (m,x,e) then_branch else_branch\n"
           "    [then_branch]\n"
           "    out i float32[2] <- sub.0 output\n"
           "    sub: Sub-14(m,x)(i)\n"
           "      m float32[2] -> sub.0 outer\n"
           "      x float32[2] -> sub.1 outer\n"
           "    [else_branch]\n"
           "    out j float32[2] <- id.0 output\n"
           "    id: Identity-16(e)(j)\n"
           "      e float32[2] -> id.0 outer\n"
           "    cond type 9[] -> inner.0 outer\n");
}

TEST(graph_views, show_loops) {
  const Loaded model(loops_model());
  CHECK_EQ(describe(model.graph),
           "in x float32[2] -> scan.0 input\n"
           "in xs float32[3,2] -> scan.1 input\n"
           "in scale float32[2] -> scan.* loop.* input\n"
           "in trips type 7[] -> loop.0 input\n"
           "out y float32[2] <- loop.0 output\n"
           "out ys float32[3,2] <- scan.1 output\n"
           "scan: Scan-16(x,xs)(state,ys) takes (scale) body num_scan_inputs\n"
           "  [body]\n"
           "  in s float32[2] -> sum.0 input\n"
           "  in e float32[2] -> sum.1 input\n"
           "  out s2 float32[2] <- sum.0 -> scaled.0 output\n"
           "  out o float32[2] <- scaled.0 output\n"
           "  sum: Add-14(s,e)(s2)\n"
           "  scaled: Mul-14(s2,scale)(o)\n"
           "    scale float32[2] -> scaled.1 outer\n"
           "  state float32[2] <- scan.0 -> loop.2\n"
           "loop: Loop-16(trips,-,state)(y) takes (scale) body\n"
           "  [body]\n"
           "  in i type 7[] input\n"
           "  in go type 9[] -> same.0 input\n"
           "  in a float32[2] -> more.0 input\n"
           "  out go2 type 9[] <- same.0 output\n"
           "  out a2 float32[2] <- more.0 output\n"
           "  more: Add-14(a,scale)(a2)\n"
           "    scale float32[2] -> more.1 outer\n"
           "  same: Identity-16(go)(go2)\n");
}

TEST(graph_views, show_functions_inlined) {
  const Loaded model(functions_model());
  CHECK_EQ(describe(model.graph),
           "in x float32[2] -> one/add.0 input\n"
           "out y float32[2] <- two/relu.0 output\n"
           "init k float32[] -> one/add.1 two/add.1 constant = 1\n"
           "one/add: Add-14(x,k)(one/t)\n"
           "  one/t float32[2] <- one/add.0 -> one/relu.0\n"
           "one/relu: Relu-14(one/t)(m)\n"
           "  m float32[2] <- one/relu.0 -> two/add.0\n"
           "two/add: Add-14(m,k)(two/t)\n"
           "  two/t float32[2] <- two/add.0 -> two/relu.0\n"
           "two/relu: Relu-14(two/t)(y)\n");
}

TEST(graph_views, show_initializers_of_all_kinds) {
  const Loaded model(initializers_model());
  CHECK_EQ(describe(model.graph),
           "in x float32[2] -> clip.0 input\n"
           "in bias float32[] -> add.1 optional-input = 2\n"
           "out y float32[2] <- scale.0 output\n"
           "out c float32[2] <- clip.0 -> add.0 output\n"
           "init bias float32[] -> add.1 optional-input = 2\n"
           "init max float32[] -> clip.2 constant = 6\n"
           "init k float32[] -> scale.1 constant = 4\n"
           "clip: Clip-13(x,-,max)(c)\n"
           "add: Add-14(c,bias)(s)\n"
           "  s float32[2] <- add.0 -> square.0 square.1\n"
           "square: Mul-14(s,s)(z)\n"
           "  z float32[2] <- square.0 -> scale.0\n"
           "scale: Mul-14(z,k)(y)\n");
}

TEST(graph_views, show_where_external_initializers_are) {
  const std::string folder = temp_dir();
  write_whole_file(folder + "/weights.bin", std::string(80, '\0'));
  const std::string weights =
      w::tensor("weights", 1, {4},
                w::external({{"location", "weights.bin"}, {"offset", "64"}, {"length", "16"}}));
  write_whole_file(folder + "/m.onnx",
                   w::model(w::graph({w::node("Add", {"x", "weights"}, {"y"}, {}, "add")},
                                     {w::value("x", 1, {4})}, {w::value("y", 1, {4})}, {weights})));
  Env env;
  OrtGraph* graph = nullptr;
  CHECK_C(OrtLoadGraph(env.env, (folder + "/m.onnx").c_str(), &graph));
  CHECK_EQ(text_from(graph, OrtGraph_GetModelPath), folder + "/m.onnx");
  CHECK(describe(graph).find("init weights float32[4] -> add.1 constant = 0 weights.bin@64+16\n") !=
        std::string::npos);
  OrtReleaseGraph(graph);
}

TEST(graph_views, tell_what_the_model_is) {
  const std::string entry = w::field(14, w::field(1, "key") + w::field(2, "text"));
  const Loaded model(w::model(w::graph({w::node("Unheard", {"x"}, {"y"}, {}, "node", "local")},
                                       {w::value("x", 1, {2})}, {w::value("y", 1, {2})}),
                              {}, w::field(2, "maker") + w::number_field(5, 6) + entry));
  CHECK_EQ(text_from(model.graph, OrtGraph_GetName), "g");
  CHECK_EQ(text_from(model.graph, OrtGraph_GetModelPath), "");
  int64_t version = 0;
  CHECK_C(OrtGraph_GetOnnxIRVersion(model.graph, &version));
  CHECK_EQ(version, 8);
  size_t count = 0;
  CHECK_C(OrtGraph_GetNumOperatorSets(model.graph, &count));
  CHECK_EQ(count, 2u);
  const char* domains[2] = {};
  int64_t versions[2] = {};
  CHECK_C(OrtGraph_GetOperatorSets(model.graph, domains, versions, 2));
  CHECK_EQ(std::string(domains[0]) + "," + domains[1], ",local");
  CHECK(versions[0] == 17 && versions[1] == 1);
  CHECK_C_CODE(OrtGraph_GetOperatorSets(model.graph, domains, versions, 1), ORT_INVALID_ARGUMENT);
  const OrtNode* parent = model.node("node");
  CHECK_EQ(describe(parent, ""), "node: local.Unheard--1(x)(y)\n");
  CHECK_C(OrtGraph_GetParentNode(model.graph, &parent));
  CHECK(parent == nullptr);

  OrtModelMetadata* metadata = nullptr;
  CHECK_C(OrtGraph_GetModelMetadata(model.graph, &metadata));
  CHECK_C(OrtModelMetadataGetVersion(metadata, &version));
  CHECK_EQ(version, 6);
  OrtAllocator* allocator = nullptr;
  CHECK_C(OrtGetAllocatorWithDefaultOptions(&allocator));
  char* text = nullptr;
  CHECK_C(OrtModelMetadataLookupCustomMetadataMap(metadata, allocator, "key", &text));
  CHECK_EQ(std::string(text), "text");
  CHECK_C(OrtAllocatorFree(allocator, text));
  OrtReleaseModelMetadata(metadata);
}

TEST(graph_views, of_some_nodes_have_their_own_ends) {
  const Loaded model(initializers_model());
  const OrtNode* nodes[] = {model.node("square"), model.node("add")};
  OrtGraph* part = nullptr;
  CHECK_C(OrtGraph_GetGraphView(model.graph, nodes, 2, &part));
  CHECK_EQ(text_from(part, OrtGraph_GetName), "sub_graph");
  CHECK_EQ(describe(part),
           "in c float32[2] -> add.0 input\n"
           "in bias float32[] -> add.1 optional-input = 2\n"
           "out z float32[2] <- square.0 output\n"
           "init bias float32[] -> add.1 optional-input = 2\n"
           "add: Add-14(c,bias)(s)\n"
           "  s float32[2] <- add.0 -> square.0 square.1\n"
           "square: Mul-14(s,s)(z)\n");
  size_t id = 0, part_id = 1;
  CHECK_C(OrtNode_GetId(nodes[1], &id));
  CHECK_C(OrtNode_GetId(list_of(part, OrtGraph_GetNumNodes, OrtGraph_GetNodes)[0], &part_id));
  CHECK_EQ(id, part_id);
  OrtReleaseGraph(part);
}

TEST(graph_views, of_some_nodes_take_what_bodies_read) {
  const Loaded model(nested_model());
  const OrtNode* nodes[] = {model.node("if")};
  OrtGraph* part = nullptr;
  CHECK_C(OrtGraph_GetGraphView(model.graph, nodes, 1, &part));
  const std::string text = describe(part);
  CHECK_EQ(text.substr(0, text.find("if: ")),
           "in cond type 9[] -> if.0 if.* input\n"
           "in m float32[2] -> if.* input\n"
           "in x float32[2] -> if.* input\n"
           "out y float32[2] <- if.0 output\n"
           "init b float32[] -> if.* constant = 1.5\n");
  OrtReleaseGraph(part);

  const OrtGraph* bodies[2] = {};
  CHECK_C(OrtNode_GetSubgraphs(nodes[0], bodies, 2, nullptr));
  nodes[0] = list_of(bodies[0], OrtGraph_GetNumNodes, OrtGraph_GetNodes)[0];
  CHECK_C(OrtGraph_GetGraphView(bodies[0], nodes, 1, &part));
  CHECK_EQ(describe(part),
           "in m float32[2] -> add.0 input outer\n"
           "out t float32[2] <- add.0 output\n"
           "add: Add-14(m,b)(t)\n"
           "  m float32[2] -> add.0 input outer\n"
           "  b float32[] -> add.1 constant outer = 1.5\n");
  const OrtNode* parent = nodes[0];
  CHECK_C(OrtGraph_GetParentNode(part, &parent));
  CHECK(parent == nullptr);
  OrtReleaseGraph(part);
}

TEST(graph_views, of_some_nodes_refuse_nodes_of_other_graphs) {
  const Loaded model(initializers_model()), other(initializers_model());
  const OrtNode* good[] = {model.node("add"), model.node("add")};
  const OrtNode* bad[] = {other.node("add"), nullptr};
  OrtGraph* part = nullptr;
  CHECK_C_CODE(OrtGraph_GetGraphView(model.graph, good, 0, &part), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtGraph_GetGraphView(model.graph, good, 2, &part), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtGraph_GetGraphView(model.graph, bad, 1, &part), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtGraph_GetGraphView(model.graph, bad + 1, 1, &part), ORT_INVALID_ARGUMENT);
  CHECK(part == nullptr);
}

TEST(graph_views, of_some_nodes_outlive_the_graph) {
  OrtGraph* part = nullptr;
  {
    const Loaded model(nested_model());
    const OrtNode* nodes[] = {model.node("if")};
    CHECK_C(OrtGraph_GetGraphView(model.graph, nodes, 1, &part));
  }
  CHECK(describe(part).find("[else_branch]") != std::string::npos);
  OrtReleaseGraph(part);
}

TEST(graph_views, keep_what_is_borrowed) {
  const Loaded model(nested_model());
  const OrtGraph* bodies[2] = {};
  CHECK_C(OrtNode_GetSubgraphs(model.node("if"), bodies, 2, nullptr));
  // Giving back what is borrowed does nothing.
  OrtReleaseGraph(const_cast<OrtGraph*>(bodies[0]));
  OrtReleaseNode(const_cast<OrtNode*>(model.node("if")));
  OrtReleaseValueInfo(const_cast<OrtValueInfo*>(
      list_of(model.graph, OrtGraph_GetNumInputs, OrtGraph_GetInputs)[0]));
  const OrtGraph* again[2] = {};
  CHECK_C(OrtNode_GetSubgraphs(model.node("if"), again, 2, nullptr));
  CHECK(again[0] == bodies[0] && again[1] == bodies[1]);
  CHECK(!describe(model.graph).empty());
}

TEST(graph_views, have_every_entry_of_the_table) {
  const std::vector<std::string> written = rows_of("functions.tsv", "");
  const std::set<std::string> ours(written.begin(), written.end());
  std::vector<std::string> wanted = rows_of("abi/ort_tables.tsv", "OrtModelEditorApi");
  CHECK_EQ(wanted.size(), 20u);
  const std::set<std::string> others = {"CreateExternalInitializerInfo",
                                        "ReleaseExternalInitializerInfo",
                                        "CreateOpAttr",
                                        "ReleaseOpAttr",
                                        "ReadOpAttr",
                                        "GetValueInfoName",
                                        "GetValueInfoTypeInfo",
                                        "ReleaseValueInfo",
                                        "ReleaseNode",
                                        "ReleaseGraph",
                                        "ReleaseModel"};
  for (const std::string& name : rows_of("abi/ort_tables.tsv", "OrtApi")) {
    bool is_ours = others.count(name) != 0;
    for (const char* prefix :
         {"Graph_", "Node_", "ValueInfo_", "OpAttr_", "ExternalInitializerInfo_"}) {
      is_ours = is_ours || name.starts_with(prefix);
    }
    if (is_ours) wanted.push_back(name);
  }
  CHECK_EQ(wanted.size(), 20u + 61u);
  wanted.push_back("ModelCompilationOptions_SetInputModel");
  for (const std::string& name : wanted) {
    if (ours.count("Ort" + name) == 0) check_failed(__FILE__, __LINE__, "no function Ort" + name);
  }
}

TEST(graph_views, of_damaged_models_are_refused_or_whole) {
  Env env;
  int loaded = 0, refused = 0;
  for (const std::string& model :
       {nested_model(), loops_model(), functions_model(), initializers_model()}) {
    for (size_t size = 0; size < model.size(); size += 7) {
      if (size != 0) look_at(model.substr(0, size), env.env, loaded, refused);
    }
    for (size_t i = 0; i < model.size(); ++i) {
      std::string damaged = model;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
      look_at(damaged, env.env, loaded, refused);
    }
  }
  CHECK(refused > loaded / 4 && loaded > 0);
}

TEST(graph_views, are_refused_for_what_is_no_model) {
  Env env;
  OrtGraph* graph = nullptr;
  CHECK_C_CODE(OrtLoadGraph(env.env, "", &graph), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtLoadGraph(env.env, "not/there.onnx", &graph), ORT_NO_SUCHFILE);
  CHECK_C_CODE(OrtLoadGraphFromArray(env.env, "text", 0, &graph), ORT_INVALID_ARGUMENT);
  CHECK_C_CODE(OrtLoadGraphFromArray(env.env, "text", 4, &graph), ORT_INVALID_PROTOBUF);
  CHECK_C_CODE(OrtLoadGraphFromArray(env.env, "text", SIZE_MAX, &graph), ORT_INVALID_ARGUMENT);
  CHECK(graph == nullptr);
}
