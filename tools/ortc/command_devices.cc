// SPDX-License-Identifier: MIT
// ortc devices: execution providers and the hardware they serve.

#include <algorithm>
#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

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

// The table of devices, and below it the targets that the provider of each can compile for. They
// stand in its metadata, one to a line.
std::string devices_text(const Json& devices) {
  Json rows = Json::array();
  std::string targets;
  for (const Json& device : devices.items()) {
    Json row = Json::object();
    for (const std::string& key : device.keys()) {
      Json value = device.at(key);
      if (key.find("_metadata") != std::string::npos) {
        Json others = Json::object();
        for (const std::string& name : value.keys()) {
          if (name != "targets") others.set(name, value.at(name));
        }
        value = others;
      }
      row.set(key, value);
    }
    rows.push(row);
    const std::string list = device.at("provider_metadata").text("targets") +
                             device.at("hardware_metadata").text("targets");
    if (list.empty()) continue;
    targets += "\ntargets of " + printable(device.text("provider")) + ", for --target:\n";
    for (size_t at = 0; at < list.size();) {
      const size_t end = std::min(list.find('\n', at), list.size());
      targets += "  " + printable(list.substr(at, end - at)) + "\n";
      at = end + 1;
    }
  }
  return json_text(rows) + targets;
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
    std::fputs(devices_text(list).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
