// SPDX-License-Identifier: MIT
// Totals of a run: see the header.
#include "tests/differential/fuzzer/totals.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>
#include <vector>

#include "core/base/str_cat.h"
#include "core/ops/op_list.h"
#include "tests/differential/fuzzer/operator_rows.h"

namespace ortc::fuzz {
namespace {

std::vector<std::pair<uint64_t, std::string>> asked_counts(const Totals& totals) {
  std::set<std::string> left;
  for (const std::string_view line : left_out()) left.emplace(line.substr(0, line.find('|')));
  std::set<std::string> names;
  for (const OpRow& row : op_rows()) names.insert(str_cat(row.domain, ":", row.name));
  std::vector<std::pair<uint64_t, std::string>> counts;
  for (const std::string& name : names) {
    const auto found = totals.ops.find(name);
    if (left.count(name) == 0) {
      counts.emplace_back(found != totals.ops.end() ? found->second : 0, name);
    }
  }
  std::sort(counts.rbegin(), counts.rend());
  return counts;
}

}  // namespace

void Totals::add_lines(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, name;
    words >> what;
    if (what == "op") {
      words >> name;
      ++ops[name];
    } else if (what == "refused") {
      words >> name;
      ++refused[name];
      std::getline(words, last_refusal[name]);
    } else if (what == "outside") {
      ++outside;
    } else if (what == "outside-refused") {
      ++refused_outside[line.substr(16, 130)];
    } else if (what == "resized") {
      ++resized;
    } else if (what == "bad") {
      ++bad;
      std::printf("DISAGREEMENT: graph %s\n", line.substr(4).c_str());
      std::fflush(stdout);
    }
  }
}

uint64_t Totals::nodes() const {
  uint64_t count = 0;
  for (const auto& [name, times] : ops) count += times;
  return count;
}

uint64_t print_histogram(const Totals& totals, uint64_t least) {
  const auto counts = asked_counts(totals);
  uint64_t rare = 0;
  for (const auto& [count, name] : counts) {
    std::printf("%8llu %s\n", (unsigned long long)count, name.c_str());
  }
  for (const auto& [count, name] : counts) {
    if (count >= least) continue;
    std::printf("RARE: %s was drawn %llu times\n", name.c_str(), (unsigned long long)count);
    ++rare;
  }
  std::printf("of %zu operators, the rarest is %s: %llu times; %llu below %llu; %zu left out\n",
              counts.size(), counts.back().second.c_str(), (unsigned long long)counts.back().first,
              (unsigned long long)rare, (unsigned long long)least, left_out().size());
  return rare;
}

void print_refusals(const Totals& totals) {
  for (const auto& [name, count] : totals.refused) {
    std::printf("refused %llu times: %s:%s\n", (unsigned long long)count, name.c_str(),
                totals.last_refusal.at(name).c_str());
  }
  for (const auto& [text, count] : totals.refused_outside) {
    std::printf("ONNX Runtime refused %llu times: %s\n", (unsigned long long)count, text.c_str());
  }
}

}  // namespace ortc::fuzz
