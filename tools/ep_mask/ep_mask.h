// SPDX-License-Identifier: MIT
// What libortc_ep_mask.so exports besides CreateEpFactories and ReleaseEpFactory. It is a library
// of providers that hands another's through, with one function of theirs masked. The other library
// and the mask are told by the environment, since a library of providers is told nothing else:
//
//   ORTC_EP_MASK_LIBRARY  path of the other library
//   ORTC_EP_MASK_SLOT     "OrtEp.OnRunStart"; empty or not set: nothing is masked
//   ORTC_EP_MASK_HOW      absent:  the function is NULL
//                         failing: it returns a status with ORTC_EP_MASK_TEXT, or NULL
//                         newer:   the struct declares the version before the function's, and
//                                  calling the function ends the process
#pragma once

#define ORTC_EP_MASK_TEXT "this call was made to fail"

extern "C" {

// A line for each function: name, the version it came with, and what it answers with, as in
// "OrtEp.Sync 25 status"; "value" is anything else. A constant text.
typedef const char* (*OrtcEpMaskSlotsFn)(void);

// How often a function was masked that the library has, and declares.
typedef int (*OrtcEpMaskAppliedFn)(void);
}
