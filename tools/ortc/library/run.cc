// SPDX-License-Identifier: MIT
// Names are borrowed from inputs and ports, which outlive the runs.

#include "tools/ortc/library/run.h"

#include "tools/ortc/library/verdicts.h"

namespace ortc::tool {

LoadedSession load_session(const OrtEnv* env, const std::string& model,
                           OrtSessionOptions* options) {
  return load_session_by(
      [&] { return make<Session>(OrtCreateSession, env, model.c_str(), options); }, model, options);
}

LoadedSession load_session_by(const std::function<Session()>& make_session,
                              const std::string& model, OrtSessionOptions* options) {
  const CancelScope scope([options] {
    OrtReleaseStatus(OrtSessionOptionsSetLoadCancellationFlag(options, /*cancel=*/true));
  });
  LoadedSession loaded;
  const Stopwatch watch;
  try {
    loaded.session = make_session();
  } catch (const ToolError& error) {
    throw explained(error, model);
  }
  loaded.load_ns = watch.elapsed_ns();
  throw_if_cancelled();
  return loaded;
}

Runs::Runs(OrtSession* session, const std::vector<Input>& inputs, const std::vector<Port>& outputs)
    : session_(session),
      options_(make<RunOptions>(OrtCreateRunOptions)),
      scope_([this] { OrtReleaseStatus(OrtRunOptionsSetTerminate(options_.get())); }) {
  for (const Input& input : inputs) {
    input_names_.push_back(input.name.c_str());
    inputs_.push_back(input.value.get());
  }
  for (const Port& port : outputs) output_names_.push_back(port.name.c_str());
}

void Runs::add_config(const char* key, const char* value) {
  check(OrtAddRunConfigEntry(options_.get(), key, value));
}

std::vector<Value> Runs::run() const {
  throw_if_cancelled();
  std::vector<OrtValue*> raw(output_names_.size());
  check(OrtRun(session_, options_.get(), input_names_.data(), inputs_.data(), inputs_.size(),
               output_names_.data(), output_names_.size(), raw.data()));
  std::vector<Value> values;
  values.reserve(raw.size());
  for (OrtValue* value : raw) values.emplace_back(value);
  throw_if_cancelled();  // a run that was nearly done ends well all the same
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
