// SPDX-License-Identifier: MIT
// The border between a library of tests and the runtime: inside, calls of the runtime throw the
// statuses of failures; across it they go as what they are.
#pragma once

#include "onnxruntime_c_api.h"

// Of the calls below only those that are meant to fail do; their statuses are the caller's.
struct Failed {
  OrtStatus* status;
};
inline void must(OrtStatus* status) {
  if (status != nullptr) throw Failed{status};
}

// What the runtime calls: thrown statuses become returned ones; everything else is thrown across
// the border, as a library does that does not know better.
template <typename Body>
OrtStatus* at_border(Body&& body) {
  try {
    body();
  } catch (const Failed& failed) {
    return failed.status;
  }
  return nullptr;
}
