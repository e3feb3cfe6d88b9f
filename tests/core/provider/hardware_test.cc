// SPDX-License-Identifier: MIT
// Accelerators as the system tells of them, in a tree of files that stands for /sys.
#include "core/provider/hardware.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/platform/machine/processor_vendor.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

void write_line(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

// A device on the bus, and the class that shows it under `name`.
void add_device(const std::string& root, const std::string& bus, const std::string& vendor,
                const std::string& device, const std::string& name = "") {
  const fs::path place = root + "/sys/devices/pci/" + bus;
  write_line(place / "vendor", vendor);
  write_line(place / "device", device);
  write_line(place / "class", "0x030000");
  if (name.empty()) {
    fs::create_directories(root + "/sys/bus/pci/devices");
    fs::create_directory_symlink(place, root + "/sys/bus/pci/devices/" + bus);
  } else {
    fs::create_directories(root + "/sys/class/" + name);
    fs::create_directory_symlink(place, root + "/sys/class/" + name + "/device");
  }
}

}  // namespace

TEST(hardware, is_the_processor_alone_where_the_system_tells_nothing) {
  CHECK(accelerator_hardware(temp_dir() + "/empty").empty());
  CHECK(processor_hardware()->type == DeviceType::kCpu);
}

TEST(hardware, names_the_maker_of_the_processor_that_the_system_names) {
  const auto cpu = processor_hardware();
  std::ifstream system("/proc/cpuinfo");
  const std::string about{std::istreambuf_iterator<char>(system), {}};
  if (about.find("GenuineIntel") != std::string::npos) {
    CHECK(cpu->vendor == "Intel" && cpu->vendor_id == 0x8086);
  } else if (about.find("AuthenticAMD") != std::string::npos) {
    CHECK(cpu->vendor == "AMD" && cpu->vendor_id == 0x1022);
  }
  CHECK_EQ(cpu->vendor.empty(), cpu->vendor_id == 0);
  CHECK_EQ(vendor_of_identification(0x413fd0c1), 0x13b5u);  // Neoverse N1
  CHECK_EQ(vendor_of_identification(0x610f0000), 0x106bu);
  CHECK_EQ(vendor_of_identification(0x430f0a10), 0u);
}

TEST(hardware, finds_npus_and_gpus_by_their_numbers) {
  const std::string root = temp_dir() + "/machine";
  add_device(root, "0000:01:00.0", "0x10de", "0x2684", "drm/card10");
  add_device(root, "0000:00:02.0", "0x8086", "0xa780", "drm/card2");
  add_device(root, "0000:00:0b.0", "0x8086", "0x7d1d", "accel/accel0");
  fs::create_directories(root + "/sys/class/drm/card2-HDMI-A-1");
  fs::create_directories(root + "/sys/class/drm/renderD128");
  fs::create_directories(root + "/sys/class/drm/card3");  // without a device
  write_line(root + "/sys/class/drm/card4/device/vendor", "what?");
  const auto devices = accelerator_hardware(root);
  CHECK_EQ(devices.size(), 3u);
  CHECK(devices[0]->type == DeviceType::kNpu);
  CHECK_EQ(devices[0]->metadata.at("accel_idx"), "0");
  CHECK(devices[1]->type == DeviceType::kGpu);
  CHECK_EQ(devices[1]->metadata.at("card_idx"), "2");
  CHECK_EQ(devices[1]->metadata.at("Discrete"), "0");
  CHECK_EQ(devices[1]->vendor, "Intel");
  CHECK_EQ(devices[1]->device_id, 0xa780u);
  CHECK_EQ(devices[2]->metadata.at("card_idx"), "10");
  CHECK_EQ(devices[2]->metadata.at("Discrete"), "1");
  CHECK_EQ(devices[2]->metadata.at("pci_bus_id"), "0000:01:00.0");
  for (const auto& device : devices) CHECK_EQ(device->metadata.at("is_virtual"), "0");
}

TEST(hardware, finds_gpus_without_a_driver_on_the_bus) {
  const std::string root = temp_dir() + "/bus";
  add_device(root, "0000:03:00.0", "0x1002", "0x744c");
  write_line(root + "/sys/bus/pci/devices/0000:00:1f.0/vendor", "0x8086");
  write_line(root + "/sys/bus/pci/devices/0000:00:1f.0/device", "0x1");
  write_line(root + "/sys/bus/pci/devices/0000:00:1f.0/class", "0x060100");
  const auto devices = accelerator_hardware(root);
  CHECK_EQ(devices.size(), 1u);
  CHECK_EQ(devices[0]->vendor, "AMD");
  CHECK(devices[0]->metadata.find("card_idx") == devices[0]->metadata.end());
}
