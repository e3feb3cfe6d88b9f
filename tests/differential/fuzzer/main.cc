// SPDX-License-Identifier: MIT
// Usage: ortc_fuzzer [--count N] [--seed S] [--first I] [--workers W] [--library PATH]
//                    [--save FOLDER] [--histogram] [--every N]
//        ortc_fuzzer --graph I [--seed S] [--keep FILE.onnx] [--library PATH] [--save FOLDER]
//
// Draws graphs and compares all routes (routes.h). Seed and number give the same graph again.
// `--library` is ONNX Runtime's, by default what the environment variable ORTC_ORT_LIBRARY names.
// `--save` takes every disagreement, made small, as a folder of ONNX's test cases. `--every N`
// fails when an operator of the library was drawn less than N times and is not known to be left
// out. Ends with 1 when something disagreed or ended the process.
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/base/str_cat.h"
#include "core/ops/op_list.h"
#include "tests/conformance/workers.h"
#include "tests/differential/fuzzer/shrink.h"

namespace ortc::fuzz {
namespace {

struct Arguments {
  uint64_t count = 100, seed = 1, first = 0, workers = 1, every = 0;
  int64_t graph = -1;
  std::string library, save, keep;
  bool wants_histogram = false;
};

constexpr uint64_t kGraphsPerJob = 10;

// What a process keeps for all its graphs.
struct Machine {
  Reference reference;
  Routes routes;
  Machine(const std::string& folder, const std::string& library)
      : routes(reference, folder, library) {}
};

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text.substr(0, 300);
}

// Lines: "op <name>", "refused <op> <text>", "outside", "outside-refused <text>", "resized",
// "bad <number> <text>".
void try_graph(const Machine& machine, const Arguments& arguments, uint64_t index,
               std::ostringstream& out) {
  const Drawn drawn = draw_graph(machine.reference, arguments.seed, index);
  for (const DrawnNode& node : drawn.graph.nodes) {
    out << "op " << node.domain << ":" << (node.domain == "local" ? "function" : node.op) << "\n";
  }
  for (const auto& [op, refusal] : drawn.refusals) {
    out << "refused " << op << " " << one_line(refusal.second) << "\n";
  }
  if (drawn.graph.nodes.empty()) return;
  const Agreement agreement = machine.routes.compare(drawn.graph, index);
  if (agreement.was_resized) out << "resized\n";
  if (agreement.was_compared_outside) out << "outside\n";
  if (!agreement.refused_outside.empty()) {
    out << "outside-refused " << one_line(agreement.refused_outside) << "\n";
  }
  if (agreement.is_whole()) return;
  out << "bad " << index << " " << one_line(str_cat(agreement.route, ": ", agreement.what));
  if (!arguments.save.empty()) {
    const DrawnGraph small =
        shrink(machine.reference, machine.routes, drawn.graph, index, agreement.route);
    save_case(small, str_cat(arguments.save, "/graph_", arguments.seed, "_", index));
    out << " | made small:";
    for (const DrawnNode& node : small.nodes) out << " " << node.op;
    out << " | " << one_line(machine.routes.compare(small, index).what);
  }
  out << "\n";
}

struct Totals {
  std::map<std::string, uint64_t> ops, refused_outside, refused;
  std::map<std::string, std::string> last_refusal;
  uint64_t outside = 0, resized = 0, bad = 0;
};

void add_lines(const std::string& text, Totals& totals) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, name;
    words >> what;
    if (what == "op") {
      words >> name;
      ++totals.ops[name];
    } else if (what == "refused") {
      words >> name;
      ++totals.refused[name];
      std::getline(words, totals.last_refusal[name]);
    } else if (what == "outside") {
      ++totals.outside;
    } else if (what == "outside-refused") {
      ++totals.refused_outside[line.substr(16, 130)];
    } else if (what == "resized") {
      ++totals.resized;
    } else if (what == "bad") {
      ++totals.bad;
      std::printf("DISAGREEMENT: graph %s\n", line.substr(4).c_str());
      std::fflush(stdout);
    }
  }
}

std::string made_folder() {
  const char* base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  std::string name = str_cat(base, "/ortc_fuzzer_XXXXXX");
  if (mkdtemp(name.data()) == nullptr) exit(2);
  return name;
}

// In a child: its machine, made once.
const Machine& machine_in(const std::string& folder, const Arguments& arguments) {
  static const std::string mine = str_cat(folder, "/", getpid());
  static const Machine* machine = nullptr;
  if (machine == nullptr) {
    std::filesystem::create_directories(mine);
    machine = new Machine(mine, arguments.library);
  }
  return *machine;
}

// The graphs of `numbers`, `each` at a time; those of jobs that ended early are returned.
std::vector<uint64_t> run_graphs(const std::vector<uint64_t>& numbers, uint64_t each,
                                 const Arguments& arguments, Totals& totals) {
  const std::string folder = made_folder();
  const size_t jobs = (numbers.size() + each - 1) / each;
  const auto texts = test::run_jobs(jobs, arguments.workers, folder, [&](size_t job) {
    std::ostringstream out;
    for (size_t i = job * each; i < std::min<size_t>(numbers.size(), (job + 1) * each); ++i) {
      try_graph(machine_in(folder, arguments), arguments, numbers[i], out);
    }
    out << "done\n";
    return out.str();
  });
  std::filesystem::remove_all(folder);
  std::vector<uint64_t> lost;
  for (size_t job = 0; job < jobs; ++job) {
    if (!texts[job].empty()) {
      add_lines(texts[job], totals);
      continue;
    }
    for (size_t i = job * each; i < std::min<size_t>(numbers.size(), (job + 1) * each); ++i) {
      lost.push_back(numbers[i]);
    }
  }
  return lost;
}

