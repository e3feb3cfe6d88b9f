// SPDX-License-Identifier: MIT
// One list of answers in three forms.
#include "tools/ortc/ep_test/report.h"

#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

bool is_bad(CheckVerdict verdict) {
  return verdict != CheckVerdict::kPassed && verdict != CheckVerdict::kNotApplicable;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

constexpr char kReportStyle[] =
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;vertical-align:top;padding:.2em .8em .2em 0;border-bottom:1px solid "
    "#ddd}"
    ".passed{color:#176117}.failed,.crashed,.late{color:#b00020;font-weight:bold}"
    ".not{color:#666}";

}  // namespace

Json report_json(const std::string& library, const std::vector<Answered>& answers) {
  uint64_t passed = 0, bad = 0;
  Json checks = Json::array();
  for (const Answered& answer : answers) {
    passed += answer.finding.verdict == CheckVerdict::kPassed ? 1 : 0;
    bad += is_bad(answer.finding.verdict) ? 1 : 0;
    checks.push(Json::object()
                    .set("group", answer.group)
                    .set("name", answer.name)
                    .set("verdict", verdict_name(answer.finding.verdict))
                    .set("text", answer.finding.text));
  }
  return Json::object()
      .set("schema", "ortc.ep-test/1")
      .set("library", library)
      .set("passed", passed)
      .set("failed", bad)
      .set("not_applicable", uint64_t{answers.size()} - passed - bad)
      .set("checks", checks);
}

std::string report_html(const Json& report) {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>ortc ep-test</title><style>" +
      std::string(kReportStyle) + "</style><h1>" + escaped(report.text("library")) + "</h1><p>" +
      escaped(summary_line(report)) + "</p>";
  std::string group;
  for (const Json& check : report.at("checks").items()) {
    if (check.text("group") != group) {
      if (!group.empty()) html += "</table>";
      group = check.text("group");
      html += "<h2>" + escaped(group) + "</h2><table><tr><th>check<th>verdict<th>what was seen";
    }
    const std::string verdict = check.text("verdict");
    html += "<tr><td>" + escaped(check.text("name")) + "<td class=\"" + verdict + "\">" + verdict +
            "<td>" + escaped(check.text("text"));
  }
  return html + (group.empty() ? "" : "</table>") + "</html>\n";
}

bool is_left_out(const Answered& answer) {
  return answer.group == "callbacks" && answer.finding.verdict == CheckVerdict::kNotApplicable;
}

std::string answer_line(const Answered& answer) {
  const CheckVerdict verdict = answer.finding.verdict;
  std::string word = verdict_name(verdict);
  word.resize(std::max<size_t>(word.size(), 14), ' ');
  if (is_bad(verdict)) word = styled(stdout, Style::kRed, word);
  if (verdict == CheckVerdict::kPassed) word = styled(stdout, Style::kGreen, word);
  const std::string text = answer.finding.text.empty() ? "" : ": " + answer.finding.text;
  return word + "  " + answer.group + ": " + printable(answer.name + text);
}

std::string summary_line(const Json& report) {
  return report.text("passed") + " passed, " + report.text("failed") + " failed, " +
         report.text("not_applicable") + " not applicable";
}

}  // namespace ortc::tool
