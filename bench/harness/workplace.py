# SPDX-License-Identifier: MIT
"""Where everything lies: libraries, models, contexts; and what makes them.

build/bench/models has the sources, build/bench/contexts what both libraries made of them. A form
of a model is a path: `context` and `embedded` are ours, `fastest` is ONNX Runtime's .ort file.
"""

import json
import os
import shutil
import subprocess

from . import driver, sparse, zoo

FASTEST_LOAD = ["session.load_model_format=ORT", "session.use_memory_mapped_ort_model=1",
                "session.use_ort_model_bytes_directly=1",
                "session.use_ort_model_bytes_for_initializers=1", "session.disable_prepacking=1"]


class Workplace:
    def __init__(self, args, libraries):
        self.driver, self.ortc, self.libraries = args.driver, args.ortc, libraries
        self.is_small = args.small
        self.has_own_models = args.models is None
        self.models = args.models or os.path.join(args.out, "small" if args.small else "models")
        self.generated = os.path.join(args.out, "small" if args.small else "models")
        self.contexts = os.path.join(args.out, "small-contexts" if args.small else "contexts")
        self._made = {}

    def _once(self, key, make):
        """The result of make(), or its failure again, without making it twice."""
        if key not in self._made:
            try:
                self._made[key] = (make(), None)
            except (RuntimeError, OSError, driver.DriverError) as error:
                self._made[key] = (None, str(error))
        value, error = self._made[key]
        if error is not None:
            raise driver.DriverError(error)
        return value

    # Models and their forms.

    def model(self, name):
        return zoo.MODELS[name]

    def source(self, name):
        is_sparse = zoo.MODELS[name].generator == "sparse"
        folder = self.generated if is_sparse else self.models
        return self._once(("source", name), lambda: zoo.prepare(
            name, folder, self.is_small, is_trusted=not self.has_own_models))

    def inputs(self, name):
        path = self.source(name)
        return zoo.inputs_of(os.path.dirname(path), zoo.MODELS[name].file)

    def _empty_folder(self, name):
        folder = os.path.join(self.contexts, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return folder

    def _compile(self, name, folder_name, options):
        folder = self._empty_folder(folder_name)
        if zoo.MODELS[name].generator == "sparse":
            # The holes of the weights become bytes of the context.
            wanted = sparse.weight_bytes(zoo.MODELS[name].file, self.is_small) * 5 // 4
            if shutil.disk_usage(folder).free < wanted:
                raise RuntimeError(f"its context takes {wanted >> 20} MiB of disk, less is free")
        output = os.path.join(folder, zoo.MODELS[name].file + "_ctx.onnx")
        command = [self.ortc, "compile", self.source(name), "-o", output, "--progress", "none",
                   "--error-if-none", *zoo.config_options(self.model(name)), *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            text = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            raise RuntimeError(f"ortc compile: {text}")
        return output

    def context(self, name):
        return self._once(("context", name), lambda: self._compile(name, name, []))

    def embedded(self, name):
        return self._once(("embedded", name),
                          lambda: self._compile(name, name + ".embedded", ["--embed"]))

    def drop(self, form, name):
        """Removes what takes much place on the disk."""
        suffix = "" if form == "context" else "." + form
        shutil.rmtree(os.path.join(self.contexts, name + suffix), ignore_errors=True)
        self._made.pop((form, name), None)

    def fastest(self, name):
        """ONNX Runtime's own format, optimised, written by itself."""
        def make():
            output = os.path.join(self._empty_folder(name + ".fastest"), name + ".ort")
            driver.run(self.driver, ["optimise", "--library", self.libraries["theirs"],
                                     "--model", self.source(name), "--output", output,
                                     "--config", "session.save_model_format=ORT"], 1)
            return output
        return self._once(("fastest", name), make)

    def pair_contexts(self, pair):
        """Both models of the pair, compiled as one group that shares its weights."""
        def make():
            folder = self._empty_folder(pair)
            arguments, outputs = ["compile", "--library", self.libraries["ours"],
                                  "--provider", "AOT"], []
            for name in zoo.PAIRS[pair]:
                outputs.append(os.path.join(folder, zoo.MODELS[name].file + "_ctx.onnx"))
                arguments += ["--model", self.source(name), "--output", outputs[-1]]
            driver.run(self.driver, arguments, 1)
            return outputs
        return self._once(("pair", pair), make)

    def shared_list(self, pair):
        """The initializers that both models of the pair have, as the driver's list."""
        def make():
            os.makedirs(self.contexts, exist_ok=True)
            path = os.path.join(self.contexts, pair + ".shared.tsv")
            command = [zoo.PYTHON, os.path.join(zoo.ROOT, "bench", "harness", "shared_list.py"),
                       path, *[self.source(name) for name in zoo.PAIRS[pair]]]
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"shared_list.py: {done.stderr.strip().splitlines()[-1]}")
            return path
        return self._once(("shared", pair), make)

    def peak_folder(self, name):
        return self._empty_folder(name + ".peak")

    # Sizes and files.

    @staticmethod
    def files_of(path):
        """The model and what lies beside it with its weights, for warming and counting."""
        folder = os.path.dirname(path)
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                if os.path.isfile(os.path.join(folder, name))]

    def version(self):
        done = subprocess.run([self.ortc, "--version"], stdout=subprocess.PIPE, text=True)
        return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "not known"


def write_json(path, value):
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
    os.rename(path + ".part", path)
