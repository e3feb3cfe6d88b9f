// SPDX-License-Identifier: MIT
// Devices as functions of a library take them: arrays of handles.
#pragma once

#include <memory>
#include <vector>

#include "core/api/env/device_handles.h"

namespace ortc::api {

class DeviceArrays {
 public:
  explicit DeviceArrays(const std::vector<DeviceOffer>& offers) {
    for (const DeviceOffer& offer : offers) {
      devices_.push_back(std::make_unique<OrtHardwareDevice>(offer.hardware));
      metadata_.push_back(std::make_unique<OrtKeyValuePairs>(offer.metadata));
      device_list_.push_back(devices_.back().get());
      metadata_list_.push_back(metadata_.back().get());
    }
  }

  size_t count() const { return device_list_.size(); }
  const OrtHardwareDevice* const* hardware() const { return device_list_.data(); }
  const OrtKeyValuePairs* const* metadata() const { return metadata_list_.data(); }

 private:
  std::vector<std::unique_ptr<OrtHardwareDevice>> devices_;
  std::vector<std::unique_ptr<OrtKeyValuePairs>> metadata_;
  std::vector<const OrtHardwareDevice*> device_list_;
  std::vector<const OrtKeyValuePairs*> metadata_list_;
};

}  // namespace ortc::api
