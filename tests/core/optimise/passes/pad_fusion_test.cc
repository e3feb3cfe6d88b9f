// SPDX-License-Identifier: MIT
// Conv(Pad(x, p), w) {pads}   ->   Conv(x, w) {pads + p}
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

TEST(pad_fusion, moves_zeros_into_the_convolution) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 4, 4});
  const ValueId padded = g.node("Pad", {x, g.ints("p", {0, 0, 1, 0, 0, 0, 2, 1})});
  g.output(g.node("Conv", {padded, g.floats("w", {1, 1, 1, 1}, {3})},
                  {Attribute::of_ints("pads", {1, 1, 1, 1})}));
  g.infer();
  const std::string before = g.type(g.graph().find_value("y")->id);
  CHECK_EQ(g.run("pad_fusion"), 1);
  CHECK_EQ(g.operators(), "Conv");
  CHECK(g.producer_of("y").ints_attribute("pads") == std::vector<int64_t>({2, 1, 3, 2}));
  CHECK_EQ(g.type(g.graph().find_value("y")->id), before);
}

TEST(pad_fusion, leaves_other_values_modes_and_axes) {
  for (const int kind : {0, 1, 2}) {
    TestGraph g(13);
    const ValueId x = g.input("x", {1, 1, 4, 4});
    std::vector<ValueId> inputs = {x, g.ints("p", {0, kind == 2 ? 1 : 0, 1, 1, 0, 0, 1, 1})};
    if (kind == 0) inputs.push_back(g.scalar(1));
    std::vector<Attribute> attributes;
    if (kind == 1) attributes.push_back(Attribute::of_string("mode", "reflect"));
    const ValueId padded = g.node("Pad", inputs, attributes);
    g.output(g.node("Conv", {padded, g.floats("w", {1, kind == 2 ? 2 : 1, 1, 1},
                                              std::vector<float>(kind == 2 ? 2 : 1))}));
    CHECK_EQ(g.run("pad_fusion"), 0);
  }
}

TEST(pad_fusion, leaves_an_image_of_nothing) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 1, 0, 4});
  const ValueId padded = g.node("Pad", {x, g.ints("p", {0, 0, 3, 0, 0, 0, 2, 1})});
  g.output(g.node("Conv", {padded, g.floats("w", {1, 1, 1, 1}, {3})}));
  CHECK_EQ(g.run("pad_fusion"), 0);
}

TEST(pad_fusion, looks_through_a_transpose) {
  TestGraph g(13);
  const ValueId x = g.input("x", {1, 4, 5, 2});
  const ValueId padded = g.node("Pad", {x, g.ints("p", {0, 1, 2, 0, 0, 3, 4, 0})});
  const ValueId turned = g.node("Transpose", {padded}, {Attribute::of_ints("perm", {0, 3, 1, 2})});
  g.output(g.node("Conv", {turned, g.floats("w", {1, 2, 1, 1}, {3, 4})}));
  g.infer();
  const std::string before = g.type(g.graph().find_value("y")->id);
  CHECK_EQ(g.run("pad_fusion"), 1);
  CHECK_EQ(g.operators(), "Transpose Conv");
  CHECK(g.producer_of("y").ints_attribute("pads") == std::vector<int64_t>({1, 2, 3, 4}));
  CHECK_EQ(g.type(g.graph().find_value("y")->id), before);
}

TEST(pad_fusion, leaves_channels_behind_a_transpose_and_what_others_read) {
  for (const bool is_read : {false, true}) {
    TestGraph g(13);
    const ValueId x = g.input("x", {1, 4, 5, 2});
    const ValueId padded = g.node("Pad", {x, g.ints("p", {0, 0, 0, is_read ? 0 : 1, 0, 1, 0, 0})});
    const ValueId turned =
        g.node("Transpose", {padded}, {Attribute::of_ints("perm", {0, 3, 1, 2})});
    if (is_read) g.output(g.node("Relu", {turned}), "read");
    const int64_t channels = is_read ? 2 : 3;
    g.output(g.node("Conv", {turned, g.floats("w", {1, channels, 1, 1},
                                              std::vector<float>(static_cast<size_t>(channels)))}));
    CHECK_EQ(g.run("pad_fusion"), 0);
  }
}

// MaxPool(Pad(Relu(x), p)) {pads} -> MaxPool(Relu(x)) {pads + p}
TEST(pad_fusion, moves_zeros_into_a_pool_of_what_is_never_negative) {
  enum { kFits, kAnySign, kWide, kCeil, kDilated, kIndices, kCount };
  for (int kind = 0; kind < kCount; ++kind) {
    TestGraph g(13);
    const ValueId x = g.input("x", {1, 1, 4, 4});
    const ValueId source = g.node(kind == kAnySign ? "Tanh" : "Relu", {x});
    const ValueId padded =
        g.node("Pad", {source, g.ints("p", {0, 0, 1, kind == kWide ? 3 : 1, 0, 0, 2, 1})});
    const auto pooled =
        g.nodes("MaxPool", {padded}, kind == kIndices ? 2 : 1,
                {Attribute::of_ints("kernel_shape", {3, 3}), Attribute::of_ints("strides", {2, 2}),
                 Attribute::of_int("ceil_mode", kind == kCeil ? 1 : 0),
                 Attribute::of_ints("dilations", {1, kind == kDilated ? 2 : 1})});
    g.output(pooled[0]);
    if (kind == kIndices) g.output(pooled[1], "indices");
    g.infer();
    const std::string before = g.type(g.graph().find_value("y")->id);
    CHECK_EQ(g.run("pad_fusion"), kind == kFits ? 1 : 0);
    CHECK_EQ(g.type(g.graph().find_value("y")->id), before);
    if (kind != kFits) continue;
    CHECK_EQ(g.operators(), "Relu MaxPool");
    CHECK(g.producer_of("y").ints_attribute("pads") == std::vector<int64_t>({1, 1, 2, 1}));
  }
}
