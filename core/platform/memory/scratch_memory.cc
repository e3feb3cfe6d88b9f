// SPDX-License-Identifier: MIT
// Scratch memory: see the header. Each piece is a range of the file behind all others, mapped on
// its own; given back, its pages and its room on the disk are free at once.
#include "core/platform/memory/scratch_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <utility>

#include "core/base/checked_math.h"
#include "core/platform/descriptor.h"

namespace ortc {
namespace {

// Lives until the last piece is given back.
class ScratchFile {
 public:
  explicit ScratchFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  void* take(size_t size, uint64_t* offset) {
    {
      const std::lock_guard lock(mutex_);
      *offset = end_;
      end_ += size;
    }
    // Pages of a file whose disk is full end the process that writes them: room comes first.
    if (fallocate(descriptor_.get(), 0, static_cast<off_t>(*offset), static_cast<off_t>(size)) !=
        0) {
      return nullptr;
    }
    void* const bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(),
                             static_cast<off_t>(*offset));
    if (bytes != MAP_FAILED) return bytes;
    free_room(*offset, size);
    return nullptr;
  }
  void give_back(void* bytes, uint64_t offset, size_t size) {
    munmap(bytes, size);
    free_room(offset, size);
  }

 private:
  // A file system that cannot do that has it back when the file goes.
  void free_room(uint64_t offset, size_t size) {
    (void)fallocate(descriptor_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(offset), static_cast<off_t>(size));
  }

  const Descriptor descriptor_;
  std::mutex mutex_;
  uint64_t end_ = 0;
};

class ScratchMemory final : public TensorMemory {
 public:
  explicit ScratchMemory(Descriptor descriptor)
      : file_(std::make_shared<ScratchFile>(std::move(descriptor))) {}

  std::shared_ptr<void> take(size_t size) override {
    const size_t room = align_up(size, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    uint64_t offset = 0;
    void* const bytes = file_->take(room, &offset);
    if (bytes == nullptr) return nullptr;
    return {bytes, [file = file_, offset, room](void* p) { file->give_back(p, offset, room); }};
  }

 private:
  std::shared_ptr<ScratchFile> file_;
};

}  // namespace

Result<std::shared_ptr<TensorMemory>> scratch_memory(const std::string& folder) {
  ASSIGN_OR_RETURN(Descriptor descriptor, open_nameless(folder));
  return std::shared_ptr<TensorMemory>(std::make_shared<ScratchMemory>(std::move(descriptor)));
}

}  // namespace ortc
