#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Small models of well-known architectures by every route, against the numpy evaluator.

  oracle_models.py ORTC [--keep DIR] [MODEL ...]

Makes the models with tools/generate_models.py and evaluates them in float64 with onnx_numpy.py.
With AOT, sessions from source, from an external and from an embedded context must give the same
bits at one and two threads, at graph level 99 and at level 0; a session of the CPU provider must
agree with them within rtol 1e-5, atol 2e-6; all must agree with the evaluator. Each model runs with
two sets of inputs of different free dimensions; under sanitizers (ORTC_SANITIZED) with one, at level
99. Exits 77 where python3-onnx is missing.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
except ImportError as missing:
    print(f"NOTHING RAN: {missing}; install python3-numpy and python3-onnx", file=sys.stderr)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support/numpy"))

from compare import disagreement
from onnx_numpy import evaluate

GENERATOR = os.path.join(HERE, "../../tools/generate_models.py")
# Those whose operators the evaluator knows and whose inputs may have other sizes.
MODELS = ("matmul transformer bert resnet50 mobilenetv2 vit gpt2-pair decoder-pair "
          "whisper resnet50-qdq bert-qdq nbits-decoder matmul-u8").split()
SHAPES = ([], ["--batch", "1", "--sequence", "5", "--past", "3"])
LEVELS = ("99", "0")
if os.environ.get("ORTC_SANITIZED"):  # a process takes fifty times as long to start
    SHAPES, LEVELS = SHAPES[1:], LEVELS[:1]
BETWEEN_PROVIDERS = {"rtol": 1e-5, "atol": 2e-6}
# The evaluator computes in float64; float32 through a dozen layers keeps about four digits.
AGAINST_ORACLE = {"rtol": 1e-4, "atol": 1e-5}
# Where activations are rounded to 8 bits, a sum beside a tie becomes another number: a quantum or
# two of the last rounding. At accuracy level 4 the evaluator does not round at all.
AGAINST_ORACLE_QUANTISED = {
    "resnet50_qdq": {"rtol": 0, "atol": 0.1},
    "bert_qdq": {"rtol": 0, "atol": 0.1},
    "nbits_decoder_acc4": {"rtol": 0, "atol": 0.1},
}


def file_name(name):
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


class Checker:
    def __init__(self, ortc, folder):
        self.ortc, self.folder = ortc, folder
        self.failures = []
        self.runs = 0

    def call(self, *arguments):
        done = subprocess.run([self.ortc, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"ortc {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")

    def run(self, model, outputs, inputs, providers, threads, level):
        """The outputs by name as a session gives them."""
        with tempfile.TemporaryDirectory(dir=self.folder) as results:
            arguments = ["run", model, "--output-dir", results, "--threads", str(threads)]
            for provider in providers:
                arguments += ["--ep", provider]
            for name, file in inputs.items():
                arguments += ["--input", f"{name}={file}"]
            self.call(*arguments, "--config", f"session.graph_optimization_level={level}")
            self.runs += 1
            return {name: np.load(f"{results}/{file_name(name)}.npy") for name in outputs}

    def expect(self, what, actual, expected, **tolerance):
        """Compares all outputs; the largest difference of all."""
        worst = 0.0
        for name, array in expected.items():
            text, agrees = disagreement(actual[name], array, **tolerance)
            if not agrees:
                self.failures.append(f"{what}, {name}: {text}")
            elif array.dtype.kind == "f" and array.size:
                worst = max(worst, float(np.abs(actual[name] - array).max()))
        return worst

    def expect_bits(self, what, actual, expected):
        for name, array in expected.items():
            if actual[name].dtype != array.dtype or actual[name].tobytes() != array.tobytes():
                self.failures.append(f"{what}, {name}: other bits")

    def check(self, model, inputs, label):
        expected = evaluate(model, {name: np.load(file) for name, file in inputs.items()})
        outputs = list(expected)
        name = os.path.basename(model)[:-5]
        label = f"{name} {label}"
        tolerance = AGAINST_ORACLE_QUANTISED.get(name, AGAINST_ORACLE)
        for level in LEVELS:
            contexts = {}
            for kind, flags in (("external", []), ("embedded", ["--embed"])):
                contexts[kind] = f"{model[:-5]}_{kind}{level}_ctx.onnx"
                self.call("compile", model, "-o", contexts[kind], "--opt-level", level,
                          "--error-if-none", *flags)
            source = self.run(model, outputs, inputs, ["AOT", "CPU"], 1, level)
            two = self.run(model, outputs, inputs, ["AOT", "CPU"], 2, level)
            self.expect_bits(f"{label}, level {level}, source with 2 threads", two, source)
            for kind, context in contexts.items():
                for threads in (1, 2):
                    found = self.run(context, outputs, inputs, ["AOT", "CPU"], threads, level)
                    self.expect_bits(f"{label}, level {level}, {kind}, {threads} threads", found,
                                     source)
            cpu = self.run(model, outputs, inputs, ["CPU"], 2, level)
            between = self.expect(f"{label}, level {level}, CPU and AOT", cpu, source,
                                  **BETWEEN_PROVIDERS)
            from_oracle = self.expect(f"{label}, level {level}, AOT and numpy", source, expected,
                                      **tolerance)
            self.expect(f"{label}, level {level}, CPU and numpy", cpu, expected, **tolerance)
            print(f"{label}, level {level}: {len(outputs)} outputs; AOT and numpy differ by up to "
                  f"{from_oracle:.2e}, CPU and AOT by {between:.2e}", flush=True)


def inputs_of(model):
    graph = onnx.load(model, load_external_data=False).graph
    return {i.name: f"{model[:-5]}.{file_name(i.name)}.npy" for i in graph.input}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ortc")
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--keep", metavar="DIR", help="leave models and contexts there")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        top = args.keep or temporary
        checker = Checker(os.path.abspath(args.ortc), temporary)
        for number, shape in enumerate(SHAPES):
            folder = os.path.join(top, f"inputs{number}")
            subprocess.run([sys.executable, GENERATOR, *(args.models or MODELS), "--small",
                            "--inputs", "--out", folder, *shape], check=True,
                           stdout=subprocess.DEVNULL)
            for model in sorted(glob.glob(f"{folder}/*.onnx")):
                if model.endswith("_ctx.onnx"):
                    continue
                try:
                    checker.check(model, inputs_of(model), f"inputs {number}")
                except RuntimeError as error:
                    checker.failures.append(f"{os.path.basename(model)}, inputs {number}: {error}")
    for failure in checker.failures:
        print(f"FAIL {failure}")
    print(f"{checker.runs} runs, {len(checker.failures)} failures")
    if os.environ.get("ORTC_SANITIZED"):
        print("left out under sanitizers: the models' own sizes, and level 0")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
