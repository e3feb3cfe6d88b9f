// SPDX-License-Identifier: MIT
// Names of staged files: see the header.
#include "core/platform/staged_name.h"

#include <errno.h>
#include <limits.h>
#include <sys/random.h>

#include <array>

#include "core/base/utf8.h"
#include "core/platform/descriptor.h"

namespace ortc {
namespace {

constexpr std::string_view kStagedEnd = ".tmp";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr size_t kDigitCount = 16;
// What a staged name has besides the name: two dots, the digits, the end.
constexpr size_t kStagedAdded = 2 + kDigitCount + kStagedEnd.size();

Result<std::string> unique_digits() {
  std::array<unsigned char, kDigitCount / 2> random;
  ssize_t count;
  do {
    count = getrandom(random.data(), random.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(random.size())) {
    return fail("cannot get random bytes for a file name: ", errno_text(errno));
  }
  std::string digits;
  for (const unsigned char byte : random) {
    digits += kHexDigits[byte >> 4];
    digits += kHexDigits[byte & 15];
  }
  return digits;
}

}  // namespace

Result<std::string> make_staged_name(std::string_view name) {
  ASSIGN_OR_RETURN(const std::string digits, unique_digits());
  return str_cat(".", cut_between_characters(name, NAME_MAX - kStagedAdded), ".", digits,
                 kStagedEnd);
}

bool is_staged_name(std::string_view name) {
  if (name.size() <= kStagedAdded || name.front() != '.' || !name.ends_with(kStagedEnd)) {
    return false;
  }
  name.remove_suffix(kStagedEnd.size());
  const std::string_view digits = name.substr(name.size() - kDigitCount);
  return name[name.size() - kDigitCount - 1] == '.' &&
         digits.find_first_not_of(kHexDigits) == std::string_view::npos;
}

bool is_staged_name_of(std::string_view staged, std::string_view path) {
  if (!is_staged_name(staged)) return false;
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  const std::string_view kept = staged.substr(1, staged.size() - kStagedAdded);
  constexpr size_t kKeptMax = NAME_MAX - kStagedAdded;
  if (name.size() <= kKeptMax) return kept == name;
  // Shortened, between two characters of UTF-8.
  return name.starts_with(kept) && kept.size() <= kKeptMax && kept.size() + 4 > kKeptMax;
}

}  // namespace ortc
