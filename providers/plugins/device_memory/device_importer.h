// SPDX-License-Identifier: MIT
// Memory and semaphores that the program made: an OrtExternalResourceImporterImpl. Memory is a file
// without a name, as of memfd_create(); a semaphore is an eventfd, whose counter is what was
// signalled and not waited for yet. Descriptors are duplicated: the program closes its own.
#pragma once

#include "device.h"
#include "device_tables.h"

namespace device_memory {

struct Importer : OrtExternalResourceImporterImpl {
  Importer(const Tables& tables, Device& device, const OrtMemoryInfo& memory,
           const OrtEpDevice& ep_device);
  ~Importer() { --device.counts.importers_alive; }
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  const Tables& tables;
  Device& device;
  const OrtMemoryInfo& memory;
  const OrtEpDevice& ep_device;
};

}  // namespace device_memory
