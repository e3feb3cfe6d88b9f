// SPDX-License-Identifier: MIT
// Steps of a context file are untrusted: whatever record, inputs and outputs a row of the registry
// is given, bind refuses it or the run stays inside its buffers (which are exactly as large as they
// must be, so that a sanitizer sees every byte too many).
#include <unistd.h>

#include <cstdio>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

constexpr int kRoundsPerRow = 1500;
constexpr int64_t kBytesMax = 1 << 16;

std::vector<DType> types_in(TypeMask mask) {
  std::vector<DType> types;
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if ((mask_of(dtype) & mask) != 0) types.push_back(dtype);
  }
  return types;
}

struct Buffer {
  ValueRef ref;
  Dims dims;
  std::unique_ptr<unsigned char[]> bytes;
  std::unique_ptr<std::string[]> texts;
  std::unique_ptr<Datum> datum;

  void allocate(DType dtype, Dims shape) {
    dims = std::move(shape);
    const auto count = static_cast<uint64_t>(*checked_element_count(dims));
    void* data = nullptr;
    if (dtype == DType::kString) {
      texts = std::make_unique<std::string[]>(count);
      data = texts.get();
    } else {
      bytes = std::make_unique<unsigned char[]>(dtype_bytes(dtype, count).value());
      data = bytes.get();
    }
    ref = {dtype, static_cast<uint32_t>(dims.size()), dims.data(), data};
  }
  void set(Datum value) {
    datum = std::make_unique<Datum>(std::move(value));
    ref = ref_to(*datum);
  }
};

// Bytes a tensor takes; texts count as their objects.
uint64_t size_of(DType dtype, uint64_t count) {
  return dtype == DType::kString ? count * sizeof(std::string) : dtype_bytes(dtype, count).value();
}

// A sequence, a map, or none.
Datum random_datum(Random& random) {
  const int64_t kind = random.between(0, 5);
  if (kind == 0) return Datum();
  if (kind == 1) {
    return Datum::of(Map{int64s({-1, 0, 3}), tensor<float>({3}, {1, 2, 3})});
  }
  Sequence sequence;
  sequence.dtype = kind == 2 ? DType::kString : DType::kFloat32;
  const Dims dims = random.dims(static_cast<size_t>(random.between(0, 3)), 0, 3);
  for (int64_t n = random.between(0, 3); n > 0; --n) {
    const bool is_odd = random.between(0, 4) == 0;
    sequence.items.emplace_back(Tensor::create(sequence.dtype, is_odd ? Dims{2} : dims).value());
  }
  return Datum::of(std::move(sequence));
}

// Small numbers of the type, so that many are sizes, axes or indices that make sense.
void fill(Random& random, Buffer& buffer) {
  const auto count = static_cast<size_t>(buffer.ref.element_count());
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = random.between(-3, 4);
    const auto as_float = static_cast<float>(value);
    switch (buffer.ref.dtype) {
      case DType::kInt64:
        buffer.ref.as_mutable<int64_t>()[i] = value;
        break;
      case DType::kInt32:
        buffer.ref.as_mutable<int32_t>()[i] = static_cast<int32_t>(value);
        break;
      case DType::kFloat32:
        buffer.ref.as_mutable<float>()[i] = as_float;
        break;
      case DType::kString:
        buffer.ref.as_mutable<std::string>()[i] = std::to_string(value);
        break;
      default:
        break;
    }
  }
}

// `dims`, if not null, is the shape of most inputs.
std::vector<Buffer> random_inputs(Random& random, const KernelRow& row, const Dims* dims) {
  static const auto kAll = types_in(kAnyType);
  const auto types = types_in((row.types & kAnyType) != 0 ? row.types : kAnyType);
  const DType main = types[static_cast<size_t>(random.between(0, int64_t(types.size()) - 1))];
  std::vector<Buffer> inputs(static_cast<size_t>(random.between(0, 3) + random.between(0, 2)));
  const Dims like =
      dims != nullptr ? *dims : random.dims(static_cast<size_t>(random.between(0, 4)), 0, 4);
  for (Buffer& input : inputs) {
    if (random.between(0, 19) == 0) continue;  // omitted
    if ((row.types & kNotTensor) != 0 && random.between(0, 2) != 0) {
      input.set(random_datum(random));
      continue;
    }
    DType dtype = main;
    const int64_t kind = random.between(0, 9);
    if (kind == 0) dtype = kAll[static_cast<size_t>(random.between(0, int64_t(kAll.size()) - 1))];
    if (kind >= 1 && kind <= 3) dtype = DType::kInt64;
    Dims own = like;
    const int64_t shape = random.between(0, 5);
    if (shape == 0) own = random.dims(static_cast<size_t>(random.between(0, 4)), 0, 4);
    if (shape == 1) own = {static_cast<int64_t>(like.size())};
    if (shape == 2) own = {};
    input.allocate(dtype, own);
    fill(random, input);
  }
  return inputs;
}

