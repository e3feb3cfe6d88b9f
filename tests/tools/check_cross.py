#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What one machine compiles for another runs there, with its numbers: check_cross.py ORTC TARGET OTHER...

ORTC runs here; OTHER is the command, an emulator in front, that runs as a machine of TARGET. The
models are the sources of tests/golden/.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "1.0"
HERE = "x86-64-v3"
NOT_SUPPORTED = 4


def call(*words, exit_code=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != exit_code:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")


def outputs(folder, command, model, x):
    call(*command, "run", model, "--input", f"x={x}", "--output-dir", folder)
    return np.load(folder / "y.npy")


def check(ortc, target, other, name, folder):
    source, x = GOLDEN / f"{name}.onnx", GOLDEN / f"{name}.x.npy"
    both, away = folder / f"{name}_both.onnx", folder / f"{name}_away.onnx"
    call(ortc, "compile", source, "-o", both, "--target", f"{HERE};{target}")
    call(ortc, "compile", source, "-o", away, "--target", target)
    expected = outputs(folder, [ortc], both, x)
    call(ortc, "run", away, "--input", f"x={x}", exit_code=NOT_SUPPORTED)
    for model in (both, away):
        np.testing.assert_allclose(outputs(folder, other, model, x), expected, 1e-5, 1e-5)
    # And the other way round.
    call(*other, "compile", source, "-o", away, "--target", HERE)
    np.testing.assert_allclose(outputs(folder, [ortc], away, x), expected, 1e-5, 1e-5)
    call(*other, "run", away, "--input", f"x={x}", exit_code=NOT_SUPPORTED)
    print(f"{name}: the same within 1e-5, and refused where it was not compiled for")


def main():
    ortc, target, *other = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(GOLDEN.glob("*.x.npy")):
            check(ortc, target, other, source.name.split(".")[0], pathlib.Path(folder))


if __name__ == "__main__":
    main()
