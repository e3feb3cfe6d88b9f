// SPDX-License-Identifier: MIT
// Libraries that ask for channels-last data: what they are shown, and that the numbers are those of
// the CPU provider.
#include "tests/api/plugin/layout_testing.h"

using namespace ortc;
using namespace ortc::test;

TEST(plugin_layout, a_chain_stays_channels_last_between_two_transposes) {
  const LayoutSetting setting;
  const OwnSession session = setting.session(chain_model());
  CHECK_EQ(shown(),
           "Conv Relu Add MaxPool Conv\n"
           "Transpose nhwc.Conv Relu Add nhwc.MaxPool nhwc.Conv Transpose\n");
  CHECK(agree(session.get(), setting.cpu_session(chain_model()).get(), kChainDims));
  CHECK_EQ(nodes_of(session.get(), kNpuEp), "Transpose Conv Relu Add MaxPool Conv Transpose ");
}

TEST(plugin_layout, nodes_have_versions_and_shapes_and_their_provider) {
  const LayoutSetting setting;
  const OwnSession session = setting.session(chain_model());
  const std::string text = shown_details();
  CHECK_EQ(text.substr(text.find('\n') + 1),
           "Transpose@13[1,8,6,3] *nhwc.Conv@11[1,8,6,4] *Relu@14[1,8,6,4] *Add@14[1,8,6,4] "
           "*nhwc.MaxPool@12[1,4,2,4] *nhwc.Conv@11[1,4,2,2] Transpose@13[1,2,4,2]\n");
}

TEST(plugin_layout, values_that_are_read_in_both_layouts_have_one_transpose) {
  const LayoutSetting setting;
  ImageBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2, 4, 5, 5});
  const ValueId left = g.conv(x, 4, 4, "left"), right = g.conv(x, 4, 4, "right", 2);
  const ValueId sum = g.node("Add", {g.relu(left, "positive"), right}, {"sum"})[0];
  const ValueId joined = g.node("Concat", {sum, x}, {"joined"}, {Attribute::of_int("axis", -3)})[0];
  g.output(g.conv(joined, 8, 3, "y"));
  const OwnSession session = setting.session(g.model_bytes());
  const std::string second = shown().substr(shown().find('\n') + 1);
  // The NPU has no Concat, so it is not claimed and reads what it did.
  CHECK_EQ(second,
           "Transpose nhwc.Conv nhwc.Conv Relu Add Transpose Concat Transpose nhwc.Conv "
           "Transpose\n");
  CHECK(agree(session.get(), setting.cpu_session(g.model_bytes()).get(), {2, 4, 5, 5}));
}

TEST(plugin_layout, transposes_of_the_model_go_when_nobody_reads_them) {
  const LayoutSetting setting;
  ImageBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 6, 5, 3});
  const ValueId first = g.turn(x, "first", {0, 3, 1, 2});
  const ValueId conv = g.relu(g.conv(first, 3, 4, "conv"), "relu");
  g.output(g.turn(conv, "y", {0, 2, 3, 1}));
  const OwnSession session = setting.session(g.model_bytes());
  CHECK_EQ(shown(), "Transpose Conv Relu Transpose\nnhwc.Conv Relu\n");
  CHECK(agree(session.get(), setting.cpu_session(g.model_bytes()).get(), {1, 6, 5, 3}));

  // The same, and the provider takes nothing in the end: both Transposes are there again.
  const OwnSession none = setting.session(g.model_bytes(), "nothing_again");
  CHECK_EQ(nodes_of(none.get(), kNpuEp), "");
  CHECK_EQ(nodes_of(none.get(), "CPUExecutionProvider"), "Conv Relu Transpose Transpose ");
  CHECK(agree(none.get(), setting.cpu_session(g.model_bytes()).get(), {1, 6, 5, 3}));
}

TEST(plugin_layout, what_is_not_claimed_again_is_as_it_was) {
  const LayoutSetting setting;
  const OwnSession expected = setting.cpu_session(chain_model());
  for (const char* name : {"c1_node", "r1_node", "moved_node", "p1_node", "y_node"}) {
    const OwnSession session = setting.session(chain_model(), std::string("leave:") + name);
    CHECK(agree(session.get(), expected.get(), kChainDims));
    const std::string kept = nodes_of(session.get(), "CPUExecutionProvider");
    const std::string op = name[0] == 'r'   ? "Relu"
                           : name[0] == 'm' ? "Add"
                           : name[0] == 'p' ? "MaxPool"
                                            : "Conv";
    CHECK(kept.find(op + " ") != std::string::npos);
  }
  const OwnSession none = setting.session(chain_model(), "nothing_again");
  CHECK_EQ(nodes_of(none.get(), "CPUExecutionProvider"), "Conv Relu Add MaxPool Conv ");
  CHECK(agree(none.get(), expected.get(), kChainDims));
}

