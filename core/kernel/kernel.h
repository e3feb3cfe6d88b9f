// SPDX-License-Identifier: MIT
// What a kernel is: three functions and a row in a table.
//
//   prepare  once, when a node is lowered: reads attributes, constants and types; writes a params
//   record that goes into
//            the Plan image as it is, and packs constant inputs into the kernel's own layout.
//   bind     once per set of input shapes, from source and from a context alike: trusts neither
//   record nor shapes;
//            gives output types and shapes, and how much scratch a run needs.
//   run      computes. Allocates nothing (unless it is data-dependent), keeps nothing: kernels are
//   stateless and const,
//            any number of threads run one at the same time.
//
// The params record is a standard-layout struct of fixed-width fields. `id` and `contract` name the
// meaning of record and packed layouts for ever: a context stores them, and the contract rises only
// when that meaning changes. Which instruction set computes is chosen at run time
// (RunContext::isa), never recorded.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "core/base/bytes.h"
#include "core/base/datum.h"
#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/platform/cpu.h"
#include "core/platform/threads.h"

namespace ortc {

// A value while the plan runs: a tensor, whose `data` is null at bind time unless the contents are
// known then; or, with `datum` set, something that is not a tensor (then dtype is kUndefined).
struct TensorRef {
  DType dtype = DType::kUndefined;  // kUndefined: an omitted optional input or output
  uint32_t rank = 0;
  const int64_t* dim_data = nullptr;
  void* data = nullptr;  // a tensor of strings: std::string objects
  const Datum* datum = nullptr;

  bool is_present() const { return dtype != DType::kUndefined || datum != nullptr; }
  std::span<const int64_t> dims() const { return {dim_data, rank}; }
  int64_t dim(size_t i) const { return dim_data[i]; }
  int64_t element_count() const {
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; ++i) count *= dim_data[i];
    return count;
  }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <typename T>
  T* as_mutable() const {
    return static_cast<T*>(data);
  }
};

TensorRef ref_to(const Tensor& tensor);  // omitted for an undefined one
TensorRef ref_to(const Datum& datum);    // `datum` must keep its place
// The value as one of its own: a tensor is copied, anything else shared.
Result<Datum> datum_of(const TensorRef& ref);

// In KernelRow::types beside element types: also a value that is not a tensor (or an optional, which
// may turn out to be a tensor). Such rows are kDataDependent: bind sees no contents.
inline constexpr TypeMask kNotTensor = TypeMask{1} << 31;

// How a constant input was packed; part of the kernel's contract. kRowMajor means: as ONNX has it.
enum class Layout : uint32_t {
  kRowMajor = 0,
  kPanels32F32 = 1,      // providers/cpu/arith/gemm_f32/gemm_f32.h
  kConvPanels32F32 = 2,  // the same panels with K = (kh, kw, ci), one set per group
  kDepthwiseF32 = 3,     // [kh][kw][c]
  kPanels32I8 = 4,       // providers/cpu/arith/gemm_i8/gemm_i8.h
  kConvPanels32I8 = 5,   // the same panels with K = (kh, kw, ci), one set per group
  kDepthwiseI8 = 6,      // [kh][kw][c filled up to 32]
  kPanels16I4 = 7,       // providers/cpu/arith/nbits/nbits.h
  kPanelColumns32 = 8,   // numbers by column, each group filled up to whole panels of 32
};
inline constexpr Layout kLastLayout = Layout::kPanelColumns32;

// What prepare sees. Implemented by the lowering (core/compile) and by the evaluator.
class PrepareContext {
 public:
  virtual ~PrepareContext() = default;
  virtual const Node& node() const = 0;
  virtual int64_t opset() const = 0;                    // of the node's domain
  virtual const Type& input_type(size_t i) const = 0;   // kNone when omitted
  virtual const Type& output_type(size_t i) const = 0;  // kNone when omitted
  virtual const Tensor* constant(size_t i) const = 0;   // null unless known at compile time
  size_t input_count() const { return node().inputs().size(); }
  size_t output_count() const { return node().outputs().size(); }
  bool has_input(size_t i) const { return node().input(i) != kNoValue; }
  bool has_output(size_t i) const { return node().output(i) != kNoValue; }

