// SPDX-License-Identifier: MIT
// One function per mode of the driver; each makes its one measurement and returns the JSON members.
#pragma once

#include "bench/driver/arguments.h"
#include "bench/driver/json_text.h"
#include "bench/driver/library.h"

namespace bench {

// What every mode begins with: the library and the environment, timed together.
struct Start {
  Library library;
  OrtEnv* env = nullptr;
  double library_ms = 0, init_ms = 0;
  uint64_t base_bytes = 0;  // private memory with the environment alone
};

// Load, first run, steady runs of one model. With --peak no times but the peak of private memory.
void measure_session(const Start& start, const Arguments& arguments, JsonText& result);
// Two sessions in one process, the second after the first.
void measure_pair(const Start& start, const Arguments& arguments, JsonText& result);
// Two sessions of one model: runs one after the other, then both at once.
void measure_parallel(const Start& start, const Arguments& arguments, JsonText& result);
// Writes the compiled forms of the models, through the Compile API.
void measure_compile(const Start& start, const Arguments& arguments, JsonText& result);
// Writes the optimised form of a model, as the config entries say.
void measure_optimise(const Start& start, const Arguments& arguments, JsonText& result);
// A prompt, then tokens one by one, with the key/value cache in one buffer.
void measure_generate(const Start& start, const Arguments& arguments, JsonText& result);
// Runs with the library's profiler on; the result names its file.
void measure_profile(const Start& start, const Arguments& arguments, JsonText& result);

}  // namespace bench
