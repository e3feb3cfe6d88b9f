// SPDX-License-Identifier: MIT
// What a WireWriter would write.
#pragma once

#include <string>

#include "core/proto/wire_writer.h"
#include "tests/support/test.h"

namespace ortc::test {

inline std::string wire_text(const WireWriter& writer) {
  std::string text;
  CHECK_OK(writer.write_to([&](Bytes bytes) {
    text += as_text(bytes);
    return Status::ok();
  }));
  return text;
}

}  // namespace ortc::test
