// SPDX-License-Identifier: MIT
// Memory that was freed and that the process keeps.
#pragma once

namespace ortc {

// Gives it back to the system, as far as the allocator can; after much was freed between blocks
// that stay. Takes about as long as freeing did.
void give_back_freed_memory();

}  // namespace ortc
