// SPDX-License-Identifier: MIT
// What the checks do with a library of providers: register it, choose its devices, make sessions,
// and hold their results against the CPU provider's.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/command_line/arguments.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/values/difference.h"

namespace ortc::tool {

class Probe {
 public:
  // Registers `library`, or that of the arguments. Throws what the runtime says.
  explicit Probe(const EpTestArguments& arguments, const std::string& library = "");
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  OrtEnv* env() const { return env_.get(); }
  const std::string& registration() const { return registration_; }
  // Of the library. Those of one provider when `provider` is given.
  std::vector<const OrtEpDevice*> devices(const std::string& provider = "") const;
  // The providers that have devices, each once.
  std::vector<std::string> providers() const;

  // Options with the first provider's devices, and with none.
  SessionOptions options() const;
  SessionOptions plain_options() const;

  Session session(const OrtSessionOptions* options) const;  // of the model
  Session session_of(const std::string& path, const OrtSessionOptions* options) const;
  // How many nodes the library's first provider has in a session.
  size_t claimed(const OrtSession* session) const;

  // The outputs for made-up inputs, the same each time.
  std::vector<Value> run(OrtSession* session) const;
  // "" when the session computes what the CPU provider does; else where it does not.
  std::string difference(OrtSession* session) const;
  // The same for runs whose values stay where the session wants them, with other numbers from the
  // second on: what providers capture of a run and replay.
  std::string difference_in_place(OrtSession* session) const;
  // Takes the library away again.
  void unregister();

 private:
  std::string compare(OrtSession* session, const std::vector<Value>& found,
                      const std::vector<Value>& expected) const;

  const EpTestArguments& arguments_;
  std::string registration_;
  Env env_;
  std::vector<const OrtEpDevice*> others_;  // devices that were there before
  mutable std::vector<Value> expected_;
};

// Gives a model to a function that sets the input of a compile.
void set_model(OrtModelCompilationOptions* options, const EpTestArguments& arguments);

}  // namespace ortc::tool
