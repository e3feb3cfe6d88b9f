// SPDX-License-Identifier: MIT
// From a parameter of a compute function to what it says of the operator, and to what it gets in a
// call. Pointers and references to const are inputs, others outputs; numbers are inputs too.
#pragma once

#include <tuple>
#include <type_traits>

#include "lite_arguments.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace Custom {
namespace detail {

/// An input or output as the operator declares it.
struct Declared {
  ONNXTensorElementDataType type;
  OrtCustomOpInputOutputCharacteristic characteristic;
};
struct Declaration {
  std::vector<Declared> inputs, outputs;
};

/// One call of the kernel: how far its inputs and outputs are given out.
struct Call {
  OrtKernelContext* context;
  size_t input_count, output_count;
  size_t next_input = 0, next_output = 0;
  std::vector<std::unique_ptr<ArgBase>> arguments;

  template <typename Argument>
  Argument& add(bool is_input) {
    size_t& next = is_input ? next_input : next_output;
    auto made = std::make_unique<Argument>(context, next++, is_input);
    Argument& argument = *made;
    arguments.push_back(std::move(made));
    return argument;
  }
};

template <typename T>
constexpr ONNXTensorElementDataType element_type() {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  } else {
    return TypeToTensorType<T>::type;
  }
}

/// The base: a number as input, of a tensor with one element.
template <typename T>
struct Parameter {
  static constexpr bool kInput = true;
  static constexpr Declared kDeclared{element_type<T>(), INPUT_OUTPUT_REQUIRED};
  static T get(Call& call) { return call.add<Tensor<T>>(true).AsScalar(); }
};

template <typename T, bool IsInput>
struct TensorParameter {
  static constexpr bool kInput = IsInput;
  static constexpr Declared kDeclared{element_type<T>(), INPUT_OUTPUT_REQUIRED};
  static Tensor<T>& find(Call& call) { return call.add<Tensor<T>>(IsInput); }
};
template <typename T>
struct Parameter<const Tensor<T>&> : TensorParameter<T, true> {
  static const Tensor<T>& get(Call& call) { return Parameter::find(call); }
};
template <typename T>
struct Parameter<const Tensor<T>*> : TensorParameter<T, true> {
  static const Tensor<T>* get(Call& call) { return &Parameter::find(call); }
};
template <typename T>
struct Parameter<Tensor<T>&> : TensorParameter<T, false> {
  static Tensor<T>& get(Call& call) { return Parameter::find(call); }
};
template <typename T>
struct Parameter<Tensor<T>*> : TensorParameter<T, false> {
  static Tensor<T>* get(Call& call) { return &Parameter::find(call); }
};

template <typename T>
struct Parameter<const Span<T>&> {
  static constexpr bool kInput = true;
  static constexpr Declared kDeclared{element_type<T>(), INPUT_OUTPUT_REQUIRED};
  static const Span<T>& get(Call& call) { return call.add<Tensor<T>>(true).AsSpan(); }
};
template <typename T>
struct Parameter<const Span<T>*> : Parameter<const Span<T>&> {
  static const Span<T>* get(Call& call) { return &Parameter<const Span<T>&>::get(call); }
};

template <bool IsInput>
struct ArrayParameter {
  static constexpr bool kInput = IsInput;
  static constexpr Declared kDeclared{ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED,
                                      INPUT_OUTPUT_VARIADIC};
  static TensorArray& find(Call& call) { return call.add<TensorArray>(IsInput); }
};
template <>
struct Parameter<const TensorArray&> : ArrayParameter<true> {
  static const TensorArray& get(Call& call) { return find(call); }
};
template <>
struct Parameter<const TensorArray*> : ArrayParameter<true> {
  static const TensorArray* get(Call& call) { return &find(call); }
};
template <>
struct Parameter<TensorArray&> : ArrayParameter<false> {
  static TensorArray& get(Call& call) { return find(call); }
};
template <>
struct Parameter<TensorArray*> : ArrayParameter<false> {
  static TensorArray* get(Call& call) { return &find(call); }
};

/// May be left out at the end, or by the model.
template <typename T>
struct Parameter<std::optional<T>> {
  static constexpr bool kInput = Parameter<T>::kInput;
  static constexpr Declared kDeclared{Parameter<T>::kDeclared.type, INPUT_OUTPUT_OPTIONAL};
  static std::optional<T> get(Call& call) {
    size_t& next = kInput ? call.next_input : call.next_output;
    const bool there = next < (kInput ? call.input_count : call.output_count) &&
                       (!kInput || KernelContext(call.context).GetInput(next) != nullptr);
    if (there) return Parameter<T>::get(call);
    ++next;
    return std::nullopt;
  }
};

template <>
struct Parameter<OrtKernelContext*> {
  static OrtKernelContext* get(Call& call) { return call.context; }
};
template <>
struct Parameter<OrtKernelContext&> {
  static OrtKernelContext& get(Call& call) { return *call.context; }
};

template <typename T>
void declare(Declaration& declaration) {
  if constexpr (!std::is_same_v<T, OrtKernelContext*> && !std::is_same_v<T, OrtKernelContext&>) {
    (Parameter<T>::kInput ? declaration.inputs : declaration.outputs)
        .push_back(Parameter<T>::kDeclared);
  }
}
template <typename... Args>
Declaration declaration_of() {
  Declaration declaration;
  (declare<Args>(declaration), ...);
  return declaration;
}

/// Calls a function with the inputs and outputs of a node; what it throws becomes a status.
template <typename... Args, typename Function>
OrtStatus* compute(OrtKernelContext* context, Function&& function) {
#if !defined(ORT_NO_EXCEPTIONS)
  try {
#endif
    const KernelContext shown(context);
    Call call{context, shown.GetInputCount(), shown.GetOutputCount(), 0, 0, {}};
    // Braces: arguments are made from the first to the last.
    std::tuple<Args...> arguments{Parameter<Args>::get(call)...};
    if constexpr (std::is_same_v<decltype(std::apply(function, arguments)), Status>) {
      return std::apply(function, arguments).release();
    } else {
      std::apply(function, arguments);
      return nullptr;
    }
#if !defined(ORT_NO_EXCEPTIONS)
  } catch (const Exception& failure) {
    return Status(failure).release();
  } catch (const std::exception& failure) {
    return Status(failure).release();
  }
#endif
}

}  // namespace detail
}  // namespace Custom
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
