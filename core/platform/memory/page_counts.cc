// SPDX-License-Identifier: MIT
// Counting pages: see the header. Linux tells in /proc/self/pagemap, which has a word for each page
// of the address space; what is read here of a word needs no privilege.
#include "core/platform/memory/page_counts.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "core/platform/descriptor.h"
#include "core/platform/memory/residency.h"

namespace ortc {
namespace {

constexpr uint64_t kIsPresent = uint64_t{1} << 63;
constexpr uint64_t kIsOfFile = uint64_t{1} << 61;
constexpr uint64_t kIsExclusive = uint64_t{1} << 56;
constexpr size_t kWordsAtOnce = 8192;  // 32 MB of pages

class PageTable {
 public:
  static Result<PageTable> open() {
    OpenedFile opened = open_for_reading("/proc/self/pagemap");
    if (!opened.descriptor.is_open()) {
      return not_implemented("this system does not tell which pages are in memory: ",
                             "cannot open /proc/self/pagemap: ", errno_text(opened.error));
    }
    PageTable table;
    table.file_ = std::move(opened.descriptor);
    return table;
  }

  Status count(Bytes range, PageCounts& counts) {
    const auto begin = reinterpret_cast<uintptr_t>(range.data());
    const uintptr_t end = begin + range.size();
    const Bytes pages = pages_of(range);
    uintptr_t place = reinterpret_cast<uintptr_t>(pages.data());
    while (place < end) {
      const size_t left = (end - place + page_bytes() - 1) / page_bytes();
      ASSIGN_OR_RETURN(const size_t word_count, read_words(place, std::min(left, kWordsAtOnce)));
      for (size_t i = 0; i < word_count; ++i, place += page_bytes()) {
        if ((words_[i] & kIsPresent) == 0) continue;
        const uint64_t size =
            std::min<uintptr_t>(place + page_bytes(), end) - std::max(place, begin);
        counts.resident_bytes += size;
        const bool is_shared = (words_[i] & kIsOfFile) != 0 && (words_[i] & kIsExclusive) == 0;
        if (is_shared) counts.shared_file_bytes += size;
      }
    }
    return Status::ok();
  }

 private:
  Result<size_t> read_words(uintptr_t place, size_t count) {
    const auto offset = static_cast<off_t>(place / page_bytes() * sizeof(uint64_t));
    const ssize_t size = pread(file_.get(), words_.data(), count * sizeof(uint64_t), offset);
    if (size < static_cast<ssize_t>(sizeof(uint64_t))) {
      return fail("cannot read /proc/self/pagemap: ",
                  size < 0 ? errno_text(errno) : std::string("it ends too early"));
    }
    return static_cast<size_t>(size) / sizeof(uint64_t);
  }

  Descriptor file_;
  std::vector<uint64_t> words_ = std::vector<uint64_t>(kWordsAtOnce);
};

}  // namespace

Result<PageCounts> count_pages(std::span<const Bytes> ranges) {
  ASSIGN_OR_RETURN(PageTable table, PageTable::open());
  PageCounts counts;
  for (const Bytes range : ranges) RETURN_IF_ERROR(table.count(range, counts));
  return counts;
}

}  // namespace ortc
