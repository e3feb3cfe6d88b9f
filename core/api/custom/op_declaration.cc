// SPDX-License-Identifier: MIT
// Reading OrtCustomOps: see the header.
#include "core/api/custom/op_declaration.h"

#include <algorithm>

#include "core/api/guard.h"
#include "core/api/value/element_type.h"
#include "ort_c/ort_api.h"

namespace ortc::api {
namespace {

// The versions of ONNX Runtime's interface that brought members.
constexpr uint32_t kOptional = 8, kVariadic = 14, kWithStatus = 16, kInferring = 17, kAliasing = 18;

constexpr size_t kFormalsMost = 1024;

// What a function of the program gives; what it throws is a failure.
template <typename F>
Status ask(const char* member, F&& body) {
  Status status = take_status(guard([&]() -> Status {
    body();
    return {};
  }));
  return std::move(status.note(member));
}

// One side of the operator, by the members for it.
struct Side {
  const char* what;
  size_t (*count)(const OrtCustomOp*);
  ONNXTensorElementDataType (*type)(const OrtCustomOp*, size_t);
  OrtCustomOpInputOutputCharacteristic (*kind)(const OrtCustomOp*, size_t);
  int (*least)(const OrtCustomOp*);
  int (*is_of_one)(const OrtCustomOp*);
};

Side input_side(const OrtCustomOp& op) {
  const bool has_kinds = op.version >= kOptional, has_variadic = op.version >= kVariadic;
  return {"input",
          op.GetInputTypeCount,
          op.GetInputType,
          has_kinds ? op.GetInputCharacteristic : nullptr,
          has_variadic ? op.GetVariadicInputMinArity : nullptr,
          has_variadic ? op.GetVariadicInputHomogeneity : nullptr};
}

Side output_side(const OrtCustomOp& op) {
  const bool has_kinds = op.version >= kOptional, has_variadic = op.version >= kVariadic;
  return {"output",
          op.GetOutputTypeCount,
          op.GetOutputType,
          has_kinds ? op.GetOutputCharacteristic : nullptr,
          has_variadic ? op.GetVariadicOutputMinArity : nullptr,
          has_variadic ? op.GetVariadicOutputHomogeneity : nullptr};
}

Result<Signature::Formal> read_formal(const OrtCustomOp& op, const Side& side, size_t i) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  OrtCustomOpInputOutputCharacteristic kind = INPUT_OUTPUT_REQUIRED;
  RETURN_IF_ERROR(ask("its types", [&] {
    type = side.type(&op, i);
    if (side.kind != nullptr) kind = side.kind(&op, i);
  }));
  Signature::Formal formal;
  formal.dtype = dtype_of(type);
  if (!formal.dtype && number_of(type) != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
    return invalid_argument(side.what, " ", i, " has the type ", number_of(type),
                            ", which is not an element type");
  }
  const int32_t number = number_of(kind);
  if (number < INPUT_OUTPUT_REQUIRED || number > INPUT_OUTPUT_VARIADIC) {
    return invalid_argument(side.what, " ", i, " has the characteristic ", number,
                            ", expected 0, 1 or 2");
  }
  if (number == INPUT_OUTPUT_VARIADIC && op.version < kVariadic) {
    return invalid_argument(side.what, " ", i, " is variadic, which operators of version ",
                            op.version, " cannot be; expected version ", kVariadic, " or later");
  }
  formal.kind = kind;
  return formal;
}

Status read_variadic(const OrtCustomOp& op, const Side& side, Signature& signature) {
  int least = 1, is_of_one = 1;
  RETURN_IF_ERROR(ask("its variadic values", [&] {
    if (side.least != nullptr) least = side.least(&op);
    if (side.is_of_one != nullptr) is_of_one = side.is_of_one(&op);
  }));
  if (least < 0) {
    return invalid_argument("its variadic ", side.what, " needs ", least,
                            " values, expected 0 or more");
  }
  signature.variadic_least = static_cast<size_t>(least);
  signature.variadic_is_of_one = is_of_one != 0;
  if (is_of_one == 0 && signature.formals.back().dtype) {
    return invalid_argument("its variadic ", side.what, " has values of many types, but names ",
                            dtype_name(*signature.formals.back().dtype), "; expected UNDEFINED");
  }
  return {};
}

Result<Signature> read_signature(const OrtCustomOp& op, const Side& side) {
  size_t count = 0;
  RETURN_IF_ERROR(ask("its types", [&] { count = side.count(&op); }));
  if (count > kFormalsMost) {
    return invalid_argument("it has ", count, " ", side.what, "s, expected at most ", kFormalsMost);
  }
  Signature signature;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const auto formal, read_formal(op, side, i));
    if (signature.is_variadic()) {
      return invalid_argument("Only the last ", side.what,
                              " to a custom op may be marked variadic. Here ", side.what, " ",
                              i - 1, " is variadic");
    }
    signature.formals.push_back(formal);
  }
  if (signature.is_variadic()) RETURN_IF_ERROR(read_variadic(op, side, signature));
  return signature;
}

