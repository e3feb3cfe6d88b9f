// SPDX-License-Identifier: MIT
// ONNX's packaged cases by every route of runner.h: by kernels alone, in sessions of each provider,
// from contexts. All must pass but those of expected_failures.txt, which must be refused as not
// implemented; one that passes must leave the list. What happened goes to conformance.tsv (set,
// case, route, outcome, message) beside the folder of the test programs. Of all nodes of the cases
// whose inputs and outputs are tensors of numbers, AOT claims kLeastClaimed. ORTC_CONFORMANCE_CASES
// names another folder of cases, ORTC_CONFORMANCE_TSV another report,
// ORTC_CONFORMANCE_EXPECTED another list.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/conformance/claims.h"
#include "tests/conformance/runner.h"
#include "tests/conformance/workers.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

namespace fs = std::filesystem;

constexpr size_t kWorkers = 2;
constexpr double kLeastClaimed = 0.95;

std::vector<TestCase> all_cases() {
  const char* folder = getenv("ORTC_CONFORMANCE_CASES");
  return folder != nullptr ? find_cases(folder) : packaged_cases();
}

// Which routes of a listed case may be unsupported: "" all, "sessions" all but "nodes", "nodes".
std::map<std::string, std::string> expected_failures() {
  const char* other = getenv("ORTC_CONFORMANCE_EXPECTED");
  std::map<std::string, std::string> names;
  std::ifstream file(other != nullptr ? std::string(other)
                                      : source_dir() + "/tests/conformance/expected_failures.txt");
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

// The line of the list that the results ask for; empty when every route passes.
std::string line_for(const std::string& name, const std::vector<RouteResult>& results) {
  bool nodes = false, sessions = false;
  for (const RouteResult& result : results) {
    if (result.outcome != Outcome::kPass) (result.route == "nodes" ? nodes : sessions) = true;
  }
  if (!nodes && !sessions) return "";
  return name + (nodes && sessions ? "" : nodes ? " nodes" : " sessions");
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

// "claims", nodes, claimed nodes, operators of the others; or nothing.
std::string claims_line(const TestCase& test_case, const std::string& folder) {
  const auto claims = claims_of(test_case, folder);
  if (!claims) return "";
  std::string line = str_cat("claims\t", claims->nodes, "\t", claims->claimed);
  for (const std::string& op : claims->left) line += " " + op;
  return line + "\n";
}

// The lines of one case: route, outcome, message; and that of its claims.
std::string run_case(const TestCase& test_case, const std::string& folder) {
  fs::create_directory(folder);
  std::vector<RouteResult> results = run_sessions(test_case, folder);
  results.insert(results.begin(), run_nodes(test_case));
  std::string lines = claims_line(test_case, folder);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
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

// What AOT claims of all cases.
class ClaimTally {
 public:
  void add(const std::string& lines) {
    std::istringstream stream(lines);
    std::string word;
    size_t nodes = 0, claimed = 0;
    if (!(stream >> word) || word != "claims") return;
    std::string rest;
    std::getline(stream, rest);
    std::istringstream words(rest);
    words >> nodes >> claimed;
    nodes_ += nodes;
    claimed_ += claimed;
    ++cases_;
    for (std::string op; words >> op;) ++left_[op];
  }

  void print() const {
    std::printf("AOT claims %zu of %zu nodes, %.2f %%, in %zu cases of tensors of numbers; left:",
                claimed_, nodes_, 100 * share(), cases_);
    for (const auto& [op, count] : left_) std::printf(" %zu %s,", count, op.c_str());
    std::printf(" %zu of cases that do not compile\n", nodes_ - claimed_ - left_count());
  }

  double share() const {
    return nodes_ == 0 ? 0 : static_cast<double>(claimed_) / static_cast<double>(nodes_);
  }

 private:
  size_t left_count() const {
    size_t count = 0;
    for (const auto& [op, times] : left_) count += times;
    return count;
  }

  size_t nodes_ = 0, claimed_ = 0, cases_ = 0;
  std::map<std::string, size_t> left_;
};

// Counts by set and route, and what differs from the list.
class Tally {
 public:
  void add(const TestCase& test_case, const std::vector<RouteResult>& results) {
    const std::string name = str_cat(test_case.set, "/", test_case.name);
    const auto listed = expected_.find(name);
    const std::string line = line_for(name, results);
    for (const RouteResult& result : results) {
      ++counts_[{test_case.set, result.route}][static_cast<size_t>(result.outcome)];
      report_ << test_case.set << '\t' << test_case.name << '\t' << result.route << '\t'
              << outcome_name(result.outcome) << '\t' << result.message << '\n';
      const bool is_listed = listed != expected_.end() && covers(listed->second, result.route);
      const bool is_good = result.outcome == Outcome::kPass ||
                           (is_listed && result.outcome == Outcome::kUnsupported);
      if (is_good) continue;
      ++broken_;
      std::printf("%s, %s: %s\n", name.c_str(), result.route.c_str(), result.message.c_str());
    }
    const std::string had = listed == expected_.end() ? ""
                            : listed->second.empty()  ? name
                                                      : name + " " + listed->second;
    if (!had.empty() && had != line) {
      ++broken_;
      std::printf("passes now: '%s' must become '%s' in expected_failures.txt\n", had.c_str(),
                  line.c_str());
    }
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
  std::ofstream report_{report_path()};
  std::map<std::string, std::string> expected_ = expected_failures();
  std::map<std::pair<std::string, std::string>, std::array<size_t, 3>> counts_;
  size_t broken_ = 0;
};

TEST(conformance, packaged_cases_pass_by_every_route_but_for_a_list_that_only_shrinks) {
  const auto cases = all_cases();
  if (cases.empty()) {
    std::printf("NO CASES: ONNX's test data (libonnx-testdata) are not installed; NOTHING RAN\n");
    skip();
  }
  const auto texts = run_jobs(cases.size(), kWorkers, temp_dir(), [&](size_t i) {
    return run_case(cases[i], str_cat(temp_dir(), "/case_", i));
  });
  Tally tally;
  ClaimTally claims;
  for (size_t i = 0; i < cases.size(); ++i) {
    tally.add(cases[i], parse_lines(texts[i]));
    claims.add(texts[i]);
  }
  tally.print();
  claims.print();
  CHECK_EQ(tally.broken(), size_t{0});
  CHECK(claims.share() >= kLeastClaimed);
}

}  // namespace
}  // namespace ortc::test
