// SPDX-License-Identifier: MIT
// What the user wrote on the command line, checked for form and numbers for range; names and paths
// are judged by the commands. Only arguments.cc knows the parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ortc::tool {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // K=V options, in order

// Options shared by the commands that make a session or a compiler.
struct SessionArguments {
  std::vector<std::string> providers;  // --ep; empty means the AOT provider
  Pairs provider_options;              // --ep-opt
  Pairs config;                        // --config
  Pairs dimensions;                    // --dim
  int threads = 0;                     // --threads; 0: the library's default
  std::string target;                  // --target; "": what the provider takes by itself
  std::string profile;                 // --profile; "": none
  std::string residency;               // --residency; "": as the config entries say
  bool verbose = false;
};

// How pictures become values, as written; "": as the model and the picture say.
struct PictureArguments {
  std::string mean, scale;   // --mean, --scale: numbers with commas between
  std::string layout;        // --layout: NCHW or NHWC
  std::string pixel_format;  // --pixel-format: RGB, BGR or Grayscale

  bool is_given() const {
    return !mean.empty() || !scale.empty() || !layout.empty() || !pixel_format.empty();
  }
};

// NAME=VALUE as written: only the model tells where a name that has a '=' ends.
struct InputArguments {
  std::vector<std::string> inputs;  // --input NAME=FILE.npy|raw:FILE|random|zeros|[1,2], FILE.npz
  std::vector<std::string> shapes;  // --shape NAME=1x3x8x8
  PictureArguments picture;         // of all inputs that are pictures
};

struct CompileArguments {
  SessionArguments session;
  std::vector<std::string> models;  // several only with --share
  bool share = false;
  std::string output, output_dir;
  bool embed = false;
  std::string compression;
  std::string external_data;
  uint64_t threshold = 1024;
  std::string prefix;
  bool error_if_none = false;
  bool no_overwrite = false;
  bool replace_shared = false;
  bool dry_run = false;
  int opt_level = 0;
  std::string progress = "auto";
  bool json = false;
};

struct RunArguments {
  SessionArguments session;
  InputArguments inputs;
  std::string model;
  std::string component;                // --component, of a package
  std::vector<std::string> outputs;     // --output; empty: all
  std::vector<std::string> dump_nodes;  // --dump-node
  std::string output_dir;
  bool json = false;
};

struct BenchArguments {
  SessionArguments session;
  InputArguments inputs;
  std::string model;
  uint64_t iterations = 0;  // 0: as many as `duration` allows
  double duration_s = 2.0;
  uint64_t warmup = 3;  // of each stream
  bool cold = false;
  uint64_t streams = 1;
  uint64_t loads = 1;
  std::optional<uint64_t> layers;  // how many the table has; 0: all
  std::string csv;
  std::string export_times;
  bool json = false;
};

struct CompareArguments {
  SessionArguments session;
  InputArguments inputs;
  std::string first, second;
  double relative = 1e-4, absolute = 1e-5;
  bool per_node = false;
  bool json = false;
};

struct InspectArguments {
  std::vector<std::string> files;  // several only with --picture
  std::string picture;             // "": none
  bool details = false;
  bool verify = false;
  bool json = false;
};

struct DevicesArguments {
  std::string library;       // --library; "": none
  std::string registration;  // --name, of --library; "": a name of the tool's own
  bool json = false;
};

// verify, summary, diff: they look at files and nothing else.
struct LookArguments {
  std::string file, other;
  bool json = false;
};

// pack, merge, extract, prefix: from compiled models to another, without a session.
struct EditArguments {
  std::vector<std::string> models;
  std::string output;
  std::vector<std::string> connections;  // merge: "enc.y=dec.x"
  std::string node;                      // extract
  std::string prefix;                    // prefix
  bool external = false;                 // pack
  bool no_overwrite = false;
  bool replace_shared = false;
  bool json = false;
};

struct CacheArguments {
  std::string action;  // list, prune, verify, explain
  std::string folder;
  std::string model;                // explain
  SessionArguments session;         // explain
  uint64_t max_bytes = UINT64_MAX;  // prune; no limit: only what ended processes left
  bool json = false;
};

struct PackageArguments {
  std::string action;  // create, show, verify
  std::string folder;  // show, verify
  std::string output;  // create: --out
  std::string component = "model";
  Pairs variants;                   // --variant NAME=MODEL
  std::vector<std::string> assets;  // --asset
  std::string compile;              // --compile; "": nothing
  std::string name, version;
  bool link = false;
  SessionArguments session;  // show: its providers; create: of --compile
  bool json = false;
};

struct EpTestArguments {
  std::string library;
  std::string registration = "ortc_ep_test";  // --name
  std::string model;                          // --model; "": the built-in one
  Pairs provider_options;                     // --ep-opt
  double relative = 1e-3, absolute = 1e-3;
  double seconds = 60;  // of each check
  std::string html;     // "": none
  bool json = false;
};

enum class Command {
  kNone,
  kCompile,
  kRun,
  kInspect,
  kVerify,
  kSummary,
  kBench,
  kCompare,
  kDiff,
  kPack,
  kMerge,
  kExtract,
  kPrefix,
  kCache,
  kPackage,
  kDevices,
  kEpTest
};

struct Arguments {
  Command command = Command::kNone;  // kNone: `text` is all there is to say
  std::string text;                  // help or version, for stdout
  std::string command_name;          // "compile"
  bool json = false;
  CompileArguments compile;
  RunArguments run;
  InspectArguments inspect;
  LookArguments look;
  BenchArguments bench;
  CompareArguments compare;
  EditArguments edit;
  CacheArguments cache;
  PackageArguments package;
  DevicesArguments devices;
  EpTestArguments ep_test;
};

// Throws ToolError with exit code 2 for a command line that cannot be understood. `arguments` has
// the command and --json, as far as they were written, also then.
void parse_arguments(int argc, const char* const* argv, Arguments& arguments);

}  // namespace ortc::tool