Status read_versions(const OrtCustomOp& op, OpDeclaration& read) {
  if (op.version < kInferring) return {};
  RETURN_IF_ERROR(ask("its versions", [&] {
    if (op.GetStartVersion != nullptr) read.first_version = op.GetStartVersion(&op);
    if (op.GetEndVersion != nullptr) read.last_version = op.GetEndVersion(&op);
  }));
  if (read.first_version < 1 || read.last_version < read.first_version) {
    return invalid_argument("it is for the opset versions ", read.first_version, " to ",
                            read.last_version, ", expected 1 or more, in order");
  }
  return {};
}

Status read_aliases(const OrtCustomOp& op, OpDeclaration& read) {
  if (op.version < kAliasing || op.GetAliasMap == nullptr) return {};
  size_t count = 0;
  int *inputs = nullptr, *outputs = nullptr;
  RETURN_IF_ERROR(ask("GetAliasMap", [&] { count = op.GetAliasMap(&inputs, &outputs); }));
  Status status;
  for (size_t k = 0; k < count && inputs != nullptr && outputs != nullptr; ++k) {
    const int input = inputs[k], output = outputs[k];
    if (input < 0 || output < 0 || read.inputs.formal(static_cast<size_t>(input)) == nullptr ||
        read.outputs.formal(static_cast<size_t>(output)) == nullptr) {
      status = invalid_argument("GetAliasMap names input ", input, " and output ", output,
                                ", which it does not have");
      break;
    }
    read.aliases.push_back({static_cast<size_t>(input), static_cast<size_t>(output)});
  }
  if (op.ReleaseAliasMap != nullptr) {
    RETURN_IF_ERROR(ask("ReleaseAliasMap", [&] { op.ReleaseAliasMap(inputs, outputs); }));
  }
  return status;
}

bool has_same_types(const Signature& a, const Signature& b) {
  return std::ranges::equal(a.formals, b.formals, {}, &Signature::Formal::dtype,
                            &Signature::Formal::dtype);
}

}  // namespace

const Signature::Formal* Signature::formal(size_t i) const {
  if (i < formals.size()) return &formals[i];
  return is_variadic() ? &formals.back() : nullptr;
}

std::string Signature::text_of_omitted(size_t i) {
  return str_cat("number ", i, " is required, but omitted");
}

std::string Signature::fault_of_count(size_t count) const {
  size_t least = 0;
  for (size_t i = 0; i < formals.size(); ++i) {
    if (formals[i].kind == INPUT_OUTPUT_REQUIRED) least = i + 1;
  }
  if (is_variadic() && variadic_least > 0) least = formals.size() - 1 + variadic_least;
  if (count >= least && (is_variadic() || count <= formals.size())) return {};
  const std::string most = is_variadic() ? std::string("any") : str_cat(formals.size());
  return str_cat("size ", count, " not in range [min=", least, ", max=", most, "]");
}

std::string Signature::fault_of_type(size_t i, const Type& found) const {
  const Formal* expected = formal(i);
  if (expected == nullptr || !expected->dtype || found.kind == TypeKind::kNone) return {};
  if (found.is_tensor() && (found.dtype == *expected->dtype || found.dtype == DType::kUndefined)) {
    return {};
  }
  return str_cat("number ", i, " is ", type_to_string(found), ", expected ",
                 dtype_name(*expected->dtype));
}

std::string OpDeclaration::label() const {
  return domain.empty() ? name : str_cat(domain, ".", name);
}

