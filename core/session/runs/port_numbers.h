// SPDX-License-Identifier: MIT
// The numbers of a model's inputs or outputs by their names, for runs that have many.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/name_index.h"
#include "core/session/model_facts.h"

namespace ortc {

class PortNumbers {
 public:
  PortNumbers() : index_(0) {}
  // `ports` keeps its place.
  explicit PortNumbers(const std::vector<Port>& ports);

  // SIZE_MAX when none has the name.
  size_t find(std::string_view name) const;

 private:
  // As many as are looked through faster than a name is hashed.
  static constexpr size_t kFewPorts = 8;
  bool is_indexed() const { return ports_ != nullptr && ports_->size() > kFewPorts; }

  const std::vector<Port>* ports_ = nullptr;
  NameIndex index_;
};

}  // namespace ortc
