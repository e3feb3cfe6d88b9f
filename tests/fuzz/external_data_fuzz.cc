// SPDX-License-Identifier: MIT
// Fuzz target: lines `key=value` as the external_data of one initializer, beside a folder with
// files, links inside and links outside, and with the same files given in memory. Whatever is read
// must come from inside: every byte that lies outside is 0xee, every byte inside is another one.
// Locations alone: with and without a second allowed folder, and opened by the kernel and component
// by component, which must agree.
#include <fcntl.h>
#include <sys/stat.h>

#include "core/graph/model.h"
#include "core/platform/descriptor.h"
#include "core/platform/file_map.h"
#include "core/platform/folder.h"
#include "core/platform/zstd.h"
#include "tests/fuzz/fuzz_checks.h"

using namespace ortc;
using ortc::fuzz::require;

namespace {

namespace fs = std::filesystem;

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  return out + static_cast<char>(value);
}

std::string field(uint32_t number, std::string_view content) {
  return varint(number << 3 | 2) + varint(content.size()) + std::string(content);
}

std::string number(uint32_t number, uint64_t value) { return varint(number << 3) + varint(value); }

// The first byte says how many elements of which type; the rest are the lines.
std::string model_of(std::string_view input) {
  const unsigned kind = input.empty() ? 0 : static_cast<unsigned char>(input[0]);
  input.remove_prefix(input.empty() ? 0 : 1);
  static constexpr uint64_t kTypes[] = {1, 2, 7, 10, 22, 8, 14, 3};
  std::string tensor = number(1, kind >> 3) + number(2, kTypes[kind & 7]) + field(8, "w");
  while (!input.empty()) {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), line.size() + 1));
    const size_t equals = std::min(line.find('='), line.size());
    const std::string_view value = line.substr(std::min(equals + 1, line.size()));
    tensor += field(13, field(1, line.substr(0, equals)) + field(2, value));
  }
  tensor += number(14, 1);
  const std::string node = field(1, "w") + field(2, "y") + field(4, "Identity");
  const std::string graph =
      field(1, node) + field(2, "g") + field(5, tensor) + field(12, field(1, "y"));
  return number(1, 8) + field(7, graph) + field(8, field(1, "") + number(2, 15));
}

const std::map<std::string, std::string>& files_inside() {
  static const auto files = [] {
    std::string inside(300, '\0'), other(5000, '\0');
    for (size_t i = 0; i < inside.size(); ++i) inside[i] = static_cast<char>(i % 200);
    for (size_t i = 0; i < other.size(); ++i) other[i] = static_cast<char>(i % 100);
    const std::string packed = zstd_compress(as_bytes(inside).first(64), 3).value();
    return std::map<std::string, std::string>{
        {"w.bin", inside}, {"sub/s.bin", other}, {"empty.bin", ""}, {"z.bin", packed}};
  }();
  return files;
}

// model/: files, a link to two of them; outside: secret.bin and links to it.
std::string prepare() {
  static const fuzz::ScratchFolder scratch;
  const std::string outside(9000, '\xee');
  for (const auto& [name, bytes] : files_inside()) scratch.write("model/" + name, bytes);
  scratch.write("secret.bin", outside);
  scratch.write("elsewhere/secret.bin", outside);
  const fs::path model = scratch.path() / "model";
  fs::create_symlink("w.bin", model / "l.bin");
  fs::create_symlink("../secret.bin", model / "out.bin");
  fs::create_symlink(scratch.path() / "secret.bin", model / "far.bin");
  fs::create_directory_symlink("../elsewhere", model / "away");
  fs::create_directory_symlink("sub", model / "near");
  fs::create_symlink("loop.bin", model / "loop.bin");
  return model.string();
}

// The initializer's tensor; none when the model is refused.
std::optional<Tensor> import_weights(const std::string& model, const ImportOptions& options) {
  auto imported = import_model_bytes(Blob::from_string(model), options);
  if (!imported.is_ok()) {
    require(!imported.status().message().empty());
    return std::nullopt;
  }
  const Graph& graph = *(*imported)->graph;
  const std::vector<ValueId> initializers = graph.initializers();
  require(initializers.size() == 1);
  return graph.value(initializers[0])->initializer->tensor;
}

void check_inside(Bytes bytes) {
  for (const std::byte byte : bytes) require(byte != std::byte{0xee});
}

void read_both_ways(const std::string& folder, const std::string& model) {
  ImportOptions options;
  options.external_data_folder = folder;
  const auto from_files = import_weights(model, options);
  if (from_files) check_inside(from_files->bytes());
  for (const auto& [name, bytes] : files_inside()) {
    options.external_contents.emplace(name, as_bytes(bytes));
  }
  const auto from_memory = import_weights(model, options);
  // A location in memory is one of those names, and they all are files.
  if (!from_memory) return;
  require(from_files && as_text(from_files->bytes()) == as_text(from_memory->bytes()));
}

// Which file it is; nothing for none. Folders count as none: only the kernel opens them.
std::optional<std::pair<dev_t, ino_t>> file_of(const OpenedFile& opened) {
  if (!opened.descriptor.is_open()) return std::nullopt;
  struct stat info;
  require(fstat(opened.descriptor.get(), &info) == 0);
  if (S_ISDIR(info.st_mode)) return std::nullopt;
  return std::pair(info.st_dev, info.st_ino);
}

void open_location(const std::string& path, const std::string& location) {
  static const auto folder = Folder::open(path).value();
  static const auto also = Folder::open(path + "/../elsewhere").value();
  static const Descriptor descriptor(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto file = folder->open_beneath(location, Access::kRead);
  if (file.is_ok()) check_inside((*file)->bytes());
  require(!file.is_ok() || folder->open_beneath(location, Access::kRead, also.get()).is_ok());
  // Names with faults are refused before they come so far.
  if (!file.is_ok() && file.status().message().find("expected a relative name") == 0) return;
  require(file_of(open_beneath_descriptor(descriptor.get(), location, Links::kRefuse)) ==
          file_of(open_by_components(descriptor.get(), location)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string folder = prepare();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  read_both_ways(folder, model_of(input));
  const size_t location = input.find("location=");
  if (location != std::string_view::npos) {
    const std::string_view rest = input.substr(location + 9);
    open_location(folder, std::string(rest.substr(0, rest.find('\n'))));
  }
  return 0;
}
