// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as a context binary, as they are and with the checksums that belong to
// them. Every graph that is given out is opened as a Plan and printed; tensors are compared with
// their hashes.
#include "core/context/binary_reader.h"
#include "core/plan/plan.h"
#include "core/platform/target_list.h"
#include "providers/cpu/cpu_kernels.h"
#include "tests/fuzz/fuzz_checks.h"
#include "tests/fuzz/seal_context.h"

using namespace ortc;
using ortc::fuzz::require;

namespace {

void read(const std::string& bytes) {
  const auto binary = ContextBinary::open(Blob::copy_of(as_bytes(bytes)), "'fuzzed'");
  if (!binary.is_ok()) {
    require(!binary.status().message().empty());
    return;
  }
  const ContextHeaderInfo& header = (*binary)->header();
  require(header.file_size == bytes.size());
  require((*binary)->graph_names().size() == header.graph_count);
  const bool is_list = (header.required_features & kFeatureSeveralTargets) != 0;
  require((target_names(header.target).size() > 1) == is_list);
  const Status data = (*binary)->verify_data();
  require(data.is_ok() || !data.message().empty());
  // A frame of zstd gives at most 32 KiB a byte.
  require((*binary)->data_bytes() / 32768 <= header.file_size * (header.tensor_count + 1ull));
  require(!(*binary)->graph(std::string(bytes.size() + 1, 'g')).is_ok());  // longer than any
  for (const std::string& name : (*binary)->graph_names()) {
    auto graph = (*binary)->graph(name);
    if (!graph.is_ok()) continue;
    const auto plan = Plan::open(graph->plan_image, graph->tensors, cpu::kernel_registry());
    if (plan.is_ok()) require(!print_plan(**plan).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  fuzz::seal_context(bytes);
  read(bytes);
  return 0;
}
