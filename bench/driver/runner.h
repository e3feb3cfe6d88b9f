// SPDX-License-Identifier: MIT
// An environment, sessions and their runs, through the table alone. Nothing is released at the
// end: the process ends with its one measurement.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/driver/arguments.h"
#include "bench/driver/library.h"
#include "bench/driver/npy.h"

namespace bench {

class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Session options as the arguments want them.
OrtSessionOptions* make_options(const Library& library, const Arguments& arguments);

struct Runner {
  const Library* library = nullptr;
  OrtSession* session = nullptr;
  std::vector<std::string> input_names, output_names;
  std::vector<Array> arrays;      // that the inputs borrow
  std::vector<OrtValue*> inputs;  // in the order of input_names

  Runner(const Library& of, OrtSession* made) : library(&of), session(made) {}

  // Reads the files and wraps them; also reads the names of the outputs.
  void prepare(const std::vector<std::pair<std::string, std::string>>& files);
  // One run; the outputs are the caller's. The time of the call alone, in milliseconds.
  double run(std::vector<OrtValue*>& outputs);
  // The same, and the outputs are released.
  double run();
  // Writes <index>.npy per output and names.txt with one name per line.
  void dump(const std::vector<OrtValue*>& outputs, const std::string& folder) const;
  void release(std::vector<OrtValue*>& outputs) const;
};

// Throws Failure.
OrtEnv* make_env(const Library& library);
OrtSession* make_session(const Library& library, const OrtEnv* env, const std::string& model,
                         const OrtSessionOptions* options);

}  // namespace bench
