// SPDX-License-Identifier: MIT
// One lock for stderr, and the bar that stands in its last line.

#include "tools/ortc/output/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

std::mutex mutex;
std::string shown_bar;
std::atomic<bool> is_json_log{false};

// Wipes the line that the cursor is in.
constexpr const char* kWipe = "\r\033[K";

const char* code_of(Style style) {
  switch (style) {
    case Style::kBold:
      return "\033[1m";
    case Style::kRed:
      return "\033[1;31m";
    case Style::kYellow:
      return "\033[33m";
    case Style::kGreen:
      return "\033[32m";
  }
  return "";
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && term != nullptr && std::string(term) != "dumb";
}

bool is_colourful(std::FILE* stream) { return is_terminal(stream) && !is_set("NO_COLOR"); }

std::string styled(std::FILE* stream, Style style, const std::string& text) {
  return is_colourful(stream) ? code_of(style) + text + "\033[0m" : text;
}

size_t console_width(std::FILE* stream) {
  winsize size = {};
  const bool is_known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

std::string first_columns(const std::string& text, size_t columns) {
  for (size_t i = 0; i < text.size(); i++) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && columns-- == 0) return text.substr(0, i);
  }
  return text;
}

void say_line(const std::string& line) {
  const std::lock_guard lock(mutex);
  if (!shown_bar.empty()) std::fputs(kWipe, stderr);
  std::fprintf(stderr, "%s\n", line.c_str());
  if (!shown_bar.empty()) std::fputs(shown_bar.c_str(), stderr);
}

void say_bar(const std::string& bar) {
  const std::lock_guard lock(mutex);
  if (bar.empty() && shown_bar.empty()) return;
  // A bar in two lines could not be wiped.
  shown_bar = first_columns(bar, console_width(stderr) - 1);
  std::fprintf(stderr, "%s%s", kWipe, shown_bar.c_str());
}

void set_json_log(bool is_json) { is_json_log = is_json; }

void say_log(const char* severity, Style style, const char* category, const char* message) {
  if (is_json_log) {
    const auto line =
        Json::object().set("log", message).set("severity", severity).set("category", category);
    say_line(line.dump(/*indented=*/false));
  } else {
    say_line(styled(stderr, style, std::string(severity) + ": ") + printable(message));
  }
}

}  // namespace ortc::tool
