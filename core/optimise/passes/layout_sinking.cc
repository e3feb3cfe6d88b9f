// SPDX-License-Identifier: MIT
//   Relu(Add(Mul(Transpose(x, p), s), t))   ->   Transpose(Relu(Add(Mul(x, s'), t')), p)
//   Relu(Squeeze(x, a))                     ->   Squeeze(Relu(x), a)
//
// for an image x, what a convolution or pool gave, so that what works element by element on its
// other layout joins the convolution, and the way there meets the way back. Values that hang
// together by such nodes are a region: all of it goes to the layout of its images, or nothing where
// that would leave more Transposes than there were. Constants vary along one axis at most.
#include <algorithm>

#include "core/optimise/image_axes.h"
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

constexpr uint32_t kNoRegion = UINT32_MAX;

struct Region {
  size_t rank;      // of its images
  uint32_t joined;  // itself, or another region that has become one with it
  int transposes = 0, moved = 0, left = 0;

  bool is_worthwhile() const { return moved > 0 && left <= transposes; }
};

// Where a value is.
struct Place {
  uint32_t region = kNoRegion;
  ImageAxes axes;
  ValueId twin = kNoValue;  // in the image's layout
};

class Sinking {
 public:
  explicit Sinking(Graph& graph)
      : graph_(graph), places_(graph.value_bound()), is_image_(graph.value_bound()) {}

  Result<int> run() {
    ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
    for (NodeId id : order) see(*graph_.node(id));
    if (regions_.empty()) return 0;
    for (ValueId id = 0; id < places_.size(); ++id) {
      if (is_inside(id) && is_turned(id) && is_read_outside(id)) ++region(id).left;
    }
    int rewrites = 0;
    std::vector<NodeId> ways;
    for (NodeId id : order) {
      Node& node = *graph_.node(id);
      if (!is_chosen(node.output(0))) continue;
      if (is_way(node)) {
        const ValueId x = node.input(0);
        places_[node.output(0)].twin = is_inside(x) ? places_[x].twin : x;
        ways.push_back(id);
      } else {
        RETURN_IF_ERROR(move(node));
        ++rewrites;
      }
    }
    for (NodeId id : ways) graph_.remove_node(id);
    if (rewrites > 0) RETURN_IF_ERROR(make_originals());
    return rewrites;
  }

 private:
  uint32_t root(uint32_t id) {
    while (regions_[id].joined != id) {
      id = regions_[id].joined = regions_[regions_[id].joined].joined;
    }
    return id;
  }
  Region& region(ValueId id) { return regions_[root(places_[id].region)]; }
  bool is_inside(ValueId id) const {
    return id < places_.size() && places_[id].region != kNoRegion;
  }
  bool is_chosen(ValueId id) { return is_inside(id) && region(id).is_worthwhile(); }
  bool is_turned(ValueId id) const { return !std::ranges::is_sorted(places_[id].axes); }
  bool is_as_image(ValueId id) {
    return places_[id].axes.size() == region(id).rank && !is_turned(id);
  }

  static bool is_way(const Node& node) {
    return node.is_op("Transpose") || node.is_op("Squeeze") || node.is_op("Unsqueeze");
  }

  void see(const Node& node) {
    const ValueId x = node.input(0), y = node.output(0);
    if (y == kNoValue || see_way(node) || join(node)) return;
    is_image_[y] = is_one_of(node, kImageMakers) ||
                   ((is_one_of(node, kUnary) || is_one_of(node, kBinary)) && x < is_image_.size() &&
                    (is_image_[x] || (is_inside(x) && is_as_image(x))));
  }

  // From an image into another layout, or from there on, or back.
  bool see_way(const Node& node) {
    const ValueId x = node.input(0), y = node.output(0);
    const auto rank = rank_of(graph_, x);
    if (!is_way(node) || !rank || !(is_inside(x) || is_image_[x])) return false;
    auto axes = is_inside(x) ? axes_behind(node, places_[x].axes, region(x).rank)
                             : axes_behind(node, all_axes_of(*rank), *rank);
    if (!axes) return false;
    if (!is_inside(x)) regions_.push_back({*rank, static_cast<uint32_t>(regions_.size())});
    const uint32_t id = is_inside(x) ? root(places_[x].region) : regions_.back().joined;
    places_[y] = {id, std::move(*axes)};
    regions_[id].transposes += node.is_op("Transpose") ? 1 : 0;
    return true;
  }

