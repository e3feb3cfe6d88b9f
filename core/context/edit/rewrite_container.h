// SPDX-License-Identifier: MIT
// A container with some of another's graphs, under other names. Containers do not change: this is a
// new one, of a generation of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/hash.h"
#include "core/context/binary_reader.h"
#include "core/context/binary_writer.h"
#include "core/provider/registry.h"

namespace ortc {

// Of the work of an edit that rewrites containers.
inline constexpr double kRewritingShare = 0.5;

struct RewrittenContainer {
  // What nodes hold: the container, or, of one that goes to a file, something that stands for it.
  Blob contents;
  Hash128 generation;
  std::shared_ptr<const ContextBinaryWriter> writer;  // writes it to a file
};

// `embed`: it is put together in memory; otherwise its tensors are read when it is written.
// `new_name`: of a graph; nothing leaves the graph out. All tensors are compared with their hashes
// first, because they get new ones. INVALID_GRAPH when they differ; NOT_IMPLEMENTED when the
// provider whose plans these are is not here to check them. Hashing and compressing are `work`.
Result<RewrittenContainer> rewrite_container(
    const ContextBinary& binary, bool embed,
    const std::function<std::optional<std::string>(const std::string&)>& new_name,
    const ProviderRegistry& providers, Work work);

}  // namespace ortc
