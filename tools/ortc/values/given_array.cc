// SPDX-License-Identifier: MIT
// Values are made up only where the model or --shape says the whole shape.

#include "tools/ortc/values/given_array.h"

#include <algorithm>
#include <limits>

#include "tools/ortc/values/element_forms.h"
#include "tools/ortc/values/literals.h"
#include "tools/ortc/values/made_up.h"
#include "tools/ortc/values/pictures.h"

namespace ortc::tool {
namespace {

constexpr std::string_view kRaw = "raw:";

bool is_whole(const Port& port) {
  return port.has_shape &&
         std::none_of(port.shape.begin(), port.shape.end(), [](int64_t size) { return size < 0; });
}

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

ToolError open_shape_error(const Port& port) {
  return usage_error("the model leaves the shape of input '" + port.name + "' " + port.type_text() +
                     " open; give --shape " + port.name + "=1x..." + dimension_hint(port));
}

// A shape that is known but for one dimension takes as many elements as there are bytes for.
NpyArray raw_array(const Port& port, const std::string& path, const std::string& what) {
  const ElementForm& form = form_of(port.type);
  if (form.family == Family::kString || form.bits < 8) {
    throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                    what + ": " + std::string(element_name(port.type)) + " from raw bytes")
        .set_hint("give it as a .npy file");
  }
  if (!port.has_shape) throw open_shape_error(port);
  NpyArray array{form.descr, port.shape, {}};
  FileSource file(path);
  const size_t size = form.file_bytes();
  const auto refuse_header = [&] {
    if (!is_npy_magic(array.data.data(), array.data.size())) return;
    throw usage_error(what + ": " + path + " is a .npy file; give it without '" +
                      std::string(kRaw) + "'");
  };
  if (is_whole(port)) {
    const uint64_t expected = checked_bytes(port.type, port.shape, what);
    const bool is_all = file.read_all(array.data, expected);
    refuse_header();
    std::byte further;
    if (!is_all || file.read(&further, 1) != 0) {
      throw usage_error(what + " " + port.type_text() + ": expected " + std::to_string(expected) +
                        " bytes in " + path + ", found " +
                        (is_all ? "more" : std::to_string(array.data.size())));
    }
    return array;
  }
  file.read_all(array.data, std::numeric_limits<size_t>::max() / 4);
  refuse_header();
  if (array.data.empty()) throw usage_error(what + ": " + path + " has no bytes");
  if (array.data.size() % size != 0) {
    throw usage_error(what + " " + port.type_text() + ": " + path + " has " +
                      std::to_string(array.data.size()) + " bytes, not a multiple of " +
                      std::to_string(size));
  }
  array.shape = filled_shape(port.shape, static_cast<int64_t>(array.data.size() / size), what);
  return array;
}

// The member of the input's name, or the only one.
NpyArray archived_array(const Port& port, NpzFile& file, const std::string& path) {
  if (file.has(port.name)) return file.read(port.name);
  const std::vector<std::string> names = file.names();
  if (names.size() == 1) return file.read(names.front());
  std::string list;
  for (const std::string& name : names) list += " '" + name + "'";
  throw usage_error(path + " has no array '" + port.name + "', it has" +
                    (list.empty() ? " none" : list));
}

// False: the text asks for something else.
bool make_up(const Port& port, const std::string& text, const std::string& seed_name,
             const std::string& what, NpyArray& array) {
  RandomForm random;
  const bool is_random = parse_random(text, what, random);
  if (text != "zeros" && !is_random) return false;
  if (!is_whole(port)) throw open_shape_error(port);
  checked_bytes(port.type, port.shape, "--shape " + port.name);
  random.seed = seed_for(seed_name, random.seed);
  array = is_random ? random_array(port.type, port.shape, random, what)
                    : zero_array(port.type, port.shape);
  return true;
}

}  // namespace

bool is_npz_name(const std::string& text) {
  return text.size() > 4 && text.compare(text.size() - 4, 4, ".npz") == 0;
}

NpyArray given_array(const Port& port, const std::string& text, Archives& archives,
                     const PictureArguments& picture, const std::string& seed_name,
                     const std::string& what) {
  NpyArray array;
  if (make_up(port, text, seed_name, what, array)) return array;
  if (text.rfind(kRaw, 0) == 0) return raw_array(port, text.substr(kRaw.size()), what);
  Json literal;
  if (parse_literal(text, literal)) {
    return literal_array(literal, port.type, port.has_shape ? &port.shape : nullptr, what);
  }
  double number = 0;
  if (parse_beyond_json(text, what, number)) {
    return filled_array(number, port.type, port.has_shape ? &port.shape : nullptr, what);
  }
  if (is_npz_name(text)) return archived_array(port, archives.open(text), text);
  if (is_picture(text)) return picture_array(port, text, picture, what);
  FileSource file(text);
  return read_npy(file);
}

}  // namespace ortc::tool
