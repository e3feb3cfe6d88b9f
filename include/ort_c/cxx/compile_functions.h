// SPDX-License-Identifier: MIT
// Functions of the program that a compile calls, behind C functions that let no exception through.
#pragma once

#include <exception>
#include <functional>
#include <utility>

#include "ort_c/cxx/external_initializer.h"
#include "ort_c/cxx/progress.h"
#include "ort_c/cxx/value.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

/// What compile options keep for their C object, which has its address.
struct CompileFunctions {
  std::function<void(Span<const char>)> write_model;
  std::function<void(const char*, Span<const char>)> write_context;
  std::function<ExternalInitializerInfo(const char*, ConstValue, ConstExternalInitializerInfo)>
      locate;
  std::exception_ptr thrown;  // by one of them, in the last compile

  static OrtStatus* call_write_model(void* state, const void* buffer, size_t size) {
    auto& self = *static_cast<CompileFunctions*>(state);
    return self.guard([&] { self.write_model({static_cast<const char*>(buffer), size}); });
  }

  static OrtStatus* call_write_context(void* state, const char* file_name, const void* buffer,
                                       size_t size) {
    auto& self = *static_cast<CompileFunctions*>(state);
    return self.guard([&] {
      self.write_context(file_name, {static_cast<const char*>(buffer), size});
    });
  }

  static OrtStatus* call_locate(void* state, const char* name, const OrtValue* value,
                                const OrtExternalInitializerInfo* where,
                                OrtExternalInitializerInfo** out) {
    auto& self = *static_cast<CompileFunctions*>(state);
    return self.guard([&] {
      *out = self.locate(name, ConstValue(value), ConstExternalInitializerInfo(where)).release();
    });
  }

  /// Lets out what a function threw in the compile that has just ended.
  void rethrow() {
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  }

 private:
  template <typename Call>
  OrtStatus* guard(Call call) {
    return guarded(
        [&call]() -> OrtStatus* {
          call();
          return nullptr;
        },
        &thrown);
  }
};

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
