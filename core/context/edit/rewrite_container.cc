// SPDX-License-Identifier: MIT
// Writing containers anew: see the header.
#include "core/context/edit/rewrite_container.h"

namespace ortc {
namespace {

constexpr int kZstdLevel = 3;  // of tensors that were compressed before

Result<PlanImage> plan_image_of(ContextView::Graph graph, const ContextBinary& binary,
                                const ProviderRegistry& providers) {
  const auto factory = providers.find(binary.header().provider);
  const KernelRegistry* kernels = factory != nullptr ? factory->kernels() : nullptr;
  if (kernels == nullptr) {
    return not_implemented("this library has no execution provider '", binary.header().provider,
                           "' to check the graphs of the context with");
  }
  // Whoever writes a plan reads its records, which are checked here.
  RETURN_IF_ERROR(Plan::open(graph.plan_image, graph.tensors, *kernels).status());
  PlanImage plan;
  plan.image = std::move(graph.plan_image);
  for (const Blob& bytes : graph.tensors) {
    ASSIGN_OR_RETURN(Tensor tensor,
                     Tensor::view(DType::kUint8, {static_cast<int64_t>(bytes.size())},
                                  bytes.bytes(), bytes.owner()));
    plan.tensors.push_back(std::move(tensor));
  }
  return plan;
}

}  // namespace

Result<RewrittenContainer> rewrite_container(
    const ContextBinary& binary, bool embed,
    const std::function<std::optional<std::string>(const std::string&)>& new_name,
    const ProviderRegistry& providers, Work work) {
  RETURN_IF_ERROR(work.go_on());
  RETURN_IF_ERROR(binary.verify_data());
  work.expect(binary.data_bytes());
  ContextBinaryWriter::Options options;
  options.embed = embed;
  options.file_name = "a container that is written anew";
  options.provider = binary.header().provider;
  options.target = binary.header().target;
  const bool is_compressed = (binary.header().required_features & kFeatureZstd) != 0;
  options.zstd_level = is_compressed ? kZstdLevel : 0;
  const auto writer = std::make_shared<ContextBinaryWriter>(std::move(options));
  writer->work_with(&work, nullptr);
  for (const std::string& name : binary.graph_names()) {
    const auto now = new_name(name);
    if (!now) continue;
    ASSIGN_OR_RETURN(ContextView::Graph graph, binary.graph(name));
    if (graph.plan_image.empty()) {
      RETURN_IF_ERROR(writer->add_blob(*now, std::move(graph.blob)));
      continue;
    }
    if (!graph.blob.empty()) {
      return not_implemented("graph '", name, "' has a plan and bytes of its provider as well");
    }
    auto plan = plan_image_of(std::move(graph), binary, providers);
    RETURN_IF_ERROR_WHILE(plan.status(), "graph '", name, "'");
    RETURN_IF_ERROR(writer->add_plan(*now, *plan));
  }
  writer->work_with(nullptr, nullptr);
  RewrittenContainer rewritten;
  ASSIGN_OR_RETURN(rewritten.contents, writer->cache_context());
  ASSIGN_OR_RETURN(const Hash128 contents, writer->seal());
  const Hash128& before = binary.header().generation;
  rewritten.generation = Hasher()
                             .add_number(before.low)
                             .add_number(before.high)
                             .add_number(contents.low)
                             .add_number(contents.high)
                             .finish();
  writer->set_generation(rewritten.generation);
  if (!embed) rewritten.writer = writer;
  return rewritten;
}

}  // namespace ortc