std::string name_of(const OpRow& row) { return str_cat(row.domain, ":", row.name); }

// Operators of the library that were drawn too rarely. Prints them.
uint64_t count_rare(const Totals& totals, uint64_t least) {
  std::map<std::string, std::string> known;  // -> reason
  for (const std::string_view line : left_out()) {
    const size_t at = line.find('|');
    known[std::string(line.substr(0, at))] = line.substr(at + 1);
  }
  uint64_t rare = 0;
  std::string last;
  for (const OpRow& row : op_rows()) {
    const std::string name = name_of(row);
    if (name == last) continue;
    last = name;
    const auto found = totals.ops.find(name);
    const uint64_t count = found != totals.ops.end() ? found->second : 0;
    if (count >= least || known.count(name) != 0) continue;
    std::printf("RARE: %s was drawn %llu times\n", name.c_str(), (unsigned long long)count);
    ++rare;
  }
  return rare;
}

void print(const Totals& totals, const Arguments& arguments, double seconds) {
  if (arguments.wants_histogram) {
    for (const auto& [name, count] : totals.ops) {
      std::printf("%8llu %s\n", (unsigned long long)count, name.c_str());
    }
    for (const auto& [name, count] : totals.refused) {
      std::printf("refused %llu times: %s:%s\n", (unsigned long long)count, name.c_str(),
                  totals.last_refusal.at(name).c_str());
    }
    for (const auto& [text, count] : totals.refused_outside) {
      std::printf("ONNX Runtime refused %llu times: %s\n", (unsigned long long)count, text.c_str());
    }
  }
  uint64_t nodes = 0;
  for (const auto& [name, count] : totals.ops) nodes += count;
  std::printf("seed %llu: %llu graphs of %llu nodes, %zu operators, %llu also in another size; ",
              (unsigned long long)arguments.seed, (unsigned long long)arguments.count,
              (unsigned long long)nodes, totals.ops.size(), (unsigned long long)totals.resized);
  if (arguments.library.empty()) {
    std::printf("not compared with ONNX Runtime, ORTC_ORT_LIBRARY is not set; ");
  } else {
    std::printf("%llu compared with ONNX Runtime; ", (unsigned long long)totals.outside);
  }
  std::printf("%llu disagreements; %.0f s\n", (unsigned long long)totals.bad, seconds);
}

int fuzz(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  Totals totals;
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < arguments.count; ++i) numbers.push_back(arguments.first + i);
  const auto lost = run_graphs(numbers, kGraphsPerJob, arguments, totals);
  Arguments alone = arguments;
  alone.library.clear();
  for (const uint64_t number :
       run_graphs(run_graphs(lost, 1, arguments, totals), 1, alone, totals)) {
    std::printf("DISAGREEMENT: graph %llu ends the process\n", (unsigned long long)number);
    ++totals.bad;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print(totals, arguments, took.count());
  const uint64_t rare = arguments.every > 0 ? count_rare(totals, arguments.every) : 0;
  return totals.bad + rare > 0 ? 1 : 0;
}

int one_graph(const Arguments& arguments) {
  const std::string folder = made_folder();
  const Machine machine(folder, arguments.library);
  const auto index = static_cast<uint64_t>(arguments.graph);
  if (!arguments.keep.empty()) {
    const Drawn drawn = draw_graph(machine.reference, arguments.seed, index);
    test::write_whole_file(arguments.keep, model_bytes(drawn.graph));
  }
  std::ostringstream out;
  try_graph(machine, arguments, index, out);
  std::fputs(out.str().c_str(), stdout);
  std::filesystem::remove_all(folder);
  return out.str().find("\nbad ") != std::string::npos ? 1 : 0;
}

Arguments read(int count, char** texts) {
  Arguments a;
  if (const char* library = getenv("ORTC_ORT_LIBRARY")) a.library = library;
  for (int i = 1; i < count; ++i) {
    const std::string name = texts[i];
    if (name == "--histogram") {
      a.wants_histogram = true;
      continue;
    }
    const std::string value = i + 1 < count ? texts[++i] : "";
    const auto number = strtoull(value.c_str(), nullptr, 10);
    if (name == "--count")
      a.count = number;
    else if (name == "--seed")
      a.seed = number;
    else if (name == "--first")
      a.first = number;
    else if (name == "--workers")
      a.workers = number;
    else if (name == "--every")
      a.every = number;
    else if (name == "--graph")
      a.graph = static_cast<int64_t>(number);
    else if (name == "--library")
      a.library = value;
    else if (name == "--save")
      a.save = value;
    else if (name == "--keep")
      a.keep = value;
    else {
      std::fprintf(stderr, "%s is not known\n", name.c_str());
      exit(2);
    }
  }
  return a;
}

}  // namespace
}  // namespace ortc::fuzz

int main(int count, char** texts) {
  const ortc::fuzz::Arguments arguments = ortc::fuzz::read(count, texts);
  if (!arguments.save.empty()) std::filesystem::create_directories(arguments.save);
  return arguments.graph >= 0 ? ortc::fuzz::one_graph(arguments) : ortc::fuzz::fuzz(arguments);
}
