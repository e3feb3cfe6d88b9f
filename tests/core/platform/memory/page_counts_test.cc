// SPDX-License-Identifier: MIT
// Pages counted here and by the system's own account of the same map.
#include "core/platform/memory/page_counts.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "core/platform/file_map.h"
#include "core/platform/memory/residency.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/processes.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr size_t kSize = 3'000'001;

std::shared_ptr<const FileMap> fresh_map(const std::string& name) {
  const std::string path = fresh_folder(name) + "/a.bin";
  put_file(path, std::string(kSize, 'x'));
  const auto map = FileMap::open(path);
  CHECK_OK(map);
  return *map;
}

PageCounts counts_of(Bytes range) {
  const auto counts = count_pages({&range, 1});
  CHECK_OK(counts);
  return *counts;
}

}  // namespace

TEST(page_counts, are_those_of_the_range_to_the_byte) {
  const auto map = fresh_map("bytes");
  CHECK_OK(bring_in(map->bytes()));
  CHECK_EQ(counts_of(map->bytes()).resident_bytes, uint64_t{kSize});
  CHECK_EQ(counts_of(map->bytes().subspan(100, 5)).resident_bytes, 5u);
  CHECK_EQ(counts_of(map->bytes().subspan(4090, 10)).resident_bytes, 10u);
  CHECK_EQ(counts_of({}).resident_bytes, 0u);
}

TEST(page_counts, add_up_over_ranges) {
  const auto map = fresh_map("sum");
  CHECK_OK(bring_in(map->bytes()));
  const Bytes ranges[] = {map->bytes().first(10), map->bytes().subspan(20, 30)};
  const auto counts = count_pages(ranges);
  CHECK_OK(counts);
  CHECK_EQ(counts->resident_bytes, 40u);
}

TEST(page_counts, know_which_pages_of_files_another_process_has) {
  const auto map = fresh_map("other");
  CHECK_OK(bring_in(map->bytes()));
  CHECK_EQ(counts_of(map->bytes()).shared_file_bytes, 0u);
  const Pipe is_there, may_end;
  const std::string path = map->path();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const auto own = FileMap::open(path);
    const bool is_ok = own.is_ok() && bring_in((*own)->bytes()).is_ok();
    is_there.send(is_ok ? 'y' : 'n');
    may_end.receive();
    _exit(0);
  }
  CHECK_EQ(is_there.receive(), 'y');
  CHECK_EQ(counts_of(map->bytes()).shared_file_bytes, uint64_t{kSize});
  may_end.send('e');
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(counts_of(map->bytes()).shared_file_bytes, 0u);
}
