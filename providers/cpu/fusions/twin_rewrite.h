// SPDX-License-Identifier: MIT
// What rewrites share that bring stretches of a graph into another form: a value gets a twin in
// that form when the first operator needs it; the original is made from the twin only for readers
// that stay in the old form.
#pragma once

#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/twin_axes.h"

namespace ortc::cpu {

inline constexpr std::string_view kPoolings[] = {"MaxPool", "AveragePool", "GlobalAveragePool",
                                                 "GlobalMaxPool"};

class TwinRewrite {
 public:
  TwinRewrite(const TwinRewrite&) = delete;
  TwinRewrite& operator=(const TwinRewrite&) = delete;

 protected:
  // `rank` is that of the originals, also of those whose shape nobody knows.
  TwinRewrite(Graph& graph, std::string_view suffix, size_t rank)
      : graph_(graph), suffix_(suffix), rank_(rank) {}
  ~TwinRewrite() = default;

  // The shape of the twin of a value; only asked for values that the rewrite has chosen.
  virtual Shape twin_shape(const Shape& shape) const = 0;
  virtual Status add_way_there(ValueId original, ValueId twin) = 0;
  virtual Status add_way_back(ValueId twin, ValueId original) = 0;

  ValueId known_twin(ValueId id) const { return id < twins_.size() ? twins_[id] : kNoValue; }
  // The twin, made from the original where there is none yet.
  Result<ValueId> twin_of(ValueId id);
  // `twin` is what the original's twin shall be; the original is made anew where it is read.
  void set_twin(ValueId original, ValueId twin);
  // Whether it is a float32 value of the rank, or may be: what a convolution reads has the rank of
  // its weights.
  bool may_have_twin(ValueId id) const;
  // In place of `node` one that gives the twins of its outputs. True.
  Result<bool> replace(const Node& node, std::string op, std::string_view domain,
                       std::vector<ValueId> inputs, std::vector<Attribute> attributes);
  // In place of `node` the same operator in this form.
  Result<bool> take_form(const Node& node, TwinForm form);
  // The last step.
  Status make_originals();

  Graph& graph_;

 private:
  Result<ValueId> new_twin(ValueId id);

  const std::string_view suffix_;  // of the names of twins
  const size_t rank_;
  std::vector<ValueId> twins_;  // by original
};

}  // namespace ortc::cpu
