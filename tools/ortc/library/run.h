// SPDX-License-Identifier: MIT
// Sessions and their runs, timed and cancelled by signals; shared by `ortc run` and `ortc bench`.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/signals.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {

class Stopwatch {
 public:
  int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

struct LoadedSession {
  Session session;
  int64_t load_ns = 0;
};
// Throws an error that says whether the model must be compiled again.
LoadedSession load_session(const OrtEnv* env, const std::string& model, OrtSessionOptions* options);
// The same by a function that makes the session of `model` with the options.
LoadedSession load_session_by(const std::function<Session()>& make_session,
                              const std::string& model, OrtSessionOptions* options);

// Runs with the same inputs. A signal stops those under way and makes them, or the next, throw; the
// object listens as long as it lives, and only one may listen at a time.
class Runs {
 public:
  Runs(OrtSession* session, const std::vector<Input>& inputs, const std::vector<Port>& outputs);

  void add_config(const char* key, const char* value);
  // All outputs, in the order of `outputs`. Any number of threads may run at the same time.
  std::vector<Value> run() const;

 private:
  OrtSession* session_;
  std::vector<const char*> input_names_, output_names_;
  std::vector<const OrtValue*> inputs_;
  RunOptions options_;
  CancelScope scope_;
};

Json session_report(const OrtSession* session);

}  // namespace ortc::tool
