// SPDX-License-Identifier: MIT
// Devices of a library as its functions take them: arrays of the handles that it knows.
#pragma once

#include <memory>
#include <vector>

#include "core/api/env/device_handles.h"

namespace ortc::api {

class DeviceArrays {
 public:
  explicit DeviceArrays(const std::vector<DeviceOffer>& offers) {
    for (const DeviceOffer& offer : offers) {
      const auto& offered =
          handles_.emplace_back(std::static_pointer_cast<OrtEpDevice>(offer.handle));
      device_list_.push_back(offered->hardware);
      metadata_list_.push_back(&offered->metadata);
    }
  }

  size_t count() const { return device_list_.size(); }
  const OrtHardwareDevice* const* hardware() const { return device_list_.data(); }
  const OrtKeyValuePairs* const* metadata() const { return metadata_list_.data(); }

 private:
  std::vector<std::shared_ptr<const OrtEpDevice>> handles_;
  std::vector<const OrtHardwareDevice*> device_list_;
  std::vector<const OrtKeyValuePairs*> metadata_list_;
};

}  // namespace ortc::api
