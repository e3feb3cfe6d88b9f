// SPDX-License-Identifier: MIT
// Lines and their images: see the header.
#include "providers/cpu/fusions/line_rewrite.h"

#include <algorithm>

#include "core/rewrite/facts.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kByAxis[] = {"kernel_shape", "strides", "dilations", "output_padding"};

}  // namespace

Result<int> LineRewrite::run() {
  int matches = 0;
  ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
  for (NodeId id : order) {
    ASSIGN_OR_RETURN(const bool done, convert(*graph_.node(id)));
    matches += done ? 1 : 0;
  }
  RETURN_IF_ERROR(make_originals());
  return matches;
}

Status LineRewrite::add_view(std::string op, ValueId from, ValueId to) {
  std::vector<ValueId> inputs = {from};
  std::vector<Attribute> attributes;
  if (graph_.opset("") >= kAxesAreInput) {
    const int64_t axis = 2;
    inputs.push_back(graph_.add_constant("image_axis", Tensor::from<int64_t>({1}, {&axis, 1})));
  } else {
    attributes.push_back(Attribute::of_ints("axes", {2}));
  }
  const std::string name = str_cat(graph_.value(to)->name, "/view");
  auto added =
      graph_.add_node(std::move(op), "", name, std::move(inputs), {to}, std::move(attributes));
  return added.is_ok() ? Status::ok() : added.status();
}

std::vector<Attribute> LineRewrite::for_images(const Node& node) {
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : node.attributes()) {
    const auto numbers = node.ints_attribute(attribute.name);
    const bool is_by_axis =
        std::find(std::begin(kByAxis), std::end(kByAxis), attribute.name) != std::end(kByAxis);
    if (is_by_axis && numbers.size() == 1) {
      const int64_t other = attribute.name == "output_padding" ? 0 : 1;
      attributes.push_back(Attribute::of_ints(attribute.name, {other, numbers[0]}));
    } else if (attribute.name == "pads" && numbers.size() == 2) {
      attributes.push_back(Attribute::of_ints("pads", {0, numbers[0], 0, numbers[1]}));
    } else {
      attributes.push_back(attribute);
    }
  }
  return attributes;
}

}  // namespace ortc::cpu
