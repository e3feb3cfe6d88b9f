// SPDX-License-Identifier: MIT
// Who reads a file that an output would replace: the source model, or another model of the folder.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/base/bytes.h"

namespace ortc {

// A model as far as its files are concerned.
struct ModelFiles {
  std::string path;                  // "" when it is in memory
  std::vector<std::string> folders;  // what its names are relative to
  std::set<std::string> names;

  // A file that cannot be read or is not a model has no names. When the path is a link, names are
  // also looked for beside the file it leads to.
  static ModelFiles of_file(const std::string& path);
  static ModelFiles of_bytes(Bytes bytes, std::string folder);

  // True when the file at `target`, which exists, is the model.
  bool is(const std::string& target) const;
  // True when it is one that the model reads, by whatever name or link.
  bool read(const std::string& target) const;
};

// The first model among the files of `folder` that reads `target`; "" when none does. `own_models`
// (plain names) are left out: they will be replaced together with their files.
std::string other_reader_of(const std::string& target, const std::string& folder,
                            const std::set<std::string>& own_models);

}  // namespace ortc
