// SPDX-License-Identifier: MIT
// The identity of a source: see the header.
#include "core/context/source_identity.h"

#include <sys/stat.h>

#include <charconv>
#include <set>

#include "core/platform/file_map.h"
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

SourceIdentity identity_of(Bytes model, std::string name, const std::vector<std::string>& folders) {
  return {std::move(name), model.size(), hash128(model),
          size_of_files(files_named_by(model), folders)};
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
  std::vector<std::string> folders = {external_folder.empty() ? path_folder(path)
                                                              : external_folder};
  if (path_is_symlink(path)) folders.push_back(path_folder(real_path(path)));
  return identity_of(map->bytes(), path_file_name(path), folders);
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

std::string SourceIdentity::difference(const SourceIdentity& now) const {
  if (now.size != size) {
    return str_cat("the source model has changed: it had ", size, " bytes, now ", now.size);
  }
  if (now.hash != hash) return "the source model has changed: its bytes are not the same";
  if (now.external_data_size != external_data_size) {
    return str_cat("the source's external data have changed: they had ", external_data_size,
                   " bytes, now ", now.external_data_size);
  }
  return {};
}

}  // namespace ortc
