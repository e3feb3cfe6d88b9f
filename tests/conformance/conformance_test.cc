// SPDX-License-Identifier: MIT
// ONNX's packaged cases by every route of runner.h. No route may fail, cases in expected_pass.txt
// must pass on all routes; what happened goes to conformance.tsv (set, case, route, outcome,
// message) beside the folder of the test programs. ORTC_CONFORMANCE_CASES names another folder of
// cases, ORTC_CONFORMANCE_TSV another report.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/conformance/runner.h"
#include "tests/conformance/workers.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackagedCases = "/usr/lib/python3/dist-packages/onnx/backend/test/data";
constexpr const char* kPackagedSets[] = {"node", "simple", "pytorch-operator", "pytorch-converted"};
constexpr size_t kWorkers = 2;

std::vector<TestCase> all_cases() {
  if (const char* folder = getenv("ORTC_CONFORMANCE_CASES")) return find_cases(folder);
  std::vector<TestCase> cases;
  for (const char* set : kPackagedSets) {
    for (TestCase& found : find_cases(str_cat(kPackagedCases, "/", set))) {
      cases.push_back(std::move(found));
    }
  }
  return cases;
}

// What the list says of each case: "" all routes, "sessions" all but "nodes", "nodes" that alone.
std::map<std::string, std::string> expected_passes() {
  std::map<std::string, std::string> names;
  std::ifstream file(source_dir() + "/tests/conformance/expected_pass.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = std::min(line.find(' '), line.size());
    names[line.substr(0, space)] = space < line.size() ? line.substr(space + 1) : "";
  }
  return names;
}

bool covers(const std::string& listed_for, const std::string& route) {
  return listed_for.empty() || (listed_for == "nodes") == (route == "nodes");
}

// The line of the list that the results deserve; empty when none.
std::string deserved_line(const std::string& name, const std::vector<RouteResult>& results) {
  const auto all_pass = [&](const std::string& listed_for) {
    return std::all_of(results.begin(), results.end(), [&](const RouteResult& result) {
      return result.outcome == Outcome::kPass || !covers(listed_for, result.route);
    });
  };
  if (all_pass("")) return name;
  if (all_pass("sessions")) return name + " sessions";
  return all_pass("nodes") ? name + " nodes" : "";
}

std::string report_path() {
  if (const char* path = getenv("ORTC_CONFORMANCE_TSV")) return path;
  std::error_code ignored;
  const auto program = fs::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "conformance.tsv";
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

// The lines of one case: route, outcome, message.
std::string run_case(const TestCase& test_case, const std::string& folder) {
  fs::create_directory(folder);
  std::vector<RouteResult> results = run_sessions(test_case, folder);
  results.insert(results.begin(), run_nodes(test_case));
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  std::string lines;
  for (const RouteResult& result : results) {
    lines += str_cat(result.route, "\t", outcome_name(result.outcome), "\t",
                     one_line(result.message), "\n");
  }
  return lines;
}

std::vector<RouteResult> parse_lines(const std::string& lines) {
  std::vector<RouteResult> results;
  std::istringstream stream(lines);
  for (std::string route, outcome, message; std::getline(stream, route, '\t');) {
    std::getline(stream, outcome, '\t');
    std::getline(stream, message);
    for (const Outcome known : {Outcome::kPass, Outcome::kFail, Outcome::kUnsupported}) {
      if (outcome == outcome_name(known)) results.push_back({route, known, message});
    }
  }
  if (results.size() == std::size(kRoutes)) return results;
  results.clear();
  for (const char* route : kRoutes) {
    results.push_back({route, Outcome::kFail, "the process running this case ended early"});
  }
  return results;
}

// Counts by set and route, and what the list of expected passes says.
class Tally {
 public:
  void add(const TestCase& test_case, const std::vector<RouteResult>& results) {
    const std::string name = str_cat(test_case.set, "/", test_case.name);
    const auto listed = must_pass_.find(name);
    for (const RouteResult& result : results) {
      ++counts_[{test_case.set, result.route}][static_cast<size_t>(result.outcome)];
      report_ << test_case.set << '\t' << test_case.name << '\t' << result.route << '\t'
              << outcome_name(result.outcome) << '\t' << result.message << '\n';
      const bool is_listed = listed != must_pass_.end() && covers(listed->second, result.route);
      if (result.outcome == Outcome::kFail || (is_listed && result.outcome != Outcome::kPass)) {
        ++broken_;
        std::printf("%s%s, %s: %s\n", name.c_str(), is_listed ? " must pass" : "",
                    result.route.c_str(), result.message.c_str());
      }
    }
    compare_with_list(name, deserved_line(name, results));
  }

  void print() {
    report_.flush();
    for (const auto& [key, counts] : counts_) {
      std::printf("%-18s %-9s %4zu pass %4zu fail %4zu unsupported\n", key.first.c_str(),
                  key.second.c_str(), counts.at(0), counts.at(1), counts.at(2));
    }
  }

  size_t broken() const { return broken_; }

 private:
  void compare_with_list(const std::string& name, const std::string& line) const {
    const auto listed = must_pass_.find(name);
    if (line.empty() || (listed != must_pass_.end() && listed->second.empty())) return;
    if (listed != must_pass_.end() && line == name + " " + listed->second) return;
    std::printf("belongs into expected_pass.txt: %s\n", line.c_str());
  }

  std::ofstream report_{report_path()};
  std::map<std::string, std::string> must_pass_ = expected_passes();
  std::map<std::pair<std::string, std::string>, std::array<size_t, 3>> counts_;
  size_t broken_ = 0;
};

TEST(conformance, packaged_cases_pass_by_every_route_or_are_named_unsupported) {
  const auto cases = all_cases();
  if (cases.empty()) {
    std::printf("NO CASES: ONNX's test data (libonnx-testdata) are not installed; NOTHING RAN\n");
    skip();
  }
  const auto texts = run_jobs(cases.size(), kWorkers, temp_dir(), [&](size_t i) {
    return run_case(cases[i], str_cat(temp_dir(), "/case_", i));
  });
  Tally tally;
  for (size_t i = 0; i < cases.size(); ++i) tally.add(cases[i], parse_lines(texts[i]));
  tally.print();
  CHECK_EQ(tally.broken(), size_t{0});
}

}  // namespace
}  // namespace ortc::test

ORTC_TEST_MAIN()
