// SPDX-License-Identifier: MIT
// str_cat: see the header.
#include "core/base/str_cat.h"

namespace ortc {

std::string str_join(std::initializer_list<std::string_view> pieces) {
  size_t size = 0;
  for (std::string_view piece : pieces) size += piece.size();
  std::string joined;
  joined.reserve(size);
  for (std::string_view piece : pieces) joined.append(piece);
  return joined;
}

}  // namespace ortc
