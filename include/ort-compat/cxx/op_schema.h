// SPDX-License-Identifier: MIT
// What an operator's schema says, for providers that choose by it.
#pragma once

#include <string>
#include <vector>

#include "../onnxruntime_ep_c_api.h"
#include "ort_c/ort_cxx.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template <typename T>
struct OpSchemaTypeConstraintImpl : Base<T> {
  using Base<T>::Base;

  std::string GetTypeParamName() const {
    const char* name = nullptr;
    ThrowOnError(GetEpApi().OpSchemaTypeConstraint_GetTypeParamName(this->p_, &name));
    return text_or_empty(name);
  }
  /// As "tensor(float)".
  std::vector<std::string> GetAllowedTypes() const {
    const char* const* types = nullptr;
    size_t count = 0;
    ThrowOnError(GetEpApi().OpSchemaTypeConstraint_GetAllowedTypes(this->p_, &types, &count));
    return std::vector<std::string>(types, types + count);
  }
  std::vector<size_t> GetInputIndices() const {
    return indices(GetEpApi().OpSchemaTypeConstraint_GetInputIndices);
  }
  std::vector<size_t> GetOutputIndices() const {
    return indices(GetEpApi().OpSchemaTypeConstraint_GetOutputIndices);
  }

 private:
  template <typename Call>
  std::vector<size_t> indices(Call call) const {
    const size_t* numbers = nullptr;
    size_t count = 0;
    ThrowOnError(call(this->p_, &numbers, &count));
    return std::vector<size_t>(numbers, numbers + count);
  }
};

}  // namespace detail

/// The types that go together in an operator; lives as long as the schema.
using ConstOpSchemaTypeConstraint =
    detail::OpSchemaTypeConstraintImpl<detail::Unowned<const OrtOpSchemaTypeConstraint>>;

namespace detail {

template <typename T>
struct OpSchemaImpl : Base<T> {
  using Base<T>::Base;

  int GetSinceVersion() const {
    int version = 0;
    ThrowOnError(GetEpApi().OpSchema_GetSinceVersion(this->p_, &version));
    return version;
  }
  size_t GetNumInputs() const { return count(GetEpApi().OpSchema_GetNumInputs); }
  size_t GetNumOutputs() const { return count(GetEpApi().OpSchema_GetNumOutputs); }
  size_t GetTypeConstraintCount() const {
    return count(GetEpApi().OpSchema_GetTypeConstraintCount);
  }
  std::string GetInputName(size_t index) const {
    return name(GetEpApi().OpSchema_GetInputName, index);
  }
  std::string GetOutputName(size_t index) const {
    return name(GetEpApi().OpSchema_GetOutputName, index);
  }
  /// Holds nullptr where the type is a fixed one.
  ConstOpSchemaTypeConstraint GetInputTypeConstraint(size_t index) const {
    return constraint(GetEpApi().OpSchema_GetInputTypeConstraint, index);
  }
  ConstOpSchemaTypeConstraint GetOutputTypeConstraint(size_t index) const {
    return constraint(GetEpApi().OpSchema_GetOutputTypeConstraint, index);
  }
  ConstOpSchemaTypeConstraint GetTypeConstraint(size_t index) const {
    return constraint(GetEpApi().OpSchema_GetTypeConstraint, index);
  }

 private:
  template <typename Call>
  size_t count(Call call) const {
    size_t number = 0;
    ThrowOnError(call(this->p_, &number));
    return number;
  }
  template <typename Call>
  std::string name(Call call, size_t index) const {
    const char* text = nullptr;
    ThrowOnError(call(this->p_, index, &text));
    return text_or_empty(text);
  }
  template <typename Call>
  ConstOpSchemaTypeConstraint constraint(Call call, size_t index) const {
    const OrtOpSchemaTypeConstraint* found = nullptr;
    ThrowOnError(call(this->p_, index, &found));
    return ConstOpSchemaTypeConstraint(found);
  }
};

}  // namespace detail

/// The schema of an operator in a version.
using OpSchema = detail::OpSchemaImpl<OrtOpSchema>;

/// The schema of the newest version of an operator up to `max_inclusive_version`; holds nullptr
/// when there is none.
inline OpSchema GetOpSchema(const char* name, int max_inclusive_version, const char* domain) {
  OrtOpSchema* schema = nullptr;
  ThrowOnError(GetEpApi().GetOpSchema(name, max_inclusive_version, domain, &schema));
  return OpSchema(schema);
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
