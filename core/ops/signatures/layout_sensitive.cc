// SPDX-License-Identifier: MIT
// Layout-sensitive operators: see the header.
#include "core/ops/signatures/layout_sensitive.h"

#include <algorithm>
#include <array>

#include "core/graph/channels_last_domain.h"

namespace ortc {
namespace {

struct Sensitive {
  std::string_view op_type;
  std::string_view domain;  // of the operator that its channels-last form means
};

// ONNX Runtime's list.
constexpr std::array kSensitive = {
    Sensitive{"AveragePool", ""},
    Sensitive{"BatchNormalization", ""},
    Sensitive{"Conv", ""},
    Sensitive{"ConvTranspose", ""},
    Sensitive{"DepthToSpace", ""},
    Sensitive{"FusedConv", kMicrosoftDomain},
    Sensitive{"GlobalAveragePool", ""},
    Sensitive{"GlobalLpPool", ""},
    Sensitive{"GlobalMaxPool", ""},
    Sensitive{"GridSample", ""},
    Sensitive{"InstanceNormalization", ""},
    Sensitive{"LRN", ""},
    Sensitive{"LpPool", ""},
    Sensitive{"MaxPool", ""},
    Sensitive{"MaxUnpool", ""},
    Sensitive{"QLinearAveragePool", kMicrosoftDomain},
    Sensitive{"QLinearConv", ""},
    Sensitive{"QLinearGlobalAveragePool", kMicrosoftDomain},
    Sensitive{"Resize", ""},
    Sensitive{"SpaceToDepth", ""},
};

const Sensitive* find_sensitive(std::string_view op_type) {
  const auto found = std::ranges::find(kSensitive, op_type, &Sensitive::op_type);
  return found != kSensitive.end() ? &*found : nullptr;
}

}  // namespace

bool is_layout_sensitive(std::string_view op_type) { return find_sensitive(op_type) != nullptr; }

std::string_view standard_domain(std::string_view domain, std::string_view op_type) {
  if (domain != kChannelsLastDomain) return domain;
  if (const Sensitive* one = find_sensitive(op_type)) return one->domain;
  // One that a provider asked for by name.
  return find_op("", op_type, INT64_MAX) != nullptr ? std::string_view() : kMicrosoftDomain;
}

const OpRow* op_row_of(const Node& node) {
  const std::string_view domain = standard_domain(node.domain(), node.op_type());
  return find_op(domain, node.op_type(), node.graph()->opset(domain));
}

}  // namespace ortc
