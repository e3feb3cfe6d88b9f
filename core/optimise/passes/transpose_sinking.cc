// SPDX-License-Identifier: MIT
//   Relu(Add(Mul(Transpose(x, p), s), t))   ->   Transpose(Relu(Add(Mul(x, s'), t')), p)
//
// for an image x, what a convolution or pool gave, so that what works element by element on its
// other layout joins the convolution, and the Transpose meets the one that goes back. Values that
// hang together by such nodes are a region: all of it goes to the layout of x, or nothing where
// that would leave more Transposes than there were. Constants vary along one axis at most.
#include <algorithm>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

constexpr std::string_view kImageMakers[] = {
    "Conv",   "ConvTranspose",     "MaxPool",       "AveragePool",
    "LpPool", "GlobalAveragePool", "GlobalMaxPool", "BatchNormalization"};
// Of the elements of the first input; further inputs are scalars, and stay.
constexpr std::string_view kUnary[] = {
    "Relu",     "LeakyRelu", "Sigmoid", "Tanh", "Clip", "HardSwish", "HardSigmoid", "Elu",
    "Selu",     "Celu",      "Exp",     "Log",  "Sqrt", "Abs",       "Neg",         "Erf",
    "Softplus", "Softsign",  "Gelu",    "Mish", "Cast", "Floor",     "Reciprocal"};
constexpr std::string_view kBinary[] = {"Add", "Sub", "Mul", "Div", "Max", "Min", "Pow"};

using Perm = std::vector<int64_t>;
using RegionId = uint32_t;
constexpr RegionId kNoRegion = UINT32_MAX;

struct Region {
  Perm perm;        // from the layout of the image to that of the region's values
  RegionId joined;  // itself, or another region that has become one with it
  int transposes = 0, moved = 0, left = 0;

  bool is_worthwhile() const { return moved > 0 && left <= transposes; }
};

class Sinking {
 public:
  explicit Sinking(Graph& graph)
      : graph_(graph),
        region_of_(graph.value_bound(), kNoRegion),
        is_image_(graph.value_bound()),
        twin_of_(graph.value_bound(), kNoValue) {}

  Result<int> run() {
    ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
    for (NodeId id : order) see(*graph_.node(id));
    if (regions_.empty()) return 0;
    for (ValueId id = 0; id < region_of_.size(); ++id) {
      if (region_of_[id] != kNoRegion && stays(id)) ++region(id).left;
    }
    int rewrites = 0;
    for (NodeId id : order) {
      if (!is_chosen(graph_.node(id)->output(0))) continue;
      ASSIGN_OR_RETURN(const bool moved, move(*graph_.node(id)));
      rewrites += moved ? 1 : 0;
    }
    if (rewrites > 0) RETURN_IF_ERROR(make_originals());
    return rewrites;
  }

 private:
  RegionId root(RegionId id) {
    while (regions_[id].joined != id)
      id = regions_[id].joined = regions_[regions_[id].joined].joined;
    return id;
  }
  Region& region(ValueId id) { return regions_[root(region_of_[id])]; }
  bool is_inside(ValueId id) const { return id < region_of_.size() && region_of_[id] != kNoRegion; }
  bool is_chosen(ValueId id) { return is_inside(id) && region(id).is_worthwhile(); }

  bool is_image(ValueId id) const { return id < is_image_.size() && is_image_[id]; }

  void see(const Node& node) {
    const ValueId x = node.input(0), y = node.output(0);
    if (y == kNoValue) return;
    if (node.is_op("Transpose")) {
      // The way back from a region gives an image too.
      if (is_inside(x)) is_image_[y] = true;
      if (const auto perm = permutation_of(node); perm && is_image(x)) begin(y, *perm);
    } else if (!join(node)) {
      is_image_[y] = is_one_of(node, kImageMakers) ||
                     ((is_one_of(node, kUnary) || is_one_of(node, kBinary)) && is_image(x));
    }
  }

  void begin(ValueId id, const Perm& perm) {
    region_of_[id] = static_cast<RegionId>(regions_.size());
    regions_.push_back({perm, region_of_[id], /*transposes=*/1});
  }

