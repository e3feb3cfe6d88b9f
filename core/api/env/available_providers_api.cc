// SPDX-License-Identifier: MIT
// ort_c/env.h: the list of providers.
#include <cstdlib>
#include <cstring>

#include "core/api/env/available_providers.h"
#include "core/api/guard.h"
#include "ort_c/env.h"

namespace ortc::api {
namespace {

char* duplicate(std::string_view text) {
  char* copy = static_cast<char*>(std::calloc(text.size() + 1, 1));
  if (copy != nullptr) std::memcpy(copy, text.data(), text.size());
  return copy;
}

void free_names(char** names, int count) {
  for (int i = 0; names != nullptr && i < count; ++i) std::free(names[i]);
  std::free(static_cast<void*>(names));
}

}  // namespace

Status give_provider_names(char*** names, int* count,
                           const std::function<bool(const ProviderFactory&)>& is_shown) {
  empty_outs(names, count);
  if (names == nullptr) return invalid_argument("'out_ptr' must not be NULL");
  if (count == nullptr) return invalid_argument("'provider_length' must not be NULL");
  const Factories factories = built_in_providers();
  auto** list = static_cast<char**>(std::calloc(factories.size() + 1, sizeof(char*)));
  if (list == nullptr) throw std::bad_alloc();
  int shown = 0;
  for (const auto& factory : factories) {
    if (!is_shown(*factory)) continue;
    list[shown] = duplicate(factory->name());
    if (list[shown] == nullptr) {
      free_names(list, shown);
      throw std::bad_alloc();
    }
    ++shown;
  }
  *names = list;
  *count = shown;
  return {};
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtGetAvailableProviders(char*** out_ptr, int* provider_length) {
  return guard([&]() -> Status {
    return api::give_provider_names(out_ptr, provider_length,
                                    [](const ProviderFactory&) { return true; });
  });
}

OrtStatus* OrtReleaseAvailableProviders(char** ptr, int providers_length) {
  api::free_names(ptr, providers_length);
  return nullptr;
}

}  // extern "C"
