// SPDX-License-Identifier: MIT
// Tensors in imported memory: see the header.
#include "core/api/plugin/interop/imported_tensor.h"

#include <algorithm>

#include "core/api/value/tensor_form.h"
#include "core/base/checked_math.h"

namespace ortc::api {
namespace {

Result<TensorForm> form_within(const OrtExternalTensorDescriptor& descriptor, size_t memory_bytes) {
  ASSIGN_OR_RETURN(TensorForm form,
                   form_of(descriptor.shape, descriptor.rank, descriptor.element_type));
  if (form.dtype == DType::kString) {
    return invalid_argument("a tensor of strings cannot lie in imported memory");
  }
  if (range_within(descriptor.offset_bytes, form.bytes, memory_bytes)) return form;
  return invalid_argument("a ", dtype_name(form.dtype), " tensor of shape ",
                          dims_to_string(form.dims), " at byte ", descriptor.offset_bytes,
                          " takes ", form.bytes, " bytes; the imported memory has ", memory_bytes);
}

}  // namespace

Result<std::unique_ptr<OrtValue>> make_imported_tensor(
    const Importer& importer, const std::shared_ptr<const ImportedMemory>& memory,
    size_t memory_bytes, const OrtExternalTensorDescriptor& descriptor) {
  ASSIGN_OR_RETURN(TensorForm form, form_within(descriptor, memory_bytes));
  constexpr char kName[] = "CreateTensorFromMemory";
  OrtValue* given = nullptr;
  RETURN_IF_ERROR(importer.call(kName, importer.own().CreateTensorFromMemory, memory->own,
                                &descriptor, &given));
  const std::string label = importer.factory().label(kName);
  if (given != nullptr && given->lent.is_lent) {
    return make_status(Code::kEpFail, label, " gave a value that was lent to it");
  }
  std::unique_ptr<OrtValue> value(given);
  if (value == nullptr || !value->is_tensor()) {
    return make_status(Code::kEpFail, label, " gave no tensor");
  }
  const Tensor& made = value->tensor;
  if (made.dtype() != form.dtype || made.dims() != form.dims) {
    return make_status(Code::kEpFail, label, " gave ", dtype_name(made.dtype()),
                       dims_to_string(made.dims()), ", expected ", dtype_name(form.dtype),
                       dims_to_string(form.dims));
  }
  // A library without memory of its own shares plain memory of the processor.
  const auto memories = importer.device().memories();
  const bool is_there = is_same_memory(value->memory, cpu_memory()) ||
                        std::ranges::any_of(memories, [&](const OrtMemoryInfo* memory_of_device) {
                          return is_same_memory(*memory_of_device, value->memory);
                        });
  if (!is_there) {
    return make_status(Code::kEpFail, label, " gave a tensor in memory '", value->memory.name,
                       "', which is none of the device's");
  }
  // Keeps the memory, and what the library's own tensor kept.
  using Kept = std::pair<std::shared_ptr<const ImportedMemory>, Tensor>;
  const auto kept = std::make_shared<const Kept>(memory, made);
  ASSIGN_OR_RETURN(value->tensor, view_of(std::move(form), made.data(), kept));
  return value;
}

}  // namespace ortc::api
