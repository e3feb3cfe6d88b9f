// SPDX-License-Identifier: MIT
// What a program does itself with the files of a compiled model: where its initializers stand, and
// where context data go and come from.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/bytes.h"
#include "core/context/format.h"
#include "core/graph/graph.h"

namespace ortc {

// Takes one binary whole, in place of a file; `name` is what the model's nodes will say.
using ContextDataWriter = std::function<Status(const std::string& name, Bytes data)>;
// Gives the binary that a node calls `name`. Any number of threads may call it.
using ContextDataReader = std::function<Result<Blob>(const std::string& name)>;

// Where an initializer of a compiled model stands; nothing keeps it in the model. `original` is
// where the source had it, null when it stood in the model.
using ChooseLocation = std::function<Result<std::optional<ExternalLocation>>(
    const std::string& name, const Tensor& value, const ExternalLocation* original)>;

// Where those stand in their file that have `minimum_size` bytes or more; the others, and those
// that are compressed, on 64 bytes.
struct InitializerAlignment {
  uint64_t alignment = kContextPage;  // a power of two
  uint64_t minimum_size = kLargeTensor;
};

// What a program says of a compiled model's initializers.
struct InitializerPlaces {
  ChooseLocation choose;  // in place of a file of them; empty: none
  // After the last choice, before anything is written; what it says ends the compile.
  std::function<Status()> all_chosen;
  InitializerAlignment alignment;
  // Those that a context holds are read from there, though a file of them was named.
  bool may_stay_in_context = false;
};

// Asks a ChooseLocation once for each initializer, though a model is exported twice.
class ChosenLocations {
 public:
  explicit ChosenLocations(ChooseLocation choose) : choose_(std::move(choose)) {}
  // INVALID_ARGUMENT for a location that no reader would follow: not a path beneath the model's
  // folder, or not as large as the initializer.
  Result<std::optional<ExternalLocation>> place(const Value& value);

 private:
  ChooseLocation choose_;
  std::map<const Value*, std::optional<ExternalLocation>> known_;
};

}  // namespace ortc
