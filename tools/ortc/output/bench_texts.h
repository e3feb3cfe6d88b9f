// SPDX-License-Identifier: MIT
// What `ortc bench` says of layers and of single runs, for people and for programs.
#pragma once

#include <string>

#include "tools/ortc/library/layer_times.h"
#include "tools/ortc/library/streams.h"
#include "tools/ortc/output/json.h"

namespace ortc::tool {

Json layers_json(const LayerTimes& times);
// The costliest `shown` layers, or all when that is 0; then what is between them; then a run.
std::string layers_text(const LayerTimes& times, uint64_t shown);
// One row for each layer, the costliest first; then "(between the layers)": the shares add up to 1.
std::string layers_csv(const LayerTimes& times);

// {"schema": "ortc.times/1", ..., "runs": [...]}, one line for each run.
std::string run_times_json(const std::string& model, const StreamTimes& times);

}  // namespace ortc::tool
