// SPDX-License-Identifier: MIT
// ortc diff: two models or context binaries, thing by thing. The exit code is that of diff: 0
// equal, 1 different; main() sees to 2, trouble.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr int kExitDifferent = 1;
constexpr size_t kMaxRows = 50;  // of one kind; --json has all

std::string line(Style style, const char* mark, const std::string& text) {
  return styled(stdout, style, mark + printable(text)) + "\n";
}

std::string part_text(const Json& part) {
  std::string text;
  size_t rows = 0, left_out = 0;
  const auto add = [&](const std::string& lines) {
    if (rows++ < kMaxRows) {
      text += lines;
    } else {
      left_out++;
    }
  };
  const std::string kind = part.text("kind") + " ";
  for (const Json& row : part.at("only_first").items()) {
    add(line(Style::kRed, "- ", kind + row.text("name") + ": " + row.text("is")));
  }
  for (const Json& row : part.at("only_second").items()) {
    add(line(Style::kGreen, "+ ", kind + row.text("name") + ": " + row.text("is")));
  }
  for (const Json& row : part.at("different").items()) {
    add(line(Style::kRed, "- ", kind + row.text("name") + ": " + row.text("first")) +
        line(Style::kGreen, "+ ", kind + row.text("name") + ": " + row.text("second")));
  }
  if (left_out != 0) text += "  and " + std::to_string(left_out) + " more (--json lists them)\n";
  return text;
}

std::string diff_text(const Json& result) {
  std::string text;
  Table counts({"kind", "same", "only in the first", "only in the second", "different"});
  for (const Json& part : result.at("parts").items()) {
    text += part_text(part);
    const auto count = [&](const char* name) {
      return std::to_string(part.at(name).items().size());
    };
    counts.add({part.text("kind"), part.text("same"), count("only_first"), count("only_second"),
                count("different")});
  }
  return text + (text.empty() ? "" : "\n") + counts.text();
}

}  // namespace

int command_diff(const LookArguments& arguments) {
  const Json result =
      json_of(make<Inspection>(OrtDiffFiles, arguments.file.c_str(), arguments.other.c_str()));
  const std::string text = arguments.json ? result.dump() + "\n" : diff_text(result);
  std::fputs(text.c_str(), stdout);
  return result.flag("equal") ? kExitOk : kExitDifferent;
}

}  // namespace ortc::tool
