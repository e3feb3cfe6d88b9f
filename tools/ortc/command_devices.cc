// SPDX-License-Identifier: MIT
// ortc devices: execution providers and the hardware they serve.

#include <cstdio>

#include "tools/ortc/api.h"
#include "tools/ortc/commands.h"
#include "tools/ortc/json.h"
#include "tools/ortc/table.h"

namespace ortc::tool {
namespace {

Json pairs_json(const OrtKeyValuePairs* pairs) {
  Json object = Json::object();
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  OrtGetKeyValuePairs(pairs, &keys, &values, &count);
  for (size_t i = 0; i < count; i++) object.set(keys[i], values[i]);
  return object;
}

const char* hardware_name(OrtHardwareDeviceType type) {
  switch (type) {
    case OrtHardwareDeviceType_CPU:
      return "CPU";
    case OrtHardwareDeviceType_GPU:
      return "GPU";
    case OrtHardwareDeviceType_NPU:
      return "NPU";
  }
  return "unknown";
}

Json device_json(const OrtEpDevice* device) {
  const OrtHardwareDevice* hardware = OrtEpDevice_Device(device);
  return Json::object()
      .set("provider", OrtEpDevice_EpName(device))
      .set("vendor", OrtEpDevice_EpVendor(device))
      .set("hardware", hardware_name(OrtHardwareDevice_Type(hardware)))
      .set("hardware_vendor", OrtHardwareDevice_Vendor(hardware))
      .set("vendor_id", uint64_t{OrtHardwareDevice_VendorId(hardware)})
      .set("device_id", uint64_t{OrtHardwareDevice_DeviceId(hardware)})
      .set("provider_metadata", pairs_json(OrtEpDevice_EpMetadata(device)))
      .set("provider_options", pairs_json(OrtEpDevice_EpOptions(device)))
      .set("hardware_metadata", pairs_json(OrtHardwareDevice_Metadata(hardware)));
}

}  // namespace

int command_devices(const DevicesArguments& arguments) {
  const Env env = make_env(/*verbose=*/false);
  const OrtEpDevice* const* devices = nullptr;
  size_t count = 0;
  check(OrtGetEpDevices(env.get(), &devices, &count));
  Json list = Json::array();
  for (size_t i = 0; i < count; i++) list.push(device_json(devices[i]));
  if (arguments.json) {
    const Json result = Json::object().set("schema", "ortc.devices/1").set("devices", list);
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::fputs(json_text(list).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
