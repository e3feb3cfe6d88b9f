// SPDX-License-Identifier: MIT
// A transposed convolution without strides is a convolution by the same taps in reverse, over an
// image that is padded up to where their first and their last reach:
//
//   ConvTranspose(x, w, b)   ->   Conv(x, w', b)   w'[out][in][tap] = w[in][out][taps - 1 - tap]
#include <cstring>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/half_weights.h"
#include "providers/cpu/products/narrow_panels.h"
#include "providers/cpu/windows/transposed_shape.h"

namespace ortc::cpu {
namespace {

// One product by the weights of all taps and their sums are better (bench/operators --wild,
// ConvTranspose): from so many channels to so few, in a group; and where a convolution would
// multiply for as many more pixels as the sums cost, in channels. Planes of very many channels are
// also too large to be read once for every tap.
constexpr int64_t kManyInputs = 16, kFewOutputs = 4;
constexpr int64_t kSumsCost = 12;
constexpr int64_t kVeryManyInputs = 96, kSomeOutputs = 12;

// Padding of the convolution; empty where the transposed one is another, or a wrong one.
std::vector<int64_t> padding_of(const Node& node, const Dims& w) {
  const size_t rank = w.size() - 2;
  const Result<ConvTransposeParams> read = transposed_from_attributes(node);
  if (!read.is_ok() || read->has_output_shape != 0) return {};
  const WindowParams& windows = read->windows;
  if (windows.auto_pad != kExplicitPads || (windows.rank != 0 && windows.rank != rank)) return {};
  std::vector<int64_t> padding(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    const bool says = windows.rank != 0;
    const bool is_plain = read->output_padding[i] == 0 && (!says || windows.stride[i] == 1) &&
                          (!says || windows.kernel[i] == 0 || windows.kernel[i] == w[i + 2]);
    const auto reach = checked_mul(w[i + 2] - 1, says ? windows.dilation[i] : 1);
    if (!is_plain || !reach) return {};
    padding[i] = *reach - (says ? windows.pad_begin[i] : 0);
    padding[rank + i] = *reach - (says ? windows.pad_end[i] : 0);
    if (padding[i] < 0 || padding[rank + i] < 0) return {};
  }
  return padding;
}

bool is_better_transposed(const Graph& graph, const Node& node, const Tensor& weights,
                          int64_t groups) {
  const Dims& w = weights.dims();
  const int64_t inputs = w[0] / groups, outputs = w[1];
  if (inputs < kManyInputs) return false;
  if (outputs <= kFewOutputs) return true;
  const Shape *x = known_shape(graph, node.input(0)), *y = known_shape(graph, node.output(0));
  if (groups != 1 || w.size() > 4 || x == nullptr || y == nullptr || x->size() != w.size() ||
      y->size() != w.size() || weights.dtype() != DType::kFloat32) {
    return false;
  }
  double before = 1, after = 1;
  for (size_t i = 2; i < w.size(); ++i) {
    if (!(*x)[i].is_known() || !(*y)[i].is_known()) return false;
    before *= static_cast<double>((*x)[i].value);
    after *= static_cast<double>((*y)[i].value);
  }
  return (after - before) * static_cast<double>(inputs) > before * kSumsCost ||
         (inputs >= kVeryManyInputs && outputs <= kSomeOutputs);
}

Result<Tensor> turned(const Tensor& w, int64_t groups) {
  const auto size = static_cast<size_t>(*dtype_bytes(w.dtype(), 1));
  Dims dims = w.dims();
  const int64_t in = dims[0] / groups, out = dims[1];
  dims[0] = out * groups;
  dims[1] = in;
  ASSIGN_OR_RETURN(Tensor result, Tensor::create(w.dtype(), dims));
  const int64_t taps = w.element_count() / (in * groups * out);
  const auto* from = static_cast<const std::byte*>(w.data());
  auto* to = static_cast<std::byte*>(result.mutable_data());
  for (int64_t i = 0; i < in * groups; ++i) {
    for (int64_t o = 0; o < out; ++o) {
      const int64_t row = (i / in * out + o) * in + i % in;
      for (int64_t tap = taps; tap-- > 0; from += size) {
        std::memcpy(to + static_cast<size_t>(row * taps + tap) * size, from, size);
      }
    }
  }
  return result;
}

// A transposed convolution reads weights of 16 bits whatever their number, not so the other.
Status widen_unread_weights(Graph& graph, const Node& conv) {
  const Tensor& weights = *constant_of(graph, conv.input(1));
  if (!is_half(weights.dtype()) || !is_float32(graph, conv.input(0))) return Status::ok();
  if (reads_half_weights(conv, weights)) return Status::ok();
  ASSIGN_OR_RETURN(Tensor wide, widened(weights));
  const std::string name = graph.value(conv.input(1))->name;
  graph.set_input(conv.id(), 1, graph.add_constant(name, std::move(wide)));
  return Status::ok();
}

}  // namespace

Result<int> plain_transposed(Graph& graph, const KernelRegistry&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    const Tensor* w = node.is_op("ConvTranspose") ? constant_of(graph, node.input(1)) : nullptr;
    const int64_t groups = node.int_attribute("group", 1);
    if (w == nullptr || w->dims().size() < 3 || w->element_count() == 0 || groups < 1 ||
        w->dims()[0] % groups != 0) {
      return false;
    }
    if (is_better_transposed(graph, node, *w, groups)) return false;
    std::vector<int64_t> padding = padding_of(node, w->dims());
    if (padding.empty()) return false;
    ASSIGN_OR_RETURN(Tensor weights, turned(*w, groups));
    std::vector<Attribute> attributes = {Attribute::of_ints("pads", std::move(padding))};
    for (const Attribute& attribute : node.attributes()) {
      const bool stays = attribute.name == "group" || attribute.name == "dilations";
      if (stays) attributes.push_back(attribute);
    }
    std::vector<ValueId> inputs = node.inputs();
    inputs[1] = graph.add_constant(graph.value(inputs[1])->name, std::move(weights));
    const ValueId output = node.output(0);
    const std::string name = node.name();
    graph.remove_node(node.id());
    ASSIGN_OR_RETURN(const Node* conv, graph.add_node("Conv", "", name, std::move(inputs), {output},
                                                      std::move(attributes)));
    RETURN_IF_ERROR(widen_unread_weights(graph, *conv));
    return true;
  });
}

}  // namespace ortc::cpu
