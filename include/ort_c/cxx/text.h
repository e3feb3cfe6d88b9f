// SPDX-License-Identifier: MIT
// Small words that the classes share: spans, paths, texts that C functions give.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ort_c/cxx/status.h"

#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#define ORT_CXX_STD_SPAN
#endif
#endif

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

#if defined(ORT_CXX_STD_SPAN)
/// Borrowed elements that lie one after the other.
template <typename T>
using Span = std::span<T>;
#else
/// Borrowed elements that lie one after the other: the part of std::span that C++17 can have.
template <typename T>
class Span {
 public:
  using element_type = T;

  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}
  /// From a container: a vector, an array, a string, a span of elements that are not const.
  template <typename Container, typename = std::enable_if_t<std::is_convertible_v<
                                    decltype(std::declval<Container&>().data()), T*> > >
  constexpr Span(Container&& container) : data_(container.data()), size_(container.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};
#endif

namespace detail {

/// A path as the C functions want it: UTF-8. Made from texts, which are UTF-8 already, and from
/// std::filesystem::path, whose header this one need not include. For parameters only.
class Path {
 public:
  Path(const char* text) : text_(text) {}
  Path(const std::string& text) : text_(text.c_str()) {}
  template <typename T, typename Text = decltype(std::declval<const T&>().u8string())>
  Path(const T& path) {
    const Text text = path.u8string();
    copy_.assign(text.begin(), text.end());
    text_ = copy_.c_str();
  }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  const char* c_str() const { return text_; }

 private:
  std::string copy_;
  const char* text_ = nullptr;
};

/// A text that may be missing.
inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

inline OrtAllocator* default_allocator() {
  OrtAllocator* allocator = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetAllocatorWithDefaultOptions)(&allocator));
  return allocator;
}

struct AllocatedFree {
  OrtAllocator* allocator = nullptr;
  void operator()(void* p) const {
    if (p != nullptr) allocator->Free(allocator, p);
  }
};

inline void give_back(OrtAllocator*, OrtValue* value) { OrtRelease(value); }
inline void give_back(OrtAllocator* allocator, char* text) { AllocatedFree{allocator}(text); }

/// An array of an allocator and what is still in it: given back together at the end.
template <typename T>
struct GiveArray {
  T** entries;
  size_t count;
  OrtAllocator* allocator;

  ~GiveArray() {
    for (size_t i = 0; i < count; ++i) {
      if (entries[i] != nullptr) give_back(allocator, entries[i]);
    }
    AllocatedFree{allocator}(entries);
  }
};

/// Keys and values as the C functions want them; borrows the texts.
struct KeysAndValues {
  explicit KeysAndValues(const std::unordered_map<std::string, std::string>& map) {
    keys.reserve(map.size());
    values.reserve(map.size());
    for (const auto& [key, value] : map) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
  std::vector<const char*> keys, values;
};

inline std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

/// Wrappers are a pointer and nothing else, so an array of them is an array of pointers.
template <typename Wrapper>
auto* c_array(Wrapper* wrappers) {
  using Pointer = typename std::remove_const_t<Wrapper>::contained_type*;
  static_assert(sizeof(Wrapper) == sizeof(Pointer) && std::is_standard_layout_v<Wrapper>,
                "a wrapper holds one pointer");
  using Entry = std::conditional_t<std::is_const_v<Wrapper>, const Pointer, Pointer>;
  return reinterpret_cast<Entry*>(wrappers);
}

}  // namespace detail

/// A text in an allocator's memory, given back with the pointer. The allocator must live as long.
using AllocatedStringPtr = std::unique_ptr<char, detail::AllocatedFree>;

/// The release of the library, as "1.0.0"; where calls go through a table, that of ONNX Runtime to
/// which the table corresponds.
#if !defined(ORT_CXX_TABLE)
inline std::string GetVersionString() { return OrtGetVersionString(); }
#else
inline std::string GetVersionString() { return detail::api_base()->GetVersionString(); }
#endif

/// How the library was built, in one line for bug reports.
inline std::string GetBuildInfoString() { return ORT_CXX_CALL(GetBuildInfoString)(); }

/// The execution providers in the library, the preferred ones first, the CPU provider last.
inline std::vector<std::string> GetAvailableProviders() {
  char** names = nullptr;
  int count = 0;
  ThrowOnError(ORT_CXX_CALL(GetAvailableProviders)(&names, &count));
  struct Give {
    char** names;
    int count;
    ~Give() { const Status cannot_fail(ORT_CXX_CALL(ReleaseAvailableProviders)(names, count)); }
  } give{names, count};
  return std::vector<std::string>(names, names + count);
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
