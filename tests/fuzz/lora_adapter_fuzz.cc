// SPDX-License-Identifier: MIT
// Fuzzes the reader of LoRA adapters, also with the identifier and the root in place. What is taken
// has tensors whose bytes can all be read.
#include <cstring>

#include "core/session/lora_adapter.h"

using namespace ortc;

static void read(const std::string& text) {
  const auto adapter = read_lora_adapter(Blob::from_string(text));
  if (!adapter.is_ok()) return;
  volatile unsigned sum = 0;
  for (const auto& [name, tensor] : **adapter) {
    for (std::byte byte : tensor.bytes()) sum = sum + static_cast<unsigned>(byte);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  if (text.size() < 8) return 0;
  std::memcpy(text.data() + 4, "TORT", 4);
  read(text);
  return 0;
}
