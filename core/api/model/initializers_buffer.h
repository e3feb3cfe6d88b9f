// SPDX-License-Identifier: MIT
// Initializers of a compiled model that go into one block of the program's memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/context/context_data.h"
#include "ort_c/types.h"

typedef struct OrtAllocator OrtAllocator;

namespace ortc::api {

// What OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer() was given.
struct InitializersBuffer {
  std::string file_name;  // what the model calls it
  uint64_t threshold;     // in bytes; smaller ones stay in the model
  std::shared_ptr<OrtAllocator> allocator;
  void** block;
  size_t* size;
};

// Gives initializers their places during one compile, fills the block when all have one, and hands
// it over when the compile is done; without that the program has nothing.
class InitializersCollector {
 public:
  InitializersCollector(const InitializersBuffer& target, const InitializerAlignment& alignment)
      : target_(target), alignment_(alignment) {}
  ~InitializersCollector();
  InitializersCollector(const InitializersCollector&) = delete;
  InitializersCollector& operator=(const InitializersCollector&) = delete;

  // Borrowed by what it gives.
  InitializerPlaces places();
  void hand_over();

 private:
  Result<std::optional<ExternalLocation>> choose(const Tensor& value);
  Status fill();

  struct Piece {
    Tensor value;
    uint64_t offset;
  };
  const InitializersBuffer& target_;
  const InitializerAlignment alignment_;
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
  void* block_ = nullptr;
};

}  // namespace ortc::api
