// SPDX-License-Identifier: MIT
// Values that nodes may want to read again later. When claims are taken, constants and captured
// values that are read no more leave the graph; these come back.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/graph/graph.h"

namespace ortc {

class KeptValues {
 public:
  explicit KeptValues(Graph& graph) : graph_(graph) {}

  void keep(ValueId id);
  // The value itself, or what stands in its place since it went: a constant or a captured value is
  // what it was, others have to be made.
  Result<ValueId> now(ValueId id);
  bool is_captured(ValueId id) const;

 private:
  struct Kept {
    std::string name;
    Type type;
    ValueId outer_value = kNoValue;
    std::shared_ptr<const Constant> initializer;
    ValueId now = kNoValue;
  };

  Graph& graph_;
  std::map<ValueId, Kept> kept_;
};

}  // namespace ortc
