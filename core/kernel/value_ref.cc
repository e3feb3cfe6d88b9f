// SPDX-License-Identifier: MIT
// References to values: see the header.
#include "core/kernel/value_ref.h"

namespace ortc {

ValueRef ref_to(const Tensor& tensor) {
  return {tensor.dtype(), static_cast<uint32_t>(tensor.dims().size()), tensor.dims().data(),
          const_cast<void*>(tensor.data())};
}

ValueRef ref_to(const Datum& datum) {
  if (const Tensor* tensor = datum.tensor()) return ref_to(*tensor);
  ValueRef ref;
  ref.datum = &datum;
  return ref;
}

Result<Datum> datum_of(const ValueRef& ref) {
  if (ref.datum != nullptr) return *ref.datum;
  if (!ref.is_present()) return Datum();
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::create_unset(ref.dtype, Dims(ref.dims().begin(), ref.dims().end())));
  copy_elements(ref.dtype, copy.element_count(), ref.data, copy.mutable_data());
  return Datum(std::move(copy));
}

}  // namespace ortc
