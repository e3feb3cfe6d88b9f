// SPDX-License-Identifier: MIT
// The value of one input from what was written for it: a file, bytes, a literal, or made up.
#pragma once

#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

bool is_npz_name(const std::string& text);

// `port` has the shape of --shape, where there is one. `seed_name` is mixed with the seed of random
// values, so that two inputs of one shape differ. `what` names the input in errors.
NpyArray given_array(const Port& port, const std::string& text, const PictureArguments& picture,
                     const std::string& seed_name, const std::string& what);

}  // namespace ortc::tool
