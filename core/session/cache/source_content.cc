// SPDX-License-Identifier: MIT
// Contents of source models: see the header.
#include "core/session/cache/source_content.h"

#include <algorithm>
#include <charconv>

#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/file_stamp.h"
#include "core/proto/external_files.h"
#include "core/proto/named_files.h"
#include "core/session/cache/record_text.h"

namespace ortc {
namespace {

constexpr std::string_view kSourceRecord = "ortc.cache.source/1";
constexpr int64_t kUnseenNs = int64_t{2} * 1000 * 1000 * 1000;

// "hash device inode size modified changed"
std::string print_file(const SourceContent::File& file) {
  const FileIdentity& id = file.identity;
  return str_cat(file.hash.hex(), " ", id.device, " ", id.inode, " ", id.size, " ", id.modified_ns,
                 " ", id.changed_ns);
}

template <typename T>
bool take_number(std::string_view& text, T& out) {
  if (!text.starts_with(' ')) return false;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), out);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

bool parse_file(std::string_view text, SourceContent::File& file) {
  constexpr size_t kDigits = 32;
  const auto hash = Hash128::from_hex(text.substr(0, kDigits));
  if (!hash) return false;
  file.hash = *hash;
  text.remove_prefix(kDigits);
  FileIdentity& id = file.identity;
  return take_number(text, id.device) && take_number(text, id.inode) &&
         take_number(text, id.size) && take_number(text, id.modified_ns) &&
         take_number(text, id.changed_ns) && text.empty();
}

}  // namespace

uint64_t SourceContent::bytes() const {
  uint64_t total = 0;
  for (const File& file : files) total += file.identity.size;
  return total;
}

// Names in a model lead elsewhere when its folder or that of its external data is another one.
std::string SourceReader::memory_name(const FileIdentity& model) const {
  Hasher hasher;
  hasher.add_number(model.device).add_number(model.inode);
  for (const std::string& folder : folders()) hasher.add(folder);
  return hasher.finish().hex();
}

// Where names in the model are looked for, as ExternalFiles does.
std::vector<std::string> SourceReader::folders() const {
  const std::string& external = making_.context().external_folder;
  if (source_.from_memory || !external.empty()) return {external};
  std::vector<std::string> folders = {path_folder(source_.path)};
  if (path_is_symlink(source_.path)) folders.push_back(path_folder(real_path(source_.path)));
  return folders;
}

std::optional<FileIdentity> SourceReader::identity_of(const std::string& name) const {
  if (name.empty()) return identity_at(source_.path);
  for (const std::string& folder : folders()) {
    if (const auto identity = identity_at(path_join(folder, name))) return identity;
  }
  return std::nullopt;
}

std::optional<SourceContent> SourceReader::recall() const {
  const auto model = identity_of("");
  if (!remembers() || !model) return std::nullopt;
  const auto fields =
      read_record(path_join(folder_.sources_path(), memory_name(*model)), kSourceRecord);
  if (!fields) return std::nullopt;
  SourceContent content;
  for (const auto& [name, text] : *fields) {
    SourceContent::File file;
    const bool is_model = name == "model" || name == "compiled";
    if (!is_model && !name.starts_with("external ")) return std::nullopt;
    if (is_model) content.is_compiled = name == "compiled";
    if (!is_model) file.name = name.substr(std::string_view("external ").size());
    if (!parse_file(text, file) || identity_of(file.name) != file.identity) return std::nullopt;
    content.files.push_back(std::move(file));
  }
  if (content.files.empty() || !content.files.front().name.empty()) return std::nullopt;
  return content;
}

void SourceReader::remember(const SourceContent& content) const {
  RecordFields fields;
  for (const SourceContent::File& file : content.files) {
    std::string name = str_cat("external ", file.name);
    if (file.name.empty()) name = content.is_compiled ? "compiled" : "model";
    fields.emplace_back(std::move(name), print_file(file));
  }
  const std::string name = memory_name(content.files.front().identity);
  // A cache that cannot be written to is slower, no more.
  (void)write_record(folder_.sources_path(), name, kSourceRecord, fields);
}

Result<Hash128> SourceReader::hash(Bytes bytes) const {
  Work work(nullptr, [this] { return making_.check_cancel(); });
  return hash128(bytes, work);
}

Result<SourceContent::File> SourceReader::hash_file(
    const std::string& name, const std::shared_ptr<const FileMap>& file) const {
  SourceContent::File hashed{name, {}, file->identity()};
  ASSIGN_OR_RETURN(hashed.hash, hash(file->bytes()));
  return hashed;
}

Result<SourceContent> SourceReader::read_anew() const {
  const int64_t begin_ns = wall_clock_ns();
  SourceContent content;
  Bytes model = source_.bytes.bytes();
  std::shared_ptr<const FileMap> map;
  if (source_.from_memory) {
    SourceContent::File memory;
    memory.identity.size = model.size();
    content.files.push_back(memory);
  } else {
    ASSIGN_OR_RETURN(map, FileMap::open(source_.path, making_.access()));
    model = map->bytes();
    content.files.push_back({"", {}, map->identity()});
  }
  content.is_compiled = has_context_nodes(model);
  if (!content.is_compiled) {
    ASSIGN_OR_RETURN(content.files.front().hash, hash(model));
    ExternalFiles files =
        source_.from_memory
            ? ExternalFiles(making_.context().external_folder, "", making_.access())
            : ExternalFiles::of_model(source_.path, making_.context().external_folder,
                                      making_.access());
    const auto& given = making_.options().external_files;
    for (const std::string& name : files_named_by(model)) {
      if (!given.empty()) break;
      ASSIGN_OR_RETURN(const auto file, files.open(name));
      ASSIGN_OR_RETURN(SourceContent::File hashed, hash_file(name, file));
      content.files.push_back(std::move(hashed));
    }
    for (const auto& [name, bytes] : given) {
      SourceContent::File hashed;
      hashed.name = name;
      hashed.identity.size = bytes.size();
      ASSIGN_OR_RETURN(hashed.hash, hash(bytes));
      content.files.push_back(std::move(hashed));
    }
  }
  for (const SourceContent::File& file : content.files) {
    const int64_t last_ns = std::max(file.identity.modified_ns, file.identity.changed_ns);
    content.may_change_unseen |= last_ns > begin_ns - kUnseenNs;
  }
  const bool all_are_files = remembers() && making_.options().external_files.empty();
  if (all_are_files && !content.may_change_unseen) remember(content);
  return content;
}

Result<SourceContent> SourceReader::read() const {
  if (!source_.from_memory) {
    ASSIGN_OR_RETURN(const JournalView journal, JournalView::open(source_.path));
    if (!journal.is_empty()) return fail("the model is being replaced");
  }
  if (making_.options().external_files.empty()) {
    if (auto known = recall()) return std::move(*known);
  }
  return read_anew();
}

Result<bool> SourceReader::is_unchanged(const SourceContent& content) const {
  if (content.may_change_unseen) {
    ASSIGN_OR_RETURN(const SourceContent now, read_anew());
    return now.files == content.files;
  }
  const bool has_files = making_.options().external_files.empty();
  for (const SourceContent::File& file : content.files) {
    const bool is_file = file.name.empty() ? !source_.from_memory : has_files;
    if (is_file && identity_of(file.name) != file.identity) return false;
  }
  return true;
}

}  // namespace ortc
