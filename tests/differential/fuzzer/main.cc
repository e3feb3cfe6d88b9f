// SPDX-License-Identifier: MIT
// Usage: ortc_fuzzer [--count N] [--seed S] [--first I] [--workers W] [--library PATH]
//                    [--save FOLDER] [--histogram] [--at-least N]
//        ortc_fuzzer --graph I [--seed S] [--keep FILE.onnx] [--library PATH] [--save FOLDER]
//
// Draws graphs and compares all routes (routes.h). Seed and number give the same graph again.
// `--keep` writes a graph, and what of it ONNX Runtime gets to a file beside it, FILE.onnx.outside.
// `--library` is ONNX Runtime's, by default what the environment variable ORTC_ORT_LIBRARY names.
// `--save` takes every disagreement, made small, as a folder of ONNX's test cases. `--histogram`
// prints how often each operator was drawn, the rarest last, and what was refused. `--at-least N`
// prints the first of these and fails when an operator of the library was drawn less than N times
// and is not known to be left out. Ends with 1 when something disagreed or ended the process.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <sstream>

#include "core/base/str_cat.h"
#include "tests/conformance/workers.h"
#include "tests/differential/fuzzer/outside_rules.h"
#include "tests/differential/fuzzer/shrink.h"
#include "tests/differential/fuzzer/totals.h"

namespace ortc::fuzz {
namespace {

struct Arguments {
  uint64_t count = 100, seed = 1, first = 0, workers = 1, at_least = 0;
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

// Writes lines as Totals reads them.
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

std::string made_folder() {
  const char* base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  std::string name = str_cat(base, "/ortc_fuzzer_XXXXXX");
  if (mkdtemp(name.data()) == nullptr) exit(2);
  return name;
}

// What a child is at, for when something in it calls std::terminate, as others have done.
uint64_t current_graph = 0;

[[noreturn]] void say_and_abort() {
  std::fprintf(stderr, "std::terminate in graph %llu\n", (unsigned long long)current_graph);
  std::abort();
}

// In a child: its machine, made once.
const Machine& machine_in(const std::string& folder, const Arguments& arguments) {
  static const std::string mine = str_cat(folder, "/", getpid());
  static const Machine* machine = nullptr;
  if (machine == nullptr) {
    std::filesystem::create_directories(mine);
    machine = new Machine(mine, arguments.library);
    std::set_terminate(say_and_abort);
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
      current_graph = numbers[i];
      try_graph(machine_in(folder, arguments), arguments, numbers[i], out);
    }
    out << "done\n";
    return out.str();
  });
  std::filesystem::remove_all(folder);
  std::vector<uint64_t> lost;
  for (size_t job = 0; job < jobs; ++job) {
    if (!texts[job].empty()) {
      totals.add_lines(texts[job]);
      continue;
    }
    for (size_t i = job * each; i < std::min<size_t>(numbers.size(), (job + 1) * each); ++i) {
      lost.push_back(numbers[i]);
    }
  }
  return lost;
}

void print(const Totals& totals, const Arguments& arguments, double seconds) {
  std::printf("seed %llu: %llu graphs of %llu nodes, %zu operators, %llu also in another size; ",
              (unsigned long long)arguments.seed, (unsigned long long)arguments.count,
              (unsigned long long)totals.nodes(), totals.ops.size(),
              (unsigned long long)totals.resized);
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
  // A graph of a process that ended is run again alone, and then without ONNX Runtime.
  const auto lost = run_graphs(numbers, kGraphsPerJob, arguments, totals);
  const auto ended = run_graphs(lost, 1, arguments, totals);
  if (!lost.empty()) {
    std::printf("%zu graphs ran again: a process ended; %zu of them end it alone as well\n",
                lost.size(), ended.size());
  }
  Arguments alone = arguments;
  alone.library.clear();
  const auto ended_alone = run_graphs(ended, 1, alone, totals);
  for (const uint64_t number : ended) {
    if (std::ranges::find(ended_alone, number) != ended_alone.end()) continue;
    std::printf("ONNX Runtime ends the process: graph %llu\n", (unsigned long long)number);
  }
  for (const uint64_t number : ended_alone) {
    std::printf("DISAGREEMENT: graph %llu ends the process\n", (unsigned long long)number);
    ++totals.bad;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print(totals, arguments, took.count());
  if (arguments.wants_histogram) print_refusals(totals);
  const bool wants_counts = arguments.wants_histogram || arguments.at_least > 0;
  const uint64_t rare = wants_counts ? print_histogram(totals, arguments.at_least) : 0;
  return totals.bad + rare > 0 ? 1 : 0;
}

int one_graph(const Arguments& arguments) {
  const std::string folder = made_folder();
  const Machine machine(folder, arguments.library);
  const auto index = static_cast<uint64_t>(arguments.graph);
  if (!arguments.keep.empty()) {
    const Drawn drawn = draw_graph(machine.reference, arguments.seed, index);
    test::write_whole_file(arguments.keep, model_bytes(drawn.graph));
    test::write_whole_file(arguments.keep + ".outside", model_bytes(part_for_outside(drawn.graph)));
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
    else if (name == "--at-least")
      a.at_least = number;
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
