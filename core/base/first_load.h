// SPDX-License-Identifier: MIT
// Functions that a process calls once, for its first model, from all over the library. Linkers lay
// hot functions side by side: there they share pages, and pages that come for the first time are
// most of what a first load takes.
#pragma once

#define ORTC_FIRST_LOAD [[gnu::hot]]
