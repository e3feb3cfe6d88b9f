// SPDX-License-Identifier: MIT
// What several families draw with: domains, 8-bit numbers with their scales and zero points.
#pragma once

#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {

inline constexpr const char* kMs = "com.microsoft";
inline constexpr const char* kMl = "ai.onnx.ml";
inline constexpr DType kT = DType::kFloat32;
inline const Fill kWeights{Fill::kReal, -0.7, 0.7};
inline const Fill kAround1{Fill::kReal, 0.5, 1.5};
inline const Fill kAnyByte{Fill::kWhole, 0, 255};

inline DType byte_type(Drawing& d) { return d.chance().one_in(2) ? DType::kUint8 : DType::kInt8; }

inline Fill byte_steps(DType t) {
  return t == DType::kUint8 ? kAnyByte : Fill{Fill::kWhole, -128, 127};
}

inline std::string byte_scale(Drawing& d, double high = 0.1, const Dims& dims = {}) {
  return d.constant(kT, dims, {Fill::kReal, 0.01, high});
}

inline std::string byte_point(Drawing& d, DType t, const Dims& dims = {}) {
  const bool is_unsigned = t == DType::kUint8;
  return d.constant(t, dims,
                    {Fill::kWhole, is_unsigned ? 100.0 : -20.0, is_unsigned ? 150.0 : 20.0});
}

inline std::string maybe(Drawing& d, const std::string& name) {
  return d.chance().one_in(2) ? name : "";
}

inline int64_t pick(Drawing& d, const std::vector<int64_t>& choices) {
  return d.chance().of(choices);
}

inline std::string pick(Drawing& d, const std::vector<std::string>& choices) {
  return d.chance().of(choices);
}

inline std::string whole_constant(Drawing& d, int64_t value) {
  return d.scalar(DType::kInt64, static_cast<double>(value));
}

inline Fill whole_up_to(int64_t last) { return {Fill::kWhole, 0, static_cast<double>(last)}; }

}  // namespace ortc::fuzz
