// SPDX-License-Identifier: MIT
// Numbers as texts: see the header. No locale has a say here.
#include "providers/cpu/text/string_numbers.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace ortc::cpu {
namespace {

// --- To text.

// The shortest digits that read back, plainly where ONNX Runtime writes them so: %.8g of a float,
// %.17g of a double.
template <typename T>
std::string float_text(T number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-INF" : "INF";
  const auto spell = [number](std::chars_format format) {
    char buffer[64];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number, format).ptr);
  };
  std::string scientific = spell(std::chars_format::scientific);
  size_t at = scientific.find('e') + 1;
  if (scientific[at] == '+') ++at;
  int exponent = 0;
  std::from_chars(scientific.data() + at, scientific.data() + scientific.size(), exponent);
  constexpr int kPlainMost = std::is_same_v<T, float> ? 8 : 17;
  const bool is_plain = exponent >= -4 && exponent < kPlainMost;
  return is_plain ? spell(std::chars_format::fixed) : scientific;
}

template <typename T>
std::string text_of(T value) {
  if constexpr (std::is_same_v<T, Bool8>) {
    return value ? "1" : "0";
  } else if constexpr (std::is_floating_point_v<Compute<T>>) {
    return float_text(static_cast<Compute<T>>(value));
  } else {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
  }
}

// --- From text.

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

Status no_number(std::string_view text, DType dtype) {
  return invalid_argument("'", text, "' cannot be read as ", dtype_name(dtype));
}

// The whole text as a number. A + is allowed in front, but not before another sign.
template <typename T>
std::errc parse(std::string_view text, T* value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::errc::invalid_argument;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return end == text.data() + text.size() ? error : std::errc::invalid_argument;
}

// What lies beyond a float's range: its exponent tells whether it is huge or next to nothing.
template <typename T>
T out_of_range(std::string_view text) {
  const T sign = text.starts_with('-') ? T(-1) : T(1);
  double wide = 0;
  if constexpr (!std::is_same_v<T, double>) {
    if (parse(text, &wide) == std::errc{}) return static_cast<T>(wide);
  }
  const size_t exponent = text.find_first_of("eE");
  const bool is_small = exponent != std::string_view::npos
                            ? text.substr(exponent + 1).starts_with('-')
                            : text.find_first_of("123456789") > text.find('.');
  return is_small ? sign * T(0) : sign * std::numeric_limits<T>::infinity();
}

template <typename T>
Status parse_float(std::string_view text, DType dtype, T* value) {
  const std::errc error = parse(text, value);
  if (error == std::errc::invalid_argument) return no_number(text, dtype);
  if (error == std::errc::result_out_of_range) *value = out_of_range<T>(text);
  return Status::ok();
}

// A fraction is cut off. Digits without an exponent are read as they stand: a double would not hold
// all of them.
template <typename T>
bool parse_integer(std::string_view text, T* value) {
  if (parse(text, value) == std::errc{}) return true;
  double number = 0;
  if (parse(text, &number) != std::errc{}) return false;
  const bool is_plain = text.find_first_of("eE") == std::string_view::npos;
  if (is_plain && parse(text.substr(0, text.find('.')), value) == std::errc{}) return true;
  number = std::trunc(number);
  constexpr auto kLowest = static_cast<double>(std::numeric_limits<T>::min());
  if (!(number >= kLowest && number < std::ldexp(1.0, std::numeric_limits<T>::digits)))
    return false;
  *value = static_cast<T>(number);
  return true;
}

template <typename T>
Status number_of(std::string_view text, T* value) {
  constexpr DType kType = kDTypeOf<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return parse_float(text, kType, value);
  } else if constexpr (kIsReduced<T>) {
    float number = 0;
    RETURN_IF_ERROR(parse_float(text, kType, &number));
    *value = T(number);
    return Status::ok();
  } else if constexpr (std::is_same_v<T, Bool8>) {
    double number = 0;
    RETURN_IF_ERROR(parse_float(text, kType, &number));
    *value = Bool8(number != 0);
    return Status::ok();
  } else {
    return parse_integer(text, value) ? Status::ok() : no_number(text, kType);
  }
}

}  // namespace

void numbers_to_texts(DType from, const void* numbers, std::string* texts, int64_t count) {
  with_type(TextNumberTypes{}, from, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < count; ++i) {
      texts[i] = text_of(static_cast<const T*>(numbers)[i]);
    }
  });
}

Status texts_to_numbers(const std::string* texts, DType to, void* numbers, int64_t count) {
  Status status;
  with_type(TextNumberTypes{}, to, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < count && status.is_ok(); ++i) {
      status = number_of(trimmed(texts[i]), static_cast<T*>(numbers) + i);
    }
  });
  return status;
}

}  // namespace ortc::cpu
