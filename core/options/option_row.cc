// SPDX-License-Identifier: MIT
// Values of options, from texts and back: see the header.
#include "core/options/option_row.h"

#include <algorithm>
#include <charconv>

#include "core/base/near_name.h"
#include "core/options/settings.h"

namespace ortc {
namespace {

using Kind = OptionForm::Kind;

constexpr OptionWord kFlagWords[] = {{"0", 0}, {"1", 1}};

// What a value that has the form says: a number, or the text itself. Of a compression the number is
// the level of zstd, 0 without.
struct Reading {
  int64_t number = 0;
  std::string_view text;
};

Status wrong_value(const OptionRow& row, std::string_view value, std::string_view hint = {}) {
  return invalid_argument("config '", row.key, "' is '", value, "', expected ", describe(row.form),
                          hint);
}

Result<Reading> read_word(const OptionRow& row, std::span<const OptionWord> words,
                          std::string_view value) {
  std::vector<std::string_view> known;
  for (const OptionWord& word : words) {
    if (equals_ignoring_case(word.text, value)) return Reading{word.number, word.text};
    // One letter for another digit is not a misspelling.
    if (word.text.size() > 2) known.push_back(word.text);
  }
  return wrong_value(row, value, value.size() > 2 ? did_you_mean(value, known) : std::string());
}

Result<Reading> read_number(const OptionRow& row, std::string_view value) {
  Reading reading{0, value};
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, reading.number);
  const bool is_number = error == std::errc() && end == last;
  if (is_number && reading.number >= row.form.low && reading.number <= row.form.high) {
    return reading;
  }
  return wrong_value(row, value);
}

Result<Reading> read_compression(const OptionRow& row, std::string_view value) {
  static constexpr std::string_view kWords[] = {"none", "zstd"};
  if (equals_ignoring_case(value, kWords[0])) return Reading{0, value};
  const std::string_view codec = value.substr(0, value.find(':'));
  if (!equals_ignoring_case(codec, kWords[1])) {
    return wrong_value(row, value, did_you_mean(codec, kWords));
  }
  if (codec.size() == value.size()) return Reading{kZstdLevelDefault, value};
  int level = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(codec.data() + codec.size() + 1, last, level);
  if (error != std::errc() || end != last || level < 1 || level > kZstdLevelMax) {
    return wrong_value(row, value);
  }
  return Reading{level, value};
}

Result<Reading> read_value(const OptionRow& row, std::string_view value) {
  if (row.judge != nullptr) {
    RETURN_IF_ERROR_WHILE(row.judge(value), "config '", row.key, "'");
  }
  switch (row.form.kind) {
    case Kind::kFlag:
      return read_word(row, kFlagWords, value);
    case Kind::kWord:
      return read_word(row, row.form.words, value);
    case Kind::kNumber:
      return read_number(row, value);
    case Kind::kCompression:
      return read_compression(row, value);
    case Kind::kText:
    case Kind::kList:
      break;
  }
  return Reading{0, value};
}

// Empty names between separators are dropped.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

// Puts a reading into a field, by the field's type.
struct Store {
  const OptionForm& form;
  const Reading& from;
  void operator()(bool* to) const { *to = from.number != 0; }
  void operator()(int* to) const { *to = static_cast<int>(from.number); }
  void operator()(uint64_t* to) const { *to = static_cast<uint64_t>(from.number); }
  void operator()(std::string* to) const { *to = from.text; }
  void operator()(std::optional<std::string>* to) const {
    to->reset();
    if (!from.text.empty()) *to = from.text;
  }
  void operator()(std::vector<std::string>* to) const { *to = split(from.text, form.separator); }
  void operator()(OptimisationLevel* to) const {
    *to = static_cast<OptimisationLevel>(from.number);
  }
  void operator()(Residency* to) const { *to = static_cast<Residency>(from.number); }
  void operator()(Compression* to) const {
    const auto level = static_cast<int>(from.number);
    *to = {level != 0 ? Compression::Codec::kZstd : Compression::Codec::kNone, level};
  }
};

// The text of a field.
struct Print {
  const OptionForm& form;
  std::string operator()(const bool* from) const { return number(*from ? 1 : 0); }
  std::string operator()(const int* from) const { return number(*from); }
  std::string operator()(const uint64_t* from) const { return str_cat(*from); }
  std::string operator()(const std::string* from) const { return *from; }
  std::string operator()(const std::optional<std::string>* from) const {
    return from->value_or("");
  }
  std::string operator()(const std::vector<std::string>* from) const {
    return join(*from, form.separator);
  }
  std::string operator()(const OptimisationLevel* from) const {
    return number(static_cast<int>(*from));
  }
  std::string operator()(const Residency* from) const { return number(static_cast<int>(*from)); }
  std::string operator()(const Compression* from) const {
    const int level = from->zstd_level();
    return level == 0 ? std::string("none") : str_cat("zstd:", level);
  }

 private:
  std::string number(int value) const {
    for (const OptionWord& word : form.words) {
      if (word.number == value) return std::string(word.text);
    }
    return str_cat(value);
  }
};

}  // namespace

const OptionRow* find_option(std::span<const OptionRow> rows, std::string_view key) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const OptionRow& one) { return one.key == key; });
  return row != rows.end() ? &*row : nullptr;
}

Status check_option(const OptionRow& row, std::string_view value) {
  return read_value(row, value).status();
}

Status set_option(const OptionRow& row, void* settings, std::string_view value) {
  ASSIGN_OR_RETURN(const Reading reading, read_value(row, value));
  if (row.place != nullptr) std::visit(Store{row.form, reading}, row.place(settings));
  return Status::ok();
}

std::string print_option(const OptionRow& row, const void* settings) {
  if (row.place == nullptr) return std::string(row.otherwise);
  // The field is only read.
  return std::visit(Print{row.form}, row.place(const_cast<void*>(settings)));
}

std::string describe(const OptionForm& form) {
  switch (form.kind) {
    case Kind::kFlag:
      return "0 or 1";
    case Kind::kNumber:
      return form.high == INT64_MAX ? std::string("a number of bytes")
                                    : str_cat("a number from ", form.low, " to ", form.high);
    case Kind::kWord: {
      std::string words;
      for (const OptionWord& word : form.words) {
        words += str_cat(words.empty() ? "one of " : ", ", word.text);
      }
      return words;
    }
    case Kind::kList:
      return str_cat("names separated by '", form.separator, "'");
    case Kind::kCompression:
      return str_cat("none, zstd, or zstd:LEVEL with a level from 1 to ", kZstdLevelMax);
    case Kind::kText:
      break;
  }
  return "a text";
}

Status set_options(std::span<const OptionRow> rows, void* settings, std::string_view owner,
                   const KeyValues& given) {
  for (const auto& [key, value] : given) {
    const OptionRow* const row = find_option(rows, key);
    if (row == nullptr) {
      std::vector<std::string_view> known;
      for (const OptionRow& one : rows) known.push_back(one.key);
      const std::string hint = did_you_mean(key, known);
      std::string all;
      for (std::string_view one : known) all += str_cat(all.empty() ? "; known: " : ", ", one);
      return invalid_argument(owner, " has no option '", key, "'", hint.empty() ? all : hint);
    }
    RETURN_IF_ERROR_WHILE(set_option(*row, settings, value), owner);
  }
  return Status::ok();
}

}  // namespace ortc
