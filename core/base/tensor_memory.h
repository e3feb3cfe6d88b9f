// SPDX-License-Identifier: MIT
// Where a thread's large tensors get their bytes while it does something that makes many of them.
#pragma once

#include <cstddef>
#include <memory>

namespace ortc {

class TensorMemory {
 public:
  // Smaller tensors come from where all memory does.
  static constexpr size_t kLeast = size_t{1} << 20;

  virtual ~TensorMemory() = default;
  // `size` zero bytes at a multiple of 4096, which live as long as the pointer, longer than this
  // object too. Null: there are none, and the tensor is made as always.
  virtual std::shared_ptr<void> take(size_t size) = 0;
};

// Tensor::create() of this thread takes large ones from `memory`; null: as always. The one that was
// set before is back afterwards.
class WithTensorMemory {
 public:
  explicit WithTensorMemory(TensorMemory* memory);
  ~WithTensorMemory();
  WithTensorMemory(const WithTensorMemory&) = delete;
  WithTensorMemory& operator=(const WithTensorMemory&) = delete;

 private:
  TensorMemory* before_;
};

}  // namespace ortc
