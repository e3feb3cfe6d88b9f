// SPDX-License-Identifier: MIT
// What a kernel is told of its node: a copy, which does not need the graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/api/env/logger_handle.h"
#include "core/api/value/value_handle.h"
#include "core/base/key_values.h"
#include "core/graph/graph.h"
#include "core/kernel/kernel_registry.h"
#include "ort_c/kernel_info.h"
#include "ort_c/ort_api.h"

struct OrtKernelInfo {
  struct Port {
    std::string name;  // "": omitted
    ortc::Type type;
    std::shared_ptr<const OrtValue> constant;  // of an input that every run sees; else null
  };

  // `since_version`: from which opset the operator is as it is.
  static OrtKernelInfo of(const ortc::Node& node, int since_version, const ortc::Logger& logger);

  const ortc::Attribute* attribute(const char* name) const;

  std::string node_name, op_type, domain;
  int since_version = 1;
  std::vector<Port> inputs, outputs;
  std::vector<ortc::Attribute> attributes;
  OrtLogger logger;
  ortc::KeyValues config;                         // entries of the session
  const ortc::KernelRegistry* kernels = nullptr;  // of operators that the kernel may call
  const OrtEp* ep = nullptr;                      // whose kernel it is; null: the program's
  std::shared_ptr<OrtAllocator> allocator;        // of its provider's memory; null: the host's
};
