// SPDX-License-Identifier: MIT
// One node of any operator, run over the CPU kernels at every instruction set level this processor
// has and with one to five threads; the bits must not depend on the threads. And tensors of small
// random numbers.
#pragma once

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/graph/graph.h"
#include "core/kernel/evaluator.h"
#include "core/platform/threads.h"
#include "providers/cpu/cpu_kernels.h"
#include "tests/support/test.h"

namespace ortc::test {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
// The domain of the operators that lowering makes.
inline const std::string kOwnDomain(kInternalDomain);

struct Op {
  std::string type;
  int64_t opset = 18;
  std::vector<Attribute> attributes = {};
  size_t output_count = 1;
  std::string domain = "";
};

inline Attribute texts_attribute(const std::string& name, std::vector<std::string> elements) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = AttributeKind::kStrings;
  for (std::string& element : elements) {
    attribute.strings.push_back(Blob::from_string(std::move(element)));
  }
  return attribute;
}

// A graph with that node alone; inputs have the tensors' types, undefined tensors are omitted.
struct NodeGraph {
  std::unique_ptr<Graph> graph;
  Node* node = nullptr;

  NodeGraph(const Op& op, const std::vector<Tensor>& inputs) {
    auto opsets = std::make_shared<OpsetImports>();
    opsets->emplace_back(op.domain, op.opset);
    graph = std::make_unique<Graph>(opsets);
    std::vector<ValueId> in, out;
    for (size_t i = 0; i < inputs.size(); ++i) {
      in.push_back(inputs[i].is_defined()
                       ? graph->add_value(str_cat("x", i), Type::tensor_of(inputs[i])).value()
                       : kNoValue);
    }
    for (size_t i = 0; i < op.output_count; ++i) {
      out.push_back(graph->add_value(str_cat("y", i)).value());
    }
    node = graph->add_node(op.type, op.domain, "node", in, out, op.attributes).value();
  }
};

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.byte_size() == 0 || std::memcmp(a.data(), b.data(), a.byte_size()) == 0);
}

// The outputs at the highest level, or the first failure.
inline Result<std::vector<Tensor>> run_op(const Op& op, const std::vector<Tensor>& inputs) {
  NodeGraph graph(op, inputs);
  const Evaluator evaluator(cpu::kernel_registry());
  std::vector<Tensor> last;
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    std::vector<Tensor> first;
    for (const int threads : {1, 2, 3, 5}) {
      ThreadPool pool({.thread_count = threads});
      auto outputs = evaluator.evaluate(*graph.node, inputs, &pool, static_cast<Isa>(level));
      if (!outputs.is_ok()) return std::move(outputs).status();
      for (size_t i = 0; threads > 1 && i < outputs->size(); ++i) {
        CHECK(same_bits((*outputs)[i], first[i]));
      }
      if (threads == 1) first = std::move(*outputs);
    }
    last = std::move(first);
  }
  return last;
}

// The same where there is one output and nothing may fail.
inline Tensor run_one(const Op& op, const std::vector<Tensor>& inputs) {
  auto outputs = run_op(op, inputs);
  CHECK_OK(outputs);
  return std::move((*outputs)[0]);
}

template <typename T>
Tensor tensor(Dims dims, std::initializer_list<T> elements) {
  return Tensor::from<T>(std::move(dims), std::span<const T>(elements.begin(), elements.size()));
}

inline Tensor int64s(std::initializer_list<int64_t> elements) {
  return tensor<int64_t>({static_cast<int64_t>(elements.size())}, elements);
}

inline Tensor f32s(Dims dims, const std::vector<float>& elements) {
  return Tensor::from<float>(std::move(dims), elements);
}

// Of a tensor of int8 or uint8.
inline int byte_at(const Tensor& t, int64_t i) {
  return t.dtype() == DType::kInt8 ? int{t.elements<int8_t>()[size_t(i)]}
                                   : int{t.elements<uint8_t>()[size_t(i)]};
}

// The bits of an element of 8 bits or fewer.
inline int code_at(const Tensor& tensor, size_t i) {
  const auto bits = static_cast<size_t>(dtype_bits(tensor.dtype())), each = 8 / bits;
  const int byte = static_cast<const uint8_t*>(tensor.data())[i / each];
  return byte >> (i % each * bits) & ((1 << bits) - 1);
}

template <typename T>
bool holds(const Tensor& found, const Dims& dims, std::initializer_list<T> elements) {
  return same_bits(found, Tensor::from<T>(dims, {elements.begin(), elements.size()}));
}

inline double plain_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  float number() { return std::uniform_real_distribution<float>(-4.0f, 4.0f)(engine_); }
  Dims dims(size_t rank, int64_t low, int64_t high) {
    Dims dims;
    for (size_t i = 0; i < rank; ++i) dims.push_back(between(low, high));
    return dims;
  }
  Tensor floats(const Dims& dims) {
    Tensor tensor = Tensor::create(DType::kFloat32, dims).value();
    for (float& x : tensor.mutable_elements<float>()) x = number();
    return tensor;
  }
  Tensor bytes(DType dtype, const Dims& dims) {
    Tensor tensor = Tensor::create(dtype, dims).value();
    auto* data = static_cast<unsigned char*>(tensor.mutable_data());
    for (size_t i = 0; i < tensor.byte_size(); ++i) data[i] = static_cast<unsigned char>(engine_());
    return tensor;
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

// Coordinates of element `i` of a shape, and back (with broadcasting: dims of 1 count as 0).
inline Dims coordinates(int64_t i, const Dims& dims) {
  Dims at(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    at[d] = i % dims[d];
    i /= dims[d];
  }
  return at;
}
inline int64_t index_at(const Dims& at, const Dims& dims) {
  int64_t index = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t coordinate = at[at.size() - dims.size() + d];
    index = index * dims[d] + (dims[d] == 1 ? 0 : coordinate);
  }
  return index;
}

}  // namespace ortc::test
