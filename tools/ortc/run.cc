// SPDX-License-Identifier: MIT
// The arrays that OrtRun() takes, from inputs and ports.

#include "tools/ortc/run.h"

namespace ortc::tool {

std::vector<Value> run_once(OrtSession* session, const std::vector<Input>& inputs,
                            const std::vector<Port>& outputs) {
  std::vector<const char*> input_names, output_names;
  std::vector<const OrtValue*> input_values;
  for (const Input& input : inputs) {
    input_names.push_back(input.name.c_str());
    input_values.push_back(input.value.get());
  }
  for (const Port& port : outputs) output_names.push_back(port.name.c_str());
  std::vector<OrtValue*> raw(outputs.size());
  check(OrtRun(session, nullptr, input_names.data(), input_values.data(), inputs.size(),
               output_names.data(), outputs.size(), raw.data()));
  std::vector<Value> values;
  values.reserve(raw.size());
  for (OrtValue* value : raw) values.emplace_back(value);
  return values;
}

Json session_report(const OrtSession* session) {
  OrtAllocator* allocator = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  char* text = nullptr;
  check(OrtSession_GetReportJson(session, allocator, &text));
  return Json::parse(take_text(text));
}

}  // namespace ortc::tool
