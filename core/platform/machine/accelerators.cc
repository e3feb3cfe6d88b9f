// SPDX-License-Identifier: MIT
// Looking for accelerators: see the header.
#include "core/platform/machine/accelerators.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

namespace ortc {
namespace {

namespace fs = std::filesystem;

// The number in a file of one line, "0x8086".
std::optional<uint32_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string text;
  if (!(stream >> text) || !text.starts_with("0x")) return std::nullopt;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// N of "cardN"; nothing for "card0-HDMI-A-1" and other names.
std::optional<int> number_behind(const std::string& name, std::string_view word) {
  if (!name.starts_with(word) || name.size() == word.size()) return std::nullopt;
  int number = 0;
  const char* const begin = name.data() + word.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::optional<Accelerator> read_device(const fs::path& device, Accelerator::Kind kind) {
  const auto vendor = number_in(device / "vendor"), model = number_in(device / "device");
  if (!vendor || !model) return std::nullopt;
  Accelerator found;
  found.kind = kind;
  found.vendor_id = *vendor;
  found.device_id = *model;
  std::error_code error;
  const fs::path real = fs::canonical(device, error);
  const std::string name = real.filename().string();
  if (!error && std::count(name.begin(), name.end(), ':') == 2) found.bus = name;
  return found;
}

void find_class(const fs::path& folder, std::string_view word, Accelerator::Kind kind,
                std::vector<Accelerator>& all) {
  const size_t first = all.size();
  for (const fs::path& entry : entries_of(folder)) {
    const auto number = number_behind(entry.filename().string(), word);
    if (!number) continue;
    auto found = read_device(entry / "device", kind);
    if (!found) continue;
    found->number = *number;
    all.push_back(std::move(*found));
  }
  std::sort(all.begin() + static_cast<ptrdiff_t>(first), all.end(),
            [](const Accelerator& a, const Accelerator& b) { return a.number < b.number; });
}

// Display controllers: VGA and 3D.
void find_on_bus(const fs::path& folder, std::vector<Accelerator>& all) {
  for (const fs::path& entry : entries_of(folder)) {
    const uint32_t kind = number_in(entry / "class").value_or(0) >> 8;
    if (kind != 0x0300 && kind != 0x0302) continue;
    if (auto found = read_device(entry, Accelerator::Kind::kGpu)) {
      if (found->bus.empty()) found->bus = entry.filename().string();
      all.push_back(std::move(*found));
    }
  }
}

}  // namespace

std::vector<Accelerator> find_accelerators(const std::string& root) {
  std::vector<Accelerator> all;
  find_class(root + "/sys/class/accel", "accel", Accelerator::Kind::kNpu, all);
  const size_t npus = all.size();
  find_class(root + "/sys/class/drm", "card", Accelerator::Kind::kGpu, all);
  if (all.size() == npus) find_on_bus(root + "/sys/bus/pci/devices", all);
  return all;
}

}  // namespace ortc
