// SPDX-License-Identifier: MIT
// One graph by every route, each compared with the reference:
//
//   level 0        a session of the CPU provider that optimises nothing
//   level 99       the same with all rewrites; two threads and a second run give the same bits
//   AOT            compiled when the session is made; two threads give the same bits
//   external       a context with its binary beside it, compiled and loaded: the bits of AOT
//   embedded       a context in one file: the bits of AOT
//   plain target   a context compiled for the least processor of this architecture
//   ONNX Runtime   where its library is given and it has all operators and types of the graph,
//                  but for what follows from nodes that it is known to compute otherwise
//
// Where inputs have a symbolic size, the sessions of levels 0 and 99, AOT and ONNX Runtime run a
// second time with another one.
#pragma once

#include <memory>

#include "tests/differential/fuzzer/generator.h"
#include "tests/differential/fuzzer/other_library.h"

namespace ortc::fuzz {

struct Agreement {
  std::string route, what;  // where and how they disagree first; empty: nowhere
  bool was_compared_outside = false, was_resized = false;
  std::string refused_outside;  // why ONNX Runtime did not run it
  bool is_whole() const { return route.empty(); }
};

class Routes {
 public:
  // `folder`: for contexts. `library`: ONNX Runtime's, or "".
  Routes(const Reference& reference, std::string folder, const std::string& library);
  Agreement compare(const DrawnGraph& graph, uint64_t index) const;

 private:
  const Reference& reference_;
  std::string folder_;
  std::shared_ptr<const Environment> environment_;
  std::unique_ptr<OtherLibrary> outside_;
};

}  // namespace ortc::fuzz
