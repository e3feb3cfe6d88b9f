// SPDX-License-Identifier: MIT
// Commands that look into files, change them, or test libraries.
#include "tools/ortc/command_line/command_list.h"

namespace ortc::tool {
namespace {

// What all commands have that write a compiled model.
void add_edit_output(CommandBuilder& command, EditArguments& a) {
  command.option("-o,--output", a.output, "OUT_ctx.onnx", "The model to write");
  command.flag("--no-overwrite", a.no_overwrite, "Fail when an output is there already");
  command.flag("--replace-shared", a.replace_shared,
               "Replace files although another model of the folder reads them");
  add_json(command, a.json);
}

}  // namespace

void add_inspect(CommandBuilder& command, InspectArguments& a) {
  command.positionals(a.files, "FILE",
                      "A model or a context binary; several models with --picture");
  command.flag("--details", a.details, "List each node and tensor");
  command.flag("--verify", a.verify, "Read all compiled data and compare their checksums");
  command.option("--picture", a.picture, "FILE.svg|FILE.html",
                 "Draw instead: one model's graph and what of it is compiled, or which tensors "
                 "several models share; a page has both");
  add_json(command, a.json);
}

void add_verify(CommandBuilder& command, LookArguments& a) {
  command.exit_codes(
      "0 sound and runs here, 1 broken, 2 wrong command line, 3 sound, but must be compiled again "
      "to run here, 4 what this version cannot read.");
  command.positional(a.file, "FILE", "A compiled model or a context binary");
  add_json(command, a.json);
}

void add_summary(CommandBuilder& command, LookArguments& a) {
  command.positional(a.file, "MODEL", "The model");
  add_json(command, a.json);
}

void add_diff(CommandBuilder& command, LookArguments& a) {
  command.exit_codes("0 equal, 1 different, 2 trouble.");
  command.positional(a.file, "FILE", "A model or a context binary");
  command.positional(a.other, "OTHER", "The file that it is compared with");
  add_json(command, a.json);
}

void add_pack(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx", "The compiled model");
  command.flag("--external", a.external,
               "The other way: compiled data out of the model, into files beside it");
  add_edit_output(command, a);
}

void add_merge(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx...",
                      "Two models or more. What a later one calls as an earlier one does gets its "
                      "file's name in front, as dec/x");
  command.option("--connect", a.connections, "A.y=B.x",
                 "Feed output y of A_ctx.onnx to input x of B_ctx.onnx, repeatable; models may be "
                 "called by number too, as 1.y=2.x");
  add_edit_output(command, a);
}

void add_extract(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx", "The compiled model");
  command.option("--node", a.node, "NAME", "The EPContext node; 'ortc inspect' lists them");
  add_edit_output(command, a);
}

void add_prefix(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx", "The compiled model");
  command.option("--prefix", a.prefix, "P",
                 "Stands before the names of EPContext nodes and of their graphs");
  add_edit_output(command, a);
}

void add_package(CommandBuilder& command, PackageArguments& a, RawPairs& raw,
                 std::vector<std::string>& variants) {
  command.exit_codes("0 done; verify: 1 something is broken; else as with other commands.");
  command.positional_choice(a.action, "ACTION",
                            "create, show: what a package has and which of it runs here, or "
                            "verify: whether its files are as they were written",
                            {"create", "show", "verify"});
  command.positional(a.folder, "[DIR]", "With show and verify: the package");
  command.option("--out", a.output, "DIR", "With create: the folder to make");
  command.option("--component", a.component, "NAME",
                 "With create: the component that the variants are of (default model)");
  command.option("--variant", variants, "NAME=MODEL",
                 "With create: a model, compiled or not, as this variant, repeatable; as "
                 "COMPONENT/NAME=MODEL of another component");
  command.option("--asset", a.assets, "FOLDER",
                 "With create: files that variants share, repeatable; prints their sha256: name");
  command.option("--compile", a.compile, "MODEL.onnx",
                 "With create: compile this for each of --target, as a variant of that name");
  command.option("--target", a.session.target, "TARGET[;TARGET]",
                 "With --compile: as x86-64-v3;aarch64 (default host)");
  command.option("--name", a.name, "NAME", "With create: what the package is called");
  command.option("--package-version", a.version, "TEXT", "With create: its version");
  command.flag("--link", a.link,
               "With create: give files a second name instead of copying them; they must not be "
               "changed in place then");
  command.option("--ep", a.session.providers, "NAME",
                 "With show: the execution providers that are asked; with --compile: that compile");
  command.option("--ep-opt", raw.provider_options, "K=V", "Option of the one --ep, repeatable");
  command.option("--config", raw.config, "K=V", "Session config entry, repeatable");
  command.flag("-v,--verbose", a.session.verbose, "Say what happens, on stderr");
  add_json(command, a.json);
}

void add_devices(CommandBuilder& command, DevicesArguments& a) {
  command.option("--library", a.library, "LIBRARY.so",
                 "With those of a library of execution providers, which is registered");
  command.option("--name", a.registration, "NAME",
                 "What it is registered as; with NAME.virtual it may offer virtual devices");
  add_json(command, a.json);
}

void add_ep_test(CommandBuilder& command, EpTestArguments& a, RawPairs& raw) {
  command.exit_codes("0 nothing failed; 1 a check failed, crashed or was late.");
  command.positional(a.library, "LIBRARY.so", "A library of execution providers");
  command.option("--name", a.registration, "NAME",
                 "What it is registered as; with NAME.virtual it may offer virtual devices");
  command.option("--model", a.model, "MODEL.onnx",
                 "What the sessions run (default: a MatMul, Add, Relu, Mul of float32)");
  command.option("--ep-opt", raw.provider_options, "K=V", "Option of the provider");
  command.option("--rtol", a.relative, "X", "Relative tolerance against the CPU provider (1e-3)")
      .real_number(0, 1e9);
  command.option("--atol", a.absolute, "X", "Absolute tolerance (1e-3)").real_number(0, 1e9);
  command.option("--seconds", a.seconds, "S", "How long each check may take (60)")
      .real_number(1, 86400);
  command.option("--html", a.html, "FILE", "Write the report as a page");
  add_json(command, a.json);
}

}  // namespace ortc::tool
