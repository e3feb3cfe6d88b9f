// SPDX-License-Identifier: MIT
// Jobs in child processes: a crash costs one job.
#include "tests/conformance/workers.h"

#include <unistd.h>

#include <cstdlib>

#include "core/base/str_cat.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

TEST(workers, give_the_texts_of_all_jobs_in_order_whatever_crashes) {
  const auto texts = run_jobs(9, 2, temp_dir(), [](size_t number) {
    if (number == 0 || number == 5 || number == 8) _exit(3);
    return str_cat("job ", number, "\nline 2");
  });
  CHECK_EQ(texts.size(), size_t{9});
  for (const size_t number : {1, 2, 3, 4, 6, 7}) {
    CHECK_EQ(texts[number], str_cat("job ", number, "\nline 2"));
  }
  for (const size_t number : {0, 5, 8}) CHECK_EQ(texts[number], "");
}

TEST(workers, more_of_them_than_jobs_do_no_harm) {
  const std::string folder = temp_dir() + "/few";
  CHECK_EQ(std::system(("mkdir " + folder).c_str()), 0);
  const auto texts = run_jobs(1, 3, folder, [](size_t) { return std::string("one"); });
  CHECK_EQ(texts.size(), size_t{1});
  CHECK_EQ(texts[0], "one");
}

}  // namespace
}  // namespace ortc::test
