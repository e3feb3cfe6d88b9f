// SPDX-License-Identifier: MIT
// Control flow for libraries: see the header.
#include "core/api/plugin/kernels/control_kernels.h"

#include "core/api/guard.h"
#include "core/api/kernel/kernel_info_handle.h"
#include "core/api/plugin/kernels/kernels_table.h"

namespace ortc::api {
namespace {

// OrtKernelImpl::flags: made by the runtime.
constexpr uint32_t kOfRuntime = 1;

struct ControlKernel : OrtKernelImpl {
  ControlKernel();
  ControlKernel(const ControlKernel&) = delete;
  ControlKernel& operator=(const ControlKernel&) = delete;
  ~ControlKernel() {
    if (loop != nullptr) end_plugin([&] { loop->Release(loop); });
    if (scan != nullptr) end_plugin([&] { scan->Release(scan); });
  }
  OrtLoopKernelHelper* loop = nullptr;
  OrtScanKernelHelper* scan = nullptr;
};

// The executor walks over such nodes itself.
OrtStatus* compute_control(OrtKernelImpl*, OrtKernelContext*) noexcept {
  return guard([]() -> Status {
    return not_implemented("the runtime runs kernels of If, Loop and Scan for their nodes only");
  });
}

void release_control(OrtKernelImpl* impl) noexcept { delete static_cast<ControlKernel*>(impl); }

ControlKernel::ControlKernel() : OrtKernelImpl{} {
  ort_version_supported = ORTC_ORT_API_VERSION;
  flags = kOfRuntime;
  Compute = compute_control;
  Release = release_control;
}

Status check_node(const OrtKernelInfo& info, std::string_view op_type) {
  if (info.domain.empty() && info.op_type == op_type && info.ep != nullptr) return Status::ok();
  return invalid_argument("'kernel_info' belongs to ", info.op_type, " '", info.node_name,
                          "', expected ", op_type, " of a library's provider");
}

template <typename Helper>
Status check_helper(const Helper& helper) {
  if (helper.ort_version_supported < 24) {
    return invalid_argument("'helper' has version ", helper.ort_version_supported,
                            ", expected 24 or more");
  }
  if (helper.Release == nullptr) return invalid_argument("'helper' lacks Release");
  return Status::ok();
}

// Tensors on the host as the library sees them.
OrtValue value_of(const Tensor& tensor) {
  OrtValue value;
  value.tensor = tensor;
  return value;
}

class LibraryHelper final : public ControlFlowHelper {
 public:
  LibraryHelper(ControlKernel& kernel, std::shared_ptr<const EpInstance> ep)
      : kernel_(kernel), ep_(std::move(ep)) {}

  bool concatenates() const override { return kernel_.loop != nullptr; }
  bool transposes() const override { return kernel_.scan != nullptr; }

  Status concatenate(std::span<const Tensor> parts, Tensor& to) const override {
    std::vector<OrtValue> values;
    for (const Tensor& part : parts) values.push_back(value_of(part));
    std::vector<const OrtValue*> pointers;
    for (const OrtValue& value : values) pointers.push_back(&value);
    return ep_->call("ConcatOutput", [&] {
      return kernel_.loop->ConcatOutput(kernel_.loop, /*stream_handle=*/nullptr, pointers.data(),
                                        pointers.size(), to.mutable_data(), to.byte_size());
    });
  }

  Status transpose(std::span<const size_t> permutation, const Tensor& from,
                   Tensor& to) const override {
    const OrtValue input = value_of(from);
    OrtValue output = value_of(to);  // the same bytes
    return ep_->call("Transpose", [&] {
      return kernel_.scan->Transpose(kernel_.scan, permutation.data(), permutation.size(), &input,
                                     /*stream=*/nullptr, &output);
    });
  }

 private:
  ControlKernel& kernel_;
  std::shared_ptr<const EpInstance> ep_;
};

}  // namespace

bool is_control_kernel(const OrtKernelImpl& impl) {
  return impl.flags == kOfRuntime && impl.Compute == compute_control;
}

std::unique_ptr<const ControlFlowHelper> helper_of(OrtKernelImpl& impl,
                                                   std::shared_ptr<const EpInstance> ep) {
  auto& kernel = static_cast<ControlKernel&>(impl);
  if (kernel.loop == nullptr && kernel.scan == nullptr) return nullptr;
  return std::make_unique<LibraryHelper>(kernel, std::move(ep));
}

}  // namespace ortc::api

namespace ortc::api::table {

OrtStatus* CreateIfKernel(const OrtKernelInfo* kernel_info, OrtKernelImpl** kernel_out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(kernel_out);
    ORTC_NEEDED(kernel_info);
    RETURN_IF_ERROR(check_node(*kernel_info, "If"));
    *kernel_out = new ControlKernel();
    return {};
  });
}

// The kernel has the helper once everything has succeeded.
OrtStatus* CreateLoopKernel(const OrtKernelInfo* kernel_info, OrtLoopKernelHelper* helper,
                            OrtKernelImpl** kernel_out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(kernel_out);
    ORTC_NEEDED(kernel_info);
    ORTC_NEEDED(helper);
    RETURN_IF_ERROR(check_node(*kernel_info, "Loop"));
    RETURN_IF_ERROR(check_helper(*helper));
    if (helper->ConcatOutput == nullptr) return invalid_argument("'helper' lacks ConcatOutput");
    auto* kernel = new ControlKernel();
    kernel->loop = helper;
    *kernel_out = kernel;
    return {};
  });
}

OrtStatus* CreateScanKernel(const OrtKernelInfo* kernel_info, OrtScanKernelHelper* helper,
                            OrtKernelImpl** kernel_out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(kernel_out);
    ORTC_NEEDED(kernel_info);
    ORTC_NEEDED(helper);
    RETURN_IF_ERROR(check_node(*kernel_info, "Scan"));
    RETURN_IF_ERROR(check_helper(*helper));
    if (helper->Transpose == nullptr) return invalid_argument("'helper' lacks Transpose");
    if (kernel_info->since_version < 9) {
      return fail("Scan of version ", kernel_info->since_version,
                  " has no kernel for libraries, expected version 9 or later");
    }
    auto* kernel = new ControlKernel();
    kernel->scan = helper;
    *kernel_out = kernel;
    return {};
  });
}

void ReleaseKernelImpl(OrtKernelImpl* input) noexcept {
  if (input == nullptr || input->Release == nullptr) return;
  end_plugin([&] { input->Release(input); });
}

}  // namespace ortc::api::table
