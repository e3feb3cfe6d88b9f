// SPDX-License-Identifier: MIT
// Locations that a program chooses: see the header.
#include "core/context/context_data.h"

#include "core/base/checked_math.h"
#include "core/context/output/journal.h"

namespace ortc {
namespace {

Status check_location(const std::string& name, const Tensor& value,
                      const ExternalLocation& location) {
  if (const std::string_view fault = fault_of_final_path(location.location); !fault.empty()) {
    return invalid_argument("initializer '", name, "': expected a path beneath the folder of the ",
                            "compiled model, found ", fault, ": '", location.location, "'");
  }
  // Readers keep offsets in 64 bits with a sign.
  const auto end = checked_add<uint64_t>(location.offset, location.length);
  if (location.length != value.byte_size() || !end || *end > INT64_MAX) {
    return invalid_argument("initializer '", name, "': expected a place of ", value.byte_size(),
                            " bytes, found ", location.length, " at ", location.offset, " of '",
                            location.location, "'");
  }
  return Status::ok();
}

}  // namespace

Result<std::optional<ExternalLocation>> ChosenLocations::place(const Value& value) {
  const auto known = known_.find(&value);
  if (known != known_.end()) return known->second;
  std::optional<ExternalLocation> location;
  if (value.initializer != nullptr) {
    const Constant& constant = *value.initializer;
    ASSIGN_OR_RETURN(location, choose_(value.name, constant.tensor, constant.external.get()));
    if (location) RETURN_IF_ERROR(check_location(value.name, constant.tensor, *location));
  }
  return known_[&value] = std::move(location);
}

}  // namespace ortc
