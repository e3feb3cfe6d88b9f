// SPDX-License-Identifier: MIT
// The journal of a transaction as bytes, and the names that belong to it. Insides of core/context:
// others use transaction.h.
//
//   "ORTCJRNL" | version u32 | entry count u32 | replaces u32 | generation |
//   { staged name | final name } ... | XXH3-128 of everything before
//
// Numbers are little-endian, a text is its size (u32) and its bytes. Staged names are plain, final
// names may lead beneath the folder ("sub/w.bin"). The primary is the last entry. `replaces` is 1
// when the files may replace what stands at their final names, else 0. A newer version keeps magic,
// version and checksum where they are.
//
// A set of several models has one journal, named after the first. Each of the others has a mark in
// the place of its journal, by which readers find that one:
//
//   "ORTCJREF" | version u32 | file name | name of the first | XXH3-128 of everything before
//
// Marks come before the journal and go after it. One without its journal says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

inline constexpr size_t kJournalEntryLimit = 256;
inline constexpr size_t kJournalSizeLimit = size_t{256} << 10;

struct JournalEntry {
  std::string staged, name;
  bool operator==(const JournalEntry&) const = default;
};

struct Journal {
  std::string generation;
  bool replaces = true;
  std::vector<JournalEntry> entries;
};

// ".<primary>.ortc-journal"; a name too long for that is shortened and made unique by its hash.
std::string journal_name_of(const std::string& primary);
bool is_journal_name(std::string_view name);
// Nothing when a file of a transaction may have this plain name, else what is wrong with it.
std::string_view fault_of_final_name(std::string_view name);
// The same for a path beneath the folder: every component is such a name.
std::string_view fault_of_final_path(std::string_view path);
// True for equal paths, and when one names a folder of the other: "a" and "a/b".
bool paths_collide(std::string_view a, std::string_view b);

// INVALID_ARGUMENT when the journal would pass a limit.
Result<std::string> encode_journal(const Journal& journal);
// Takes what encode_journal() makes for a file of this name, and nothing else. INVALID_GRAPH for
// damage, NOT_IMPLEMENTED for a whole journal of a newer version.
Result<Journal> parse_journal(Bytes bytes, std::string_view journal_name);

struct JournalFile {
  std::string text;
  Journal journal;
};
// Nothing when there is no journal of that name, or none that counts: damaged, not a regular file,
// or, in a folder like /tmp, of a user who may not replace the files it names. A failure when it
// cannot be told.
Result<std::optional<JournalFile>> read_journal(const std::string& folder,
                                                const std::string& journal_name);

// The journal that readers of the file `name` go by: its own, or the one that its mark leads to
// when that has the file; nothing and failures as read_journal().
Result<std::optional<JournalFile>> read_journal_of(const std::string& folder,
                                                   const std::string& name);

struct JournalMark {
  std::string name, first;
};
std::string encode_mark(const JournalMark& mark);
// As parse_journal().
Result<JournalMark> parse_mark(Bytes bytes, std::string_view journal_name);

// Carries out a journal that is known to be on the device, and removes it; folders beneath that
// are missing are made. When the journal replaces nothing and another's file has come to a
// final name meanwhile, that file stays, the whole set is taken back, and the result is its name;
// else "".
Result<std::string> complete_journal(const std::string& folder, const std::string& journal_name,
                                     const Journal& journal);

// What stands at a name, links not followed. FAIL when that cannot be told.
enum class FileKind { kNone, kRegular, kFolder, kOther };
Result<FileKind> file_kind(const std::string& folder, const std::string& name);
// In a sticky folder only the owner of a file or of the folder replaces it; true in any other.
Result<bool> may_replace(uint64_t user, const std::string& folder, const std::string& name);

}  // namespace ortc
