// SPDX-License-Identifier: MIT
// The execution providers of one session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/session/making.h"

namespace ortc {

struct SessionProvider {
  std::shared_ptr<const ProviderFactory> factory;
  std::unique_ptr<ExecutionProvider> provider;
  KeyValues options;  // that it was made with
  EpDevices devices;  // that were chosen for it; none: as it likes
};

struct SessionProviders {
  std::vector<SessionProvider> claiming;  // in the user's order
  SessionProvider rest;                   // takes what they leave

  std::vector<ExecutionProvider*> list() const;  // of `claiming`
  std::string names() const;                     // for messages: "AotExecutionProvider, ..."
};

// INVALID_ARGUMENT for options that a provider does not know, a provider that was added twice, and
// a default provider that was added but may not be used.
Result<SessionProviders> make_providers(const Making& making);

}  // namespace ortc
