// SPDX-License-Identifier: MIT
// Whether values fit the inputs and outputs of a model. INVALID_ARGUMENT names the port, what was
// expected and what was found.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/kernel/value_ref.h"
#include "core/session/model_facts.h"

namespace ortc {

// Of a dimension that has a name.
inline constexpr int64_t kUnknownSize = -1;

// `symbols`: of the port's dimensions; `sizes`: of all named dimensions of the model, as far as the
// run's inputs have said.
Status check_input(const Port& port, std::span<const uint32_t> symbols, std::span<int64_t> sizes,
                   const ValueRef& value);
// What can be said before the run. That a scalar's memory fits is seen when the result is there.
Status check_output(const Port& port, const ValueRef& provided);

std::string names_of(const std::vector<Port>& ports);  // "'x', 'y'"

}  // namespace ortc