  // The step's record; at most once.
  template <typename T>
  void set_params(const T& record) {
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_copyable_v<T>);
    set_params_bytes(Bytes(reinterpret_cast<const std::byte*>(&record), sizeof record));
  }
  virtual void set_params_bytes(Bytes record) = 0;
  // The step reads `packed` instead of constant input i. Equal packed tensors are stored once.
  virtual void replace_input(size_t i, Tensor packed, Layout layout) = 0;
  // The step does not read input i at run time (its contents went into the record).
  virtual void drop_input(size_t i) = 0;
};

class BindContext {
 public:
  template <typename T>
  const T* params()
      const {  // null when the record is too small to be a T: refuse with bad_params()
    return params_.size() >= sizeof(T) ? reinterpret_cast<const T*>(params_.data()) : nullptr;
  }
  Status bad_params() const;
  uint64_t params_size() const { return params_.size(); }  // of records with arrays behind them
  std::string_view kernel_id() const { return id_; }
  Bytes params_bytes() const { return params_; }
  int thread_count() const { return thread_count_; }
  Isa isa() const { return isa_; }

  size_t input_count() const { return inputs_.size(); }
  bool has_input(size_t i) const { return i < inputs_.size() && inputs_[i].is_present(); }
  // An omitted TensorRef for any i beyond the list.
  const TensorRef& input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kOmitted; }
  size_t output_count() const { return outputs_.size(); }
  bool has_output(size_t i) const { return i < outputs_.size() && outputs_[i].wanted; }

  // Gives output i its type and shape. INVALID_GRAPH when a dim is negative or the size overflows.
  Status set_output(size_t i, DType dtype, std::span<const int64_t> dims);
  Status set_output(size_t i, DType dtype, std::initializer_list<int64_t> dims) {
    return set_output(i, dtype, std::span<const int64_t>(dims.begin(), dims.size()));
  }
  // Bytes of 64 B-aligned scratch for one run (all threads together).
  void set_scratch(uint64_t bytes) { scratch_ = bytes; }

  struct Output {
    bool wanted = false;
    bool is_set = false;
    DType dtype = DType::kUndefined;
    Dims dims;
  };
  BindContext(std::string_view id, Bytes params, std::span<const TensorRef> inputs,
              std::span<Output> outputs, int thread_count, Isa isa)
      : id_(id),
        params_(params),
        inputs_(inputs),
        outputs_(outputs),
        thread_count_(thread_count),
        isa_(isa) {}
  uint64_t scratch() const { return scratch_; }
  // The same step with other inputs and outputs: for kernels that compute by another kernel.
  BindContext with(std::span<const TensorRef> inputs, std::span<Output> outputs) const {
    return BindContext(id_, params_, inputs, outputs, thread_count_, isa_);
  }

 private:
  static const TensorRef kOmitted;
  std::string_view id_;
  Bytes params_;
  std::span<const TensorRef> inputs_;
  std::span<Output> outputs_;
  int thread_count_;
  Isa isa_;
  uint64_t scratch_ = 0;
};

class RunContext {
 public:
  // Gives a data-dependent kernel the memory of output i.
  using AllocateOutput = Status (*)(void* state, size_t i, DType dtype,
                                    std::span<const int64_t> dims, TensorRef* out);
  struct Environment {
    ThreadPool* pool = nullptr;  // null: run on the calling thread
    Isa isa = Isa::kGeneric;
    AllocateOutput allocate = nullptr;
    void* allocate_state = nullptr;
    // Takes a value of any kind as output i; the state is allocate's.
    Status (*give)(void* state, size_t i, Datum value) = nullptr;
  };

  template <typename T>
  const T& params() const {  // bind has checked the size
    return *reinterpret_cast<const T*>(params_.data());
  }
  Isa isa() const { return environment_.isa; }
  int thread_count() const { return environment_.pool ? environment_.pool->thread_count() : 1; }
  size_t input_count() const { return inputs_.size(); }
  bool has_input(size_t i) const { return i < inputs_.size() && inputs_[i].is_present(); }
  const TensorRef& input(size_t i) const { return inputs_[i]; }
  size_t output_count() const { return outputs_.size(); }
  bool has_output(size_t i) const { return i < outputs_.size() && outputs_[i].is_present(); }
  const TensorRef& output(size_t i) const { return outputs_[i]; }
  std::byte* scratch() const { return scratch_; }

