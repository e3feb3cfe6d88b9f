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
  if (opened_ != nullptr) opened_->push_back({(*opened)->path(), (*opened)->identity()});
  return by_name_.emplace(name, std::move(opened).value()).first->second;
}

Result<Blob> ExternalFiles::whole_context(const std::string& name,
                                          const std::string& name_in_node) {
  if (!contexts_.read) {
    ASSIGN_OR_RETURN(const auto file, contexts_.files->open(name));
    return FileMap::blob(file, 0, file->bytes().size());
  }
  auto read = contexts_.read(name_in_node);
  RETURN_IF_ERROR_WHILE(read.status(), "reading the context '", name_in_node,
                        "', in which initializers stand");
  return read;
}

Result<Blob> ExternalFiles::whole(const std::string& name) {
  if (contexts_.find_names) {
    if (!context_names_) context_names_ = contexts_.find_names();
    const auto context = context_names_->find(name);
    if (context != context_names_->end()) return whole_context(name, context->second);
  }
  if (!has_contents()) {
    ASSIGN_OR_RETURN(const auto file, open(name));
    return FileMap::blob(file, 0, file->bytes().size());
  }
  const auto known = contents_->find(name);
  if (known != contents_->end()) return Blob(known->second, nullptr);
  return fail("external data '", name, "': the contents of ", contents_->size(),
              " files were given, but not of this one");
}

}  // namespace ortc
