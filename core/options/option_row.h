// SPDX-License-Identifier: MIT
// An option is one row: its key, what its value may be, the default, one line of text, and the
// field of a settings struct where the value goes. Reading, printing, judging, the hint for a
// misspelt key, include/ort_c/config_keys.h and docs/config-keys.md all follow from the row; see
// docs/add-a-config-key.md.
//
// tools/generate_functions.py reads the tables as text: rows are written out in full, in the form
//     {"key", "constant", form, "default", "text", FIELD(name), judge},
// where the last two may be missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/key_values.h"
#include "core/base/result.h"

namespace ortc {

enum class OptimisationLevel : int;
enum class Residency : int;
struct Compression;

// A word that a value may be, and the number it stands for. The first word of a number prints it.
struct OptionWord {
  std::string_view text;
  int number;
};

// What the value of an option may be.
struct OptionForm {
  enum class Kind : uint8_t { kText, kFlag, kNumber, kWord, kList, kCompression };
  Kind kind = Kind::kText;
  int64_t low = 0, high = 0;               // of a number
  std::span<const OptionWord> words = {};  // of a word; compared without case
  char separator = 0;                      // of a list
};
constexpr OptionForm text() { return {}; }
constexpr OptionForm flag() { return {.kind = OptionForm::Kind::kFlag}; }  // "0" or "1"
constexpr OptionForm number(int64_t low, int64_t high) {
  return {.kind = OptionForm::Kind::kNumber, .low = low, .high = high};
}
constexpr OptionForm bytes() { return number(0, INT64_MAX); }
constexpr OptionForm word(std::span<const OptionWord> words) {
  return {.kind = OptionForm::Kind::kWord, .words = words};
}
constexpr OptionForm list(char separator) {
  return {.kind = OptionForm::Kind::kList, .separator = separator};
}
// "none", "zstd" or "zstd:LEVEL"
constexpr OptionForm compression() { return {.kind = OptionForm::Kind::kCompression}; }

// Where a value is kept. An empty text is "not set" of an optional one.
using OptionPlace =
    std::variant<bool*, int*, uint64_t*, std::string*, std::optional<std::string>*,
                 std::vector<std::string>*, OptimisationLevel*, Residency*, Compression*>;

struct OptionRow {
  std::string_view key;       // "ep.context_enable"; of a provider's option without the prefix
  std::string_view constant;  // its name in ort_c/config_keys.h; "" for a provider's option
  OptionForm form;
  std::string_view otherwise;  // the value that holds when nothing is set
  std::string_view text;       // one line
  // The field in the settings of the row's table; null: accepted, but without effect here.
  OptionPlace (*place)(void* settings) = nullptr;
  // Looks at a value beyond its form. INVALID_ARGUMENT: "expected ..., found ...".
  Status (*judge)(std::string_view value) = nullptr;

  bool has_effect() const { return place != nullptr; }
};

// The row with that key; null when there is none.
const OptionRow* find_option(std::span<const OptionRow> rows, std::string_view key);

// INVALID_ARGUMENT with key, value, what was expected and the nearest word. `settings` is the
// struct of the row's table.
Status check_option(const OptionRow& row, std::string_view value);
Status set_option(const OptionRow& row, void* settings, std::string_view value);
// The value as a text that set_option() would take; the default for a row without effect.
std::string print_option(const OptionRow& row, const void* settings);
// "0 or 1", "a number from 0 to 1024", "one of sequential, parallel"
std::string describe(const OptionForm& form);

// Sets options of a provider, which are given without prefix; INVALID_ARGUMENT names an unknown one
// and the nearest. `owner` begins the message: "AotExecutionProvider".
Status set_options(std::span<const OptionRow> rows, void* settings, std::string_view owner,
                   const KeyValues& given);

}  // namespace ortc
