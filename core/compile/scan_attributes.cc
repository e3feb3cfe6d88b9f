// SPDX-License-Identifier: MIT
// A Scan node's attributes: see the header.
#include "core/compile/scan_attributes.h"

namespace ortc {
namespace {

// How many inputs are scanned; the others are state variables.
Result<uint32_t> scanned_inputs(const Node& node, const Graph& body, bool has_batch) {
  const int64_t scanned = node.int_attribute("num_scan_inputs", 0);
  const size_t inputs = body.inputs().size();
  if (scanned < 1 || static_cast<size_t>(scanned) > inputs ||
      node.inputs().size() != inputs + (has_batch ? 1 : 0) ||
      inputs - static_cast<size_t>(scanned) > body.outputs().size() ||
      node.outputs().size() > body.outputs().size()) {
    return invalid_graph(node.label(), ": its body does not fit its inputs and outputs");
  }
  return static_cast<uint32_t>(scanned);
}

// Calls set(k, number) for what the attribute has, at most `count` numbers.
template <typename Set>
Status read_numbers(const Node& node, std::string_view name, size_t count, const Set& set) {
  const auto values = node.ints_attribute(name);
  if (values.size() > count) {
    return invalid_graph(node.label(), ": attribute '", name, "' has ", values.size(),
                         " numbers, expected ", count);
  }
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k] < -64 || values[k] > 64) {
      return invalid_graph(node.label(), ": attribute '", name, "' holds ", values[k]);
    }
    set(k, values[k]);
  }
  return Status::ok();
}

Status read_directions(const Node& node, std::string_view name, size_t count, uint64_t& reversed) {
  return read_numbers(node, name, count,
                      [&](size_t k, int64_t v) { reversed |= uint64_t{v != 0} << k; });
}

Status read_axes(const Node& node, std::string_view name, size_t count, int8_t* axes) {
  return read_numbers(node, name, count,
                      [&](size_t k, int64_t v) { axes[k] = static_cast<int8_t>(v); });
}

}  // namespace

Result<ScanRecord> scan_record(const Node& node, const Graph& body) {
  ScanRecord record{};
  record.record_bytes = sizeof record;
  record.has_batch = node.opset() < 9 ? 1 : 0;
  ASSIGN_OR_RETURN(record.scan_inputs, scanned_inputs(node, body, record.has_batch != 0));
  const size_t states = body.inputs().size() - record.scan_inputs;
  const size_t given = body.outputs().size() - states;
  if (record.scan_inputs > kScanMax || given > kScanMax) {
    return not_implemented(node.label(), ": Scan of more than ", kScanMax, " tensors");
  }
  if (record.has_batch != 0) {
    RETURN_IF_ERROR(read_directions(node, "directions", record.scan_inputs, record.input_reversed));
    return record;
  }
  RETURN_IF_ERROR(
      read_directions(node, "scan_input_directions", record.scan_inputs, record.input_reversed));
  RETURN_IF_ERROR(read_directions(node, "scan_output_directions", given, record.output_reversed));
  RETURN_IF_ERROR(read_axes(node, "scan_input_axes", record.scan_inputs, record.input_axes));
  RETURN_IF_ERROR(read_axes(node, "scan_output_axes", given, record.output_axes));
  return record;
}

}  // namespace ortc
