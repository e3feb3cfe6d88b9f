// SPDX-License-Identifier: MIT
// What the driver shall measure, from its command line (bench/README.md describes the options).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct Arguments {
  std::string mode;  // init, session, pair, parallel, compile, optimise, profile, generate
  std::string library;
  std::string provider;  // appended before the session is made; none when empty
  std::vector<std::string> models;
  std::vector<std::string> outputs;                          // models to write, one per model
  std::vector<std::pair<std::string, std::string>> inputs;   // of the first model, name and file
  std::vector<std::pair<std::string, std::string>> inputs2;  // of the second model
  std::vector<std::pair<std::string, std::string>> config;   // session config entries
  std::string shared;   // a list of initializers to be given to both sessions of a pair
  std::string dump;     // a folder for the outputs of the first run; generate: a file
  std::string profile;  // prefix of the profile's file
  int threads = 1;
  int level = -1;  // graph optimisation level; the library's default when negative
  double seconds = 0;
  uint64_t least_runs = 0, most_runs = 1'000'000;
  uint64_t sessions = 2;               // parallel: of one model
  uint64_t prompt = 128, tokens = 64;  // generate: of the prompt; after it, one by one
  bool is_peak_wanted = false;
  bool is_embedded = false;
  bool is_first_run_wanted = true;
};

// Throws Failure when an option is unknown or lacks its value.
Arguments parse_arguments(int count, char** texts);

}  // namespace bench
