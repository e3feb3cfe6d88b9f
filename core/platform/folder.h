// SPDX-License-Identifier: MIT
// Opening files that a model names, beneath a folder and never outside it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/platform/file_map.h"

namespace ortc {

// Whether a relative name leads out of the folder by "..".
bool leaves_folder(std::string_view name);

// A folder that names in models are resolved against: "weights.bin", "sub/weights.bin". The folder
// is held by descriptor and each component is opened beneath it (openat2 RESOLVE_BENEATH where the
// kernel has it, else component by component without following links), so that there is no gap
// between check and open.
class Folder {
 public:
  // `path` may be "" for the current folder.
  static Result<std::shared_ptr<const Folder>> open(const std::string& path,
                                                    bool* out_is_shortage = nullptr);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }

  // Opens a regular file named by an untrusted relative name. FAIL, with the name and the reason,
  // when the name is empty, absolute (also "C:\", "\\server", "\dir" forms), leaves the folder by
  // ".." or by a symbolic link, is missing or is not a regular file. A link that stays inside is
  // followed. When the model itself was reached through a symbolic link the caller passes the real
  // file's folder as `also` (the Hugging Face cache layout): links into it are allowed too, and a
  // name that is not here is looked for there. A file that the process has open so already is
  // given again (FileStore). `out_is_shortage`: whether it failed though nothing is wrong with the
  // name and the file: there are no descriptors, there is no memory, a device fails, a permission
  // is missing; may be null.
  Result<std::shared_ptr<const FileMap>> open_beneath(std::string_view name,
                                                      Access access = Access::kMap,
                                                      const Folder* also = nullptr,
                                                      bool* out_is_shortage = nullptr) const;

 private:
  Folder() = default;
  std::string real_path() const;  // asked only when a name leads through a link
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace ortc
