// SPDX-License-Identifier: MIT
// Zeros and random numbers.

#include "tools/ortc/values/made_up.h"

#include <unistd.h>

#include <cmath>
#include <limits>

#include "tools/ortc/output/table.h"
#include "tools/ortc/values/element_forms.h"
#include "tools/ortc/values/number_text.h"

namespace ortc::tool {
namespace {

// SplitMix64: small, and the same everywhere.
uint64_t next_random(uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

// As many random bits as the type's fraction holds, so that numbers in [-1, 1) are exact.
int random_bits(const ElementForm& form) {
  if (form.family == Family::kHalf) return 11;
  if (form.family == Family::kBfloat) return 8;
  return form.bits == 32 ? 24 : 53;
}

uint64_t memory_of_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page);
}

void fill_floats(NpyArray& array, const ElementForm& form, const RandomForm& random, uint64_t state,
                 const std::string& what) {
  double low = -1, high = 1;
  if (!random.low.empty()) {
    low = parse_real(random.low, what);
    high = parse_real(random.high, what);
  }
  if (!(low <= high)) throw usage_error(what + ": the range is empty");
  const int bits = random_bits(form);
  const size_t size = form.file_bytes();
  for (size_t i = 0; i < array.data.size(); i += size) {
    const double unit = std::ldexp(static_cast<double>(next_random(state) >> (64 - bits)), -bits);
    store_float(array.data.data() + i, form, low + unit * (high - low));
  }
}

void fill_integers(NpyArray& array, const ElementForm& form, const RandomForm& random,
                   uint64_t state, const std::string& what) {
  uint64_t low = 0, high = 1;
  if (!random.low.empty()) {
    low = parse_element(random.low, form, what);
    high = parse_element(random.high, form, what);
    const bool is_empty = form.family == Family::kSigned
                              ? static_cast<int64_t>(low) > static_cast<int64_t>(high)
                              : low > high;
    if (is_empty) throw usage_error(what + ": the range is empty");
  }
  const uint64_t count = high - low + 1;  // 0: all of 64 bits
  const size_t size = form.file_bytes();
  for (size_t i = 0; i < array.data.size(); i += size) {
    const uint64_t number = next_random(state);
    store_integer(array.data.data() + i, form, low + (count == 0 ? number : number % count));
  }
}

}  // namespace

uint64_t checked_bytes(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                       const std::string& what) {
  const ElementForm& form = form_of(type);
  const uint64_t limit = memory_of_machine();
  uint64_t bytes = form.family == Family::kString ? sizeof(uint32_t) : form.file_bytes();
  for (int64_t size : shape) {
    if (size == 0) return 0;
  }
  for (int64_t size : shape) {
    if (bytes > limit / static_cast<uint64_t>(size)) {
      throw usage_error(what +
                        ": a tensor of that shape is larger than the memory of this machine, " +
                        size_text(limit));
    }
    bytes *= static_cast<uint64_t>(size);
  }
  return bytes;
}

NpyArray zero_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  const ElementForm& form = form_of(type);
  NpyArray array{form.descr, shape, {}};
  const bool is_string = form.family == Family::kString;
  if (is_string) array.descr = "<U1";
  array.data.resize(array.element_count() * (is_string ? 4 : form.file_bytes()));
  return array;
}

bool parse_random(const std::string& text, const std::string& what, RandomForm& form) {
  if (text != "random" && text.rfind("random:", 0) != 0) return false;
  for (size_t at = 7; at < text.size() + 1;) {
    const size_t end = std::min(text.find(':', at), text.size());
    const std::string part = text.substr(at, end - at);
    const size_t dots = part.find("..");
    if (dots != std::string::npos) {
      form.low = part.substr(0, dots);
      form.high = part.substr(dots + 2);
      if (form.low.empty() || form.high.empty()) {
        throw usage_error(what + ": a range is LOW..HIGH, found '" + part + "'");
      }
    } else {
      form.seed = parse_count(part, uint64_t{1} << 60, what + ": a seed is a whole number, found");
    }
    at = end + 1;
  }
  return true;
}

NpyArray random_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                      const RandomForm& random, const std::string& what) {
  const ElementForm& form = form_of(type);
  if (!form.is_number()) {
    throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                    what + ": random " + std::string(element_name(type)) + "; give a .npy file");
  }
  NpyArray array = zero_array(type, shape);
  if (form.is_float()) {
    fill_floats(array, form, random, random.seed, what);
  } else {
    fill_integers(array, form, random, random.seed, what);
  }
  return array;
}

}  // namespace ortc::tool