bool OpDeclaration::has_kernel_v2() const {
  return op->version >= kWithStatus && op->CreateKernelV2 != nullptr;
}

bool OpDeclaration::has_compute_v2() const {
  return op->version >= kWithStatus && op->KernelComputeV2 != nullptr;
}

bool OpDeclaration::has_shape_inference() const {
  return op->version >= kInferring && op->InferOutputShapeFn != nullptr;
}

Status check_custom_op(const OrtCustomOp& op) {
  // A newer struct begins with the members that are known here.
  if (op.version < 1) {
    return invalid_argument("the custom operator was written for version ", op.version,
                            " of the interface, expected 1 or more");
  }
  const auto needed = [](bool is_there, const char* member) -> Status {
    if (is_there) return {};
    return invalid_argument("'", member, "' of a custom operator must not be NULL");
  };
  RETURN_IF_ERROR(needed(op.GetName != nullptr, "GetName"));
  RETURN_IF_ERROR(needed(op.GetInputTypeCount != nullptr, "GetInputTypeCount"));
  RETURN_IF_ERROR(needed(op.GetInputType != nullptr, "GetInputType"));
  RETURN_IF_ERROR(needed(op.GetOutputTypeCount != nullptr, "GetOutputTypeCount"));
  RETURN_IF_ERROR(needed(op.GetOutputType != nullptr, "GetOutputType"));
  const bool has_v2 = op.version >= kWithStatus;
  RETURN_IF_ERROR(needed(op.CreateKernel != nullptr || (has_v2 && op.CreateKernelV2 != nullptr),
                         has_v2 ? "CreateKernelV2" : "CreateKernel"));
  return needed(op.KernelCompute != nullptr || (has_v2 && op.KernelComputeV2 != nullptr),
                has_v2 ? "KernelComputeV2" : "KernelCompute");
}

Result<OpDeclaration> read_declaration(const std::string& domain, const OrtCustomOp& op) {
  RETURN_IF_ERROR(check_custom_op(op));
  OpDeclaration read;
  read.op = &op;
  read.domain = domain;
  const char *name = nullptr, *provider = nullptr;
  RETURN_IF_ERROR(ask("GetName", [&] { name = op.GetName(&op); }));
  if (name == nullptr || *name == '\0') {
    return invalid_argument("a custom operator of the domain '", domain, "' has no name");
  }
  read.name = name;
  const auto read_rest = [&]() -> Status {
    RETURN_IF_ERROR(ask("GetExecutionProviderType", [&] {
      if (op.GetExecutionProviderType != nullptr) provider = op.GetExecutionProviderType(&op);
    }));
    if (provider != nullptr) read.provider = provider;
    ASSIGN_OR_RETURN(read.inputs, read_signature(op, input_side(op)));
    ASSIGN_OR_RETURN(read.outputs, read_signature(op, output_side(op)));
    RETURN_IF_ERROR(read_versions(op, read));
    return read_aliases(op, read);
  };
  RETURN_IF_ERROR_WHILE(read_rest(), "custom operator ", read.label());
  return read;
}

Status check_overloads(const OpDeclaration& a, const OpDeclaration& b) {
  if (a.domain != b.domain || a.name != b.name || a.provider != b.provider) return {};
  if (a.last_version < b.first_version || b.last_version < a.first_version) return {};
  const auto differs = [&](size_t found, size_t expected, const char* what) {
    return invalid_argument("two custom operators ", a.label(), " have ", expected, " and ", found,
                            " ", what, "; overloads of one version have as many");
  };
  if (a.inputs.formals.size() != b.inputs.formals.size()) {
    return differs(b.inputs.formals.size(), a.inputs.formals.size(), "inputs");
  }
  if (a.outputs.formals.size() != b.outputs.formals.size()) {
    return differs(b.outputs.formals.size(), a.outputs.formals.size(), "outputs");
  }
  if (!has_same_types(a.inputs, b.inputs)) return {};
  // One that was added twice is the first of the two, as in ONNX Runtime.
  if (a.first_version == b.first_version && a.last_version == b.last_version) return {};
  return invalid_argument("two custom operators ", a.label(), " of opset version ",
                          std::max(a.first_version, b.first_version),
                          " take the same types; overloads differ in the types of their inputs");
}

}  // namespace ortc::api
