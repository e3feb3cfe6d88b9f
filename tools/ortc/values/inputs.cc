// SPDX-License-Identifier: MIT
// Which input each --input and --shape is for.

#include "tools/ortc/values/inputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/values/elements.h"
#include "tools/ortc/values/given_array.h"
#include "tools/ortc/values/number_text.h"
#include "tools/ortc/values/pictures.h"
#include "tools/ortc/values/seed_names.h"

namespace ortc::tool {
namespace {

// The texts of --input or --shape by name, in the order in which they were written.
class NamedTexts {
 public:
  // False: the name is there already.
  bool add(const std::string& name, std::string text) {
    if (!places_.emplace(name, pairs_.size()).second) return false;
    pairs_.emplace_back(name, std::move(text));
    return true;
  }
  // nullptr: none.
  const std::string* find(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &pairs_[found->second].second;
  }
  const Pairs& pairs() const { return pairs_; }

 private:
  Pairs pairs_;
  std::unordered_map<std::string, size_t> places_;
};

using Places = std::unordered_map<std::string, size_t>;

Places places_of(const std::vector<Port>& ports) {
  Places places;
  for (size_t at = 0; at < ports.size(); at++) places.emplace(ports[at].name, at);
  return places;
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

void add_once(NamedTexts& texts, const char* option, const std::string& name, std::string value) {
  if (texts.add(name, std::move(value))) return;
  throw usage_error(std::string(option) + " gives '" + name + "' twice");
}

// The port of NAME=VALUE by the names that the model has: the longest that fits, since a name may
// contain '='. nullptr: none.
const Port* named_port(const std::string& text, const std::vector<Port>& ports) {
  const Port* best = nullptr;
  for (const Port& port : ports) {
    const size_t length = port.name.size();
    const bool fits = text.compare(0, length, port.name) == 0 && text[length] == '=';
    if (fits && (best == nullptr || length > best->name.size())) best = &port;
  }
  return best;
}

// What was meant by a text without a name: "x:1x8" as other tools write it, or a file.
std::string example_for(const std::string& option, const std::string& text,
                        const std::vector<Port>& ports) {
  for (const Port& port : ports) {
    if (text.rfind(port.name + ":", 0) == 0) {
      return port.name + "=" + text.substr(port.name.size() + 1);
    }
  }
  const bool is_array = text.size() > 4 && text.compare(text.size() - 4, 4, ".npy") == 0;
  const bool is_shape = option == "--shape";
  return ports.front().name + "=" + (is_shape ? "1x8" : is_array ? text : "FILE.npy");
}

void add_by_name(NamedTexts& texts, const char* option, const std::string& text,
                 const std::vector<Port>& ports) {
  if (text.find('=', 1) == std::string::npos) {
    ToolError error = usage_error(std::string(option) + " needs NAME=VALUE, found '" + text + "'");
    if (!ports.empty()) {
      error.set_hint("as in " + std::string(option) + " " + example_for(option, text, ports));
    }
    throw error;
  }
  const Port* port = named_port(text, ports);
  if (port == nullptr) throw unknown_input(option, text, ports);
  add_once(texts, option, port->name, text.substr(port->name.size() + 1));
}

// --input FILE.npz: every member is the input of its name; results that are kept with them are not.
void add_archive(NamedTexts& values, const std::string& file, const NpzFile& archive,
                 const std::vector<Port>& ports, const std::vector<Port>& outputs) {
  const Places known = places_of(ports), results = places_of(outputs);
  for (const std::string& name : archive.names()) {
    if (known.count(name) > 0) {
      add_once(values, "--input", name, file);
    } else if (results.count(name) == 0) {
      throw unknown_input(("--input " + file).c_str(), name, ports);
    }
  }
}

bool is_archive(const std::string& text, const std::vector<Port>& ports) {
  std::error_code error;
  return is_npz_name(text) && named_port(text, ports) == nullptr &&
         (text.find('=') == std::string::npos || std::filesystem::exists(text, error));
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

// Options of pictures without a picture are a slip.
void check_pictures(const Pairs& values, const PictureArguments& picture) {
  const bool has_one = std::any_of(values.begin(), values.end(),
                                   [](const auto& value) { return is_picture(value.second); });
  if (has_one || !picture.is_given()) return;
  throw usage_error(
      "--mean, --scale, --layout and --pixel-format are for pictures, and no --input "
      "is one")
      .set_hint("as in --input x=picture.png, or x=image:FILE");
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (int64_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

Input make_input(Port port, const std::string& text, const NamedTexts& shapes, Archives& archives,
                 const PictureArguments& picture, const std::string& seed_name) {
  if (port.kind != ONNX_TYPE_TENSOR) {
    throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                    "input '" + port.name + "' is a " + port.type_text() +
                        "; the command line gives tensors only");
  }
  const std::string* const shape = shapes.find(port.name);
  if (shape != nullptr) {
    port.shape = parse_shape(*shape, port.name);
    port.dimension_names.clear();
    port.has_shape = true;
  }
  const std::string what = "input '" + port.name + "'";
  const NpyArray array = given_array(port, text, archives, picture, seed_name, what);
  if (shape != nullptr && array.shape != port.shape) {
    throw usage_error("--shape " + port.name + "=" + *shape + ": " + text + " has the shape " +
                      shape_text(array.shape));
  }
  return {port.name, text, value_from_array(array, port.type, what + " from " + text)};
}

// What each port gets; those that are not there have values of their own, or are missing.
class ChosenValues {
 public:
  ChosenValues(const OrtSession* session, const InputArguments& arguments)
      : needed_(session_inputs(session)), ports_(needed_) {
    for (Port& port : session_overridable(session)) ports_.push_back(std::move(port));
    places_ = places_of(ports_);
    for (const std::string& text : arguments.inputs) {
      if (is_archive(text, ports_)) {
        add_archive(values_, text, archives_.open(text), ports_, session_outputs(session));
      } else {
        add_by_name(values_, "--input", text, ports_);
      }
    }
    for (const std::string& text : arguments.shapes) add_by_name(shapes_, "--shape", text, ports_);
    check_pictures(values_.pairs(), arguments.picture);
  }

  void make_up_missing() {
    for (const Port& port : needed_) {
      if (is_missing(port)) values_.add(port.name, "random");
    }
  }

  void refuse_missing() const {
    std::string missing;
    for (const Port& port : needed_) {
      if (is_missing(port)) missing += " '" + port.name + "' " + port.type_text() + ",";
    }
    if (missing.empty()) return;
    missing.pop_back();
    throw usage_error(
        "no value for input" + missing +
        "; give --input NAME=FILE.npy, NAME=random, NAME=zeros or the value itself, or all of "
        "them in --input FILE.npz");
  }

  // In the order of the ports.
  std::vector<Input> make(const PictureArguments& picture, const std::vector<std::string>& alike) {
    const std::vector<std::string> seeds = seed_names(ports_, alike);
    std::map<size_t, Input> made;
    for (const auto& [name, text] : values_.pairs()) {
      const size_t at = places_.at(name);
      made.emplace(at, make_input(ports_[at], text, shapes_, archives_, picture, seeds[at]));
    }
    std::vector<Input> inputs;
    for (auto& [at, input] : made) inputs.push_back(std::move(input));
    return inputs;
  }

 private:
  bool is_missing(const Port& port) const {
    return port.kind != ONNX_TYPE_OPTIONAL && values_.find(port.name) == nullptr;
  }

  std::vector<Port> needed_, ports_;  // ports_: needed_, then those that have a value
  Places places_;                     // in ports_
  NamedTexts values_, shapes_;
  Archives archives_;
};

}  // namespace

std::vector<Input> make_inputs(const OrtSession* session, const InputArguments& arguments,
                               WhenMissing when_missing, const std::vector<std::string>& alike) {
  ChosenValues values(session, arguments);
  if (when_missing == WhenMissing::kRandom) {
    values.make_up_missing();
  } else {
    values.refuse_missing();
  }
  return values.make(arguments.picture, alike);
}

}  // namespace ortc::tool
