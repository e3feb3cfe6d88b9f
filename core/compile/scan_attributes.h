// SPDX-License-Identifier: MIT
// A Scan node's attributes as the params of its step.
#pragma once

#include "core/graph/graph.h"
#include "core/plan/scan_record.h"

namespace ortc {

// INVALID_GRAPH when they do not fit the node and its body.
Result<ScanRecord> scan_record(const Node& node, const Graph& body);

}  // namespace ortc
