// SPDX-License-Identifier: MIT
// What an OrtCustomOp declares of its operator, read once for each session. Only this file's
// functions, and the kernel's, touch the struct: no member that its version does not have.
#pragma once

#include <climits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/graph/type.h"
#include "ort_c/custom_op.h"

namespace ortc::api {

// Inputs, or outputs.
struct Signature {
  struct Formal {
    std::optional<DType> dtype;  // nothing: any value
    OrtCustomOpInputOutputCharacteristic kind = INPUT_OUTPUT_REQUIRED;
  };
  std::vector<Formal> formals;
  size_t variadic_least = 1;       // of the last formal, when it is variadic
  bool variadic_is_of_one = true;  // type

  bool is_variadic() const {
    return !formals.empty() && formals.back().kind == INPUT_OUTPUT_VARIADIC;
  }
  // Of the i-th value of a node; null when it has fewer.
  const Formal* formal(size_t i) const;
  // "" when a node may have `count` values; otherwise "size 3 not in range [min=4, max=5]".
  std::string fault_of_count(size_t count) const;
  // "" when no value is omitted that is required.
  template <typename F>
  std::string fault_of_omitted(size_t count, F&& is_there) const {
    for (size_t i = 0; i < count; ++i) {
      const Formal* one = formal(i);
      if (one == nullptr) break;
      if (one->kind == INPUT_OUTPUT_REQUIRED && !is_there(i)) return text_of_omitted(i);
    }
    return {};
  }
  std::string fault_of_type(size_t i, const Type& found) const;

 private:
  static std::string text_of_omitted(size_t i);
};

struct OpDeclaration {
  const OrtCustomOp* op = nullptr;
  std::string domain, name;
  std::string provider;  // "": the default one
  Signature inputs, outputs;
  int first_version = 1, last_version = INT_MAX;
  struct Alias {
    size_t input, output;
  };
  std::vector<Alias> aliases;

  std::string label() const;  // "my.domain.Foo"
  bool has_kernel_v2() const;
  bool has_compute_v2() const;
  bool has_shape_inference() const;
};

// INVALID_ARGUMENT for a version that this library does not know, and for NULL where a member must
// be there.
Status check_custom_op(const OrtCustomOp& op);
Result<OpDeclaration> read_declaration(const std::string& domain, const OrtCustomOp& op);
// INVALID_ARGUMENT when a node could mean both.
Status check_overloads(const OpDeclaration& a, const OpDeclaration& b);

}  // namespace ortc::api