  // Blocks of at most `grain` units, on all threads; see core/platform/threads.h.
  template <typename F>
  void parallel_for(int64_t count, int64_t grain, F&& body) const {
    if (environment_.pool == nullptr) {
      for (int64_t begin = 0; begin < count; begin += grain) {
        body(begin, begin + grain < count ? begin + grain : count);
      }
      return;
    }
    environment_.pool->parallel_for(count, grain, body);
  }
  // The same run with other inputs, outputs and scratch: for kernels that compute by another
  // kernel.
  RunContext with(std::span<const TensorRef> inputs, std::span<TensorRef> outputs,
                  std::byte* scratch) const {
    return RunContext(params_, inputs, outputs, scratch, environment_);
  }
  // Only for rows with kDataDependent: the shape and memory of output i. output(i) is valid
  // afterwards.
  Status allocate_output(size_t i, DType dtype, std::span<const int64_t> dims);
  // The same with a finished value, of any kind. Its bytes must belong to nobody else.
  Status give_output(size_t i, Datum value);

  Bytes params_bytes() const { return params_; }
  const Environment& environment() const { return environment_; }

  RunContext(Bytes params, std::span<const TensorRef> inputs, std::span<TensorRef> outputs,
             std::byte* scratch, const Environment& environment)
      : params_(params),
        inputs_(inputs),
        outputs_(outputs),
        scratch_(scratch),
        environment_(environment) {}

 private:
  Bytes params_;
  std::span<const TensorRef> inputs_;
  std::span<TensorRef> outputs_;
  std::byte* scratch_;
  const Environment& environment_;
};

enum KernelFlags : uint32_t {
  kNoFlags = 0,
  // Output shapes are known only after the run (NonZero): bind gives no shapes, run calls
  // allocate_output.
  kDataDependent = 1,
  // Output 0 is the bytes of input 0 under another shape (Reshape): the executor shares them and
  // may skip the run.
  kViewOfInput = 2,
  // Output 0 may be the same memory as any input of the same byte size (elementwise: each element
  // is read before it is written).
  kInPlace = 4,
  // Cheap and small on integers: executed already at binding when its inputs are known then (shape
  // arithmetic).
  kShapeArithmetic = 8,
  // Looks at the shapes of its inputs only, never at their contents (Shape, Size).
  kReadsShapesOnly = 16,
};

inline constexpr int kLatestOpset = 1 << 20;

struct KernelRow {
  std::string_view op;
  std::string_view domain;  // "" ONNX, "com.microsoft", or kInternalDomain
  int first_opset, last_opset;
  TypeMask types;       // of `typed_input`
  std::string_view id;  // "softmax.f32"
  uint16_t contract;
  uint32_t flags;
  uint32_t value_inputs;  // bit i: bind reads the contents of input i
  Status (*prepare)(PrepareContext&);
  Status (*bind)(BindContext&);
  Status (*run)(RunContext&);
  uint8_t typed_input = 0;
};

using KernelTable = std::span<const KernelRow>;

// All rows of a provider. Row ids are unique up to rows that share all three functions' meaning.
// Rows stand in the order of the tables, best first.
class KernelRegistry {
 public:
  explicit KernelRegistry(std::vector<KernelTable> tables);
  // The first row that fits operator, opset and the type of its typed input; null when there is
  // none. Rows for tensors alone come before those for all values.
  const KernelRow* find(const Node& node, DType typed_input_type) const;
  // For a node whose types are known in its graph.
  const KernelRow* find(const Node& node) const;
  bool knows_operator(std::string_view op, std::string_view domain) const;
  // A row by what a Plan image says of it; null when this library has none.
  const KernelRow* find_by_id(std::string_view id, uint16_t contract) const;
  std::span<const KernelTable> tables() const { return tables_; }

 private:
  std::span<const KernelRow* const> rows_of(std::string_view op) const;

  std::vector<KernelTable> tables_;
  std::unordered_map<std::string_view, std::vector<const KernelRow*>> by_op_;
  std::unordered_map<std::string_view, std::vector<const KernelRow*>> by_id_;
};

}  // namespace ortc
