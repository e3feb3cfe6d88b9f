// SPDX-License-Identifier: MIT
// For libraries of execution providers: the program's functions for context data. Part of
// ort_cxx.h.
#pragma once

#include "ort_c/cxx/session_options.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Made in CreateEp and kept as long as the provider compiles; the functions' states stay the
/// program's. Of version 31 of the interface.
struct EpContextConfig : detail::Base<OrtEpContextConfig> {
  explicit EpContextConfig(std::nullptr_t) {}
  explicit EpContextConfig(ConstSessionOptions options) {
    ThrowOnError(GetEpApi().SessionOptionsGetEpContextConfig(options, &p_));
  }
  explicit EpContextConfig(const SessionOptions& options) : EpContextConfig(options.GetConst()) {}

  /// nullptr and nullptr when the program has set none.
  void GetReadFunc(OrtReadNamedBufferFunc& read, void*& state) const {
    ThrowOnError(GetEpApi().EpContextConfigGetEpContextDataReadFunc(p_, &read, &state));
  }
  void GetWriteFunc(OrtWriteNamedBufferFunc& write, void*& state) const {
    ThrowOnError(GetEpApi().EpContextConfigGetEpContextDataWriteFunc(p_, &write, &state));
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
