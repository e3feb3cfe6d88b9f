// SPDX-License-Identifier: MIT
// Random choices, and tensors as numbers: see the header.
#include "tests/differential/fuzzer/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/float16.h"

namespace ortc::fuzz {
namespace {

template <typename T>
void read(const Tensor& tensor, std::vector<double>& numbers) {
  for (const T value : tensor.elements<T>()) numbers.push_back(static_cast<double>(value));
}

template <typename T>
void write(Tensor& tensor, const std::vector<double>& numbers) {
  auto elements = tensor.mutable_elements<T>();
  for (size_t i = 0; i < elements.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      elements[i] = static_cast<T>(numbers[i]);
    } else {
      const double low = static_cast<double>(std::numeric_limits<T>::min());
      const double high = static_cast<double>(std::numeric_limits<T>::max());
      const double near = std::nearbyint(numbers[i]);
      elements[i] = near >= high  ? std::numeric_limits<T>::max()
                    : near <= low ? std::numeric_limits<T>::min()
                                  : static_cast<T>(near);
    }
  }
}

// One case for each type whose elements are C++'s.
template <typename Do>
void with_type(DType dtype, Do&& run) {
  switch (dtype) {
    case DType::kFloat32:
      return run(float());
    case DType::kFloat64:
      return run(double());
    case DType::kUint8:
      return run(uint8_t());
    case DType::kInt8:
      return run(int8_t());
    case DType::kUint16:
      return run(uint16_t());
    case DType::kInt16:
      return run(int16_t());
    case DType::kUint32:
      return run(uint32_t());
    case DType::kInt32:
      return run(int32_t());
    case DType::kUint64:
      return run(uint64_t());
    case DType::kInt64:
      return run(int64_t());
    default:
      return;
  }
}

}  // namespace

uint64_t Chance::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t Chance::between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
}

double Chance::real(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

bool is_float(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 ||
         dtype == DType::kBfloat16;
}

bool is_integer(DType dtype) { return (mask_of(dtype) & kIntegerTypes) != 0; }

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 0x1p-23;
    case DType::kFloat64:
      return 0x1p-44;  // some operators compute in another order, some by table
    case DType::kFloat16:
      return 0x1p-10;
    case DType::kBfloat16:
      return 0x1p-7;
    default:
      return 0;
  }
}

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(tensor.element_count()));
  if (tensor.dtype() == DType::kFloat16) {
    for (const uint16_t bits : tensor.elements<uint16_t>()) numbers.push_back(half_to_float(bits));
  } else if (tensor.dtype() == DType::kBfloat16) {
    for (const uint16_t bits : tensor.elements<uint16_t>())
      numbers.push_back(bfloat16_to_float(bits));
  } else if (tensor.dtype() == DType::kBool) {
    read<uint8_t>(tensor, numbers);
  } else {
    with_type(tensor.dtype(), [&]<typename T>(T) { read<T>(tensor, numbers); });
  }
  return numbers;
}

Tensor tensor_of(DType dtype, const Dims& dims, const std::vector<double>& numbers) {
  Tensor tensor = Tensor::create(dtype, dims).value();
  if (dtype == DType::kFloat16 || dtype == DType::kBfloat16) {
    auto bits = tensor.mutable_elements<uint16_t>();
    for (size_t i = 0; i < bits.size(); ++i) {
      const float value = static_cast<float>(numbers[i]);
      bits[i] = dtype == DType::kFloat16 ? float_to_half(value) : float_to_bfloat16(value);
    }
  } else if (dtype == DType::kBool) {
    auto flags = tensor.mutable_elements<uint8_t>();
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = numbers[i] > 0 ? 1 : 0;
  } else {
    with_type(dtype, [&]<typename T>(T) { write<T>(tensor, numbers); });
  }
  return tensor;
}

Tensor filled(Chance& chance, DType dtype, const Dims& dims, const Fill& fill) {
  const auto count = static_cast<size_t>(count_of(dims));
  if (dtype == DType::kString) {
    static const std::vector<std::string> kTexts = {"", "a", "B", "ab c", "Zürich", "a,b", "1.5"};
    std::vector<std::string> texts(count);
    for (std::string& text : texts) text = chance.of(kTexts);
    return Tensor::strings(dims, texts);
  }
  std::vector<double> numbers(count);
  for (double& number : numbers) {
    number = chance.real(fill.low, fill.high);
    const bool is_whole = fill.kind == Fill::kWhole || !is_float(dtype);
    if (is_whole) {
      number = static_cast<double>(
          chance.between(static_cast<int64_t>(fill.low), static_cast<int64_t>(fill.high)));
    } else if (fill.kind == Fill::kExact) {
      number = std::nearbyint(number * 4) / 4;
    }
  }
  return tensor_of(dtype, dims, numbers);
}

double largest(const std::vector<double>& numbers) {
  double most = 0;
  for (const double number : numbers) most = std::max(most, std::abs(number));
  return most;
}

int64_t count_of(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

}  // namespace ortc::fuzz
