// SPDX-License-Identifier: MIT
// ortc devices: execution providers and the hardware they serve, or why they do not.

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

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

using Incompatibility =
    Handle<OrtDeviceEpIncompatibilityDetails, OrtReleaseDeviceEpIncompatibilityDetails>;

Json reasons_json(uint32_t bits) {
  static constexpr std::pair<uint32_t, const char*> kReasons[] = {
      {1, "driver"}, {2, "hardware"}, {4, "missing dependency"}};
  Json words = Json::array();
  uint32_t named = 0;
  for (const auto& [bit, word] : kReasons) {
    if ((bits & bit) != 0) words.push(word);
    named |= bit;
  }
  if ((bits & ~named) != 0) words.push("unknown");
  return words;
}

// Null when the provider serves the hardware. A provider that fails to tell is no reason not to
// hear the others.
Json refusal_json(const OrtEnv* env, const std::string& provider,
                  const OrtHardwareDevice* hardware) {
  Json row = Json::object()
                 .set("provider", provider)
                 .set("hardware", hardware_name(OrtHardwareDevice_Type(hardware)))
                 .set("hardware_metadata", pairs_json(OrtHardwareDevice_Metadata(hardware)));
  try {
    const auto details = make<Incompatibility>(OrtGetHardwareDeviceEpIncompatibilityDetails, env,
                                               provider.c_str(), hardware);
    uint32_t reasons = 0;
    int32_t code = 0;
    const char* notes = nullptr;
    check(OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(details.get(), &reasons));
    check(OrtDeviceEpIncompatibilityDetails_GetErrorCode(details.get(), &code));
    check(OrtDeviceEpIncompatibilityDetails_GetNotes(details.get(), &notes));
    if (reasons == 0) return Json();
    return row.set("reasons", reasons_json(reasons))
        .set("error_code", int64_t{code})
        .set("notes", notes != nullptr ? notes : "");
  } catch (const ToolError& error) {
    return row.set("reasons", Json::array().push("cannot tell"))
        .set("error_code", int64_t{0})
        .set("notes", error.what());
  }
}

// Of each hardware the providers that do not serve it.
Json refusals_json(const OrtEnv* env, const Json& devices) {
  std::vector<std::string> providers;
  for (const Json& device : devices.items()) {
    const std::string name = device.text("provider");
    if (std::find(providers.begin(), providers.end(), name) == providers.end()) {
      providers.push_back(name);
    }
  }
  size_t count = 0;
  check(OrtGetNumHardwareDevices(env, &count));
  std::vector<const OrtHardwareDevice*> hardware(count);
  check(OrtGetHardwareDevices(env, hardware.data(), count));
  Json rows = Json::array();
  for (const OrtHardwareDevice* one : hardware) {
    for (const std::string& provider : providers) {
      const Json row = refusal_json(env, provider, one);
      if (!row.is_null()) rows.push(row);
    }
  }
  return rows;
}

std::string refusals_text(const Json& refusals) {
  std::string text;
  for (const Json& row : refusals.items()) {
    text += text.empty() ? "\nnot served:\n" : "";
    text += "  " + row.text("hardware") + " by " + printable(row.text("provider")) + ": ";
    std::string words;
    for (const Json& reason : row.at("reasons").items()) {
      words += (words.empty() ? "" : ", ") + reason.text();
    }
    const std::string code = row.text("error_code");
    if (code != "0") words += ", error " + code;
    const std::string notes = row.text("notes");
    text += words + (notes.empty() ? "" : ": " + printable(notes)) + "\n";
  }
  return text;
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
  if (!arguments.library.empty()) {
    const std::string& name = arguments.registration;
    check(OrtRegisterExecutionProviderLibrary(
        env.get(), name.empty() ? "ortc_devices" : name.c_str(), arguments.library.c_str()));
  }
  const OrtEpDevice* const* devices = nullptr;
  size_t count = 0;
  check(OrtGetEpDevices(env.get(), &devices, &count));
  Json list = Json::array();
  for (size_t i = 0; i < count; i++) list.push(device_json(devices[i]));
  const Json refusals = refusals_json(env.get(), list);
  if (arguments.json) {
    const Json result = Json::object()
                            .set("schema", "ortc.devices/1")
                            .set("devices", list)
                            .set("not_served", refusals);
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::fputs((devices_text(list) + refusals_text(refusals)).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace ortc::tool
