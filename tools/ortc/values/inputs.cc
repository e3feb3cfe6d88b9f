// SPDX-License-Identifier: MIT
// Values are made up only where the model or --shape says the whole shape.

#include "tools/ortc/values/inputs.h"

#include <algorithm>

#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/values/elements.h"
#include "tools/ortc/values/literals.h"
#include "tools/ortc/values/made_up.h"
#include "tools/ortc/values/number_text.h"

namespace ortc::tool {
namespace {

const std::string* find(const Pairs& pairs, const std::string& name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return &value;
  }
  return nullptr;
}

ToolError unknown_input(const char* option, const std::string& text,
                        const std::vector<Port>& ports) {
  const std::string name = text.substr(0, text.find('='));
  std::vector<std::string> names;
  std::string list;
  for (const Port& port : ports) {
    names.push_back(port.name);
    list += " '" + port.name + "'";
  }
  return usage_error(std::string(option) + ": the model has no input '" + name + "', it has" +
                     (list.empty() ? " none" : list) + did_you_mean(name, names));
}

// NAME=VALUE by the names that the model has: the longest that fits, since a name may contain '='.
Pairs split_by_names(const char* option, const std::vector<std::string>& texts,
                     const std::vector<Port>& ports) {
  Pairs pairs;
  for (const std::string& text : texts) {
    if (text.find('=', 1) == std::string::npos) {
      throw usage_error(std::string(option) + " needs NAME=VALUE, found '" + text + "'");
    }
    const Port* best = nullptr;
    for (const Port& port : ports) {
      const size_t length = port.name.size();
      const bool fits = text.compare(0, length, port.name) == 0 && text[length] == '=';
      if (fits && (best == nullptr || length > best->name.size())) best = &port;
    }
    if (best == nullptr) throw unknown_input(option, text, ports);
    if (find(pairs, best->name) != nullptr) {
      throw usage_error(std::string(option) + " gives '" + best->name + "' twice");
    }
    pairs.emplace_back(best->name, text.substr(best->name.size() + 1));
  }
  return pairs;
}

// "1x3x8x8"; an empty text is a scalar.
std::vector<int64_t> parse_shape(const std::string& text, const std::string& name) {
  std::vector<int64_t> shape;
  const std::string what = "--shape " + name + " needs sizes like 1x3x8x8, found";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('x', at), text.size());
    shape.push_back(static_cast<int64_t>(parse_count(text.substr(at, end - at), 1ULL << 40, what)));
    if (end + 1 == text.size()) throw usage_error(what + ": '" + text + "'");
    at = end + 1;
  }
  return shape;
}

bool is_whole(const Port& port) {
  return port.has_shape &&
         std::none_of(port.shape.begin(), port.shape.end(), [](int64_t size) { return size < 0; });
}

// The seed is mixed with the name, so that two inputs of one shape differ.
uint64_t seed_for(const std::string& name, uint64_t seed) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash + seed;
}

// " or --dim batch=1" for the first open dimension that has a name.
std::string dimension_hint(const Port& port) {
  for (size_t i = 0; i < port.shape.size() && i < port.dimension_names.size(); i++) {
    if (port.shape[i] < 0 && !port.dimension_names[i].empty()) {
      return " or --dim " + port.dimension_names[i] + "=1";
    }
  }
  return {};
}

// A port whose shape --shape may have replaced, and the text of its value.
NpyArray array_for(const Port& port, const std::string& text, const std::string& what) {
  RandomForm random;
  const bool is_random = parse_random(text, what, random);
  if (text == "zeros" || is_random) {
    if (!is_whole(port)) {
      throw usage_error("the model leaves the shape of input '" + port.name + "' " +
                        port.type_text() + " open; give --shape " + port.name + "=1x..." +
                        dimension_hint(port));
    }
    checked_bytes(port.type, port.shape, "--shape " + port.name);
    if (!is_random) return zero_array(port.type, port.shape);
    random.seed = seed_for(port.name, random.seed);
    return random_array(port.type, port.shape, random, what);
  }
  Json literal;
  if (parse_literal(text, literal)) {
    return literal_array(literal, port.type, port.has_shape ? &port.shape : nullptr, what);
  }
  return read_npy(text);
}

Input make_input(Port port, const std::string& text, const Pairs& shapes) {
  if (port.kind != ONNX_TYPE_TENSOR) {
    throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                    "input '" + port.name + "' is a " + port.type_text() +
                        "; the command line gives tensors only");
  }
  if (const std::string* shape = find(shapes, port.name)) {
    port.shape = parse_shape(*shape, port.name);
    port.dimension_names.clear();
    port.has_shape = true;
  }
  const std::string what = "input '" + port.name + "'";
  const NpyArray array = array_for(port, text, what);
  return {port.name, text, value_from_array(array, port.type, what + " from " + text)};
}

}  // namespace

std::vector<Input> make_inputs(const OrtSession* session, const InputArguments& arguments,
                               WhenMissing when_missing) {
  const std::vector<Port> needed = session_inputs(session);
  std::vector<Port> ports = needed;
  for (Port& port : session_overridable(session)) ports.push_back(std::move(port));
  const Pairs values = split_by_names("--input", arguments.inputs, ports);
  const Pairs shapes = split_by_names("--shape", arguments.shapes, ports);

  std::vector<Input> inputs;
  std::string missing;
  for (size_t i = 0; i < ports.size(); i++) {
    const Port& port = ports[i];
    const bool is_needed = i < needed.size() && port.kind != ONNX_TYPE_OPTIONAL;
    if (const std::string* text = find(values, port.name)) {
      inputs.push_back(make_input(port, *text, shapes));
    } else if (is_needed && when_missing == WhenMissing::kRandom) {
      inputs.push_back(make_input(port, "random", shapes));
    } else if (is_needed) {
      missing += " '" + port.name + "' " + port.type_text() + ",";
    }
  }
  if (!missing.empty()) {
    missing.pop_back();
    throw usage_error("no value for input" + missing +
                      "; give --input NAME=FILE.npy, NAME=random, NAME=zeros or the value itself");
  }
  return inputs;
}

}  // namespace ortc::tool
