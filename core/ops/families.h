// SPDX-License-Identifier: MIT
// The row tables of the operator families, one per file of this folder; op_list.cc joins them.
#pragma once

#include <span>

#include "core/base/first_load.h"
#include "core/ops/op_list.h"

// One row per family: the file core/ops/<name>.cc defines <name>_rows().
#define ORTC_OP_FAMILIES(X) \
  X(activation)             \
  X(attention)              \
  X(cast)                   \
  X(control_flow)           \
  X(convolution)            \
  X(elementwise)            \
  X(gather)                 \
  X(generator)              \
  X(join_split)             \
  X(loss)                   \
  X(matmul)                 \
  X(microsoft)              \
  X(microsoft_attention)    \
  X(ml)                     \
  X(ml_models)              \
  X(normalisation)          \
  X(pad_tile)               \
  X(pooling)                \
  X(quantisation)           \
  X(recurrent)              \
  X(reduction)              \
  X(resize)                 \
  X(sequence)               \
  X(shape_ops)              \
  X(signal)                 \
  X(slice)                  \
  X(text)                   \
  X(training)

namespace ortc {

#define ORTC_DECLARE_FAMILY(name) ORTC_FIRST_LOAD std::span<const OpRow> name##_rows();
ORTC_OP_FAMILIES(ORTC_DECLARE_FAMILY)
#undef ORTC_DECLARE_FAMILY

}  // namespace ortc
