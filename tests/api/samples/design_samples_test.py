#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs the C++ samples of the document that describes EPContext models.

  design_samples_test.py CXX LIBRARY_FOLDER

The samples are taken from the document word for word but for substitutions.tsv. The document is
looked for beside the source tree, as shared/seeds/ep-context-design.md, or where ORTC_DESIGN_DOCUMENT
says. Without it, or without python3-onnx, the test is skipped (exit code 77) and says so.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DOCUMENT = "shared/seeds/ep-context-design.md"
SAMPLES = 10
PLUGIN_SAMPLES = 8  # the number that runs those for plugins


def find_document():
    named = os.environ.get("ORTC_DESIGN_DOCUMENT")
    places = [pathlib.Path(named)] if named else [ROOT.parent / DOCUMENT, ROOT.parents[1] / DOCUMENT]
    return next((place for place in places if place.is_file()), None)


def cxx_samples(text):
    """The blocks of code that are C++, in the document's order."""
    blocks = re.findall(r"^```[\w+]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for block in blocks
            if "Ort::" in block or "InlinedVector<" in block or "OrtStatus*" in block]


def substitute(samples):
    rows = [line.split("\t") for line in
            (HERE / "substitutions.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    for before, after, reason in rows:
        uses = sum(sample.count(before) for sample in samples)
        print(f"{uses} times {before} -> {after}: {reason}")
        if uses == 0:
            sys.exit(f"substitutions.tsv: no sample has {before}")
        samples = [sample.replace(before, after) for sample in samples]
    return samples


def build(cxx, library, samples, work):
    for number, sample in enumerate(samples):
        (work / f"sample_{number}.inc").write_text(sample, encoding="utf-8")
    headers = ROOT / "include"
    flags = ["-std=c++17", f"-I{headers}", f"-I{headers}/ort-compat", f"-I{work}", f"-I{HERE}"]
    program = work / "samples"
    subprocess.run([cxx, *flags, HERE / "application.cc", f"-L{library}/ort-compat",
                    "-lonnxruntime", f"-Wl,-rpath,{library}/ort-compat:{library}",
                    f"-Wl,-rpath-link,{library}", "-o", program], check=True)
    # A provider's library links nothing of the runtime.
    subprocess.run([cxx, *flags, "-shared", "-fPIC", "-fvisibility=hidden", HERE / "plugin.cc",
                    "-o", work / "libplugin.so"], check=True)
    return program


def write_models(folder, weights_folder=None):
    """model1.onnx and model2.onnx: x * weight, with the same weight in one file."""
    import numpy
    import onnx
    from onnx import TensorProto, helper

    folder.mkdir(parents=True, exist_ok=True)
    weights_folder = weights_folder or folder
    weights_folder.mkdir(parents=True, exist_ok=True)
    weight = numpy.arange(4 * 512, dtype=numpy.float32).reshape(4, 512)
    weight.tofile(weights_folder / "weights.bin")
    for name, last in (("model1", "Relu"), ("model2", "Sigmoid")):
        tensor = TensorProto(name="weight", data_type=TensorProto.FLOAT, dims=weight.shape,
                             data_location=TensorProto.EXTERNAL)
        for key, value in (("location", "weights.bin"), ("length", str(weight.nbytes))):
            tensor.external_data.add(key=key, value=value)
        graph = helper.make_graph(
            [helper.make_node("MatMul", ["x", "weight"], ["product"]),
             helper.make_node(last, ["product"], ["y"])], name,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 512])], [tensor])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


class Runner:
    def __init__(self, program, work):
        self.program, self.work, self.failures = program, work, 0

    def run(self, number, folder, expected=()):
        """Runs a sample in a folder; True when it ran and left the files."""
        done = subprocess.run([self.program, str(number), self.work / "libplugin.so"], cwd=folder,
                              text=True, capture_output=True, check=False)
        said = (done.stderr + done.stdout).strip()
        missing = [name for name in expected if not (folder / name).is_file()]
        if done.returncode != 0 or missing:
            print(f"sample {number}: FAILED with {done.returncode}, missing {missing}: {said}")
            self.failures += 1
            return False
        print(f"sample {number}: ran" + (f", and wrote {', '.join(expected)}" if expected else ""))
        return True


def run_samples(runner):
    work = runner.work
    plain, buffer, external = work / "plain", work / "buffer", work / "external"
    write_models(plain)
    runner.run(1, plain, ["model1_ctx.onnx"])
    write_models(buffer)
    runner.run(2, buffer, ["model_ctx.onnx"])
    write_models(external / "model_folder", external / "external_data_folder")
    runner.run(3, external, ["model_folder/model_ctx.onnx"])
    shutil.rmtree(external / "external_data_folder")

    runner.run(4, plain)  # what sample 1 wrote
    # The document reads the model from one folder and names another for the context binary.
    shutil.copytree(external / "model_folder", external / "model_path")
    runner.run(5, external)

    shared = work / "shared"
    write_models(shared)
    sources = sorted(shared.iterdir())
    runner.run(6, shared, ["model1_ctx.onnx", "model2_ctx.onnx", "model1_aot.bin"])
    made = [path for path in sorted(shared.iterdir()) if path not in sources]
    if len(made) != 3:
        print(f"sample 6: FAILED: expected three files of two models, found {made}")
        runner.failures += 1
    for source in sources:
        source.unlink()
    runner.run(7, shared)
    runner.run(PLUGIN_SAMPLES, work)


def main():
    cxx, library = sys.argv[1:3]
    document = find_document()
    if document is None:
        print(f"skipped: {DOCUMENT} is not beside the source tree")
        return 77
    try:
        import onnx  # noqa: F401
    except ImportError:
        print("skipped: python3-onnx is missing")
        return 77
    samples = cxx_samples(document.read_text(encoding="utf-8"))
    if len(samples) != SAMPLES:
        sys.exit(f"expected {SAMPLES} C++ samples in {document.name}, found {len(samples)}")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        program = build(cxx, library, substitute(samples), work)
        runner = Runner(program, work)
        run_samples(runner)
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
