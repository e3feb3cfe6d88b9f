// SPDX-License-Identifier: MIT
// A hook over the operations that write, for the tests that let them fail.
#pragma once

#include <utility>

#include "core/platform/folder_changes.h"

namespace ortc::test {

struct HookForScope {
  explicit HookForScope(WriteOperationHook hook) { set_write_operation_hook(std::move(hook)); }
  ~HookForScope() { set_write_operation_hook(nullptr); }
};

}  // namespace ortc::test
