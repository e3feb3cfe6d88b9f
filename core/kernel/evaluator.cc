// SPDX-License-Identifier: MIT
// The evaluator: prepare, bind and run of one node, one after the other.
#include "core/kernel/evaluator.h"

namespace ortc {
namespace {

class SingleNodePrepare final : public PrepareContext {
 public:
  SingleNodePrepare(const Node& node, std::span<const Datum> inputs)
      : inputs_(inputs.begin(), inputs.end()), node_(node), dropped_(inputs.size()) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Tensor* tensor = inputs_[i].tensor();
      const Value* value = node.graph()->value(node.input(i));
      if (tensor != nullptr) {
        types_.push_back(Type::tensor_of(*tensor));
      } else {
        types_.push_back(value != nullptr ? value->type : Type{});
      }
    }
  }
  const Node& node() const override { return node_; }
  int64_t opset() const override { return node_.opset(); }
  const Type& input_type(size_t i) const override { return i < types_.size() ? types_[i] : none_; }
  const Type& output_type(size_t i) const override {
    const Value* value = node_.graph()->value(node_.output(i));
    return value != nullptr ? value->type : none_;
  }
  const Tensor* constant(size_t i) const override {
    return i < inputs_.size() ? inputs_[i].tensor() : nullptr;
  }
  void set_params_bytes(Bytes record) override { params_ = Blob::copy_of(record); }
  void replace_input(size_t i, Tensor packed, Layout) override {
    if (i < inputs_.size()) inputs_[i] = Datum(std::move(packed));
  }
  void drop_input(size_t i) override {
    if (i >= inputs_.size()) return;
    dropped_[i] = true;
    inputs_[i] = Datum();
  }
  // An optional without content is there; an input that the node omits, or that prepare dropped, is
  // not.
  ValueRef ref(size_t i) const {
    const bool is_omitted = node_.input(i) == kNoValue || dropped_[i];
    return is_omitted && inputs_[i].is_none() ? ValueRef{} : ref_to(inputs_[i]);
  }

  std::vector<Datum> inputs_;
  Blob params_;

 private:
  const Node& node_;
  std::vector<bool> dropped_;
  std::vector<Type> types_;
  Type none_;
};

Status give_datum(void* state, size_t i, Datum value) {
  (*static_cast<std::vector<Datum>*>(state))[i] = std::move(value);
  return Status::ok();
}

Status allocate_tensor(void* state, size_t i, DType dtype, std::span<const int64_t> dims,
                       ValueRef* out) {
  auto& outputs = *static_cast<std::vector<Datum>*>(state);
  ASSIGN_OR_RETURN(outputs[i], Tensor::create(dtype, Dims(dims.begin(), dims.end())));
  *out = ref_to(outputs[i]);
  return Status::ok();
}

DType type_of(const Datum& input) {
  return input.is_tensor() ? input.tensor()->dtype() : DType::kUndefined;
}

const KernelRow* row_for(const KernelRegistry& registry, const Node& node,
                         std::span<const Datum> inputs) {
  const KernelRow* row = registry.find(node);
  if (row != nullptr) return row;
  return registry.find(node, inputs.empty() ? DType::kUndefined : type_of(inputs[0]));
}

}  // namespace

bool Evaluator::can_evaluate(const Node& node) const {
  for (const ValueId id : node.outputs()) {
    const Value* value = node.graph()->value(id);
    const TypeKind kind = value != nullptr ? value->type.kind : TypeKind::kNone;
    if (kind != TypeKind::kTensor && kind != TypeKind::kNone) return false;
  }
  return registry_.find(node) != nullptr;
}

Result<std::vector<Tensor>> Evaluator::evaluate(const Node& node, std::span<const Tensor> inputs,
                                                ThreadPool* pool) const {
  return evaluate(node, inputs, pool, isa_);
}

Result<std::vector<Tensor>> Evaluator::evaluate(const Node& node, std::span<const Tensor> inputs,
                                                ThreadPool* pool, Isa isa) const {
  const std::vector<Datum> values(inputs.begin(), inputs.end());
  ASSIGN_OR_RETURN(std::vector<Datum> results, evaluate_values(node, values, pool, isa));
  std::vector<Tensor> outputs;
  for (Datum& result : results) {
    if (!result.is_none() && !result.is_tensor()) {
      return not_implemented(node.label(), " gives a ", describe(result), ", expected a tensor");
    }
    outputs.push_back(result.is_tensor() ? std::move(*result.tensor()) : Tensor());
  }
  return outputs;
}

Result<std::vector<Datum>> Evaluator::evaluate_values(const Node& node,
                                                      std::span<const Datum> inputs,
                                                      ThreadPool* pool, Isa isa) const {
  const KernelRow* row = row_for(registry_, node, inputs);
  if (row == nullptr) {
    return not_implemented(node.label(), ": no kernel for opset ", node.opset(), " and type ",
                           inputs.empty() ? "none" : describe(inputs[0]));
  }
  SingleNodePrepare prepare(node, inputs);
  RETURN_IF_ERROR_WHILE(row->prepare(prepare), node.label());

  std::vector<ValueRef> refs;
  refs.reserve(prepare.inputs_.size());
  for (size_t i = 0; i < prepare.inputs_.size(); ++i) refs.push_back(prepare.ref(i));
  std::vector<BindContext::Output> shapes(node.outputs().size());
  for (size_t i = 0; i < shapes.size(); ++i) shapes[i].wanted = node.output(i) != kNoValue;
  const int threads = pool != nullptr ? pool->thread_count() : 1;
  BindContext bind(row->id, prepare.params_.bytes(), refs, shapes, threads, isa);
  RETURN_IF_ERROR_WHILE(row->bind(bind), node.label());

  std::vector<Datum> outputs(shapes.size());
  std::vector<ValueRef> out_refs(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].wanted || !shapes[i].is_set) continue;
    ASSIGN_OR_RETURN(outputs[i], Tensor::create(shapes[i].dtype, shapes[i].dims));
    out_refs[i] = ref_to(outputs[i]);
  }
  Tensor scratch;
  if (bind.scratch() > 0) {
    ASSIGN_OR_RETURN(scratch,
                     Tensor::create(DType::kUint8, {static_cast<int64_t>(bind.scratch())}));
  }
  RunContext::Host host{pool, isa, allocate_tensor, &outputs, give_datum};
  RunContext run(prepare.params_.bytes(), refs, out_refs,
                 static_cast<std::byte*>(scratch.mutable_data()), host);
  RETURN_IF_ERROR_WHILE(row->run(run), node.label());
  return outputs;
}

}  // namespace ortc
