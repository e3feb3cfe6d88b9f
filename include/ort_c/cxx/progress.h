// SPDX-License-Identifier: MIT
// Functions of the program behind C callbacks, which let no exception through; and those that are
// told how far a compile or a load has come.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "ort_c/cxx/status.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

/// Makes a status of what `call` throws, and keeps the exception where `thrown` is not nullptr.
template <typename Call>
OrtStatus* guarded(Call call, [[maybe_unused]] std::exception_ptr* thrown) {
#if defined(ORT_NO_EXCEPTIONS)
  return call();
#else
  try {
    return call();
  } catch (...) {
    if (thrown != nullptr) *thrown = std::current_exception();
    try {
      throw;
    } catch (const Exception& failure) {
      return Status(failure).release();
    } catch (const std::exception& failure) {
      return Status(failure).release();
    } catch (...) {
      return Status("a function of the program threw no std::exception", ORT_FAIL).release();
    }
  }
#endif
}

}  // namespace detail

#if !defined(ORT_CXX_TABLE)

/// How far a compile or a load has come: ortc's own. The texts live for the call.
struct Progress {
  std::string_view stage;   // "load", "optimise", "partition", "compile", "write", ..., "done"
  std::string_view detail;  // as a file's name; may be empty
  double fraction;          // of the whole work, from 0 to 1
};

/// A result of false stops the work, which fails with MODEL_LOAD_CANCELED.
using ProgressFunction = std::function<bool(const Progress&)>;

namespace detail {

/// What a C object keeps as the state of its progress callback.
struct ProgressListener {
  ProgressFunction hear;
  std::exception_ptr thrown;  // only where one call comes at a time

  static OrtStatus* call(void* state, const char* stage, const char* detail, double fraction) {
    auto& self = *static_cast<ProgressListener*>(state);
    return self.tell({stage, detail, fraction}, &self.thrown);
  }
  static OrtStatus* call_from_many(void* state, const char* stage, const char* detail,
                                   double fraction) {
    return static_cast<ProgressListener*>(state)->tell({stage, detail, fraction}, nullptr);
  }
  static void end(void* state) { delete static_cast<ProgressListener*>(state); }

 private:
  OrtStatus* tell(const Progress& progress, std::exception_ptr* kept) {
    return guarded(
        [&]() -> OrtStatus* {
          if (!hear || hear(progress)) return nullptr;
          return OrtCreateStatus(ORT_MODEL_LOAD_CANCELED, "the progress function said stop");
        },
        kept);
  }
};

}  // namespace detail
#endif  // ORT_CXX_TABLE

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