  // Whether the node works on values of regions, which then are one.
  bool join(const Node& node) {
    const auto& inputs = node.inputs();
    const auto first = std::ranges::find_if(inputs, [&](ValueId id) { return is_inside(id); });
    if (first == inputs.end() || node.outputs().size() != 1 || is_as_image(*first)) return false;
    const bool is_unary = is_one_of(node, kUnary), is_prelu = node.is_op("PRelu");
    if (!is_unary && !is_prelu && !is_one_of(node, kBinary)) return false;
    if ((is_unary || is_prelu) && first != inputs.begin()) return false;
    if (!is_unary && !broadcasts_as_numpy(node)) return false;
    const ImageAxes& axes = places_[*first].axes;
    const bool fits = std::ranges::all_of(inputs, [&](ValueId id) {
      if (is_inside(id)) return region(id).rank == region(*first).rank && places_[id].axes == axes;
      return is_unary ? id == kNoValue || is_single(id) : is_line(id, axes.size());
    });
    if (!fits) return false;
    const uint32_t into = root(places_[*first].region);
    for (ValueId id : inputs) {
      if (is_inside(id)) unite(root(places_[id].region), into);
    }
    places_[node.output(0)] = {into, axes};
    ++regions_[into].moved;
    return true;
  }

  void unite(uint32_t from, uint32_t into) {
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

  bool is_read_outside(ValueId id) const {
    const Value& value = *graph_.value(id);
    return value.is_output || std::ranges::any_of(value.uses, [&](const Use& use) {
             return use.is_implicit || !is_inside(graph_.node(use.node)->output(0));
           });
  }

  Status move(Node& node) {
    const ValueId y = node.output(0);
    Place& place = places_[y];
    const size_t rank = region(y).rank;
    for (uint32_t i = 0; i < node.inputs().size(); ++i) {
      const ValueId id = node.input(i);
      if (is_inside(id)) {
        graph_.set_input(node.id(), i, places_[id].twin);
      } else if (!is_one_of(node, kUnary) && !is_single(id)) {
        graph_.set_input(node.id(), i, turned(id, place.axes, rank));
      }
    }
    const Value& value = *graph_.value(y);
    Type type = value.type;
    if (type.has_shape() && type.shape->size() == place.axes.size()) {
      type.shape->assign(rank, Dim::known(1));
      for (size_t i = 0; i < place.axes.size(); ++i) {
        (*type.shape)[static_cast<size_t>(place.axes[i])] = (*value.type.shape)[i];
      }
    } else {
      type.shape.reset();
    }
    ASSIGN_OR_RETURN(place.twin, graph_.add_value(graph_.unique_name(value.name), std::move(type)));
    graph_.set_output(node.id(), 0, place.twin);
    return Status::ok();
  }

  ValueId turned(ValueId id, const ImageAxes& axes, size_t rank) {
    const Tensor& constant = *constant_of(graph_, id);
    const Dims& dims = constant.dims();
    Dims of_image(rank, 1);
    for (size_t i = 0; i < dims.size(); ++i) {
      of_image[static_cast<size_t>(axes[axes.size() - dims.size() + i])] = dims[i];
    }
    return graph_.add_constant(graph_.value(id)->name, constant.reshaped(std::move(of_image)));
  }

  // What is still read in another layout.
  Status make_originals() {
    for (ValueId id = 0; id < places_.size(); ++id) {
      if (!is_chosen(id)) continue;
      const bool is_replaced =
          !is_unread(graph_, id) && is_as_image(id) && put_in_place(graph_, id, places_[id].twin);
      if (is_replaced || is_unread(graph_, id)) {
        graph_.remove_value(id);
      } else {
        RETURN_IF_ERROR(make_original(id));
      }
    }
    return Status::ok();
  }

  Status make_original(ValueId id) {
    const ImageAxes missing = missing_axes(places_[id].axes, region(id).rank);
    ValueId from = places_[id].twin;
    if (!missing.empty()) {
      ValueId to = id;
      if (is_turned(id)) {
        ASSIGN_OR_RETURN(to, graph_.add_value(graph_.unique_name(graph_.value(id)->name),
                                              Type::tensor(graph_.value(id)->type.dtype)));
      }
      ASSIGN_OR_RETURN(Node * squeeze, add("Squeeze", from, to));
      if (graph_.opset("") >= kAxesAreInput) {
        const auto count = static_cast<int64_t>(missing.size());
        graph_.set_input(squeeze->id(), 1,
                         graph_.add_constant("axes", Tensor::from<int64_t>({count}, missing)));
      } else {
        squeeze->set_attribute(Attribute::of_ints("axes", missing));
      }
      from = to;
    }
    if (from == id) return Status::ok();
    ASSIGN_OR_RETURN(Node * last, add(is_turned(id) ? "Transpose" : "Identity", from, id));
    if (is_turned(id)) {
      last->set_attribute(Attribute::of_ints("perm", order_of_axes(places_[id].axes)));
    }
    return Status::ok();
  }

  Result<Node*> add(const char* op, ValueId from, ValueId to) {
    return graph_.add_node(op, "", str_cat(graph_.value(to)->name, "/layout"), {from}, {to});
  }

  Graph& graph_;
  std::vector<Region> regions_;
  std::vector<Place> places_;   // by value
  std::vector<bool> is_image_;  // by value
};

}  // namespace

Result<int> layout_sinking(Graph& graph, const PassContext&) { return Sinking(graph).run(); }

}  // namespace ortc
