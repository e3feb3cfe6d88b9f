// SPDX-License-Identifier: MIT
// Names of execution providers for the program.
#pragma once

#include <functional>

#include "core/session/session.h"

namespace ortc::api {

// The names of those providers of the library that `is_shown` picks, in an array that
// OrtReleaseAvailableProviders() takes back.
Status give_provider_names(char*** names, int* count,
                           const std::function<bool(const ProviderFactory&)>& is_shown);

}  // namespace ortc::api
