// SPDX-License-Identifier: MIT
// A picture as the value of an input: decoded, resized to the size that the model has, its channels
// normalised and put where the model wants them.
//
//   value = (pixel - mean) / scale      pixels are 0 to 255
#pragma once

#include <string>

#include "tools/ortc/command_line/arguments.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

// "image:FILE", or a file with the ending of an image.
bool is_picture(const std::string& text);

// `port` has the shape of --shape, where there is one: [N,C,H,W] or [N,H,W,C], or without N. Of N
// the picture is there N times. Throws for an input of another form.
NpyArray picture_array(const Port& port, const std::string& text, const PictureArguments& arguments,
                       const std::string& what);

}  // namespace ortc::tool
