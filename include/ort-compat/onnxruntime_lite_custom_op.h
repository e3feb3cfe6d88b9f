// SPDX-License-Identifier: MIT
// Operators made of one function, or of a class with a Compute(): what the operator takes and gives
// follows from the parameters.
//
//   void Twice(const Ort::Custom::Tensor<float>& x, Ort::Custom::Tensor<float>& y);
//   std::unique_ptr<Ort::Custom::OrtLiteCustomOp> op(
//       Ort::Custom::CreateLiteCustomOp("Twice", "CPUExecutionProvider", Twice));
//
// The caller owns the operator, which must live as long as the sessions that know it.
#pragma once

#include <cmath>
#include <numeric>

#include "cxx/lite_parameters.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace Custom {

/// An operator whose declaration is known at run time.
struct OrtLiteCustomOp : OrtCustomOp {
  using InferShapes = Status (*)(ShapeInferContext&);

  OrtLiteCustomOp(const char* op_name, const char* execution_provider,
                  detail::Declaration declaration, InferShapes infer, int start_ver, int end_ver)
      : OrtCustomOp{},
        name_(op_name),
        provider_(execution_provider),
        declaration_(std::move(declaration)),
        infer_(infer),
        start_(start_ver),
        end_(end_ver) {
    version = ORT_API_VERSION;
    GetName = [](const OrtCustomOp* op) { return of(op).name_.c_str(); };
    GetExecutionProviderType = [](const OrtCustomOp* op) { return of(op).provider_.c_str(); };
    GetStartVersion = [](const OrtCustomOp* op) { return of(op).start_; };
    GetEndVersion = [](const OrtCustomOp* op) { return of(op).end_; };
    GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
    GetVariadicInputMinArity = [](const OrtCustomOp*) { return 1; };
    GetVariadicInputHomogeneity = [](const OrtCustomOp*) { return 0; };
    GetVariadicOutputMinArity = [](const OrtCustomOp*) { return 1; };
    GetVariadicOutputHomogeneity = [](const OrtCustomOp*) { return 0; };
    declare_values();
    if (infer != nullptr) {
      InferOutputShapeFn = [](const OrtCustomOp* op, OrtShapeInferContext* context) {
        ShapeInferContext shown(&GetApi(), context);
        return of(op).infer_(shown).release();
      };
    }
  }

 private:
  static const OrtLiteCustomOp& of(const OrtCustomOp* op) {
    return *static_cast<const OrtLiteCustomOp*>(op);
  }
  void declare_values() {
    GetInputTypeCount = [](const OrtCustomOp* op) { return of(op).declaration_.inputs.size(); };
    GetOutputTypeCount = [](const OrtCustomOp* op) { return of(op).declaration_.outputs.size(); };
    GetInputType = [](const OrtCustomOp* op, size_t i) {
      return of(op).declaration_.inputs[i].type;
    };
    GetOutputType = [](const OrtCustomOp* op, size_t i) {
      return of(op).declaration_.outputs[i].type;
    };
    GetInputCharacteristic = [](const OrtCustomOp* op, size_t i) {
      return of(op).declaration_.inputs[i].characteristic;
    };
    GetOutputCharacteristic = [](const OrtCustomOp* op, size_t i) {
      return of(op).declaration_.outputs[i].characteristic;
    };
  }

  std::string name_, provider_;
  detail::Declaration declaration_;
  InferShapes infer_;
  int start_, end_;
};

namespace detail {

// An operator of one function, which is its own kernel.
template <typename Result, typename... Args>
struct FunctionOp : OrtLiteCustomOp {
  using Function = Result (*)(Args...);

  FunctionOp(const char* op_name, const char* execution_provider, Function function,
             InferShapes infer, int start_ver, int end_ver)
      : OrtLiteCustomOp(op_name, execution_provider, declaration_of<Args...>(), infer, start_ver,
                        end_ver),
        function_(function) {
    CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi*, const OrtKernelInfo*,
                        void** kernel) -> OrtStatus* {
      *kernel = const_cast<FunctionOp*>(static_cast<const FunctionOp*>(op));
      return nullptr;
    };
    KernelComputeV2 = [](void* kernel, OrtKernelContext* context) {
      return compute<Args...>(context, static_cast<FunctionOp*>(kernel)->function_);
    };
    KernelDestroy = [](void*) {};
  }

