// SPDX-License-Identifier: MIT
// The routes: see the header.
#include "tests/differential/fuzzer/routes.h"

#include <cmath>

#include "core/base/str_cat.h"
#include "tests/conformance/comparison.h"
#include "tests/differential/fuzzer/outside_rules.h"

namespace ortc::fuzz {
namespace {

using Values = std::vector<Datum>;

struct Wrong {
  std::string route, what;
};

// "" or the first element further apart than allowed.
std::string difference(const Tensor& found, const Tensor& expected, double allowed) {
  if (found.dtype() != expected.dtype() || found.dims() != expected.dims()) {
    return str_cat(describe(found), ", expected ", describe(expected));
  }
  if (found.dtype() == DType::kString) {
    return test::are_same(found, expected) ? "" : "other texts";
  }
  const std::vector<double> a = numbers_of(found), b = numbers_of(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::abs(a[i] - b[i]) <= allowed)) {
      return str_cat("element ", i, " of ", describe(found), " is ", a[i], ", expected ", b[i],
                     " and at most ", allowed, " apart");
    }
  }
  return "";
}

std::string difference(const DrawnGraph& graph, const Values& found) {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const DrawnValue& expected = graph.values.at(graph.outputs[i]);
    if (!found[i].is_tensor()) return str_cat(graph.outputs[i], " is not a tensor");
    const std::string what =
        difference(*found[i].tensor(), *expected.datum.tensor(), expected.allowed);
    if (!what.empty()) return str_cat(graph.outputs[i], ": ", what);
  }
  return "";
}

Values inputs_of(const DrawnGraph& graph) {
  Values inputs;
  for (const std::string& name : graph.inputs) inputs.push_back(graph.values.at(name).datum);
  return inputs;
}

struct Plan {
  std::string route;
  std::vector<std::string> providers;
  OptimisationLevel level = OptimisationLevel::kAll;
  int threads = 1;
  bool runs_again = false;
};

// One comparison of one graph: the first disagreement ends it.
class Comparing {
 public:
  Comparing(std::shared_ptr<const Environment> environment, const DrawnGraph& graph,
            std::string folder)
      : environment_(std::move(environment)),
        graph_(graph),
        folder_(std::move(folder)),
        bytes_(model_bytes(graph)) {}

  bool is_good() const { return wrong_.route.empty(); }
  const Wrong& wrong() const { return wrong_; }
  const std::string& bytes() const { return bytes_; }

  void blame(const std::string& route, const std::string& what) {
    if (is_good() && !what.empty()) wrong_ = {route, what};
  }

  // A session of the source, kept; its outputs agree with the reference.
  Values from_source(const Plan& plan) {
    if (!is_good()) return {};
    SessionOptions options = test::options_with(*environment_, plan.providers, plan.threads);
    options.level = plan.level;
    auto session = Session::create(environment_, test::memory_source(bytes_), options);
    if (!session.is_ok()) {
      blame(plan.route, session.status().to_string());
      return {};
    }
    sessions_.push_back({plan.route, std::move(session).value()});
    const Values first = run(plan.route, *sessions_.back().session, graph_);
    if (plan.runs_again && is_good()) {
      same_bits(str_cat(plan.route, " again"), first,
                run(plan.route, *sessions_.back().session, graph_));
    }
    return first;
  }

  Values run(const std::string& route, const Session& session, const DrawnGraph& graph) {
    Values outputs;
    const Status status = test::try_run_values(session, inputs_of(graph), &outputs);
    blame(route, status.is_ok() ? difference(graph, outputs) : status.to_string());
    return outputs;
  }

  void same_bits(const std::string& route, const Values& a, const Values& b) {
    for (size_t i = 0; i < a.size() && i < b.size() && is_good(); ++i) {
      if (!test::are_same(a[i], b[i])) blame(route, str_cat(graph_.outputs[i], ": other bits"));
    }
  }

  // Compiled and loaded again. `target`: "" is this machine.
  Values from_context(const std::string& route, bool embed, const std::string& target) {
    if (!is_good()) return {};
    SessionOptions options = test::options_with(*environment_, {"AOT"});
    if (!target.empty()) options.providers[0].options["target"] = target;
    CompileOptions compile = CompileOptions::from(options);
    compile.level = OptimisationLevel::kAll;
    compile.input = test::memory_source(bytes_);
    compile.output_path = folder_ + "/graph_ctx.onnx";
    compile.embed = embed;
    const auto report = compile_to_output(environment_, compile);
    if (!report.is_ok()) {
      blame(route, report.status().to_string());
      return {};
    }
    const auto session = Session::create(environment_, test::file_source(compile.output_path),
                                         test::options_with(*environment_, {"AOT"}, 2));
    if (!session.is_ok()) {
      blame(route, session.status().to_string());
      return {};
    }
    return run(route, **session, graph_);
  }

  void run_resized(const DrawnGraph& other) {
    for (const auto& [route, session] : sessions_) {
      if (is_good()) run(str_cat(route, " in another size"), *session, other);
    }
  }

 private:
  struct Kept {
    std::string route;
    std::unique_ptr<Session> session;
  };
  std::shared_ptr<const Environment> environment_;
  const DrawnGraph& graph_;
  std::string folder_, bytes_;
  Wrong wrong_;
  std::vector<Kept> sessions_;
};

}  // namespace

Routes::Routes(const Reference& reference, std::string folder, const std::string& library)
    : reference_(reference),
      folder_(std::move(folder)),
      environment_(test::quiet_environment()),
      outside_(library.empty() ? nullptr : std::make_unique<OtherLibrary>(library)) {}

Agreement Routes::compare(const DrawnGraph& graph, uint64_t index) const {
  Comparing comparing(environment_, graph, folder_);
  comparing.from_source({"level 0", {}, OptimisationLevel::kNone, 1, false});
  const Values plain = comparing.from_source({"level 99", {}, OptimisationLevel::kAll, 1, true});
  comparing.same_bits("level 99 with two threads", plain,
                      comparing.from_source({"level 99", {}, OptimisationLevel::kAll, 2, false}));
  const Values compiled = comparing.from_source({"AOT", {"AOT"}, OptimisationLevel::kAll, 1, true});
  comparing.same_bits("AOT with two threads", compiled,
                      comparing.from_source({"AOT", {"AOT"}, OptimisationLevel::kAll, 2, false}));
  comparing.same_bits("external", compiled, comparing.from_context("external", false, ""));
  comparing.same_bits("embedded", compiled, comparing.from_context("embedded", true, ""));
#if defined(__x86_64__)
  if (index % 3 == 0) comparing.from_context("plain target", false, "x86-64");
#endif
  Agreement result;
  DrawnGraph other;
  if (graph.symbolic_size > 0 && comparing.is_good()) {
    Chance chance(index, 1);
    other = resized(graph, graph.symbolic_size + 1 + static_cast<int64_t>(index % 7), chance);
    result.was_resized = reference_.measure_all(other, chance).empty();
    if (result.was_resized) comparing.run_resized(other);
  }
  if (outside_ != nullptr && comparing.is_good()) {
    const DrawnGraph part = part_for_outside(graph);
    Values found;
    if (!part.outputs.empty()) {
      result.refused_outside = outside_->run(model_bytes(part), part, &found);
      result.was_compared_outside = result.refused_outside.empty();
    }
    if (result.was_compared_outside) comparing.blame("ONNX Runtime", difference(part, found));
  }
  result.route = comparing.wrong().route;
  result.what = comparing.wrong().what;
  return result;
}

}  // namespace ortc::fuzz
