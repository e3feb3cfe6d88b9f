// SPDX-License-Identifier: MIT
// What a file is that is not an ONNX model, told by its first bytes: people hand over web pages,
// Git LFS pointers, archives, and the context binary instead of the model beside it.
#pragma once

#include <string_view>

#include "core/base/bytes.h"

namespace ortc {

// The first bytes of a context binary. Like PNG's, they show a transfer that converted line ends.
inline constexpr std::string_view kContextMark("\x89ortc\r\n\x1a", 8);
// Of the format before 1.0, which is not read any more.
inline constexpr std::string_view kOldContextMark("ortcctx\n", 8);

// "a PNG image", "a Git LFS pointer, not the file itself: fetch it with 'git lfs pull'"; "" when
// the bytes begin like nothing that is known here. Asked once decoding has failed: a model may
// begin like anything.
std::string_view file_kind(Bytes bytes);

}  // namespace ortc