 private:
  Function function_;
};

// How the Compute() of a class is called.
template <typename Member>
struct ComputeOf;
template <typename Class, typename Result, typename... Args>
struct ComputeOf<Result (Class::*)(Args...)> {
  static Declaration declaration() { return declaration_of<Args...>(); }
  static OrtStatus* run(void* kernel, OrtKernelContext* context) {
    return compute<Args...>(context, [kernel](Args... args) -> Result {
      return static_cast<Class*>(kernel)->Compute(std::forward<Args>(args)...);
    });
  }
};
template <typename Class, typename Result, typename... Args>
struct ComputeOf<Result (Class::*)(Args...) const> : ComputeOf<Result (Class::*)(Args...)> {};

// An operator of a class, of which each node has an object.
template <typename Class>
struct ClassOp : OrtLiteCustomOp {
  using Compute = ComputeOf<decltype(&Class::Compute)>;

  ClassOp(const char* op_name, const char* execution_provider, int start_ver, int end_ver)
      : OrtLiteCustomOp(op_name, execution_provider, Compute::declaration(), inference(), start_ver,
                        end_ver) {
    CreateKernelV2 = [](const OrtCustomOp*, const OrtApi* api, const OrtKernelInfo* info,
                        void** kernel) -> OrtStatus* {
#if !defined(ORT_NO_EXCEPTIONS)
      try {
#endif
        *kernel = new Class(api, info);
        return nullptr;
#if !defined(ORT_NO_EXCEPTIONS)
      } catch (const Exception& failure) {
        return Status(failure).release();
      } catch (const std::exception& failure) {
        return Status(failure).release();
      }
#endif
    };
    KernelComputeV2 = [](void* kernel, OrtKernelContext* context) {
      return Compute::run(kernel, context);
    };
    KernelDestroy = [](void* kernel) { delete static_cast<Class*>(kernel); };
  }

 private:
  static InferShapes inference() {
    if constexpr (Ort::detail::InfersShapes<Class>::value) {
      return &Class::InferOutputShape;
    } else {
      return nullptr;
    }
  }
};

}  // namespace detail

/// An operator of a function that gives nothing, or a Status.
template <typename... Args>
OrtLiteCustomOp* CreateLiteCustomOp(const char* op_name, const char* execution_provider,
                                    void (*function)(Args...),
                                    Status (*shape_infer_fn)(ShapeInferContext&) = {},
                                    int start_ver = 1, int end_ver = MAX_CUSTOM_OP_END_VER) {
  return new detail::FunctionOp<void, Args...>(op_name, execution_provider, function,
                                               shape_infer_fn, start_ver, end_ver);
}
template <typename... Args>
OrtLiteCustomOp* CreateLiteCustomOp(const char* op_name, const char* execution_provider,
                                    Status (*function)(Args...),
                                    Status (*shape_infer_fn)(ShapeInferContext&) = {},
                                    int start_ver = 1, int end_ver = MAX_CUSTOM_OP_END_VER) {
  return new detail::FunctionOp<Status, Args...>(op_name, execution_provider, function,
                                                 shape_infer_fn, start_ver, end_ver);
}

/// An operator of a class: its constructor takes (const OrtApi*, const OrtKernelInfo*), Compute()
/// runs, and a static InferOutputShape(ShapeInferContext&) may tell shapes.
template <typename Class>
OrtLiteCustomOp* CreateLiteCustomOp(const char* op_name, const char* execution_provider,
                                    int start_ver = 1, int end_ver = MAX_CUSTOM_OP_END_VER) {
  return new detail::ClassOp<Class>(op_name, execution_provider, start_ver, end_ver);
}

}  // namespace Custom
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