  // Whether the node works on values of regions, which then are one.
  bool join(const Node& node) {
    const auto& inputs = node.inputs();
    const auto first = std::ranges::find_if(inputs, [&](ValueId id) { return is_inside(id); });
    if (first == inputs.end() || node.outputs().size() != 1) return false;
    const Perm& perm = region(*first).perm;
    const bool is_unary = is_one_of(node, kUnary), is_prelu = node.is_op("PRelu");
    if (!is_unary && !is_prelu && !is_one_of(node, kBinary)) return false;
    if ((is_unary || is_prelu) && first != inputs.begin()) return false;
    if (!is_unary && !broadcasts_as_numpy(node)) return false;
    const bool fits = std::all_of(inputs.begin(), inputs.end(), [&](ValueId id) {
      if (is_inside(id)) return region(id).perm == perm;
      return is_unary ? id == kNoValue || is_single(id) : is_line(id, perm.size());
    });
    if (!fits) return false;
    const RegionId into = root(region_of_[*first]);
    for (ValueId id : inputs) {
      if (is_inside(id)) unite(root(region_of_[id]), into);
    }
    region_of_[node.output(0)] = into;
    ++regions_[into].moved;
    return true;
  }

  void unite(RegionId from, RegionId into) {
    if (from == into) return;
    regions_[from].joined = into;
    regions_[into].transposes += regions_[from].transposes;
    regions_[into].moved += regions_[from].moved;
  }

  bool is_single(ValueId id) const {
    const Tensor* constant = constant_of(graph_, id);
    return constant != nullptr && constant->element_count() == 1 && constant->dims().size() <= 1;
  }
  bool is_line(ValueId id, size_t rank) const {
    const Tensor* constant = constant_of(graph_, id);
    return constant != nullptr && constant->dims().size() <= rank &&
           std::ranges::count_if(constant->dims(), [](int64_t dim) { return dim != 1; }) <= 1;
  }

  // Whether it is read in its own layout when the region has another. Another Transpose joins with
  // the one that stands there then.
  bool stays(ValueId id) const {
    const Value& value = *graph_.value(id);
    return value.is_output || std::ranges::any_of(value.uses, [&](const Use& use) {
             const Node& reader = *graph_.node(use.node);
             return use.is_implicit || (!reader.is_op("Transpose") && !is_inside(reader.output(0)));
           });
  }

  Result<bool> move(Node& node) {
    const ValueId y = node.output(0);
    if (node.is_op("Transpose")) {
      twin_of_[y] = node.input(0);
      return false;
    }
    const Perm& perm = region(y).perm;
    for (uint32_t i = 0; i < node.inputs().size(); ++i) {
      const ValueId id = node.input(i);
      if (is_inside(id)) {
        graph_.set_input(node.id(), i, twin_of_[id]);
      } else if (!is_one_of(node, kUnary) && !is_single(id)) {
        graph_.set_input(node.id(), i, turned(id, perm));
      }
    }
    const Value& value = *graph_.value(y);
    Type type = value.type;
    if (type.has_shape() && type.shape->size() == perm.size()) {
      for (size_t i = 0; i < perm.size(); ++i) (*type.shape)[at(perm, i)] = (*value.type.shape)[i];
    } else {
      type.shape.reset();
    }
    ASSIGN_OR_RETURN(twin_of_[y],
                     graph_.add_value(graph_.unique_name(value.name), std::move(type)));
    graph_.set_output(node.id(), 0, twin_of_[y]);
    return true;
  }

  static size_t at(const Perm& perm, size_t i) { return static_cast<size_t>(perm[i]); }

  ValueId turned(ValueId id, const Perm& perm) {
    const Tensor& constant = *constant_of(graph_, id);
    Dims there(perm.size() - constant.dims().size(), 1), here(perm.size());
    there.insert(there.end(), constant.dims().begin(), constant.dims().end());
    for (size_t i = 0; i < perm.size(); ++i) here[at(perm, i)] = there[i];
    return graph_.add_constant(graph_.value(id)->name, constant.reshaped(std::move(here)));
  }

  // What is still read in the region's layout is made by a Transpose; those that nobody reads go.
  Status make_originals() {
    for (ValueId id = 0; id < region_of_.size(); ++id) {
      if (!is_chosen(id)) continue;
      const Value& value = *graph_.value(id);
      if (value.producer != kNoNode) {  // the Transpose that was there
        if (is_unread(graph_, id)) remove_unread(graph_, value.producer);
      } else if (is_unread(graph_, id)) {
        graph_.remove_value(id);
      } else {
        auto added =
            graph_.add_node("Transpose", "", str_cat(value.name, "/transpose"), {twin_of_[id]},
                            {id}, {Attribute::of_ints("perm", region(id).perm)});
        RETURN_IF_ERROR(added.status());
      }
    }
    return Status::ok();
  }

  Graph& graph_;
  std::vector<Region> regions_;
  std::vector<RegionId> region_of_;  // by value, as the next two
  std::vector<bool> is_image_;
  std::vector<ValueId> twin_of_;  // in the image's layout
};

}  // namespace

Result<int> transpose_sinking(Graph& graph, const PassContext&) { return Sinking(graph).run(); }

}  // namespace ortc
