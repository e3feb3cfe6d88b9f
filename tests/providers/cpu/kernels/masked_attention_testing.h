// SPDX-License-Identifier: MIT
// What the tests of com.microsoft's Attention and MultiHeadAttention share.
#pragma once

#include "tests/providers/cpu/kernels/attention_testing.h"

namespace ortc::cpu::testing {

inline constexpr double kAttentionRtol = 1e-4, kAttentionAtol = 2e-5;

// A score beside -10000 keeps three decimals: of a query that sees no key, the weights do as well.
inline double tolerance_of(const Rules& rules) {
  return rules.counts && rules.filter == -10000 ? 30 : 1;
}

inline Tensor int32s_by(const Dims& dims, const std::function<int32_t(int64_t)>& f) {
  Tensor tensor = Tensor::create(DType::kInt32, dims).value();
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    tensor.mutable_elements<int32_t>()[static_cast<size_t>(i)] = f(i);
  }
  return tensor;
}
// Of a mask: most keys count.
inline int32_t mask_bit(int64_t i) { return (i * 7 + i / 3) % 4 != 0 ? 1 : 0; }

inline void expect_failure(const NodeCase& node, const std::vector<Tensor>& inputs, Code code,
                           std::string_view text) {
  const auto found = evaluate(node, inputs, 2, host_isa());
  CHECK_CODE(found, code);
  CHECK(std::string(found.status().message()).find(text) != std::string::npos);
}

}  // namespace ortc::cpu::testing
