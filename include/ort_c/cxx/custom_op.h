// SPDX-License-Identifier: MIT
// Custom operators in C++: a class that says what the operator is, and one that computes it.
//
//   struct Kernel {
//     void Compute(OrtKernelContext* context);
//   };
//   struct Twice : Ort::CustomOpBase<Twice, Kernel> {
//     void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new Kernel; }
//     const char* GetName() const { return "Twice"; }
//     size_t GetInputTypeCount() const { return 1; }
//     ...
//   };
#pragma once

#include <climits>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "ort_c/cxx/kernel.h"
#include "ort_c/cxx/session_options.h"
#include "ort_c/cxx/shape_inference.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// The last version that an operator can be for.
#define MAX_CUSTOM_OP_END_VER INT_MAX

namespace detail {

template <typename Operator, typename = void>
struct InfersShapes : std::false_type {};
template <typename Operator>
struct InfersShapes<
    Operator, std::void_t<decltype(Operator::InferOutputShape(std::declval<ShapeInferContext&>()))>>
    : std::true_type {};

}  // namespace detail

/// Fills an OrtCustomOp with the methods of `TOp`; an object of it is one. What `TOp` does not have
/// is as the methods here say.
///
/// TOp has: GetName(), GetInputTypeCount(), GetInputType(), GetOutputTypeCount(), GetOutputType(),
/// and CreateKernel(const OrtApi&, const OrtKernelInfo*), which gives a new TKernel. It may have a
/// static Status InferOutputShape(ShapeInferContext&).
/// TKernel has: void Compute(OrtKernelContext*), and is deleted at the end.
/// With `WithStatus`: CreateKernelV2(api, info, void** kernel) and ComputeV2(context), each with an
/// OrtStatusPtr.
template <typename TOp, typename TKernel, bool WithStatus = false>
struct CustomOpBase : OrtCustomOp {
  CustomOpBase() : OrtCustomOp() {
    version = ORTC_ORT_API_VERSION;
    set_declaration();
    OrtCustomOp::GetVariadicInputMinArity = [](const OrtCustomOp* op) {
      return of(op).GetVariadicInputMinArity();
    };
    OrtCustomOp::GetVariadicInputHomogeneity = [](const OrtCustomOp* op) -> int {
      return of(op).GetVariadicInputHomogeneity();
    };
    OrtCustomOp::GetVariadicOutputMinArity = [](const OrtCustomOp* op) {
      return of(op).GetVariadicOutputMinArity();
    };
    OrtCustomOp::GetVariadicOutputHomogeneity = [](const OrtCustomOp* op) -> int {
      return of(op).GetVariadicOutputHomogeneity();
    };
    OrtCustomOp::GetStartVersion = [](const OrtCustomOp* op) { return of(op).GetStartVersion(); };
    OrtCustomOp::GetEndVersion = [](const OrtCustomOp* op) { return of(op).GetEndVersion(); };
    OrtCustomOp::KernelDestroy = [](void* kernel) { delete static_cast<TKernel*>(kernel); };
    set_kernel();
    set_shape_inference();
  }

  /// nullptr: the CPU's.
  const char* GetExecutionProviderType() const { return nullptr; }
  OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(size_t) const {
    return INPUT_OUTPUT_REQUIRED;
  }
  OrtCustomOpInputOutputCharacteristic GetOutputCharacteristic(size_t) const {
    return INPUT_OUTPUT_REQUIRED;
  }
  OrtMemType GetInputMemoryType(size_t) const { return OrtMemTypeDefault; }
  int GetVariadicInputMinArity() const { return 1; }
  bool GetVariadicInputHomogeneity() const { return true; }
  int GetVariadicOutputMinArity() const { return 1; }
  bool GetVariadicOutputHomogeneity() const { return true; }
  int GetStartVersion() const { return start_ver_; }
  int GetEndVersion() const { return end_ver_; }
  /// Keys of config entries `custom_op.<operator>.<key>` that GetSessionConfigs() reads.
  std::vector<std::string> GetSessionConfigKeys() const { return {}; }

 protected:
  /// The entries of GetSessionConfigKeys() that `options` have, by key.
  void GetSessionConfigs(std::unordered_map<std::string, std::string>& out,
                         ConstSessionOptions options) const {
    const TOp& self = *static_cast<const TOp*>(this);
    for (const std::string& key : self.GetSessionConfigKeys()) {
      const std::string entry = std::string("custom_op.") + self.GetName() + "." + key;
      if (options.HasConfigEntry(entry.c_str())) out[key] = options.GetConfigEntry(entry.c_str());
    }
  }

  /// The versions of the operator, for constructors that set them.
  int start_ver_ = 1;
  int end_ver_ = MAX_CUSTOM_OP_END_VER;

 private:
  static const TOp& of(const OrtCustomOp* op) { return *static_cast<const TOp*>(op); }

  void set_declaration() {
    OrtCustomOp::GetName = [](const OrtCustomOp* op) { return of(op).GetName(); };
    OrtCustomOp::GetExecutionProviderType = [](const OrtCustomOp* op) {
      return of(op).GetExecutionProviderType();
    };
    OrtCustomOp::GetInputTypeCount = [](const OrtCustomOp* op) {
      return of(op).GetInputTypeCount();
    };
    OrtCustomOp::GetInputType = [](const OrtCustomOp* op, size_t index) {
      return of(op).GetInputType(index);
    };
    OrtCustomOp::GetInputMemoryType = [](const OrtCustomOp* op, size_t index) {
      return of(op).GetInputMemoryType(index);
    };
    OrtCustomOp::GetOutputTypeCount = [](const OrtCustomOp* op) {
      return of(op).GetOutputTypeCount();
    };
    OrtCustomOp::GetOutputType = [](const OrtCustomOp* op, size_t index) {
      return of(op).GetOutputType(index);
    };
    OrtCustomOp::GetInputCharacteristic = [](const OrtCustomOp* op, size_t index) {
      return of(op).GetInputCharacteristic(index);
    };
    OrtCustomOp::GetOutputCharacteristic = [](const OrtCustomOp* op, size_t index) {
      return of(op).GetOutputCharacteristic(index);
    };
  }

  void set_kernel() {
    if constexpr (WithStatus) {
      OrtCustomOp::CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi* api,
                                       const OrtKernelInfo* info, void** kernel) -> OrtStatus* {
        return of(op).CreateKernelV2(*api, info, kernel);
      };
      OrtCustomOp::KernelComputeV2 = [](void* kernel, OrtKernelContext* context) -> OrtStatus* {
        return static_cast<TKernel*>(kernel)->ComputeV2(context);
      };
    } else {
      OrtCustomOp::CreateKernel = [](const OrtCustomOp* op, const OrtApi* api,
                                     const OrtKernelInfo* info) -> void* {
        return of(op).CreateKernel(*api, info);
      };
      OrtCustomOp::KernelCompute = [](void* kernel, OrtKernelContext* context) {
        static_cast<TKernel*>(kernel)->Compute(context);
      };
    }
  }

  void set_shape_inference() {
    if constexpr (detail::InfersShapes<TOp>::value) {
      OrtCustomOp::InferOutputShapeFn = [](const OrtCustomOp*,
                                           OrtShapeInferContext* context) -> OrtStatus* {
        ShapeInferContext shown(nullptr, context);
        return Status(TOp::InferOutputShape(shown)).release();
      };
    }
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
