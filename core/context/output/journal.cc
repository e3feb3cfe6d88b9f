// SPDX-License-Identifier: MIT
// Journals: names, bytes, carrying them out. Every byte of a journal is untrusted until
// parse_journal() has seen it.
#include "core/context/output/journal.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "core/base/checked_math.h"
#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/options/relative_name.h"
#include "core/platform/folder_changes.h"
#include "core/platform/held_file.h"
#include "core/platform/path.h"
#include "core/platform/staged_name.h"

namespace ortc {
namespace {

constexpr std::string_view kMagic = "ORTCJRNL";
constexpr std::string_view kMarkMagic = "ORTCJREF";
constexpr uint32_t kVersion = 1;
constexpr size_t kHashSize = 16;
constexpr std::string_view kJournalEnd = ".ortc-journal";

void append_number(std::string& text, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i));
}

void append_text(std::string& text, std::string_view part) {
  append_number(text, part.size(), 4);
  text += part;
}

std::string checksum_of(std::string_view text) {
  const Hash128 hash = hash128(as_bytes(text));
  std::string sum;
  append_number(sum, hash.low, 8);
  append_number(sum, hash.high, 8);
  return sum;
}

// Takes numbers and texts from the front; nothing when the bytes do not reach.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<uint32_t> number() {
    if (!range_within(offset_, 4, text_.size())) return std::nullopt;
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) {
      value |= uint32_t{static_cast<unsigned char>(text_[offset_ + i])} << (8 * i);
    }
    offset_ += 4;
    return value;
  }
  std::optional<std::string> text() {
    const auto size = number();
    if (!size || !range_within(offset_, *size, text_.size())) return std::nullopt;
    const size_t begin = offset_;
    offset_ += *size;
    return std::string(text_.substr(begin, *size));
  }
  bool is_at_end() const { return offset_ == text_.size(); }

 private:
  std::string_view text_;
  size_t offset_ = 0;
};

Status damaged(std::string_view what) {
  return invalid_graph("the journal of a transaction is damaged: ", what);
}

// What stands between version and checksum.
Result<Scanner> scan_sealed(std::string_view text, std::string_view magic) {
  if (text.size() > kJournalSizeLimit) return damaged("it is too large");
  if (text.size() < magic.size() + kHashSize || !text.starts_with(magic)) {
    return damaged("it does not begin as one");
  }
  const std::string_view sum = text.substr(text.size() - kHashSize);
  text.remove_suffix(kHashSize);
  if (sum != checksum_of(text)) return damaged("its checksum is wrong");
  Scanner scanner(text.substr(magic.size()));
  const auto version = scanner.number();
  if (version && *version > kVersion) {
    return not_implemented("the journal of a transaction has version ", *version,
                           ", this library reads version ", kVersion);
  }
  if (version != kVersion) return damaged("its head is wrong");
  return scanner;
}

Status check_entry(const Journal& journal, const JournalEntry& entry) {
  if (!fault_of_final_path(entry.name).empty()) return damaged(fault_of_final_path(entry.name));
  if (!is_staged_name_of(entry.staged, entry.name)) {
    return damaged("the staged name does not belong to the name");
  }
  for (const JournalEntry& other : journal.entries) {
    if (paths_collide(other.name, entry.name) || other.staged == entry.staged) {
      return damaged("a name is there twice");
    }
  }
  return Status::ok();
}

Status question_failed(const std::string& path, int error) {
  return fail("cannot examine '", path, "': ", std::generic_category().message(error));
}

