// SPDX-License-Identifier: MIT
// The CPU provider: see the header.
#include "providers/cpu/cpu_provider.h"

#include "core/base/version.h"
#include "core/compile/lowerable.h"
#include "core/provider/registry.h"
#include "providers/cpu/cpu_options.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

class CpuProvider final : public ExecutionProvider {
 public:
  explicit CpuProvider(Logger logger) : logger_(std::move(logger)) {}

  std::string_view name() const override { return kProviderName; }
  std::string_view short_name() const override { return "CPU"; }
  // The rest is given to it, not asked for.
  Result<Capability> get_capability(const Graph&) override { return Capability{}; }

  Result<std::vector<CompiledClaim>> compile(std::span<const Claim> claims,
                                             CompileContext& context) override {
    std::vector<CompiledClaim> compiled;
    for (const Claim& claim : claims) {
      ASSIGN_OR_RETURN(CompiledClaim one, compile_claim(claim, context));
      compiled.push_back(std::move(one));
    }
    return compiled;
  }

 private:
  Result<CompiledClaim> compile_claim(const Claim& claim, const CompileContext& context) const {
    const LoweringRules& rules = lowering_rules({.rounds_rows = context.rounds_rows});
    if (!context.to_run) {
      RETURN_IF_ERROR(check_lowers(*claim.graph, rules));
      return CompiledClaim{};
    }
    LoweringOptions lowering;
    lowering.rules = &rules;
    lowering.logger = logger_;
    lowering.memories = context.memories;
    lowering.work = context.work;
    ASSIGN_OR_RETURN(PlanImage image, lower(*claim.graph, lowering));
    for (Tensor& tensor : image.tensors) {
      if (!context.share_weights || tensor.dtype() == DType::kString) continue;
      const Blob shared = context.share_weights(Blob(tensor.bytes(), tensor.owner()));
      ASSIGN_OR_RETURN(tensor,
                       Tensor::view(tensor.dtype(), tensor.dims(), shared.bytes(), shared.owner()));
    }
    CompiledClaim compiled;
    ASSIGN_OR_RETURN(compiled.plan, Plan::open(std::move(image), rules.kernels));
    return compiled;
  }

  Logger logger_;
};

class CpuFactory final : public ProviderFactory {
 public:
  std::string_view name() const override { return kProviderName; }
  std::string_view vendor() const override { return "ortc"; }
  std::string_view version() const override { return kLibraryVersion; }
  ProviderRole role() const override { return ProviderRole::kRest; }
  std::span<const std::string_view> aliases() const override {
    static constexpr std::string_view kAliases[] = {"CPU"};
    return kAliases;
  }
  bool makes_source(std::string_view) const override { return false; }
  std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>> hardware) const override {
    std::vector<DeviceOffer> offers;
    for (const auto& device : hardware) {
      if (device->type != DeviceType::kCpu) continue;
      offers.push_back({device, {{"version", std::string(version())}}, {}});
    }
    return offers;
  }
  Status check_options(const KeyValues& options) const override {
    return check_cpu_options(options);
  }
  Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues& options,
                                                  const Logger& logger) const override {
    RETURN_IF_ERROR(check_options(options));
    return std::unique_ptr<ExecutionProvider>(std::make_unique<CpuProvider>(logger));
  }
  const KernelRegistry* kernels() const override { return &lowering_rules().kernels; }
};

}  // namespace

std::shared_ptr<const ProviderFactory> factory() { return std::make_shared<CpuFactory>(); }

}  // namespace ortc::cpu
