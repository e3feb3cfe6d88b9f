// SPDX-License-Identifier: MIT
// Where in a file an initializer is.
#pragma once

#include <string>

#include "ort_c/cxx/text.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

namespace detail {

template <typename T>
struct ConstExternalInitializerInfoImpl : Base<T> {
  using Base<T>::Base;

  std::string GetFilePath() const {
    return text_or_empty(ORT_CXX_CALL(ExternalInitializerInfo_GetFilePath)(this->p_));
  }
  /// In bytes.
  int64_t GetFileOffset() const {
    return ORT_CXX_CALL(ExternalInitializerInfo_GetFileOffset)(this->p_);
  }
  size_t GetByteSize() const { return ORT_CXX_CALL(ExternalInitializerInfo_GetByteSize)(this->p_); }
};

}  // namespace detail

/// Where in a file an initializer is, owned by something else.
using ConstExternalInitializerInfo =
    detail::ConstExternalInitializerInfoImpl<detail::Unowned<const OrtExternalInitializerInfo>>;

/// Where in a file an initializer is.
struct ExternalInitializerInfo
    : detail::ConstExternalInitializerInfoImpl<OrtExternalInitializerInfo> {
  explicit ExternalInitializerInfo(std::nullptr_t) {}
  explicit ExternalInitializerInfo(OrtExternalInitializerInfo* p)
      : ConstExternalInitializerInfoImpl(p) {}
  ExternalInitializerInfo(const detail::Path& path, int64_t file_offset, size_t byte_size) {
    ThrowOnError(Create(path, file_offset, byte_size, *this));
  }
  /// Gives a status where the constructor throws.
  static Status Create(const detail::Path& path, int64_t file_offset, size_t byte_size,
                       ExternalInitializerInfo& out) {
    OrtExternalInitializerInfo* info = nullptr;
    Status status(
        ORT_CXX_CALL(CreateExternalInitializerInfo)(path.c_str(), file_offset, byte_size, &info));
    out.reset(info);
    return status;
  }

  ConstExternalInitializerInfo GetConst() const { return ConstExternalInitializerInfo(p_); }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
