// SPDX-License-Identifier: MIT
// What a kernel's prepare() is given of its node while the node is lowered, and what it asks for.
#pragma once

#include <vector>

#include "core/kernel/kernel_contexts.h"
#include "core/platform/work.h"

namespace ortc {

class NodePrepare final : public PrepareContext {
 public:
  NodePrepare(const Node& node, Work& work);

  const Node& node() const override { return node_; }
  int64_t opset() const override { return node_.opset(); }
  const Type& input_type(size_t i) const override { return type_of(node_.input(i)); }
  const Type& output_type(size_t i) const override { return type_of(node_.output(i)); }
  const Tensor* constant(size_t i) const override;
  void set_params_bytes(Bytes record) override { params = Blob::copy_of(record); }
  void replace_input(size_t i, Tensor packed, Layout layout) override;
  void drop_input(size_t i) override;

  Status advance(uint64_t bytes) override;
  uint64_t advanced() const { return advanced_; }

  struct Replacement {
    bool is_set = false;
    Tensor tensor;  // undefined: dropped
    Layout layout = Layout::kRowMajor;
  };
  const Replacement& replacement(size_t i) const { return replaced_[i]; }
  Blob params;

 private:
  const Type& type_of(ValueId id) const;

  const Node& node_;
  Work& work_;
  uint64_t advanced_ = 0;
  const Type none_;
  std::vector<Replacement> replaced_;
};

}  // namespace ortc
