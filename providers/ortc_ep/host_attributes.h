// SPDX-License-Identifier: MIT
// Attributes of the host's nodes, but for sub-graphs.
#pragma once

#include <optional>

#include "core/graph/attribute.h"
#include "providers/ortc_ep/host.h"

namespace ortc::ort_ep {

// All attributes but sub-graphs. Nothing when the host does not show one of them, as those of
// sparse tensors and of types.
Result<std::optional<std::vector<Attribute>>> attributes_of(const Host& host, const OrtNode& node);

// Makes EPContext nodes for the host. What was added and not given away ends with the object.
class HostAttributes {
 public:
  explicit HostAttributes(const Host& host) : host_(host) {}
  ~HostAttributes();
  HostAttributes(const HostAttributes&) = delete;
  HostAttributes& operator=(const HostAttributes&) = delete;

  // Numbers and texts. INVALID_ARGUMENT for more bytes than the host's function can count.
  Status add(const Attribute& attribute);
  std::vector<OrtOpAttr*>& list() { return list_; }

 private:
  const Host& host_;
  std::vector<OrtOpAttr*> list_;
};

}  // namespace ortc::ort_ep