// False when there is nothing of that name.
Result<bool> examine(const std::string& path, struct stat& out_info) {
  if (lstat(path.c_str(), &out_info) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return false;
  return question_failed(path, errno);
}

// The file's bytes; "" when it is too large to be a journal: nothing of it is read then. Read, not
// mapped: whoever cuts it off meanwhile must not end this process.
Result<std::string> read_small(const std::string& path, const struct stat& expected) {
  ASSIGN_OR_RETURN(const HeldFile file, HeldFile::open(path));
  const FileIdentity& found = file.identity();
  if (found.device != expected.st_dev || found.inode != expected.st_ino) {
    return make_status(Code::kNoSuchFile, "'", path, "' was replaced while it was read");
  }
  if (found.size > kJournalSizeLimit) return std::string();
  ASSIGN_OR_RETURN(const auto map, file.map(Access::kRead));
  return std::string(as_text(map->bytes()));
}

}  // namespace

std::string journal_name_of(const std::string& primary) {
  const std::string last = path_file_name(primary);
  std::string name = str_cat(".", last, kJournalEnd);
  if (name.size() <= NAME_MAX && last == primary) return name;
  const std::string digits = hash128(as_bytes(primary)).hex();
  const size_t kept_max = NAME_MAX - (2 + digits.size() + kJournalEnd.size());
  return str_cat(".", cut_between_characters(last, kept_max), ".", digits, kJournalEnd);
}

bool is_journal_name(std::string_view name) {
  return name.size() > 1 + kJournalEnd.size() && name.front() == '.' && name.ends_with(kJournalEnd);
}

std::string_view fault_of_final_name(std::string_view name) {
  if (name.empty()) return "an empty name";
  if (name == "." || name == "..") return "the name of a folder";
  if (name.find('\0') != std::string_view::npos) return "a name with a zero byte";
  if (name.find_first_of("/\\") != std::string_view::npos) return "a name with a separator";
  if (name.size() > NAME_MAX) return "a name that is too long";
  if (is_staged_name(name) || is_journal_name(name)) return "a name kept for transactions";
  return {};
}

