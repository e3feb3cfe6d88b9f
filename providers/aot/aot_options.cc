// SPDX-License-Identifier: MIT
// Options of the AOT provider: see the header.
#include "providers/aot/aot_options.h"

#include "core/base/near_name.h"
#include "core/ops/op_list.h"
#include "providers/aot/aot_provider.h"
#include "providers/aot/target.h"
#include "providers/aot/weights.h"

namespace ortc::aot {
namespace {

Status judge_target_option(std::string_view value) { return parse_targets(value).status(); }

// A misspelt operator would not be excluded, and nothing would tell.
Status judge_operators(std::string_view value) {
  while (!value.empty()) {
    const std::string_view name = value.substr(0, value.find(','));
    value.remove_prefix(std::min(name.size() + 1, value.size()));
    std::vector<std::string_view> known;
    bool is_known = name.empty();
    for (const OpRow& row : op_rows()) {
      is_known = is_known || row.name == name;
      if (known.empty() || known.back() != row.name) known.push_back(row.name);
    }
    if (is_known) continue;
    return invalid_argument("expected names of operators separated by ',', found '", name, "'",
                            did_you_mean(name, known));
  }
  return Status::ok();
}

constexpr OptionWord kWeights[] = {{"model", static_cast<int>(WeightType::kModel)},
                                   {"f16", static_cast<int>(WeightType::kFloat16)},
                                   {"bf16", static_cast<int>(WeightType::kBfloat16)},
                                   {"int8", static_cast<int>(WeightType::kInt8)},
                                   {"int4", static_cast<int>(WeightType::kInt4)}};

#define FIELD(path) \
  [](void* settings) -> OptionPlace { return &static_cast<AotOptions*>(settings)->path; }

// Options of AotExecutionProvider: ep.aot.<option>, or given with the provider.
constexpr OptionRow kRows[] = {
    {"target", "", text(), "host",
     "What to compile for: \"host\", or a level and features (x86-64-v4+avx512vnni); several for "
     "one file with ';' between.",
     FIELD(target), judge_target_option},
    {"excluded_operators", "", list(','), "", "Operators that are left to other providers.",
     FIELD(excluded_operators), judge_operators},
    {"weights", "", word(kWeights), "model",
     "What float32 weights become when compiling, at the cost of exactness: \"f16\", \"bf16\", "
     "\"int8\", \"int4\"; \"model\": as the model has them.",
     FIELD(weights)},
    {"low_memory", "", flag(), "0",
     "\"1\": what compiling packs lies in a file without a name, in the folder of the context, "
     "instead of memory of the process; for contexts in files. The context is the same.",
     FIELD(low_memory)},
    {"winograd", "", flag(), "0",
     "\"1\": convolutions of 3x3 windows with stride 1 take under half of the multiplications "
     "(Winograd's F(2x2, 3x3)). Their packed weights are float32, and 16/9 as many; their rounding "
     "errors are about the same, but reach one pixel beyond the window, as infinities and NaN do.",
     FIELD(winograd)},
};

#undef FIELD

}  // namespace

std::span<const OptionRow> aot_option_rows() { return kRows; }

Result<AotOptions> read_aot_options(const KeyValues& given) {
  AotOptions options;
  RETURN_IF_ERROR(set_options(kRows, &options, kProviderName, given));
  return options;
}

}  // namespace ortc::aot
