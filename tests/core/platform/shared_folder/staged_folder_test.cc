// SPDX-License-Identifier: MIT
// Folders that appear with everything in them or not at all, whatever operation fails.
#include "core/platform/shared_folder/staged_folder.h"

#include "tests/core/platform/platform_files.h"
#include "tests/core/platform/write_hook.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

Status make(const std::string& target, const std::string& linked) {
  ASSIGN_OR_RETURN(const auto staged, StagedFolder::create(target));
  RETURN_IF_ERROR(staged->write("a/b/one.bin", as_bytes("one")));
  RETURN_IF_ERROR(staged->write("two.bin", as_bytes("two")));
  RETURN_IF_ERROR(staged->link("a/three.bin", linked));
  return staged->publish();
}

}  // namespace

TEST(staged_folder, appears_with_all_its_files) {
  const std::string folder = fresh_folder("appears");
  put_file(folder + "/source", "three");
  {
    auto staged = StagedFolder::create(folder + "/made/");
    CHECK_OK(staged);
    CHECK_OK((*staged)->write("x", as_bytes("1")));
    CHECK(!fs::exists(folder + "/made"));
  }
  CHECK_OK(make(folder + "/made", folder + "/source"));
  CHECK_EQ(get_file(folder + "/made/a/b/one.bin"), "one");
  CHECK_EQ(get_file(folder + "/made/two.bin"), "two");
  CHECK_EQ(get_file(folder + "/made/a/three.bin"), "three");
  CHECK(fs::equivalent(folder + "/made/a/three.bin", folder + "/source"));
  CHECK_EQ(entry_count(folder), 2u);
}

TEST(staged_folder, replaces_nothing) {
  const std::string folder = fresh_folder("taken");
  put_file(folder + "/source", "three");
  fs::create_directory(folder + "/made");
  CHECK(has_text(make(folder + "/made", folder + "/source").message(), "exists already"));
  fs::remove(folder + "/made");
  auto staged = StagedFolder::create(folder + "/made");
  CHECK_OK(staged);
  fs::create_directory(folder + "/made");
  CHECK(has_text((*staged)->publish().message(), "exists already"));
  CHECK_EQ(StagedFolder::create(folder + "/..").status().code(), Code::kInvalidArgument);
  CHECK_EQ(StagedFolder::create("").status().code(), Code::kInvalidArgument);
}

TEST(staged_folder, leaves_nothing_behind_whichever_operation_fails) {
  const std::string folder = fresh_folder("fails");
  put_file(folder + "/source", "three");
  int failures = 0;
  for (int failing = 0;; ++failing) {
    int count = 0;
    Status status;
    {
      const HookForScope hook([&](const char* operation, const std::string&) -> Status {
        const bool is_removal = std::string_view(operation) == "remove";
        return !is_removal && count++ == failing ? fail("injected") : Status();
      });
      status = make(folder + "/made", folder + "/source");
    }
    if (status.is_ok()) break;
    ++failures;
    // Only syncing what is published already can fail with the folder there.
    if (fs::exists(folder + "/made")) {
      CHECK_EQ(get_file(folder + "/made/two.bin"), "two");
      fs::remove_all(folder + "/made");
    }
    CHECK_EQ(entry_count(folder), 1u);
  }
  CHECK(failures > 10);
}
