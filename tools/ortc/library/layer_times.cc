// SPDX-License-Identifier: MIT
// The library writes a profile as a Chrome trace, one event in a line. A node's event follows those
// of the nodes that it ran, which are one deeper; a run's own event follows all of its nodes.

#include "tools/ortc/library/layer_times.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <tuple>

#include "tools/ortc/library/profile.h"

namespace ortc::tool {
namespace {

constexpr uint64_t kWarmup = 3;  // runs that do not count
constexpr uint64_t kRunsMax = 100;
constexpr int64_t kLimitNs = int64_t{1000} * 1000 * 1000;  // no further run after that

class LayerSum {
 public:
  void add(const Json& event) {
    const Json args = event.at("args");
    const std::string name = event.text("name");
    if (event.text("cat") == "Node") return add_node(name, args);
    if (name != "model_run") return;
    if (++run_count_ > kWarmup) {
      times_.runs++;
      times_.total_ns += number_in(args, "duration_ns");
      count_run();
    }
    for (std::vector<Layer>& level : open_) level.clear();
  }

  LayerTimes finish() {
    times_.between_ns = times_.total_ns;
    for (auto& [key, layer] : layers_) {
      times_.between_ns -= layer.total_ns;
      times_.layers.push_back(std::move(layer));
    }
    std::stable_sort(times_.layers.begin(), times_.layers.end(),
                     [](const Layer& a, const Layer& b) { return a.total_ns > b.total_ns; });
    return std::move(times_);
  }

 private:
  static int64_t number_in(const Json& args, const char* key) {
    return std::strtoll(args.text(key).c_str(), nullptr, 10);
  }

  void add_node(std::string name, const Json& args) {
    constexpr std::string_view kEnd = "_kernel_time";
    if (name.size() >= kEnd.size()) name.resize(name.size() - kEnd.size());
    const size_t depth = args.count("depth");
    if (open_.size() < depth + 2) open_.resize(depth + 2);
    std::vector<Layer>& inside = open_[depth + 1];
    if (inside.empty()) {
      open_[depth].push_back({name, args.text("op_name"), args.text("kernel"),
                              args.text("provider"), "",
                              static_cast<uint64_t>(number_in(args, "node_index")), 1,
                              number_in(args, "duration_ns")});
      return;
    }
    for (Layer& layer : inside) {
      layer.part = layer.part.empty() ? name : name + "/" + layer.part;
      open_[depth].push_back(std::move(layer));
    }
    inside.clear();
  }

  void count_run() {
    for (std::vector<Layer>& level : open_) {
      for (Layer& layer : level) {
        const Key key = {layer.part, layer.index, layer.name, layer.op, layer.kernel};
        const auto [place, is_new] = layers_.try_emplace(key, layer);
        if (is_new) continue;
        place->second.calls += layer.calls;
        place->second.total_ns += layer.total_ns;
      }
    }
  }

  using Key = std::tuple<std::string, uint64_t, std::string, std::string, std::string>;
  LayerTimes times_;
  uint64_t run_count_ = 0;
  std::map<Key, Layer> layers_;
  std::vector<std::vector<Layer>> open_;  // by depth: layers whose runner's event is still to come
};

// A line at a time: a tree of all events would take a gigabyte.
LayerTimes sum_of(const std::string& profile) {
  LayerSum sum;
  std::ifstream stream(profile, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && line.back() != '}') line.pop_back();
    if (!line.empty()) sum.add(Json::parse(line));
  }
  return sum.finish();
}

// A signal stops them, and ends all at once after them.
void run_for_times(OrtSession* session, const std::vector<Input>& inputs) {
  const std::vector<Port> outputs = session_outputs(session);
  const Runs runs(session, inputs, outputs);
  const Stopwatch watch;
  for (uint64_t i = 0; i < kWarmup + kRunsMax; i++) {
    if (i > kWarmup && watch.elapsed_ns() >= kLimitNs) break;
    runs.run();
  }
}

}  // namespace

LayerTimes layer_times(const OrtEnv* env, const std::string& model, SessionArguments arguments,
                       const std::vector<Input>& inputs) {
  const ScratchFolder folder;
  arguments.profile = folder.path() + "/profile";
  const SessionOptions options = make_session_options(arguments);
  const auto [session, load_ns] = load_session(env, model, options.get());
  run_for_times(session.get(), inputs);
  LayerTimes times = sum_of(end_profile(session.get()));
  if (times.runs == 0) {
    throw failure("a run has more steps than a profile holds; no times of layers");
  }
  return times;
}

}  // namespace ortc::tool
