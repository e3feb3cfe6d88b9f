// SPDX-License-Identifier: MIT
// Fuzz target: what `ortc inspect` shows of any file. An input is a model, or a context binary, or
// a model with its binary behind a separator; the binary is given its checksums, so that what lies
// behind them is reached. The description must be text that a JSON reader takes.
#include "core/context/inspect/inspect.h"
#include "core/session/session.h"
#include "tests/fuzz/fuzz_checks.h"
#include "tests/fuzz/seal_context.h"

using namespace ortc;
using ortc::fuzz::require;

namespace {

constexpr std::string_view kSeparator = "\n--binary--\n";

// Balanced outside of strings, no control character inside them.
void require_json(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      require(static_cast<unsigned char>(c) >= 0x20);
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    require(depth >= 0);
  }
  require(depth == 0 && !in_string && !text.empty());
}

void inspect(const std::string& path) {
  static const ProviderRegistry providers(built_in_providers());
  for (const bool all : {false, true}) {
    InspectOptions options;
    options.details = options.verify_data = options.summary = all;
    const auto text = inspect_file(path, options, providers);
    if (text.is_ok()) {
      require_json(*text);
    } else {
      require(!text.status().message().empty());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::ScratchFolder scratch;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find(kSeparator), input.size());
  std::string binary(input.substr(std::min(end + kSeparator.size(), input.size())));
  fuzz::seal_context(binary);
  scratch.write("m_aot.bin", binary);
  std::string model(input.substr(0, end));
  inspect(scratch.write("m_ctx.onnx", model));
  fuzz::seal_context(model);
  inspect(scratch.write("m_ctx.onnx", model));
  return 0;
}
