// SPDX-License-Identifier: MIT
// A kernel's prepare() beside its node: see the header.
#include "core/compile/node_prepare.h"

#include <utility>

#include "core/rewrite/facts.h"

namespace ortc {

NodePrepare::NodePrepare(const Node& node, Work& work)
    : node_(node), work_(work), replaced_(node.inputs().size()) {}

const Tensor* NodePrepare::constant(size_t i) const {
  const ValueId id = node_.input(i);
  return id == kNoValue ? nullptr : constant_of(*node_.graph(), id);
}

void NodePrepare::replace_input(size_t i, Tensor packed, Layout layout) {
  if (i < replaced_.size()) replaced_[i] = {true, std::move(packed), layout};
}

void NodePrepare::drop_input(size_t i) {
  if (i < replaced_.size()) replaced_[i] = {true, Tensor(), Layout::kRowMajor};
}

Status NodePrepare::advance(uint64_t bytes) {
  advanced_ += bytes;
  return work_.done(bytes);
}

const Type& NodePrepare::type_of(ValueId id) const {
  const Value* value = node_.graph()->value(id);
  return value != nullptr ? value->type : none_;
}

}  // namespace ortc
