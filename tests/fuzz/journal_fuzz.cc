// SPDX-License-Identifier: MIT
// Fuzzes the journal's reader, with the input as it is and with the checksum that belongs to it.
// What is taken is exactly what would be written, with names that are plain; in a folder it leads
// to the staged files, and carrying it out gives all of them their names.
#include "core/base/hash.h"
#include "core/context/output/journal_view.h"
#include "core/platform/file_map.h"
#include "core/platform/path.h"
#include "tests/fuzz/fuzz_checks.h"

using namespace ortc;
using ortc::fuzz::require;

namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "m";
constexpr const char* kJournal = ".m.ortc-journal";

void check_entries(const Journal& journal, const std::string& text) {
  const auto again = encode_journal(journal);
  require(again.is_ok() && *again == text);
  require(journal_name_of(journal.entries.back().name) == kJournal);
  for (const JournalEntry& entry : journal.entries) {
    require(fault_of_final_path(entry.name).empty());
    require(entry.staged.find('/') == std::string::npos);
  }
}

// Every staged file holds its final name.
void carry_out(const fuzz::ScratchFolder& scratch, const Journal& journal) {
  const std::string folder = scratch.path().string();
  for (const JournalEntry& entry : journal.entries) scratch.write(entry.staged, entry.name);
  const auto view = JournalView::open(path_join(folder, kModel));
  require(view.is_ok() && !view->is_empty() && view->is_unchanged());
  for (const JournalEntry& entry : journal.entries) {
    require(view->current_name(entry.name) == entry.staged);
  }
  require(complete_journal(folder, kJournal, journal).is_ok());
  require(view->current_name(kModel) == kModel && !view->is_unchanged());
  for (const JournalEntry& entry : journal.entries) {
    const auto file = FileMap::open(path_join(folder, entry.name), Access::kRead);
    require(file.is_ok() && as_text((*file)->bytes()) == entry.name);
  }
}

void read(const std::string& text) {
  static const fuzz::ScratchFolder scratch;
  scratch.write(kJournal, text);
  const auto journal = parse_journal(as_bytes(text), kJournal);
  if (journal.is_ok()) {
    check_entries(*journal, text);
    carry_out(scratch, *journal);
  } else {
    const auto view = JournalView::open(path_join(scratch.path().string(), kModel));
    const bool is_newer = journal.status().code() == Code::kNotImplemented;
    require(view.is_ok() == !is_newer);
    require(is_newer || (view->is_empty() && view->is_unchanged()));
  }
  for (const fs::path& file : fs::directory_iterator(scratch.path())) fs::remove_all(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  std::string sum;
  const Hash128 hash = hash128(as_bytes(text));
  for (const uint64_t half : {hash.low, hash.high}) {
    for (int i = 0; i < 8; ++i) sum += static_cast<char>(half >> (8 * i));
  }
  read(text + sum);
  return 0;
}
