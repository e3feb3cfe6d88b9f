#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles two models that share weights, loads both, runs them, and stops a run.

    share.py FIRST.onnx SECOND.onnx FOLDER
"""

import sys
from pathlib import Path

# docs: begin
import numpy
import ortc


def compile_both(first, second, folder):
    """Two models and one binary, which holds equal weights once."""
    options = ortc.SessionOptions()
    options.add_provider("AOT")
    with ortc.SharingGroup() as group:
        group.add(ortc.ModelCompiler(options, first), folder / "first_ctx.onnx")
        group.add(ortc.ModelCompiler(options, second), folder / "second_ctx.onnx")
    print(f"compiled {len(group.report['files'])} files")


def run_both(folder):
    for name in ("first", "second"):
        session = ortc.Session(folder / f"{name}_ctx.onnx", providers=["AOT"])
        y = session.run({"x": numpy.ones((1, 256), numpy.float32)})["y"]
        print(f"{name}:", *(f"{number:.4f}" for number in y[0]))
    return session


def run_cancelled(session):
    """A token stops what runs with it, from any thread, at any time."""
    token = ortc.CancelToken()
    token.cancel()
    try:
        session.run({"x": numpy.ones((1, 256), numpy.float32)}, cancel=token)
    except ortc.Cancelled:
        print("cancelled")


def main(first, second, folder):
    compile_both(first, second, folder)
    run_cancelled(run_both(folder))
# docs: end


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
