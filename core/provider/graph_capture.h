// SPDX-License-Identifier: MIT
// What devices recorded in a run, to be done again without the host: for providers that capture.
#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace ortc {

enum class CaptureNeeds : uint8_t {
  kAllNodes,       // every node is the provider's
  kAllButHostOnes  // the default provider's may stand between them: they compute shapes
};

// `id` names one of several recordings of a session.
class GraphCapture {
 public:
  virtual ~GraphCapture() = default;
  virtual CaptureNeeds needs() const = 0;
  virtual Result<bool> is_captured(int id) const = 0;
  // Does the recording again: it reads and writes where the recorded run did.
  virtual Status replay(int id) = 0;
  virtual Status release(int id) = 0;
};

}  // namespace ortc
