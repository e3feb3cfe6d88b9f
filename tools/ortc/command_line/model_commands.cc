// SPDX-License-Identifier: MIT
// Commands that make sessions; options that several of them share are described once.
#include "tools/ortc/command_line/command_list.h"

namespace ortc::tool {
namespace {

// What a command does with the options of a session.
enum class Uses { kCompile, kOneSession, kManySessions };

void add_session(CommandBuilder& command, SessionArguments& session, RawPairs& raw, Uses uses) {
  command.option("--ep", session.providers, "NAME",
                 "Execution provider, repeatable, asked in this order (default AOT; the CPU "
                 "provider is always there and last)");
  command.option("--ep-opt", raw.provider_options, "K=V", "Option of the one --ep, repeatable");
  command.option("--config", raw.config, "K=V", "Session config entry, repeatable");
  command.option("--dim", raw.dimensions, "NAME=SIZE",
                 "Size of a dimension that the model leaves open, by its name, repeatable");
  if (uses != Uses::kCompile) {
    command.option("--threads", session.threads, "N", "Threads that work on one operator")
        .whole_number(1, 1024);
  }
  if (uses == Uses::kOneSession) {
    command.choice("--residency", session.residency, "MODE",
                   "When weights come into memory: lazy (default), prefetch, populate, locked or "
                   "copied; as --config session.context_residency=MODE",
                   {"lazy", "prefetch", "populate", "locked", "copied"});
    command.option("--profile", session.profile, "FILE.json",
                   "Write what ran when, as a Chrome trace (chrome://tracing, Perfetto)");
  }
  command.flag("-v,--verbose", session.verbose, "Say what happens, on stderr");
}

void add_inputs(CommandBuilder& command, InputArguments& inputs, const char* otherwise) {
  command.option(
      "--input", inputs.inputs, "NAME=VALUE",
      std::string("Value of an input, repeatable: a .npy file (- for stdin), raw:FILE for bytes as "
                  "a tensor has them, a number or list as 16000 or [[1,2],[3,4]] or [\"a\",\"b\"], "
                  "nan, inf, zeros, random[:SEED][:LOW..HIGH], or a picture (PNG, JPEG, ...; "
                  "image:FILE for "
                  "one without such an ending), which is resized to what the model has; FILE.npz "
                  "by itself has an array for each input") +
          otherwise);
  command.option("--shape", inputs.shapes, "NAME=1x3x8x8",
                 "Shape of an input that is made up, where the model leaves dimensions open");
  PictureArguments& picture = inputs.picture;
  command.option("--mean", picture.mean, "M[,M,M]",
                 "Of pictures: subtracted from the pixels, 0 to 255, one number or one for each "
                 "channel (default 0)");
  command.option("--scale", picture.scale, "S[,S,S]",
                 "Of pictures: what the differences are divided by (default 1)");
  command.choice("--layout", picture.layout, "LAYOUT",
                 "Of pictures: NCHW or NHWC (default as the shape of the input tells)",
                 {"NCHW", "NHWC"});
  command.choice("--pixel-format", picture.pixel_format, "FORMAT",
                 "Of pictures: RGB, BGR or Grayscale (default RGB, or Grayscale for one channel)",
                 {"RGB", "BGR", "Grayscale"});
}

}  // namespace

void add_compile(CommandBuilder& command, CompileArguments& a, RawPairs& raw) {
  command.positionals(a.models, "IN.onnx", "The model; with --share several");
  Option output = command.option("-o,--output", a.output, "OUT_ctx.onnx",
                                 "The compiled model (default IN_ctx.onnx)");
  command
      .option("--out-dir", a.output_dir, "DIR",
              "Folder for the files, which keep their names (default that of IN.onnx)")
      .excludes(output);
  command.flag("--share", a.share,
               "Compile all models given into one context binary, with the name of the first, that "
               "holds equal weights once; the files appear together");
  command.option("--target", a.session.target, "TARGET",
                 "What to compile for: host, or a level such as x86-64-v3, perhaps with "
                 "+features; 'ortc devices' lists them. Several for one file with ';' between, "
                 "in quotes (default host)");
  add_session(command, a.session, raw, Uses::kCompile);
  command.flag("--embed", a.embed, "Put the compiled data into the model, not beside it");
  command.option("--compression", a.compression, "CODEC",
                 "How compiled data are stored: none, to be mapped when they are loaded, or "
                 "zstd[:LEVEL], with a level from 1 to 19 (default none)");
  Option file = command.option("--external-data", a.external_data, "FILE",
                               "Move initializers left in the model to this file beside it");
  command
      .option("--threshold", a.threshold, "BYTES",
              "With --external-data: smaller initializers stay in the model (default 1024)")
      .whole_number(0, uint64_t{1} << 62)
      .needs(file);
  command.option("--prefix", a.prefix, "P", "Stands before the names of EPContext nodes");
  command.flag("--error-if-none", a.error_if_none, "Fail when nothing could be compiled");
  command.flag("--no-overwrite", a.no_overwrite, "Fail when the output is there already");
  command.flag("--replace-shared", a.replace_shared,
               "Replace files although another model of the folder reads them");
  command.flag("--dry-run", a.dry_run, "Compile and report, but write no files");
  command.choice("--opt-level", a.opt_level, "LEVEL",
                 "Graph rewriting before compilation: 0, 1, 2 or 99 for all (default 0)",
                 {"0", "1", "2", "99"});
  command.choice("--progress", a.progress, "FORM",
                 "auto, bar, plain, json or none (default auto: a bar on terminals, else plain; "
                 "none with --json)",
                 {"auto", "bar", "plain", "json", "none"});
  add_json(command, a.json);
}

void add_run(CommandBuilder& command, RunArguments& a, RawPairs& raw) {
  command.positional(a.model, "MODEL", "The model, or the folder of a model package");
  add_inputs(command, a.inputs, "");
  add_session(command, a.session, raw, Uses::kOneSession);
  command.option("--component", a.component, "NAME",
                 "Of a package: which component (default the only one)");
  command.option("--output", a.outputs, "NAME", "An output to compute, repeatable (default all)");
  command.option("--dump-node", a.dump_nodes, "NAME[,NAME]",
                 "Show what nodes or values inside the model have computed, repeatable; nothing is "
                 "fused then");
  command.option("--output-dir", a.output_dir, "DIR",
                 "Write each output, and each value of --dump-node, there as a .npy file");
  add_json(command, a.json);
}

void add_bench(CommandBuilder& command, BenchArguments& a, RawPairs& raw) {
  command.positional(a.model, "MODEL", "The model");
  Option iterations = command.option("--iterations", a.iterations, "N", "Timed runs")
                          .whole_number(1, 1'000'000'000);
  command.option("--duration", a.duration_s, "SECONDS", "Time for timed runs (default 2)")
      .real_number(0.001, 86400.0)
      .excludes(iterations);
  command
      .option("--warmup", a.warmup, "N",
              "Runs of each stream after the first that are not counted (default 3)")
      .whole_number(0, 1'000'000);
  command.flag("--cold", a.cold,
               "Begin with the model's files on the disk: drop them from the system's cache first");
  command
      .option("--streams", a.streams, "N",
              "Threads that run the session at the same time (default 1)")
      .whole_number(1, 1024);
  command.option("--loads", a.loads, "N", "Load that often, one session at a time (default 1)")
      .whole_number(1, 1'000'000);
  command
      .option(kLayers, a.layers, "[N]",
              "Then run up to 100 times with a profile, and list what each layer takes: the "
              "costliest N, or all")
      .whole_number(0, 1'000'000'000);
  command.option("--csv", a.csv, "FILE.csv", "Write all layers there, one row each");
  command.option("--export-times", a.export_times, "FILE.json",
                 "Write when each run began and what it took, the first million");
  add_inputs(command, a.inputs, " (default random)");
  add_session(command, a.session, raw, Uses::kOneSession);
  add_json(command, a.json);
}

void add_compare(CommandBuilder& command, CompareArguments& a, RawPairs& raw) {
  command.positional(a.first, "MODEL", "The model");
  command.positional(a.second, "OTHER", "The model that it is compared with");
  command.option("--rtol", a.relative, "R", "Relative tolerance (default 0.0001)")
      .real_number(0, 1e6);
  command.option("--atol", a.absolute, "A", "Absolute tolerance (default 0.00001)")
      .real_number(0, 1e30);
  command.flag("--per-node", a.per_node,
               "Compare every value that both models have, and say where they part");
  add_inputs(command, a.inputs, " (default random, the same for both)");
  add_session(command, a.session, raw, Uses::kManySessions);
  add_json(command, a.json);
}

void add_cache(CommandBuilder& command, CacheArguments& a, RawPairs& raw) {
  command.exit_codes(
      "0 done; verify: 1 something is damaged; explain: 3 a session would compile; else as with "
      "other commands.");
  command.positional_choice(a.action, "ACTION",
                            "list, prune, verify, or explain: whether and why a session of MODEL "
                            "finds what it would compile",
                            {"list", "prune", "verify", "explain"});
  command.positional(a.folder, "DIR", "The folder of ep.context_cache_dir");
  command.positional(a.model, "[MODEL]", "With explain: the model");
  command
      .option("--max-bytes", a.max_bytes, "BYTES",
              "With prune: what may stay; the longest unused goes (default: all stays but what "
              "ended processes left)")
      .whole_number(0, UINT64_MAX);
  add_session(command, a.session, raw, Uses::kManySessions);
  add_json(command, a.json);
}

}  // namespace ortc::tool
