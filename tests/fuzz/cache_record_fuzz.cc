// SPDX-License-Identifier: MIT
// Fuzzes the reader of the cache's records, with the input as it is and with the hash that belongs
// to it; as a text, and as the record of an entry whose files may be there or not. What is taken
// can be printed and read again.
#include "core/session/cache/cache_entry.h"
#include "core/session/cache/record_text.h"
#include "tests/fuzz/fuzz_checks.h"

using namespace ortc;
using ortc::fuzz::require;

namespace {

constexpr std::string_view kKind = "ortc.cache.entry/1";
const std::string kKey = "ab000000000000000000000000000000";

void read(const fuzz::ScratchFolder& scratch, const std::string& text) {
  const auto fields = parse_record(kKind, text);
  if (fields) require(parse_record(kKind, print_record(kKind, *fields)) == fields);
  scratch.write("ab/" + kKey + "/entry", text);
  const CacheEntry entry = CacheEntry::look(CacheFolder(scratch.path().string()), kKey);
  require(entry.state != CacheEntry::State::kMissing);
  require((entry.state == CacheEntry::State::kWhole) == entry.damage.empty());
  require(fields.has_value() || entry.state == CacheEntry::State::kDamaged);
  require(entry.model_path.empty() || entry.model_path.ends_with("/model_ctx.onnx"));
  require(key_parts_of(entry).size() <= entry.record.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::ScratchFolder scratch;
  scratch.write("ab/" + kKey + "/model_ctx.onnx", "five!");
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(scratch, text);
  read(scratch, text + "hash\t" + hash128(as_bytes(text)).hex() + "\n");
  return 0;
}