namespace {

bool leads_out(std::string_view path) {
  for (int depth = 0;;) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, slash);
    if (name != ".") depth += name == ".." ? -1 : 1;
    if (depth < 0) return true;
    if (slash == path.size()) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string_view fault_of_final_path(std::string_view path) {
  if (path.size() >= PATH_MAX) return "a path that is too long";
  if (is_absolute_path(path)) return "an absolute path";
  if (leads_out(path)) return "a path that leads out of the folder";
  for (size_t slash; (slash = path.find('/')) != std::string_view::npos;) {
    const std::string_view name = path.substr(0, slash);
    if (name == ".") return "a path with the component \".\"";
    if (name == "..") return "a path with the component \"..\"";
    const std::string_view fault = fault_of_final_name(name);
    if (!fault.empty()) return fault;
    path.remove_prefix(slash + 1);
  }
  return fault_of_final_name(path);
}

bool paths_collide(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (b.size() == a.size() || b[a.size()] == '/');
}

Result<std::string> encode_journal(const Journal& journal) {
  if (journal.entries.empty() || journal.entries.size() > kJournalEntryLimit) {
    return invalid_argument("expected 1 to ", kJournalEntryLimit, " files in a transaction, found ",
                            journal.entries.size());
  }
  std::string text(kMagic);
  append_number(text, kVersion, 4);
  append_number(text, journal.entries.size(), 4);
  append_number(text, journal.replaces ? 1 : 0, 4);
  append_text(text, journal.generation);
  for (const JournalEntry& entry : journal.entries) {
    append_text(text, entry.staged);
    append_text(text, entry.name);
  }
  text += checksum_of(text);
  if (text.size() > kJournalSizeLimit) {
    return invalid_argument("expected a journal of at most ", kJournalSizeLimit, " bytes, found ",
                            text.size());
  }
  return text;
}

Result<Journal> parse_journal(Bytes bytes, std::string_view journal_name) {
  ASSIGN_OR_RETURN(Scanner scanner, scan_sealed(as_text(bytes), kMagic));
  const auto count = scanner.number();
  const auto replaces = scanner.number();
  auto generation = scanner.text();
  if (!count || !replaces || *replaces > 1 || !generation) return damaged("its head is wrong");
  if (*count == 0 || *count > kJournalEntryLimit) return damaged("its number of files is wrong");

  Journal journal{.generation = std::move(*generation), .replaces = *replaces == 1, .entries = {}};
  for (uint32_t i = 0; i < *count; ++i) {
    auto staged = scanner.text();
    auto name = scanner.text();
    if (!staged || !name) return damaged("it ends too early");
    JournalEntry entry{std::move(*staged), std::move(*name)};
    RETURN_IF_ERROR(check_entry(journal, entry));
    journal.entries.push_back(std::move(entry));
  }
  if (!scanner.is_at_end()) return damaged("it ends too late");
  if (journal_name_of(journal.entries.back().name) != journal_name) {
    return damaged("it belongs to another model");
  }
  return journal;
}

std::string encode_mark(const JournalMark& mark) {
  std::string text(kMarkMagic);
  append_number(text, kVersion, 4);
  append_text(text, mark.name);
  append_text(text, mark.first);
  text += checksum_of(text);
  return text;
}

Result<JournalMark> parse_mark(Bytes bytes, std::string_view journal_name) {
  ASSIGN_OR_RETURN(Scanner scanner, scan_sealed(as_text(bytes), kMarkMagic));
  auto name = scanner.text();
  auto first = scanner.text();
  if (!name || !first || !scanner.is_at_end()) return damaged("its names are wrong");
  if (!fault_of_final_name(*name).empty() || !fault_of_final_name(*first).empty()) {
    return damaged("its names are not plain");
  }
  if (journal_name_of(*name) != journal_name) return damaged("it belongs to another model");
  return JournalMark{std::move(*name), std::move(*first)};
}

namespace {

struct SmallFile {
  std::string text;
  uint64_t user = 0;
};

// Nothing when there is none; a failure when that cannot be told.
Result<std::optional<SmallFile>> read_journal_file(const std::string& folder,
                                                   const std::string& journal_name) {
  const std::optional<SmallFile> none;
  const std::string path = path_join(folder, journal_name);
  struct stat info;
  ASSIGN_OR_RETURN(const bool stands, examine(path, info));
  if (!stands || !S_ISREG(info.st_mode)) return none;
  auto text = read_small(path, info);
  // Carried out and removed, or replaced, just now; then the next look tells.
  if (!text.is_ok() && text.status().code() == Code::kNoSuchFile) return none;
  if (!text.is_ok()) return std::move(text).status();
  return std::optional(SmallFile{std::move(*text), info.st_uid});
}

Result<std::optional<JournalFile>> accept_journal(const std::string& folder,
                                                  const std::string& journal_name, SmallFile file) {
  const std::optional<JournalFile> none;
  auto journal = parse_journal(as_bytes(file.text), journal_name);
  if (!journal.is_ok() && journal.status().code() == Code::kInvalidGraph) return none;
  if (!journal.is_ok()) {
    return std::move(std::move(journal).status().note(path_join(folder, journal_name)));
  }
  for (const JournalEntry& entry : journal->entries) {
    ASSIGN_OR_RETURN(const bool may, may_replace(file.user, folder, entry.name));
    if (!may) return none;
  }
  return std::optional(JournalFile{std::move(file.text), std::move(*journal)});
}

}  // namespace

Result<std::optional<JournalFile>> read_journal(const std::string& folder,
                                                const std::string& journal_name) {
  ASSIGN_OR_RETURN(auto file, read_journal_file(folder, journal_name));
  if (!file) return std::optional<JournalFile>();
  return accept_journal(folder, journal_name, std::move(*file));
}

Result<std::optional<JournalFile>> read_journal_of(const std::string& folder,
                                                   const std::string& name) {
  const std::string journal_name = journal_name_of(name);
  ASSIGN_OR_RETURN(auto file, read_journal_file(folder, journal_name));
  if (!file) return std::optional<JournalFile>();
  if (!file->text.starts_with(kMarkMagic)) {
    return accept_journal(folder, journal_name, std::move(*file));
  }
  const auto mark = parse_mark(as_bytes(file->text), journal_name);
  if (!mark.is_ok() && mark.status().code() == Code::kInvalidGraph) {
    return std::optional<JournalFile>();
  }
  if (!mark.is_ok()) return mark.status();
  ASSIGN_OR_RETURN(auto journal, read_journal(folder, journal_name_of(mark->first)));
  const auto has_file = [&](const JournalFile& found) {
    return std::any_of(found.journal.entries.begin(), found.journal.entries.end(),
                       [&](const JournalEntry& entry) { return entry.name == name; });
  };
  if (journal && !has_file(*journal)) journal.reset();
  return journal;
}

namespace {

Status sync_folders(const std::string& folder, const Journal& journal) {
  RETURN_IF_ERROR(sync_folder(folder));
  for (const JournalEntry& entry : journal.entries) {
    for (std::string inner = path_folder(entry.name); !inner.empty(); inner = path_folder(inner)) {
      RETURN_IF_ERROR(sync_folder(folder, inner));
    }
  }
  return Status::ok();
}

// Readers first: without the journal there is no set. Then the first `renamed_count` files have
// their final names and belong to nobody.
Status take_back(const std::string& folder, const std::string& journal_name, const Journal& journal,
                 size_t renamed_count) {
  RETURN_IF_ERROR(remove_in_folder(folder, journal_name));
  RETURN_IF_ERROR(sync_folder(folder));
  for (size_t i = 0; i < journal.entries.size(); ++i) {
    const JournalEntry& entry = journal.entries[i];
    RETURN_IF_ERROR(remove_in_folder(folder, i < renamed_count ? entry.name : entry.staged));
  }
  return sync_folder(folder);
}

}  // namespace

Result<std::string> complete_journal(const std::string& folder, const std::string& journal_name,
                                     const Journal& journal) {
  MadeFolders folders;
  for (size_t i = 0; i < journal.entries.size(); ++i) {
    const JournalEntry& entry = journal.entries[i];
    ASSIGN_OR_RETURN(const FileKind kind, file_kind(folder, entry.staged));
    if (kind == FileKind::kNone) continue;  // renamed before
    RETURN_IF_ERROR(folders.make(folder, entry.name));
    if (journal.replaces) {
      RETURN_IF_ERROR(rename_in_folder(folder, entry.staged, entry.name));
      continue;
    }
    ASSIGN_OR_RETURN(const bool is_renamed, rename_to_free_name(folder, entry.staged, entry.name));
    if (is_renamed) continue;
    RETURN_IF_ERROR(take_back(folder, journal_name, journal, i));
    return entry.name;
  }
  folders.keep();
  RETURN_IF_ERROR(sync_folders(folder, journal));
  RETURN_IF_ERROR(remove_in_folder(folder, journal_name));
  RETURN_IF_ERROR(sync_folder(folder));
  return std::string();
}

Result<FileKind> file_kind(const std::string& folder, const std::string& name) {
  struct stat info;
  ASSIGN_OR_RETURN(const bool stands, examine(path_join(folder, name), info));
  if (!stands) return FileKind::kNone;
  if (S_ISDIR(info.st_mode)) return FileKind::kFolder;
  return S_ISREG(info.st_mode) ? FileKind::kRegular : FileKind::kOther;
}

Result<bool> may_replace(uint64_t user, const std::string& folder, const std::string& name) {
  struct stat info;
  const std::string inner = path_join(folder, path_folder(name));
  const std::string folder_path = inner.empty() ? "." : inner;
  if (stat(folder_path.c_str(), &info) != 0) {
    if (errno == ENOENT && inner != folder) return true;  // the writer has yet to make it
    return question_failed(folder_path, errno);
  }
  if ((info.st_mode & S_ISVTX) == 0 || user == 0 || user == info.st_uid) return true;
  ASSIGN_OR_RETURN(const bool stands, examine(path_join(folder, name), info));
  return !stands || user == info.st_uid;
}

}  // namespace ortc
