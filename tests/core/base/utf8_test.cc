// SPDX-License-Identifier: MIT
#include "core/base/utf8.h"

#include <string>

#include "tests/support/test.h"

using namespace ortc;

namespace {

std::string clean(std::string_view text) {
  std::string copy(copy_as_utf8(text, nullptr), '?');
  CHECK_EQ(copy_as_utf8(text, copy.data()), copy.size());
  return copy;
}

constexpr const char* kBad = "\xef\xbf\xbd";

}  // namespace

TEST(utf8, leaves_valid_text_alone) {
  for (const char* text :
       {"", "plain", "\x7f", "\xc2\x80", "\xc3\xa4", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xef\xbf\xbf",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    CHECK_EQ(clean(text), std::string(text));
  }
}

TEST(utf8, replaces_each_byte_that_is_not_part_of_a_sequence) {
  CHECK_EQ(clean("\x80"), std::string(kBad));
  CHECK_EQ(clean("a\xff"
                 "b"),
           std::string("a") + kBad + "b");
  CHECK_EQ(clean("\xc0\x80"), std::string(kBad) + kBad);             // too long for its content
  CHECK_EQ(clean("\xed\xa0\x80"), std::string(kBad) + kBad + kBad);  // a surrogate
  CHECK_EQ(clean("\xf4\x90\x80\x80").size(), size_t{12});            // beyond the last one
  CHECK_EQ(clean("\xe2\x82"), std::string(kBad) + kBad);             // cut off
  CHECK_EQ(clean(std::string_view("a\0b", 3)), std::string("a") + kBad + "b");
}

TEST(utf8, is_cut_between_characters) {
  const std::string_view text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";  // 1, 2, 3 and 4 bytes
  const size_t sizes[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (size_t max = 0; max < std::size(sizes); ++max) {
    CHECK_EQ(cut_between_characters(text, max), text.substr(0, sizes[max]));
  }
  const std::string stray(20, '\x80');
  CHECK_EQ(cut_between_characters(stray, 10).size(), size_t{10});
}
