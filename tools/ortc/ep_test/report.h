// SPDX-License-Identifier: MIT
// What `ortc ep-test` found, for people, programs and browsers.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/output/json.h"

namespace ortc::tool {

struct Answered {
  std::string group, name;
  Finding finding;
};

// {"schema": "ortc.ep-test/1", "library", "passed", "failed", "not_applicable", "checks": [...]}
Json report_json(const std::string& library, const std::vector<Answered>& answers);
std::string report_html(const Json& report);
// Whether the text leaves it out: there are many functions that a library need not have.
bool is_left_out(const Answered& answer);
// One line of a check while they are asked.
std::string answer_line(const Answered& answer);
// The last line.
std::string summary_line(const Json& report);

}  // namespace ortc::tool
