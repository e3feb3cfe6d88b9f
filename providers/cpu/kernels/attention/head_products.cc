// SPDX-License-Identifier: MIT
// The two products of a head: see the header.
#include "providers/cpu/kernels/attention/head_products.h"

namespace ortc::cpu {

BatchedProduct score_product(const HeadSizes& sizes) {
  BatchedProduct p;
  p.m = sizes.rows;
  p.k = sizes.size;
  p.n = sizes.keys;
  p.trans_b = true;
  p.batch_count = sizes.heads;
  p.batch_dims.push_back(sizes.heads);
  p.a_strides.push_back(1);
  p.b_strides.push_back(1);
  return p;
}

BatchedProduct value_product(const HeadSizes& sizes) {
  BatchedProduct p = score_product(sizes);
  p.k = sizes.keys;
  p.n = sizes.value_size;
  p.trans_b = false;
  return p;
}

int64_t head_product_scratch(const HeadSizes& sizes, int thread_count) {
  const auto score = product_scratch_up_to(score_product(sizes), thread_count);
  const auto value = product_scratch_up_to(value_product(sizes), thread_count);
  const auto both = score && value ? checked_cast<int64_t>(std::max(*score, *value)) : std::nullopt;
  return both ? *both : -1;
}

}  // namespace ortc::cpu
