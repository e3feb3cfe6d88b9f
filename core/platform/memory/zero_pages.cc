// SPDX-License-Identifier: MIT
// Zeros without memory: see the header.
#include "core/platform/memory/zero_pages.h"

#include <sys/mman.h>

#include <cerrno>

#include "core/base/checked_math.h"

namespace ortc {

Result<Blob> zero_pages(uint64_t size) {
  if (size == 0) return Blob();
  const auto length = checked_cast<size_t>(size);
  if (!length) return fail("cannot reserve ", size, " bytes of addresses");
  void* address =
      mmap(nullptr, *length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    return fail("cannot reserve ", size, " bytes of addresses: ", std::strerror(errno));
  }
  std::shared_ptr<const void> owner(
      address, [length = *length](const void* p) { munmap(const_cast<void*>(p), length); });
  return Blob({static_cast<const std::byte*>(address), *length}, std::move(owner));
}

}  // namespace ortc
