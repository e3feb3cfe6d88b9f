// SPDX-License-Identifier: MIT
// What the kernel families' tests share: one node built and computed at every instruction set level
// with one to five threads, which must give the same bits; reproducible tensors; comparison with
// plain formulas.
#pragma once

#include <cstdio>
#include <cstring>
#include <functional>

#include "core/kernel/evaluator.h"
#include "providers/cpu/cpu_kernels.h"
#include "tests/support/test.h"

namespace ortc::cpu::testing {

struct NodeCase {
  std::string op;
  std::string domain;
  int64_t opset = 21;
  std::vector<Attribute> attributes = {};
  size_t outputs = 1;
};

// One node of a graph of its own; undefined inputs are omitted.
class SingleNode {
 public:
  SingleNode(const NodeCase& what, const std::vector<Tensor>& inputs)
      : graph_(std::make_shared<const OpsetImports>(OpsetImports{{what.domain, what.opset}})) {
    std::vector<ValueId> in, out;
    for (const Tensor& tensor : inputs) {
      in.push_back(tensor.is_defined() ? graph_.add_value("", Type::tensor_of(tensor)).value()
                                       : kNoValue);
    }
    for (size_t i = 0; i < what.outputs; ++i) out.push_back(graph_.add_value("").value());
    auto added = graph_.add_node(what.op, what.domain, "n", in, out, what.attributes);
    CHECK_OK(added);
    node_ = *added;
  }
  const Node& node() const { return *node_; }

 private:
  Graph graph_;
  Node* node_ = nullptr;
};

inline Result<std::vector<Tensor>> evaluate(const NodeCase& what, const std::vector<Tensor>& inputs,
                                            int threads, Isa isa) {
  SingleNode single(what, inputs);
  ThreadPool pool({.thread_count = threads});
  return Evaluator(kernel_registry()).evaluate(single.node(), inputs, &pool, isa);
}

inline bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0);
}

// Computes at every level, checks that 2, 3 and 5 threads give the bits of one, and hands each
// level's outputs to `check`.
inline void run_everywhere(const NodeCase& what, const std::vector<Tensor>& inputs,
                           const std::function<void(const std::vector<Tensor>&)>& check) {
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    const auto isa = static_cast<Isa>(level);
    const auto one = evaluate(what, inputs, 1, isa);
    CHECK_OK(one);
    for (const int threads : {2, 3, 5}) {
      const auto more = evaluate(what, inputs, threads, isa);
      CHECK_OK(more);
      for (size_t i = 0; i < one->size(); ++i) CHECK(same_bytes((*one)[i], (*more)[i]));
    }
    check(*one);
  }
}

inline Tensor random_tensor(Dims dims, uint64_t seed, float lo = -1.0f, float hi = 1.0f) {
  Tensor tensor = Tensor::create(DType::kFloat32, std::move(dims)).value();
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (float& x : tensor.mutable_elements<float>()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x = lo + (hi - lo) * static_cast<float>(state >> 40) * (1.0f / 16777216.0f);
  }
  return tensor;
}

inline Tensor int32s(Dims dims, const std::vector<int32_t>& elements) {
  return Tensor::from<int32_t>(std::move(dims), elements);
}

inline Tensor as_doubles(const Tensor& floats) {
  Tensor tensor = Tensor::create(DType::kFloat64, floats.dims()).value();
  for (size_t i = 0; i < floats.elements<float>().size(); ++i) {
    tensor.mutable_elements<double>()[i] = floats.elements<float>()[i];
  }
  return tensor;
}

inline void check_close(const Tensor& found, const Dims& dims, const std::vector<double>& expected,
                        double rtol, double atol) {
  CHECK_EQ(found.dims(), dims);
  CHECK_EQ(found.element_count(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found.dtype() == DType::kFloat64) {
      CHECK_NEAR(found.elements<double>()[i], expected[i], rtol, atol);
    } else {
      CHECK_NEAR(static_cast<double>(found.elements<float>()[i]), expected[i], rtol, atol);
    }
  }
}

// Bind on records and shapes as a broken file may have them.
struct RawBind {
  std::string_view id;
  std::vector<std::byte> params;
  std::vector<Tensor> inputs;
  size_t outputs = 1;

  template <typename T>
  void set_params(const T& record) {
    params.resize(sizeof record);
    std::memcpy(params.data(), &record, sizeof record);
  }
  Status bind() const {
    const KernelRow* row = kernel_registry().find_by_id(id, 1);
    CHECK(row != nullptr);
    std::vector<ValueRef> refs;
    for (const Tensor& t : inputs) {
      refs.push_back({t.dtype(), static_cast<uint32_t>(t.dims().size()), t.dims().data(),
                      const_cast<void*>(t.data())});
    }
    std::vector<BindContext::Output> wanted(outputs);
    for (auto& output : wanted) output.wanted = true;
    BindContext ctx(id, params, refs, wanted, 2, host_isa());
    return row->bind(ctx);
  }
};

}  // namespace ortc::cpu::testing
