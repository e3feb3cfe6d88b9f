// SPDX-License-Identifier: MIT
// The source of a model, opened again for the weights that its contexts were made without.
#pragma once

#include <memory>
#include <string>

#include "core/context/source_identity.h"
#include "core/graph/model.h"
#include "core/provider/context_io.h"

namespace ortc {

class SourceModel final : public SourceWeights {
 public:
  struct Place {
    std::string path;             // "": the source is in memory
    Bytes bytes;                  // borrowed; found weights are copied out of them
    std::string external_folder;  // of external data, when that is not the source's own
    Access access = Access::kMap;
    Logger logger;
  };
  // `expected`: what the compiled model says of its source. INVALID_GRAPH for another one; as
  // import_model_file() for what is wrong with it.
  static Result<std::unique_ptr<SourceModel>> open(const Place& place,
                                                   const std::optional<SourceIdentity>& expected);

  Result<Tensor> find(std::string_view name) const override;

 private:
  std::unique_ptr<Model> model_;
};

}  // namespace ortc
