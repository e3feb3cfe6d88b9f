// SPDX-License-Identifier: MIT
// Hardware as devices: see the header.
#include "core/provider/hardware.h"

#include "core/platform/cpu.h"
#include "core/platform/machine/accelerators.h"
#include "core/platform/machine/processor_vendor.h"

namespace ortc {
namespace {

std::string vendor_name(uint32_t id) {
  switch (id) {
    case 0x1002:
    case 0x1022:
      return "AMD";
    case 0x106b:
      return "Apple";
    case 0x10de:
      return "NVIDIA";
    case 0x13b5:
      return "ARM";
    case 0x19e5:
      return "HiSilicon";
    case 0x8086:
      return "Intel";
    case 0x4d4f4351:
      return "Qualcomm";
    default:
      return "";
  }
}

}  // namespace

std::shared_ptr<const HardwareDevice> processor_hardware() {
  auto cpu = std::make_shared<HardwareDevice>();
  cpu->type = DeviceType::kCpu;
  cpu->vendor_id = processor_vendor("");
  cpu->vendor = vendor_name(cpu->vendor_id);
  cpu->metadata = {{"is_virtual", "0"}, {"target", host_target()}};
  return cpu;
}

HardwareDevices accelerator_hardware(const std::string& root) {
  HardwareDevices devices;
  for (const Accelerator& found : find_accelerators(root)) {
    auto device = std::make_shared<HardwareDevice>();
    const bool is_gpu = found.kind == Accelerator::Kind::kGpu;
    device->type = is_gpu ? DeviceType::kGpu : DeviceType::kNpu;
    device->vendor_id = found.vendor_id;
    device->device_id = found.device_id;
    device->vendor = vendor_name(found.vendor_id);
    device->metadata = {{"is_virtual", "0"}};
    if (found.number >= 0) {
      device->metadata[is_gpu ? "card_idx" : "accel_idx"] = std::to_string(found.number);
    }
    if (!found.bus.empty()) device->metadata["pci_bus_id"] = found.bus;
    // What sits on the first bus is part of the processor.
    if (is_gpu && !found.bus.empty()) {
      const bool is_discrete = !found.bus.starts_with("0000:00:");
      device->metadata.emplace("Discrete", is_discrete ? "1" : "0");
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace ortc
