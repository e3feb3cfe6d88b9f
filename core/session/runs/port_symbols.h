// SPDX-License-Identifier: MIT
// Named dimensions of a model's inputs by number, so that a run finds the size of each in a list.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/session/model_facts.h"

namespace ortc {

class PortSymbols {
 public:
  // Of a dimension without a name.
  static constexpr uint32_t kNone = UINT32_MAX;

  // Numbers names as they come; equal names of several calls are one.
  class Numbering {
   public:
    uint32_t number_of(std::string_view name) {
      return numbers_.try_emplace(name, static_cast<uint32_t>(numbers_.size())).first->second;
    }
    size_t count() const { return numbers_.size(); }

   private:
    std::unordered_map<std::string_view, uint32_t> numbers_;
  };

  PortSymbols() = default;
  PortSymbols(const std::vector<Port>& ports, Numbering& numbering);

  // A number for each dimension of the port's tensor; none when it has no shape.
  std::span<const uint32_t> of(size_t port) const {
    return {numbers_.data() + begins_[port], numbers_.data() + begins_[port + 1]};
  }

 private:
  std::vector<uint32_t> numbers_;
  std::vector<size_t> begins_;  // by port, and the end
};

}  // namespace ortc