TEST(plugin_layout, the_library_decides_operator_by_operator) {
  const LayoutSetting setting;
  const OwnSession expected = setting.cpu_session(chain_model());
  const OwnSession convs = setting.session(chain_model(), "no:MaxPool yes:Conv");
  CHECK_EQ(asked(), ":Conv>1 :Relu>1 :Add>1 :MaxPool>1 ");
  CHECK_EQ(shown().substr(shown().find('\n') + 1),
           "Transpose nhwc.Conv Relu Add Transpose MaxPool Transpose nhwc.Conv Transpose\n");
  CHECK(agree(convs.get(), expected.get(), kChainDims));

  for (const char* words : {"says_nothing", "no_convert", "no:Relu"}) {
    const OwnSession session = setting.session(chain_model(), words);
    CHECK_EQ(shown().substr(shown().find('\n') + 1),
             "Transpose nhwc.Conv Relu Add nhwc.MaxPool nhwc.Conv Transpose\n");
    CHECK(agree(session.get(), expected.get(), kChainDims));
  }

  // One that ONNX Runtime's list does not have; the NPU does not know it and leaves it.
  const OwnSession relus = setting.session(chain_model(), "no:Conv no:MaxPool yes:Relu");
  CHECK_EQ(shown().substr(shown().find('\n') + 1),
           "Conv Transpose nhwc.Relu Add Transpose MaxPool Conv\n");
  CHECK(agree(relus.get(), expected.get(), kChainDims));
}

TEST(plugin_layout, channels_first_is_what_others_get) {
  const LayoutSetting setting;
  const OwnSession expected = setting.cpu_session(chain_model());
  for (const std::string words : {"prefer_nchw", "no_prefer", "version_22"}) {
    setting.set(words);
    OwnSession session;
    const Options options = options_of(setting.env, kNpuEp);  // the sample claims no Conv so
    CHECK(make_session(setting.env, chain_model(), options, &session).is_ok());
    CHECK_EQ(shown().find("nhwc"), std::string::npos);
    CHECK_EQ(shown().empty(), words == "version_22");
    CHECK_EQ(asked(), "");
    CHECK(agree(session.get(), expected.get(), kChainDims));
  }
}

TEST(plugin_layout, bodies_are_channels_last_of_their_own) {
  const LayoutSetting setting;
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 3, 6, 6});
  const ValueId zero = g.floats("zero", {}, {0});
  const ValueId sum = g.node("ReduceSum", {x}, {"sum"}, {Attribute::of_int("keepdims", 0)})[0];
  const ValueId is_positive = g.node("Greater", {sum, zero}, {"is_positive"})[0];
  ImageBuilder yes(17, &g.graph()), no(17, &g.graph());
  yes.output(yes.relu(yes.conv(yes.graph().capture(x).value(), 3, 3, "yes"), "yes_r"));
  no.output(no.pool(no.conv(no.graph().capture(x).value(), 3, 3, "no"), "no_p"));
  g.output(g.node("If", {is_positive}, {"y"},
                  {graph_attribute("then_branch", yes.shared()),
                   graph_attribute("else_branch", no.shared())})[0]);
  const OwnSession expected = setting.cpu_session(g.model_bytes());
  for (const char* words : {"", "nothing_again", "leave:no_node", "leave:yes_r_node one_by_one"}) {
    const OwnSession session = setting.session(g.model_bytes(), words);
    CHECK(shown().find("(inner) Transpose nhwc.Conv Relu Transpose\n") != std::string::npos);
    CHECK(agree(session.get(), expected.get(), {1, 3, 6, 6}));
    std::vector<float> y, wanted;
    const std::vector<float> minus(108, -1);
    CHECK(run_floats(session.get(), minus, &y, {1, 3, 6, 6}).is_ok());
    CHECK(run_floats(expected.get(), minus, &wanted, {1, 3, 6, 6}).is_ok());
    CHECK(are_near(y, wanted));
  }
}

TEST(plugin_layout, constants_may_stay_outside) {
  const LayoutSetting setting;
  const OwnSession expected = setting.cpu_session(chain_model());
  for (const char* words :
       {"leave_constants", "leave_constants one_by_one", "leave_constants leave:moved_node"}) {
    const OwnSession session = setting.session(chain_model(), words);
    CHECK(agree(session.get(), expected.get(), kChainDims));
  }
}

TEST(plugin_layout, values_that_the_graph_gives_keep_their_layout) {
  const LayoutSetting setting;
  ImageBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 3, 4, 4});
  const ValueId y = g.conv(x, 3, 3, "y");
  g.output(y);
  const ValueId more = g.relu(y, "more");
  g.output(more);
  g.output(g.conv(more, 3, 2, "most"));
  const OwnSession session = setting.session(g.model_bytes());
  CHECK(agree(session.get(), setting.cpu_session(g.model_bytes()).get(), {1, 3, 4, 4}));
}

TEST(plugin_layout, failures_are_named_with_their_function) {
  const LayoutSetting setting;
  const struct {
    const char* word;
    int code;
    const char* text;
  } cases[] = {
      {"prefer_error", ORT_NOT_FOUND, "GetPreferredDataLayout: no layout"},
      {"prefer_throws", ORT_EP_FAIL, "GetPreferredDataLayout: it threw: thrown in place of"},
      {"prefer_odd", ORT_EP_FAIL, "GetPreferredDataLayout gave 7, expected 0 (NCHW) or 1 (NHWC)"},
      {"convert_error", ORT_NOT_FOUND, "ShouldConvertDataLayoutForOp: no answer"},
      {"convert_throws", ORT_EP_FAIL, "ShouldConvertDataLayoutForOp: it threw: thrown in place of"},
      {"second_error", ORT_NOT_FOUND, "GetCapability: not once more"},
  };
  for (const auto& one : cases) {
    OwnSession session;
    CHECK(setting.try_session(chain_model(), one.word, &session).has(one.code, one.text));
  }
  CHECK(agree(setting.session(chain_model()).get(), setting.cpu_session(chain_model()).get(),
              kChainDims));
}
