// SPDX-License-Identifier: MIT
// Fuzzes the journal's parser, with the input as it is and with the checksum that belongs to it.
// What is taken is exactly what would be written, with names that are plain.
#include <cstdlib>
#include <string>

#include "core/base/hash.h"
#include "core/context/journal.h"

using namespace ortc;

static void check(bool condition) {
  if (!condition) abort();
}

static void parse(const std::string& text) {
  constexpr const char* kName = ".m.ortc-journal";
  const auto journal = parse_journal(as_bytes(text), kName);
  if (!journal.is_ok()) return;
  const auto again = encode_journal(*journal);
  check(again.is_ok() && *again == text);
  check(journal_name_of(journal->entries.back().name) == kName);
  for (const JournalEntry& entry : journal->entries) {
    check(fault_of_final_name(entry.name).empty());
    check(entry.staged.find('/') == std::string::npos);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  parse(text);
  std::string sum;
  const Hash128 hash = hash128(as_bytes(text));
  for (const uint64_t half : {hash.low, hash.high}) {
    for (int i = 0; i < 8; ++i) sum += static_cast<char>(half >> (8 * i));
  }
  parse(text + sum);
  return 0;
}
