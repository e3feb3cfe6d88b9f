// SPDX-License-Identifier: MIT
// The value of one input from what was written for it: a file, bytes, a literal, or made up.
#pragma once

#include <map>
#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"
#include "tools/ortc/values/npz.h"

namespace ortc::tool {

bool is_npz_name(const std::string& text);

// The .npz files of a command by their names: each is opened once, however many inputs it has.
class Archives {
 public:
  NpzFile& open(const std::string& path) { return files_.try_emplace(path, path).first->second; }

 private:
  std::map<std::string, NpzFile> files_;
};

// `port` has the shape of --shape, where there is one. `seed_name` is mixed with the seed of random
// values, so that two inputs of one shape differ. `what` names the input in errors.
NpyArray given_array(const Port& port, const std::string& text, Archives& archives,
                     const PictureArguments& picture, const std::string& seed_name,
                     const std::string& what);

}  // namespace ortc::tool
