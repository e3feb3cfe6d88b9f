// SPDX-License-Identifier: MIT
// The identity of a source: see the header.
#include "core/context/source_identity.h"

#include <sys/stat.h>

#include <charconv>
#include <set>

#include "core/platform/path.h"
#include "core/proto/named_files.h"

namespace ortc {
namespace {

constexpr std::string_view kSourceKey = "ortc.source.";

uint64_t size_of_files(const std::set<std::string>& names,
                       const std::vector<std::string>& folders) {
  uint64_t total = 0;
  std::set<std::pair<uint64_t, uint64_t>> seen;
  for (const std::string& name : names) {
    for (const std::string& folder : folders) {
      struct stat info;
      if (stat(path_join(folder, name).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      if (seen.emplace(info.st_dev, info.st_ino).second) {
        total += static_cast<uint64_t>(info.st_size);
      }
      break;
    }
  }
  return total;
}

SourceIdentity sizes_of(Bytes model, std::string name, const std::vector<std::string>& folders) {
  return {std::move(name), model.size(), {}, size_of_files(files_named_by(model), folders)};
}

SourceIdentity identity_of(Bytes model, std::string name, const std::vector<std::string>& folders) {
  SourceIdentity identity = sizes_of(model, std::move(name), folders);
  identity.hash = hash128(model);
  return identity;
}

// Where external data are looked for.
std::vector<std::string> folders_of(const std::string& path, const std::string& external_folder) {
  std::vector<std::string> folders = {external_folder.empty() ? path_folder(path)
                                                              : external_folder};
  if (path_is_symlink(path)) folders.push_back(path_folder(real_path(path)));
  return folders;
}

std::string difference_in_model_size(const SourceIdentity& then, const SourceIdentity& now) {
  if (now.size == then.size) return {};
  return str_cat("the source model has changed: it had ", then.size, " bytes, now ", now.size);
}

std::string difference_in_external_data(const SourceIdentity& then, const SourceIdentity& now) {
  if (now.external_data_size == then.external_data_size) return {};
  return str_cat("the source's external data have changed: they had ", then.external_data_size,
                 " bytes, now ", now.external_data_size);
}

bool read_number(const std::string* text, uint64_t& out) {
  if (text == nullptr || text->empty()) return false;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, out);
  return error == std::errc() && stop == end;
}

}  // namespace

Result<SourceIdentity> SourceIdentity::of_file(const std::string& path,
                                               const std::string& external_folder) {
  ASSIGN_OR_RETURN(const auto map, FileMap::open(path));
  return of_map(*map, path, external_folder);
}

SourceIdentity SourceIdentity::of_map(const FileMap& map, const std::string& path,
                                      const std::string& external_folder) {
  return identity_of(map.bytes(), path_file_name(path), folders_of(path, external_folder));
}

Result<SourceIdentity> SourceIdentity::sizes_of_file(const std::string& path) {
  ASSIGN_OR_RETURN(const auto map, FileMap::open(path));
  return sizes_of(map->bytes(), path_file_name(path), folders_of(path, ""));
}

SourceIdentity SourceIdentity::of_bytes(Bytes model, const std::string& external_folder) {
  return identity_of(model, "", {external_folder});
}

std::optional<SourceIdentity> SourceIdentity::read(const Model& model) {
  const auto entry = [&](std::string_view key) {
    return model.metadata_value(str_cat(kSourceKey, key));
  };
  SourceIdentity identity;
  if (const std::string* name = entry("name")) identity.name = *name;
  const std::string* hash = entry("hash");
  const auto parsed = hash != nullptr ? Hash128::from_hex(*hash) : std::nullopt;
  if (!parsed || !read_number(entry("size"), identity.size) ||
      !read_number(entry("external_data_size"), identity.external_data_size)) {
    return std::nullopt;
  }
  identity.hash = *parsed;
  return identity;
}

void SourceIdentity::write_to(Model& model) const {
  if (!name.empty()) model.set_metadata(str_cat(kSourceKey, "name"), name);
  model.set_metadata(str_cat(kSourceKey, "size"), str_cat(size));
  model.set_metadata(str_cat(kSourceKey, "hash"), hash.hex());
  model.set_metadata(str_cat(kSourceKey, "external_data_size"), str_cat(external_data_size));
}

void SourceIdentity::remove_from(Model& model) {
  std::erase_if(model.metadata,
                [](const auto& entry) { return entry.first.starts_with(kSourceKey); });
}

std::string SourceIdentity::size_difference(const SourceIdentity& now) const {
  std::string text = difference_in_model_size(*this, now);
  return text.empty() ? difference_in_external_data(*this, now) : text;
}

std::string SourceIdentity::difference(const SourceIdentity& now) const {
  std::string text = difference_in_model_size(*this, now);
  if (!text.empty()) return text;
  if (now.hash != hash) return "the source model has changed: its bytes are not the same";
  return difference_in_external_data(*this, now);
}

}  // namespace ortc
