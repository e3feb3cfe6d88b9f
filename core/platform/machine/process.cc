// SPDX-License-Identifier: MIT
// Numbers of process and thread: see the header.
#include "core/platform/machine/process.h"

#include <elf.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace ortc {
namespace {

struct BuildIdSearch {
  uintptr_t address;
  std::string found;
};

bool lies_in(const dl_phdr_info& object, uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

// Name and description of a note are padded to words.
size_t padded(size_t size) { return (size + 3) & ~size_t{3}; }

std::string build_id_in(const char* notes, size_t size) {
  constexpr std::string_view kGnu("GNU", 4);
  ElfW(Nhdr) note;
  while (size >= sizeof note) {
    std::memcpy(&note, notes, sizeof note);
    const size_t name_at = sizeof note, id_at = name_at + padded(note.n_namesz);
    const size_t end = id_at + padded(note.n_descsz);
    if (end > size) break;
    if (note.n_type == NT_GNU_BUILD_ID &&
        std::string_view(notes + name_at, note.n_namesz) == kGnu) {
      std::string digits;
      for (const char c : std::string_view(notes + id_at, note.n_descsz)) {
        digits += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        digits += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
      }
      return digits;
    }
    notes += end;
    size -= end;
  }
  return {};
}

int search_build_id(dl_phdr_info* object, size_t, void* state) {
  auto& search = *static_cast<BuildIdSearch*>(state);
  if (!lies_in(*object, search.address)) return 0;
  for (int i = 0; i < object->dlpi_phnum && search.found.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    search.found = build_id_in(notes, segment.p_memsz);
  }
  return 1;
}

}  // namespace

int64_t process_number() { return getpid(); }

int64_t thread_number() {
#if defined(__linux__)
  return syscall(SYS_gettid);
#else
  return getpid();
#endif
}

std::string build_id_at(const void* address) {
  BuildIdSearch search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(search_build_id, &search);
  return search.found;
}

}  // namespace ortc
