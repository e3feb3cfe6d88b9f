// SPDX-License-Identifier: MIT
// Copies of what a node says: see the header.
#include "core/api/kernel/kernel_info_handle.h"
#include "core/rewrite/facts.h"

using namespace ortc;

namespace {

OrtKernelInfo::Port port_of(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr ? OrtKernelInfo::Port{value->name, value->type, nullptr}
                          : OrtKernelInfo::Port{};
}

}  // namespace

OrtKernelInfo OrtKernelInfo::of(const Node& node, int since_version, const Logger& logger) {
  OrtKernelInfo info;
  info.node_name = node.name();
  info.op_type = node.op_type();
  info.domain = node.domain();
  info.since_version = since_version;
  info.attributes = node.attributes();
  info.logger.logger = logger;
  for (ValueId id : node.inputs()) {
    info.inputs.push_back(port_of(*node.graph(), id));
    const Tensor* constant = id != kNoValue ? constant_of(*node.graph(), id) : nullptr;
    if (constant == nullptr) continue;
    auto value = std::make_shared<OrtValue>();
    value->tensor = *constant;
    info.inputs.back().constant = std::move(value);
  }
  for (ValueId id : node.outputs()) info.outputs.push_back(port_of(*node.graph(), id));
  return info;
}

const Attribute* OrtKernelInfo::attribute(const char* name) const {
  for (const Attribute& one : attributes) {
    if (one.name == name) return &one;
  }
  return nullptr;
}