// Sometimes too short; mostly small numbers at its front.
std::string random_record(Random& random) {
  std::string record(static_cast<size_t>(random.between(0, 3) != 0 ? 4096 : random.between(0, 64)),
                     '\0');
  for (size_t i = 0; i + 4 <= std::min<size_t>(record.size(), 192); i += 4) {
    const bool wild = random.between(0, 9) == 0;
    const auto word = static_cast<uint32_t>(wild ? random.between(INT32_MIN, INT32_MAX)
                                                 : random.between(0, 5) - 1);
    std::memcpy(record.data() + i, &word, 4);
  }
  return record;
}

struct Allocator {
  std::vector<Buffer>* outputs;
  static Status give(void* state, size_t i, Datum value) {
    (*static_cast<Allocator*>(state)->outputs)[i].set(std::move(value));
    return Status::ok();
  }
  static Status allocate(void* state, size_t i, DType dtype, std::span<const int64_t> dims,
                         ValueRef* out) {
    auto& buffer = (*static_cast<Allocator*>(state)->outputs)[i];
    buffer.allocate(dtype, Dims(dims.begin(), dims.end()));
    *out = buffer.ref;
    return Status::ok();
  }
};

// Gives a step's outputs their memory; false when they are larger than a test wants.
bool allocate_outputs(const std::vector<BindContext::Output>& shapes,
                      std::vector<Buffer>& outputs) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].is_set || !shapes[i].wanted) continue;
    const auto count = static_cast<uint64_t>(*checked_element_count(shapes[i].dims));
    if (size_of(shapes[i].dtype, count) > kBytesMax) return false;
    outputs[i].allocate(shapes[i].dtype, shapes[i].dims);
  }
  return true;
}

// True when the step was run.
bool try_step(Random& random, const KernelRow& row, const Dims* dims = nullptr) {
  const std::string record = random_record(random);
  const std::vector<Buffer> inputs = random_inputs(random, row, dims);
  std::vector<ValueRef> input_refs;
  for (const Buffer& input : inputs) input_refs.push_back(input.ref);
  std::vector<BindContext::Output> shapes(
      static_cast<size_t>(random.between(0, 2) != 0 ? 1 : random.between(0, 3)));
  for (auto& shape : shapes) shape.wanted = random.between(0, 9) != 0;
  BindContext bind(row.id, as_bytes(record), input_refs, shapes, 1, Isa::kGeneric);
  if (!row.bind(bind).is_ok() || bind.scratch() > kBytesMax) return false;
  std::vector<Buffer> outputs(shapes.size());
  if (!allocate_outputs(shapes, outputs)) return false;
  std::vector<ValueRef> output_refs;
  for (const Buffer& output : outputs) output_refs.push_back(output.ref);
  const auto scratch = std::make_unique<std::byte[]>(bind.scratch());
  Allocator allocator{&outputs};
  const RunContext::Host host{nullptr, Isa::kGeneric, Allocator::allocate, &allocator,
                              Allocator::give};
  RunContext run(as_bytes(record), input_refs, output_refs, scratch.get(), host);
  (void)row.run(run).is_ok();
  return true;
}

TEST(untrusted_steps, are_refused_or_stay_inside_their_buffers) {
  const uint32_t seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  Random random(seed);
  size_t row_count = 0, run_count = 0, never_run = 0;
  for (const KernelTable& table : cpu::kernel_registry().tables()) {
    for (const KernelRow& row : table) {
      size_t runs = 0;
      for (int i = 0; i < kRoundsPerRow; ++i) runs += try_step(random, row) ? 1 : 0;
      never_run += runs == 0 ? 1 : 0;
      run_count += runs;
      ++row_count;
    }
  }
  std::printf("%zu rows, %zu runs, %zu rows never ran\n", row_count, run_count, never_run);
  CHECK(run_count > row_count);
}

// Shapes without elements whose other dims are far too many to walk through.
TEST(untrusted_steps, without_elements_end_at_once) {
  Random random(5);
  const auto huge = [&](size_t rank) {
    Dims dims(rank, 1);
    for (int64_t& dim : dims) dim = random.between(0, 1) != 0 ? int64_t{1} << 24 : 1;
    dims[static_cast<size_t>(random.between(0, static_cast<int64_t>(rank) - 1))] = 0;
    return dims;
  };
  for (const KernelTable& table : cpu::kernel_registry().tables()) {
    for (const KernelRow& row : table) {
      if (row.id == "split_to_sequence") continue;  // gives a tensor for each place of its axis
      // A kernel that does walk is stopped, and the last line says which it was.
      std::printf("%.*s\n", static_cast<int>(row.id.size()), row.id.data());
      std::fflush(stdout);
      alarm(60);
      for (int i = 0; i < 300; ++i) {
        const Dims dims = huge(static_cast<size_t>(random.between(1, 3)));
        (void)try_step(random, row, &dims);
      }
    }
  }
  alarm(0);
}

}  // namespace
}  // namespace ortc::test
