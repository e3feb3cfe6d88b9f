// SPDX-License-Identifier: MIT
// Fuzz target: lines `key=value` as the external_data of one initializer, beside a folder with
// files, links inside and links outside. Whatever is read must come from inside: every byte that
// lies outside is 0xee, every byte inside is another one.
#include "core/graph/model.h"
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

// model/: w.bin, sub/s.bin, a link to each, an empty file; outside: secret.bin and links to it.
std::string prepare() {
  static const fuzz::ScratchFolder scratch;
  std::string inside(300, '\0'), other(5000, '\0');
  for (size_t i = 0; i < inside.size(); ++i) inside[i] = static_cast<char>(i % 200);
  for (size_t i = 0; i < other.size(); ++i) other[i] = static_cast<char>(i % 100);
  const std::string outside(9000, '\xee');
  scratch.write("model/w.bin", inside);
  scratch.write("model/sub/s.bin", other);
  scratch.write("model/empty.bin", "");
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string folder = prepare();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  ImportOptions options;
  options.external_data_folder = folder;
  auto model = import_model_bytes(Blob::from_string(model_of(input)), options);
  if (!model.is_ok()) {
    require(!model.status().message().empty());
    return 0;
  }
  const Graph& graph = *(*model)->graph;
  const std::vector<ValueId> initializers = graph.initializers();
  require(initializers.size() == 1);
  const Tensor& weights = graph.value(initializers[0])->initializer->tensor;
  for (const std::byte byte : weights.bytes()) require(byte != std::byte{0xee});
  return 0;
}
