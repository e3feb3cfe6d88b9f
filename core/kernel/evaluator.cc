// SPDX-License-Identifier: MIT
// The evaluator: prepare, bind and run of one node, one after the other.
#include "core/kernel/evaluator.h"

namespace ortc {
namespace {

class SingleNodePrepare final : public PrepareContext {
 public:
  SingleNodePrepare(const Node& node, std::span<const Tensor> inputs) : node_(node) {
    inputs_.assign(inputs.begin(), inputs.end());
    for (const Tensor& input : inputs_) {
      types_.push_back(input.is_defined() ? Type::tensor_of(input) : Type{});
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
    return i < inputs_.size() && inputs_[i].is_defined() ? &inputs_[i] : nullptr;
  }
  void set_params_bytes(Bytes record) override { params_ = Blob::copy_of(record); }
  void replace_input(size_t i, Tensor packed, Layout) override {
    if (i < inputs_.size()) inputs_[i] = std::move(packed);
  }
  void drop_input(size_t i) override {
    if (i < inputs_.size()) inputs_[i] = Tensor();
  }

  std::vector<Tensor> inputs_;
  Blob params_;

 private:
  const Node& node_;
  std::vector<Type> types_;
  Type none_;
};

TensorRef ref_of(const Tensor& tensor) {
  return {tensor.dtype(), static_cast<uint32_t>(tensor.dims().size()), tensor.dims().data(),
          const_cast<void*>(tensor.data())};
}

Status allocate_tensor(void* state, size_t i, DType dtype, std::span<const int64_t> dims,
                       TensorRef* out) {
  auto& outputs = *static_cast<std::vector<Tensor>*>(state);
  ASSIGN_OR_RETURN(outputs[i], Tensor::create(dtype, Dims(dims.begin(), dims.end())));
  *out = ref_of(outputs[i]);
  return Status::ok();
}

const KernelRow* row_for(const KernelRegistry& registry, const Node& node,
                         std::span<const Tensor> inputs) {
  const KernelRow* row = registry.find(node);
  if (row != nullptr) return row;
  const DType type = !inputs.empty() ? inputs[0].dtype() : DType::kUndefined;
  return registry.find(node, type);
}

}  // namespace

bool Evaluator::can_evaluate(const Node& node) const { return registry_.find(node) != nullptr; }

Result<std::vector<Tensor>> Evaluator::evaluate(const Node& node, std::span<const Tensor> inputs,
                                                ThreadPool* pool) const {
  return evaluate(node, inputs, pool, host_isa());
}

Result<std::vector<Tensor>> Evaluator::evaluate(const Node& node, std::span<const Tensor> inputs,
                                                ThreadPool* pool, Isa isa) const {
  const KernelRow* row = row_for(registry_, node, inputs);
  if (row == nullptr) {
    return not_implemented(node.label(), ": no CPU kernel for opset ", node.opset(), " and type ",
                           dtype_name(inputs.empty() ? DType::kUndefined : inputs[0].dtype()));
  }
  SingleNodePrepare prepare(node, inputs);
  RETURN_IF_ERROR_WHILE(row->prepare(prepare), node.label());

  std::vector<TensorRef> refs;
  for (const Tensor& input : prepare.inputs_) refs.push_back(ref_of(input));
  std::vector<BindContext::Output> shapes(node.outputs().size());
  for (size_t i = 0; i < shapes.size(); ++i) shapes[i].wanted = node.output(i) != kNoValue;
  const int threads = pool != nullptr ? pool->thread_count() : 1;
  BindContext bind(row->id, prepare.params_.bytes(), refs, shapes, threads, isa);
  RETURN_IF_ERROR_WHILE(row->bind(bind), node.label());

  std::vector<Tensor> outputs(shapes.size());
  std::vector<TensorRef> out_refs(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].wanted || !shapes[i].is_set) continue;
    ASSIGN_OR_RETURN(outputs[i], Tensor::create(shapes[i].dtype, shapes[i].dims));
    out_refs[i] = ref_of(outputs[i]);
  }
  Tensor scratch;
  if (bind.scratch() > 0) {
    ASSIGN_OR_RETURN(scratch,
                     Tensor::create(DType::kUint8, {static_cast<int64_t>(bind.scratch())}));
  }
  RunContext::Environment environment{pool, isa, allocate_tensor, &outputs};
  RunContext run(prepare.params_.bytes(), refs, out_refs,
                 static_cast<std::byte*>(scratch.mutable_data()), environment);
  RETURN_IF_ERROR_WHILE(row->run(run), node.label());
  return outputs;
}

}  // namespace ortc
