// SPDX-License-Identifier: MIT
// The CPU provider: see the header.
#include "providers/cpu/cpu_provider.h"

#include "providers/cpu/cpu_options.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

class CpuProvider final : public ExecutionProvider {
 public:
  std::string_view name() const override { return "CPUExecutionProvider"; }
  std::string_view short_name() const override { return "CPU"; }
  Result<Capability> get_capability(const Graph&) override { return Capability{}; }
  Result<std::vector<CompiledClaim>> compile(std::span<const Claim>, CompileContext&) override {
    return fail("the CPU provider compiles no claims");
  }
};

Result<std::unique_ptr<ExecutionProvider>> make_provider(const KeyValues& options, const Logger&) {
  RETURN_IF_ERROR(check_cpu_options(options));
  return std::unique_ptr<ExecutionProvider>(std::make_unique<CpuProvider>());
}

Compatibility validate(std::string_view, std::string*) { return Compatibility::kNotApplicable; }

}  // namespace

ProviderFactory factory() {
  ProviderFactory factory;
  factory.name = "CPUExecutionProvider";
  factory.alias = "CPU";
  factory.vendor = "ortc";
  factory.option_prefix = "cpuexecutionprovider";
  factory.option_prefix_alias = "cpu";
  factory.make = make_provider;
  factory.validate = validate;
  factory.rules = lowering_rules;
  return factory;
}

}  // namespace ortc::cpu
