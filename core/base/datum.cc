// SPDX-License-Identifier: MIT
// Datum: see the header.
#include "core/base/datum.h"

#include <algorithm>
#include <cstring>

namespace ortc {

Datum Datum::of(Sequence sequence) {
  Datum datum;
  datum.content_ = std::make_shared<const Sequence>(std::move(sequence));
  return datum;
}

Datum Datum::of(Map map) {
  Datum datum;
  datum.content_ = std::make_shared<const Map>(std::move(map));
  return datum;
}

Datum Datum::of(SparseTensor sparse) {
  Datum datum;
  datum.content_ = std::make_shared<const SparseTensor>(std::move(sparse));
  return datum;
}

std::string describe(const Datum& datum) {
  switch (datum.kind()) {
    case DatumKind::kNone:
      return "none";
    case DatumKind::kTensor:
      return str_cat(dtype_name(datum.tensor()->dtype()), dims_to_string(datum.tensor()->dims()));
    case DatumKind::kSequence: {
      const Sequence& sequence = *datum.sequence();
      const std::string of =
          sequence.map_key == DType::kUndefined
              ? std::string(dtype_name(sequence.dtype))
              : str_cat("map(", dtype_name(sequence.map_key), ",", dtype_name(sequence.dtype), ")");
      return str_cat("sequence of ", sequence.items.size(), " ", of);
    }
    case DatumKind::kMap:
      return str_cat("map(", dtype_name(datum.map()->keys.dtype()), ",",
                     dtype_name(datum.map()->values.dtype()), ")");
    case DatumKind::kSparseTensor:
      return str_cat("sparse(", dtype_name(datum.sparse()->dtype),
                     dims_to_string(datum.sparse()->dims), ")");
  }
  return "?";
}

void copy_elements(DType dtype, int64_t count, const void* from, void* to) {
  if (dtype == DType::kString) {
    std::copy_n(static_cast<const std::string*>(from), count, static_cast<std::string*>(to));
    return;
  }
  const auto bytes = dtype_bytes(dtype, static_cast<uint64_t>(count)).value_or(0);
  if (bytes != 0) std::memcpy(to, from, bytes);
}

Result<Tensor> copy_of(const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor copy, Tensor::create_unset(tensor.dtype(), tensor.dims()));
  copy_elements(tensor.dtype(), tensor.element_count(), tensor.data(), copy.mutable_data());
  return copy;
}

}  // namespace ortc
