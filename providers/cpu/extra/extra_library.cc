// SPDX-License-Identifier: MIT
// Loading libort_c_extra.so: see the header.
#include "providers/cpu/extra/extra_library.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "core/platform/machine/shared_library.h"

namespace ortc::cpu {
namespace {

constexpr char kFile[] = "libort_c_extra.so";

Result<std::unique_ptr<SharedLibrary>> open_extra() {
  static const char kHere = 0;
  const std::string folder = folder_of_code(&kHere);
  if (!folder.empty()) {
    auto beside = SharedLibrary::open(folder + kFile);
    if (beside.is_ok() || beside.status().code() != Code::kNoSuchFile) return beside;
  }
  return SharedLibrary::open_named(kFile);
}

Result<const OrtcExtraTable*> load_table() {
  auto library = open_extra();
  if (!library.is_ok()) {
    return not_implemented("needs ", kFile,
                           " (Debian package libort-c1-extra): ", library.status().message());
  }
  void* const entry = (*library)->find(ORTC_EXTRA_ENTRY);
  const OrtcExtraTable* table =
      entry != nullptr ? reinterpret_cast<OrtcExtraGetTableFunction>(entry)(ORTC_EXTRA_VERSION)
                       : nullptr;
  if (table == nullptr || table->table_size < sizeof(OrtcExtraTable)) {
    return not_implemented("needs ", kFile, " of this release; '", (*library)->path(),
                           "' belongs to another one");
  }
  (*library)->release_handle();  // stays: compiled patterns live as long as the process
  return table;
}

}  // namespace

// A failure is not kept: the file may come later.
Result<const OrtcExtraTable*> extra_library() {
  static std::atomic<const OrtcExtraTable*> loaded = nullptr;
  static std::mutex mutex;
  if (const auto* table = loaded.load(std::memory_order_acquire)) return table;
  const std::lock_guard lock(mutex);
  if (const auto* table = loaded.load(std::memory_order_acquire)) return table;
  ASSIGN_OR_RETURN(const OrtcExtraTable* table, load_table());
  loaded.store(table, std::memory_order_release);
  return table;
}

Status extra_status(OrtcExtraCode code, const OrtcExtraMessage& message, std::string_view subject) {
  const std::string_view text = message.text;
  switch (code) {
    case kOrtcExtraOk:
      return Status::ok();
    case kOrtcExtraNotBuilt:
      return not_implemented(subject, ": ", text);
    case kOrtcExtraBadInput:
    case kOrtcExtraTooLarge:
      return invalid_argument(subject, ": ", text);
    case kOrtcExtraNoMemory:
      throw std::bad_alloc();
  }
  return fail(subject, ": ", kFile, " answers ", static_cast<int>(code));
}

}  // namespace ortc::cpu
