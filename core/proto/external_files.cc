// SPDX-License-Identifier: MIT
// Opening the files beside a model: see the header.
#include "core/proto/external_files.h"

#include "core/platform/file_map.h"
#include "core/platform/folder.h"
#include "core/platform/path.h"

namespace ortc {

ExternalFiles ExternalFiles::of_model(const std::string& model_path, const std::string& folder,
                                      Access access,
                                      std::function<std::string(const std::string&)> current_name) {
  const bool is_own = folder.empty();
  return ExternalFiles(is_own ? path_folder(model_path) : folder, is_own ? model_path : "", access,
                       std::move(current_name));
}

Result<std::shared_ptr<const FileMap>> ExternalFiles::open(const std::string& name) {
  if (auto known = by_name_.find(name); known != by_name_.end()) return known->second;
  if (!folder_) {
    ASSIGN_OR_RETURN(folder_, Folder::open(folder_path_));
    if (!model_path_.empty() && path_is_symlink(model_path_)) {
      ASSIGN_OR_RETURN(real_folder_, Folder::open(path_folder(real_path(model_path_))));
    }
  }
  const std::string current = current_name_ ? current_name_(name) : name;
  auto opened = folder_->open_beneath(current, access_, real_folder_.get());
  if (!opened.is_ok() && current != name) {
    opened = folder_->open_beneath(name, access_, real_folder_.get());
  }
  if (!opened.is_ok()) {
    if (!leaves_folder(name)) return opened.status();
    return std::move(Status(opened.status())
                         .note(folder_path_.empty()
                                   ? "External data path escapes working directory"
                                   : "External data path escapes model directory"));
  }
  return by_name_.emplace(name, std::move(opened).value()).first->second;
}

Result<Bytes> ExternalFiles::contents(const std::string& name) const {
  const auto known = contents_->find(name);
  if (known != contents_->end()) return known->second;
  return fail("external data '", name, "': the contents of ", contents_->size(),
              " files were given, but not of this one");
}

}  // namespace ortc
