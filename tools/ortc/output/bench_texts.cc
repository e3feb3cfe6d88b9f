// SPDX-License-Identifier: MIT
// Shares are of the time of the profiled runs.

#include "tools/ortc/output/bench_texts.h"

#include <algorithm>
#include <cstdio>

#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr const char* kBetween = "(between the layers)";

double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double mean_ns(const Layer& layer) {
  return static_cast<double>(layer.total_ns) / static_cast<double>(layer.calls);
}

std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

// Quoted where a comma, a quote or a line's end stands in it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_row(const std::vector<std::string>& fields) {
  std::string row;
  for (const std::string& field : fields) row += (row.empty() ? "" : ",") + csv_field(field);
  return row + "\n";
}

}  // namespace

Json layers_json(const LayerTimes& times) {
  Json rows = Json::array();
  for (const Layer& layer : times.layers) {
    rows.push(Json::object()
                  .set("name", layer.name)
                  .set("operator", layer.op)
                  .set("kernel", layer.kernel)
                  .set("provider", layer.provider)
                  .set("part", layer.part)
                  .set("calls", layer.calls)
                  .set("total_ns", layer.total_ns)
                  .set("mean_ns", mean_ns(layer))
                  .set("share", ratio(layer.total_ns, times.total_ns)));
  }
  return Json::object()
      .set("runs", times.runs)
      .set("total_ns", times.total_ns)
      .set("between_ns", times.between_ns)
      .set("rows", rows);
}

std::string layers_text(const LayerTimes& times, uint64_t shown) {
  const size_t count = times.layers.size();
  const size_t listed = shown == 0 ? count : std::min<size_t>(shown, count);
  Table table({"layer", "operator", "kernel", "calls", "total", "mean", "share"});
  const auto share = [&](int64_t ns) { return percent_text(ratio(ns, times.total_ns)); };
  int64_t rest_ns = 0;
  for (size_t i = 0; i < count; i++) {
    const Layer& layer = times.layers[i];
    if (i >= listed) {
      rest_ns += layer.total_ns;
      continue;
    }
    table.add({printable(layer.name), printable(layer.op), printable(layer.kernel),
               std::to_string(layer.calls), time_text(static_cast<double>(layer.total_ns)),
               time_text(mean_ns(layer)), share(layer.total_ns)});
  }
  const auto add_sum = [&](const std::string& name, int64_t ns) {
    table.add({name, "", "", std::to_string(times.runs), time_text(static_cast<double>(ns)),
               time_text(static_cast<double>(ns) / static_cast<double>(times.runs)), share(ns)});
  };
  if (listed < count) add_sum("(" + std::to_string(count - listed) + " more)", rest_ns);
  add_sum(kBetween, times.between_ns);
  add_sum("(a run with a profile)", times.total_ns);
  return table.text();
}

std::string layers_csv(const LayerTimes& times) {
  std::string text = csv_row(
      {"layer", "operator", "kernel", "provider", "part", "calls", "total_ns", "mean_ns", "share"});
  const auto add = [&](const Layer& layer) {
    text +=
        csv_row({layer.name, layer.op, layer.kernel, layer.provider, layer.part,
                 std::to_string(layer.calls), std::to_string(layer.total_ns),
                 number_text(mean_ns(layer)), number_text(ratio(layer.total_ns, times.total_ns))});
  };
  for (const Layer& layer : times.layers) add(layer);
  add({kBetween, "", "", "", "", 0, times.runs, times.between_ns});
  return text;
}

std::string run_times_json(const std::string& model, const StreamTimes& times) {
  std::string text = "{\n\"schema\": \"ortc.times/1\",\n\"model\": " + Json(model).dump() +
                     ",\n\"run_count\": " + std::to_string(times.samples.run_count()) +
                     ",\n\"runs\": [";
  // Row by row: a tree of a million objects would take a gigabyte.
  for (const RunTime& run : times.runs) {
    text += &run == times.runs.data() ? "\n" : ",\n";
    text += "{\"stream\": " + std::to_string(run.stream) +
            ", \"start_ns\": " + std::to_string(run.start_ns) +
            ", \"duration_ns\": " + std::to_string(run.duration_ns) + "}";
  }
  return text + "\n]\n}\n";
}

}  // namespace ortc::tool
