// SPDX-License-Identifier: MIT
// Attributes that are one of several names.
#include "core/graph/one_of.h"

#include "tests/support/test.h"

using namespace ortc;

namespace {

// A node whose attribute 'mode' is that text; without one when it is null.
struct WithMode {
  Graph graph{std::make_shared<const OpsetImports>(OpsetImports{{"", 17}})};
  const Node* node;
  explicit WithMode(const char* mode) {
    std::vector<Attribute> attributes;
    if (mode != nullptr) attributes.push_back(Attribute::of_string("mode", mode));
    node = graph.add_node("Resize", "", "n", {}, {}, std::move(attributes)).value();
  }
};

Result<uint32_t> mode_of(const char* mode) {
  const WithMode with(mode);
  return one_of(*with.node, "mode", "nearest", {"linear", "nearest", "cubic", ""});
}

}  // namespace

TEST(one_of, answers_which_name_it_is) {
  CHECK_EQ(mode_of("linear").value(), 0u);
  CHECK_EQ(mode_of("cubic").value(), 2u);
  CHECK_EQ(mode_of(nullptr).value(), 1u);
  CHECK_EQ(mode_of("").value(), 3u);
}

TEST(one_of, says_which_names_there_are) {
  const auto refused = mode_of("Cubic");
  CHECK_CODE(refused.status(), Code::kInvalidGraph);
  CHECK_EQ(refused.status().message(),
           "attribute 'mode' is 'Cubic', expected one of linear, nearest, cubic");
}
