// SPDX-License-Identifier: MIT
// Who made the processor.
#pragma once

#include <cstdint>
#include <string>

namespace ortc {

// The vendor's number on the PCI bus, which ONNX Runtime tells as well; 0: not known. `root` stands
// before all paths that are read.
uint32_t processor_vendor(const std::string& root);

// Of an aarch64 processor that identifies itself so (MIDR_EL1).
uint32_t vendor_of_identification(uint32_t midr);

}  // namespace ortc
