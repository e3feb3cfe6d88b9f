// SPDX-License-Identifier: MIT
// Values of options: each form reads what it says, prints what it read, and refuses the rest with
// words that help.
#include "core/options/option_row.h"

#include "core/options/settings.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

struct Trial {
  bool on = false;
  int count = 7;
  int mode = 0;
  uint64_t size = 0;
  std::string name;
  std::optional<std::string> prefix;
  std::vector<std::string> names;
};

Status judge_even(std::string_view value) {
  if (value.size() % 2 == 0) return Status::ok();
  return invalid_argument("expected a text of even length, found '", value, "'");
}

#define FIELD(path) \
  [](void* settings) -> OptionPlace { return &static_cast<Trial*>(settings)->path; }

constexpr OptionWord kModes[] = {{"sequential", 0}, {"parallel", 1}, {"0", 0}, {"1", 1}};
constexpr OptionRow kRows[] = {
    {"on", "", flag(), "0", "", FIELD(on)},
    {"count", "", number(-1, 10), "7", "", FIELD(count)},
    {"mode", "", word(kModes), "sequential", "", FIELD(mode)},
    {"size", "", bytes(), "0", "", FIELD(size)},
    {"name", "", text(), "", "", FIELD(name), judge_even},
    {"prefix", "", text(), "", "", FIELD(prefix)},
    {"names", "", list(';'), "", "", FIELD(names)},
    {"idle", "", number(0, 3), "1", ""},
};

#undef FIELD

const OptionRow& row_of(std::string_view key) { return *find_option(kRows, key); }

std::string message_for(std::string_view key, std::string_view value) {
  Trial trial;
  const Status status = set_option(row_of(key), &trial, value);
  CHECK_CODE(status, Code::kInvalidArgument);
  CHECK_EQ(check_option(row_of(key), value).message(), status.message());
  CHECK_EQ(print_option(row_of(key), &trial), row_of(key).otherwise);
  return status.message();
}

std::string printed(std::string_view key, std::string_view value) {
  Trial trial;
  CHECK_OK(set_option(row_of(key), &trial, value));
  return print_option(row_of(key), &trial);
}

}  // namespace

TEST(option_row, reads_and_prints_every_form) {
  Trial trial;
  CHECK_OK(set_option(row_of("on"), &trial, "1"));
  CHECK_OK(set_option(row_of("count"), &trial, "-1"));
  CHECK_OK(set_option(row_of("mode"), &trial, "PARALLEL"));
  CHECK_OK(set_option(row_of("size"), &trial, "9223372036854775807"));
  CHECK_OK(set_option(row_of("name"), &trial, "ab"));
  CHECK_OK(set_option(row_of("prefix"), &trial, "p"));
  CHECK_OK(set_option(row_of("names"), &trial, ";a;;b;"));
  CHECK(trial.on && trial.count == -1 && trial.mode == 1 && trial.size == INT64_MAX);
  CHECK_EQ(trial.name, "ab");
  CHECK_EQ(*trial.prefix, "p");
  CHECK_EQ(trial.names, (std::vector<std::string>{"a", "b"}));
  CHECK_EQ(print_option(row_of("names"), &trial), "a;b");
  CHECK_EQ(print_option(row_of("size"), &trial), "9223372036854775807");
}

TEST(option_row, prints_a_number_by_its_first_word) {
  CHECK_EQ(printed("mode", "1"), "parallel");
  CHECK_EQ(printed("mode", "Sequential"), "sequential");
  CHECK_EQ(printed("count", "0"), "0");
}

TEST(option_row, takes_an_empty_text_as_not_set_where_that_is_possible) {
  Trial trial;
  trial.prefix = "x";
  trial.names = {"x"};
  CHECK_OK(set_option(row_of("prefix"), &trial, ""));
  CHECK_OK(set_option(row_of("names"), &trial, ""));
  CHECK(!trial.prefix.has_value() && trial.names.empty());
}

TEST(option_row, says_key_value_and_what_was_expected) {
  CHECK_EQ(message_for("on", "yes"), "config 'on' is 'yes', expected 0 or 1");
  CHECK_EQ(message_for("count", "11"), "config 'count' is '11', expected a number from -1 to 10");
  CHECK_EQ(message_for("size", "-1"), "config 'size' is '-1', expected a number of bytes");
  CHECK_EQ(message_for("name", "abc"),
           "config 'name': expected a text of even length, found 'abc'");
  for (const char* wrong : {"", " 1", "1 ", "+1", "1.0", "0x1", "99999999999999999999"}) {
    message_for("count", wrong);
  }
  for (const char* wrong : {"", "true", "01", "2", "-1", " 1"}) message_for("on", wrong);
}

TEST(option_row, names_the_nearest_word) {
  CHECK_EQ(message_for("mode", "paralel"),
           "config 'mode' is 'paralel', expected one of sequential, parallel, 0, 1; did you mean "
           "'parallel'?");
  CHECK_EQ(message_for("mode", "2"),
           "config 'mode' is '2', expected one of sequential, parallel, 0, 1");
}

TEST(option_row, judges_values_that_have_no_effect) {
  Trial trial;
  CHECK_OK(set_option(row_of("idle"), &trial, "3"));
  CHECK_EQ(print_option(row_of("idle"), &trial), "1");
  message_for("idle", "4");
}

TEST(provider_options, name_their_owner_and_the_nearest_option) {
  Trial trial;
  CHECK_OK(set_options(kRows, &trial, "Some", {{"on", "1"}, {"count", "2"}}));
  CHECK(trial.on && trial.count == 2);
  CHECK_EQ(set_options(kRows, &trial, "Some", {{"cuont", "2"}}).message(),
           "Some has no option 'cuont'; did you mean 'count'?");
  CHECK_EQ(set_options(kRows, &trial, "Some", {{"nothing like it", "2"}}).message(),
           "Some has no option 'nothing like it'; known: on, count, mode, size, name, prefix, "
           "names, idle");
  CHECK_EQ(set_options(kRows, &trial, "Some", {{"on", "x"}}).message(),
           "Some: config 'on' is 'x', expected 0 or 1");
}
