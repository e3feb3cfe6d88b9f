// SPDX-License-Identifier: MIT
// Values are made up only where the model or --shape says the whole shape.

#include "tools/ortc/inputs.h"

#include <algorithm>
#include <limits>

#include "tools/ortc/elements.h"

namespace ortc::tool {
namespace {

const std::string* find(const Pairs& pairs, const std::string& name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return &value;
  }
  return nullptr;
}

uint64_t parse_number(const std::string& text, uint64_t limit, const std::string& what) {
  uint64_t number = 0;
  for (char c : text) {
    if (c < '0' || c > '9' || number > limit / 10) throw usage_error(what + ": '" + text + "'");
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  if (text.empty() || number > limit) throw usage_error(what + ": '" + text + "'");
  return number;
}

// "1x3x8x8"; an empty text is a scalar.
std::vector<int64_t> parse_shape(const std::string& text, const std::string& name) {
  std::vector<int64_t> shape;
  const std::string what = "--shape " + name + " needs sizes like 1x3x8x8, found";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('x', at), text.size());
    shape.push_back(
        static_cast<int64_t>(parse_number(text.substr(at, end - at), 1ULL << 40, what)));
    if (end + 1 == text.size()) throw usage_error(what + ": '" + text + "'");
    at = end + 1;
  }
  return shape;
}

std::vector<int64_t> made_up_shape(const Port& port, const Pairs& shapes) {
  std::vector<int64_t> shape = port.shape;
  if (const std::string* text = find(shapes, port.name)) {
    shape = parse_shape(*text, port.name);
  } else if (!port.has_shape ||
             std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; })) {
    throw usage_error("the model leaves the shape of input '" + port.name + "' " +
                      port.type_text() + " open; give --shape " + port.name + "=1x...");
  }
  int64_t count = 16;  // the largest element has 16 bytes
  for (int64_t size : shape) {
    if (size > 0 && count > std::numeric_limits<int64_t>::max() / size) {
      throw usage_error("--shape " + port.name + ": too many elements");
    }
    count *= std::max<int64_t>(size, 1);
  }
  return shape;
}

// The seed is mixed with the name, so that two inputs of one shape differ.
uint64_t seed_for(const std::string& name, uint64_t seed) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash + seed;
}

Input make_input(const Port& port, const std::string& source, const Pairs& shapes) {
  if (port.kind != ONNX_TYPE_TENSOR) {
    throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                    "input '" + port.name + "' is a " + port.type_text() +
                        "; the command line gives tensors only");
  }
  const std::string what = "input '" + port.name + "'";
  Input input{port.name, source, nullptr};
  if (source == "zeros") {
    input.value =
        value_from_array(zero_array(port.type, made_up_shape(port, shapes)), port.type, what);
  } else if (source == "random" || source.rfind("random:", 0) == 0) {
    const std::string text = source == "random" ? "0" : source.substr(7);
    const uint64_t seed = parse_number(text, std::numeric_limits<uint64_t>::max() / 16,
                                       what + ": the seed is no number");
    const NpyArray array =
        random_array(port.type, made_up_shape(port, shapes), seed_for(port.name, seed), what);
    input.value = value_from_array(array, port.type, what);
  } else {
    input.value = value_from_array(read_npy(source), port.type, what + " from " + source);
  }
  return input;
}

void refuse_unknown(const char* option, const Pairs& pairs, const std::vector<Port>& ports) {
  for (const auto& [name, value] : pairs) {
    const bool known = std::any_of(ports.begin(), ports.end(),
                                   [&](const Port& port) { return port.name == name; });
    if (known) continue;
    std::string text = std::string(option) + ": the model has no input '" + name + "', it has";
    for (const Port& port : ports) text += " '" + port.name + "'";
    throw usage_error(ports.empty() ? text + " none" : text);
  }
}

}  // namespace

std::vector<Input> make_inputs(const OrtSession* session, const InputArguments& arguments,
                               WhenMissing when_missing) {
  const std::vector<Port> needed = session_inputs(session);
  std::vector<Port> ports = needed;
  for (Port& port : session_overridable(session)) ports.push_back(std::move(port));
  refuse_unknown("--input", arguments.inputs, ports);
  refuse_unknown("--shape", arguments.shapes, ports);

  std::vector<Input> inputs;
  std::string missing;
  for (size_t i = 0; i < ports.size(); i++) {
    const Port& port = ports[i];
    const bool is_needed = i < needed.size() && port.kind != ONNX_TYPE_OPTIONAL;
    if (const std::string* source = find(arguments.inputs, port.name)) {
      inputs.push_back(make_input(port, *source, arguments.shapes));
    } else if (is_needed && when_missing == WhenMissing::kRandom) {
      inputs.push_back(make_input(port, "random", arguments.shapes));
    } else if (is_needed) {
      missing += " '" + port.name + "' " + port.type_text() + ",";
    }
  }
  if (!missing.empty()) {
    missing.pop_back();
    throw usage_error("no value for input" + missing +
                      "; give --input NAME=FILE.npy, NAME=random or NAME=zeros");
  }
  return inputs;
}

}  // namespace ortc::tool
