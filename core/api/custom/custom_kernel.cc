// SPDX-License-Identifier: MIT
// Kernels of custom operators: see the header.
#include "core/api/custom/custom_kernel.h"

#include <cstring>

#include "core/api/guard.h"
#include "core/api/kernel/kernel_context.h"
#include "core/api/kernel/kernel_info_handle.h"
#include "ort_c/ort_api.h"
#include "ort_c/status.h"

namespace ortc::api {
namespace {

// A call whose aliased outputs begin with the bytes of their inputs.
class AliasedCall final : public ComputeCall {
 public:
  AliasedCall(ComputeCall& call, const std::vector<OpDeclaration::Alias>& aliases)
      : call_(call), aliases_(aliases) {}

  std::span<const ValueRef> inputs() const override { return call_.inputs(); }
  size_t output_count() const override { return call_.output_count(); }
  bool is_wanted(size_t i) const override { return call_.is_wanted(i); }
  DType output_type(size_t i) const override { return call_.output_type(i); }
  Status allocate_output(size_t i, DType dtype, std::span<const int64_t> dims,
                         ValueRef* out) override {
    RETURN_IF_ERROR(call_.allocate_output(i, dtype, dims, out));
    for (const OpDeclaration::Alias& alias : aliases_) {
      if (alias.output != i || alias.input >= inputs().size()) continue;
      const ValueRef& input = inputs()[alias.input];
      if (input.dtype != dtype || input.element_count() != out->element_count()) continue;
      copy_elements(dtype, input.element_count(), input.data, out->data);
    }
    return {};
  }
  Status give_output(size_t i, Datum value) override {
    return call_.give_output(i, std::move(value));
  }
  const RunFacts& run() const override { return call_.run(); }
  Result<void*> stream() override { return call_.stream(); }

 private:
  ComputeCall& call_;
  const std::vector<OpDeclaration::Alias>& aliases_;
};

class CustomKernel final : public ComputeObject {
 public:
  CustomKernel(const OpDeclaration& declaration, KeptLibraries kept, OrtKernelInfo info)
      : declaration_(declaration),
        kept_(std::move(kept)),
        info_(std::move(info)),
        services_(info_.logger.logger) {}
  CustomKernel(const CustomKernel&) = delete;
  CustomKernel& operator=(const CustomKernel&) = delete;
  ~CustomKernel() override {
    const auto destroy = declaration_.op->KernelDestroy;
    if (kernel_ == nullptr || destroy == nullptr) return;
    // There is nobody to tell.
    OrtReleaseStatus(guard([&]() -> Status {
      destroy(kernel_);
      return {};
    }));
  }

  Status create() {
    const OrtCustomOp& op = *declaration_.op;
    const OrtApi* table = OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION);
    OrtStatus* answer = nullptr;
    const bool is_v2 = declaration_.has_kernel_v2();
    Status status = take_status(guard([&]() -> Status {
      if (is_v2) {
        answer = op.CreateKernelV2(&op, table, &info_, &kernel_);
      } else {
        kernel_ = op.CreateKernel(&op, table, &info_);
      }
      return {};
    }));
    if (status.is_ok()) status = take_status(answer);
    if (status.is_ok() && kernel_ == nullptr && !is_v2) status = fail("it made no kernel");
    if (!status.is_ok()) kernel_ = nullptr;
    return std::move(status.note(is_v2 ? "CreateKernelV2" : "CreateKernel"));
  }

  Status compute(ComputeCall& call) const override {
    if (declaration_.aliases.empty()) return compute_in(call);
    AliasedCall aliased(call, declaration_.aliases);
    return compute_in(aliased);
  }

 private:
  Status compute_in(ComputeCall& call) const {
    const LentKernelContext context;
    RETURN_IF_ERROR(context->open(call, services_));
    OrtStatus* answer = nullptr;
    RETURN_IF_ERROR(take_status(guard([&]() -> Status {
      if (declaration_.has_compute_v2()) {
        answer = declaration_.op->KernelComputeV2(kernel_, context.get());
      } else {
        declaration_.op->KernelCompute(kernel_, context.get());
      }
      return {};
    })));
    RETURN_IF_ERROR(take_status(answer));
    return context->finish();
  }

  const OpDeclaration declaration_;
  const KeptLibraries kept_;
  const OrtKernelInfo info_;  // kernels keep its constants and its logger
  const KernelServices services_;
  void* kernel_ = nullptr;
};

}  // namespace

Result<std::shared_ptr<const ComputeObject>> make_custom_kernel(const OpDeclaration& declaration,
                                                                KeptLibraries kept,
                                                                const Node& node,
                                                                const CustomKernelPlace& place) {
  OrtKernelInfo info = OrtKernelInfo::of(node, declaration.first_version, place.logger);
  info.kernels = place.kernels;
  if (place.config != nullptr) info.config = *place.config;
  auto kernel = std::make_shared<CustomKernel>(declaration, std::move(kept), std::move(info));
  RETURN_IF_ERROR(kernel->create());
  return std::shared_ptr<const ComputeObject>(std::move(kernel));
}

}  // namespace ortc::api
