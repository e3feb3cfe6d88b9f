// SPDX-License-Identifier: MIT
// Strings for kernels that move elements: see the header.
#include "providers/cpu/text/string_moves.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "providers/cpu/bind/rows/nd_loop.h"

namespace ortc::cpu {
namespace {

// A tensor of strings as a tensor of numbers that nobody knows yet.
ValueRef as_numbers(ValueRef ref) {
  if (ref.dtype != DType::kString) return ref;
  ref.dtype = DType::kInt64;
  ref.data = nullptr;
  return ref;
}

using Numbers = std::vector<int64_t>;

// 0, 1, 2 and so on, `count` of them or more. Runs share them, so that one which takes a few of
// many strings writes no number for each of the others; a few megabytes of them stay.
std::shared_ptr<const Numbers> counted(size_t count) {
  constexpr size_t kKept = size_t{1} << 20;
  static std::mutex mutex;
  static std::shared_ptr<const Numbers> kept;
  const std::lock_guard lock(mutex);
  const size_t had = kept == nullptr ? 0 : kept->size();
  if (count <= had) return kept;
  auto made = std::make_shared<Numbers>(std::max(count, std::min(2 * had, kKept)));
  std::iota(made->begin(), made->end(), int64_t{0});
  if (made->size() <= kKept) kept = made;
  return made;
}

// The numbers of all strings of the inputs: 1 for the first of the first input, 0 for "".
class Numbering {
 public:
  explicit Numbering(const RunContext& ctx) {
    size_t count = 1;
    for (size_t i = 0; i < ctx.input_count(); ++i) {
      inputs_.push_back(as_numbers(ctx.input(i)));
      if (ctx.input(i).dtype != DType::kString) continue;
      texts_.push_back({count, ctx.input(i).as<std::string>(), i});
      count += static_cast<size_t>(ctx.input(i).element_count());
    }
    end_ = count;
    numbers_ = counted(count);
    for (const Texts& texts : texts_) {
      // Inputs are not written to.
      inputs_[texts.input].data = const_cast<int64_t*>(numbers_->data() + texts.first);
    }
  }
  Numbering(const Numbering&) = delete;
  Numbering& operator=(const Numbering&) = delete;

  const std::vector<ValueRef>& inputs() const { return inputs_; }
  // Null for a number that stands for nothing: the kernel computed instead of moving.
  const std::string* find(int64_t number) const {
    if (number == 0) return &empty_;
    const auto n = static_cast<size_t>(number);
    if (number < 0 || n >= end_) return nullptr;
    const auto behind = std::ranges::upper_bound(texts_, n, {}, &Texts::first);
    return std::prev(behind)->strings + (n - std::prev(behind)->first);
  }

 private:
  struct Texts {
    size_t first;  // number
    const std::string* strings;
    size_t input;
  };
  const std::string empty_;
  std::vector<Texts> texts_;
  size_t end_ = 1;
  std::shared_ptr<const Numbers> numbers_;
  std::vector<ValueRef> inputs_;
};

// Where the kernel puts its numbers when it asks for memory itself.
struct Outputs {
  std::vector<std::vector<int64_t>> storage;
  std::vector<ValueRef> refs;
  RunContext* outer;
  static Status allocate(void* state, size_t i, DType dtype, std::span<const int64_t> dims,
                         ValueRef* out) {
    auto& self = *static_cast<Outputs*>(state);
    const bool is_text = dtype == DType::kInt64;
    RETURN_IF_ERROR(self.outer->allocate_output(i, is_text ? DType::kString : dtype, dims));
    *out = self.outer->output(i);
    if (is_text) self.make_numbers(i, *out);
    self.refs[i] = *out;
    return Status::ok();
  }
  void make_numbers(size_t i, ValueRef& ref) {
    storage[i].resize(static_cast<size_t>(ref.element_count()));
    ref.dtype = DType::kInt64;
    ref.data = storage[i].data();
  }
};

}  // namespace

Status bind_moved_strings(BindContext& ctx, uint32_t strings, Status (*bind)(BindContext&)) {
  std::vector<ValueRef> inputs;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const bool is_text = ctx.input(i).dtype == DType::kString;
    const bool must_be = i >= 32 ? (strings >> 31) != 0 : (strings >> i & 1) != 0;
    if (ctx.has_input(i) && is_text != must_be) {
      return invalid_graph("input ", i, " has type ", dtype_name(ctx.input(i).dtype),
                           ", which kernel '", ctx.kernel_id(), "' does not take");
    }
    inputs.push_back(as_numbers(ctx.input(i)));
  }
  std::vector<BindContext::Output> outputs(ctx.output_count());
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].wanted = ctx.has_output(i);
  BindContext inner(ctx.kernel_id(), ctx.params_bytes(), inputs, outputs, ctx.thread_count(),
                    ctx.isa());
  RETURN_IF_ERROR(bind(inner));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_set) continue;
    const bool is_text = outputs[i].dtype == DType::kInt64;
    RETURN_IF_ERROR(
        ctx.set_output(i, is_text ? DType::kString : outputs[i].dtype, outputs[i].dims));
  }
  ctx.set_scratch(inner.scratch());
  return Status::ok();
}

Status run_moved_strings(RunContext& ctx, Status (*run)(RunContext&)) {
  const Numbering numbering(ctx);
  Outputs outputs{std::vector<std::vector<int64_t>>(ctx.output_count()), {}, &ctx};
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    outputs.refs.push_back(ctx.output(i));
    if (ctx.output(i).dtype == DType::kString) outputs.make_numbers(i, outputs.refs[i]);
  }
  RunContext::Host host = ctx.host();
  host.allocate = Outputs::allocate;
  host.allocate_state = &outputs;
  host.give = nullptr;
  RunContext inner(ctx.params_bytes(), numbering.inputs(), outputs.refs, ctx.scratch(), host);
  RETURN_IF_ERROR(run(inner));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    auto* to = ctx.output(i).as_mutable<std::string>();
    for (size_t k = 0; k < outputs.storage[i].size(); ++k) {
      const std::string* from = numbering.find(outputs.storage[i][k]);
      if (from == nullptr) return invalid_graph("a result is not one of the strings given");
      to[k] = *from;
    }
  }
  return Status::ok();
}

}  // namespace ortc::cpu
