// SPDX-License-Identifier: MIT
// Records of the cache as text.
#include "core/session/cache/record_text.h"

#include <filesystem>

#include "tests/core/platform/platform_files.h"

using namespace ortc;
using namespace ortc::test;

namespace {

const RecordFields kFields = {{"name", "value"}, {"a\tb", "line\nline\\"}, {"", ""}, {"n", "12"}};

}  // namespace

TEST(record_text, gives_back_what_was_printed) {
  const std::string text = print_record("kind/1", kFields);
  const auto parsed = parse_record("kind/1", text);
  CHECK(parsed.has_value());
  CHECK(*parsed == kFields);
  CHECK_EQ(number_field(*parsed, "n"), 12u);
  CHECK_EQ(number_field(*parsed, "none"), 0u);
  CHECK_EQ(*find_field(*parsed, "a\tb"), "line\nline\\");
  CHECK(find_field(*parsed, "none") == nullptr);
  CHECK(parse_record("kind/1", print_record("kind/1", {})).has_value());
}

TEST(record_text, every_cut_and_every_changed_byte_shows) {
  const std::string text = print_record("kind/1", kFields);
  for (size_t size = 0; size < text.size(); ++size) {
    CHECK(!parse_record("kind/1", text.substr(0, size)).has_value());
    std::string changed = text;
    changed[size] = static_cast<char>(changed[size] ^ 1);
    CHECK(!parse_record("kind/1", changed).has_value());
  }
  CHECK(!parse_record("kind/2", text).has_value());
  CHECK(!parse_record("kind/1", text + "\n").has_value());
  CHECK(!parse_record("kind/1", text + text).has_value());
}

TEST(record_text, a_file_that_is_too_large_is_not_read) {
  const std::string path = fresh_folder("large") + "/r";
  put_file(path, "");
  std::filesystem::resize_file(path, uint64_t{1} << 40);  // a hole
  const auto record = try_read_record(path, "kind/1");
  CHECK_OK(record);
  CHECK(!record->has_value());
}

TEST(record_text, a_file_is_replaced_at_once_and_read_again) {
  const std::string folder = fresh_folder("records");
  CHECK(!read_record(folder + "/r", "kind/1").has_value());
  CHECK_OK(write_record(folder, "r", "kind/1", kFields));
  CHECK_OK(write_record(folder, "r", "kind/1", {{"x", "y"}}));
  CHECK(*read_record(folder + "/r", "kind/1") == (RecordFields{{"x", "y"}}));
  CHECK_EQ(entry_count(folder), 1u);
  CHECK(!write_record(folder + "/none", "r", "kind/1", kFields).is_ok());
}
