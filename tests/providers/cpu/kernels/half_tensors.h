// SPDX-License-Identifier: MIT
// Tensors of float16 and bfloat16 out of those of float32 and back, number by number.
#pragma once

#include "core/base/tensor.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu::testing {

// Each number rounded to nearest even; T is Float16 or Bfloat16.
template <typename T>
Tensor narrowed(const Tensor& floats) {
  Tensor halves = Tensor::create(kDTypeOf<T>, floats.dims()).value();
  const auto from = floats.elements<float>();
  for (size_t i = 0; i < from.size(); ++i) halves.mutable_elements<T>()[i] = T(from[i]);
  return halves;
}

template <typename T>
Tensor widened(const Tensor& halves) {
  Tensor floats = Tensor::create(DType::kFloat32, halves.dims()).value();
  const auto from = halves.elements<T>();
  for (size_t i = 0; i < from.size(); ++i) floats.mutable_elements<float>()[i] = from[i];
  return floats;
}

}  // namespace ortc::cpu::testing
