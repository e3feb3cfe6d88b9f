// SPDX-License-Identifier: MIT
// What a kernel is: three functions and a row in a table.
//
//   prepare   once, when a node is lowered: reads attributes, constants and types; writes a params
//             record that goes into the Plan image as it is, and packs constant inputs into the
//             kernel's own layout.
//   bind      once per set of input shapes, from source and from a context alike: trusts neither
//             record nor shapes; gives output types and shapes, and how much scratch a run needs.
//   run       computes. Allocates nothing (unless it is data-dependent), keeps nothing: kernels
//             are stateless and const, any number of threads run one at the same time.
//
// The params record is a standard-layout struct of fixed-width fields. `id` and `contract` name the
// meaning of record and packed layouts permanently: a context stores them, and the contract rises
// only when that meaning changes. Which instruction set computes is chosen at run time
// (RunContext::isa), never recorded.
#pragma once

#include "core/kernel/kernel_contexts.h"

namespace ortc {

// In KernelRow::types besides element types: also a value that is not a tensor (or an optional,
// which may turn out to be a tensor). Such rows are kDataDependent: bind sees no contents.
inline constexpr TypeMask kNotTensor = TypeMask{1} << 31;

enum KernelFlags : uint32_t {
  kNoFlags = 0,
  // Output shapes are known only after the run (NonZero): bind gives no shapes, run calls
  // allocate_output.
  kDataDependent = 1,
  // Output 0 is the bytes of input 0 under another shape (Reshape): the executor shares them and
  // may skip the run.
  kViewOfInput = 2,
  // Output 0 may be the same memory as any input of the same byte size (elementwise: each element
  // is read before it is written).
  kInPlace = 4,
  // Cheap and small on integers: executed already at binding when its inputs are known then (shape
  // arithmetic).
  kShapeArithmetic = 8,
  // Looks at the shapes of its inputs only, never at their contents (Shape, Size).
  kReadsShapesOnly = 16,
};

inline constexpr int kLatestOpset = 1 << 20;

struct KernelRow {
  std::string_view op;
  std::string_view domain;  // "" ONNX, "com.microsoft", or kInternalDomain
  int first_opset, last_opset;
  TypeMask types;       // of `typed_input`
  std::string_view id;  // "softmax.f32"
  uint16_t contract;
  uint32_t flags;
  uint32_t value_inputs;  // bit i: bind reads the contents of input i
  Status (*prepare)(PrepareContext&);
  Status (*bind)(BindContext&);
  Status (*run)(RunContext&);
  uint8_t typed_input = 0;
};

using KernelTable = std::span<const KernelRow>;

}  // namespace ortc
