// SPDX-License-Identifier: MIT
// One row per example, in the order of help.

#include "tools/ortc/command_line/examples.h"

namespace ortc::tool {
namespace {

struct ExampleRow {
  const char* command;
  const char* text;
  const char* line;
};
constexpr ExampleRow kExamples[] = {
    {"", "from a model to its first result", "ortc compile m.onnx"},
    {"", "", "ortc run m_ctx.onnx --input x=x.npy --output-dir out"},
    {"compile", "m_ctx.onnx and m_aot.bin, for this machine", "ortc compile m.onnx"},
    {"compile", "one file, for any x86-64 machine with AVX2",
     "ortc compile m.onnx -o m_v3_ctx.onnx --embed --target x86-64-v3"},
    {"compile", "two models that share their weights: three files in out",
     "ortc compile --share prefill.onnx decode.onnx --out-dir out"},
    {"compile", "what would be compiled, and what not", "ortc compile m.onnx --dry-run"},
    {"run", "outputs as .npy files", "ortc run m_ctx.onnx --input x=x.npy --output-dir out"},
    {"run", "made-up and literal values",
     "ortc run m.onnx --input ids=random:0..30521 --shape ids=1x128 --input rate=16000"},
    {"run", "a picture, resized and normalised as the model was trained",
     "ortc run m.onnx --input x=cat.jpg --mean 123.7,116.3,103.5 --scale 58.4,57.1,57.4"},
    {"run", "all inputs from one archive; what two nodes inside have computed",
     "ortc run m.onnx --input inputs.npz --dump-node conv1,relu1 --output-dir out"},
    {"inspect", "inputs, outputs, and whether it runs here", "ortc inspect m_ctx.onnx"},
    {"inspect", "every byte against its checksum", "ortc inspect m_ctx.onnx --verify"},
    {"inspect", "what of a model is compiled, as a picture",
     "ortc inspect m_ctx.onnx --picture m.svg"},
    {"inspect", "which tensors two models share, and their graphs, as one page",
     "ortc inspect prefill_ctx.onnx decode_ctx.onnx --picture pair.html"},
    {"verify", "in a script: 0 sound and runs here, 3 compile it again, 1 broken",
     "ortc verify m_ctx.onnx --json"},
    {"summary", "what the nodes of a model cost", "ortc summary m.onnx"},
    {"diff", "0 equal, 1 different, 2 trouble", "ortc diff m_ctx.onnx n_ctx.onnx"},
    {"pack", "one file to hand on", "ortc pack m_ctx.onnx -o one_ctx.onnx"},
    {"pack", "and back", "ortc pack one_ctx.onnx --external -o m2_ctx.onnx"},
    {"merge", "an encoder feeds a decoder",
     "ortc merge enc_ctx.onnx dec_ctx.onnx --connect enc.hidden=dec.encoder_out -o both_ctx.onnx"},
    {"extract", "", "ortc extract m_ctx.onnx --node AOT_1234_0 -o part_ctx.onnx"},
    {"prefix", "", "ortc prefix m_ctx.onnx --prefix left_ -o left_ctx.onnx"},
    {"cache", "what is in it, the longest unused first", "ortc cache list ~/.cache/models"},
    {"cache", "at most 1 GB", "ortc cache prune ~/.cache/models --max-bytes 1000000000"},
    {"cache", "why is it compiled again", "ortc cache explain ~/.cache/models m.onnx"},
    {"package", "one model for three kinds of machines",
     "ortc package create --out pkg --compile m.onnx --target 'x86-64-v3;x86-64-v4;aarch64'"},
    {"package", "models that are there, as two components",
     "ortc package create --out pkg --variant enc/v3=enc_ctx.onnx --variant dec/any=dec.onnx"},
    {"package", "which of it runs here, and why not the others", "ortc package show pkg"},
    {"package", "every file against its hash", "ortc package verify pkg"},
    {"devices", "what a provider's library adds, and whom its hardware does not suit",
     "ortc devices --library libfoo_ep.so --name foo.virtual"},
    {"ep-test", "does a provider's library do what the runtime relies on",
     "ortc ep-test libfoo_ep.so --name foo.virtual --html report.html"},
    {"completion", "for this shell", "source <(ortc completion bash)"},
    {"bench", "five seconds on one thread",
     "ortc bench m_ctx.onnx --shape x=1x3x224x224 --duration 5 --threads 1"},
    {"bench", "what the runs per second are with four at a time",
     "ortc bench m_ctx.onnx --shape x=1x3x224x224 --streams 4 --threads 1"},
    {"bench", "the ten costliest layers; all of them as a table for other programs",
     "ortc bench m_ctx.onnx --shape x=1x3x224x224 --layers 10 --csv layers.csv"},
    {"compare", "does the compiled model compute what its source does",
     "ortc compare m.onnx m_ctx.onnx --dim batch=4"},
    {"compare", "and if not, from which value on", "ortc compare m.onnx m_ctx.onnx --per-node"},
};

}  // namespace

std::vector<ExampleGrammar> examples_of(const std::string& command) {
  std::vector<ExampleGrammar> examples;
  for (const ExampleRow& row : kExamples) {
    if (command == row.command) examples.push_back({row.text, row.line});
  }
  return examples;
}

}  // namespace ortc::tool
