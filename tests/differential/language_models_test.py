#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Logits of a decoder as GenAI's exporter writes it beside ONNX Runtime's, over the same 256 tokens.

    language_models_test.py BUILD_FOLDER MODELS

Both libraries read a prompt and then token by token, past and present in one buffer. In float32 the
logits agree nearly; where both round activations to 8 bits, they are as far from ONNX Runtime's
float32 as its own. Needs the environment variable ORTC_ORT_LIBRARY, ONNX Runtime's library; without
it the test is skipped.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

PROMPT, TOKENS = 9, 256


def generate(build, folder, library, models, threads=1):
    ours = library is None
    library = library or os.path.join(build, "lib", "libort_c.so")
    with tempfile.TemporaryDirectory() as scratch:
        dump = os.path.join(scratch, "logits.npy")
        command = [os.path.join(build, "bin", "bench_driver"), "generate", "--library", library,
                   "--threads", str(threads), "--prompt", str(PROMPT), "--tokens", str(TOKENS),
                   "--dump", dump, *(["--provider", "AOT"] if ours else [])]
        for model in models:
            command += ["--model", os.path.join(folder, model + ".onnx")]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=200)
        if done.returncode != 0:
            sys.exit(json.loads(done.stdout)["error"])
        return np.load(dump).astype(np.float64)


def distance(a, b):
    return float(np.sqrt(np.mean((a - b) ** 2)) / b.std())


def check(name, found, bound):
    print(f"{name}: {found:.2e}, at most {bound:.0e}")
    if not found <= bound:
        sys.exit(f"FAILED: {name}")


def main(build, folder):
    library = os.environ.get("ORTC_ORT_LIBRARY")
    if not library:
        print("SKIPPED: ORTC_ORT_LIBRARY is not set, no logits were compared with ONNX Runtime",
              file=sys.stderr)
        sys.exit(77)
    theirs = generate(build, folder, library, ["genai"])
    for models in (["genai"], ["genai_ctx"]):
        for threads in (1, 2):
            ours = generate(build, folder, None, models, threads)
            check(f"{models[0]}, {threads} threads", distance(ours, theirs), 1e-5)
            if not np.array_equal(ours.argmax(1), theirs.argmax(1)):
                sys.exit("FAILED: another token is the likeliest")
    rounded = generate(build, folder, library, ["genai_acc4"])
    bound = 1.1 * distance(rounded, theirs)
    for models in (["genai_acc4_ctx"], ["genai_prefill_ctx", "genai_decode_ctx"]):
        ours = generate(build, folder, None, models)
        check(" and ".join(models), distance(ours, theirs), bound)
    # What a program binds to one session may go on in another that shares its weights.
    one, two = (generate(build, folder, None, models) for models in (
        ["genai_acc4_ctx"], ["genai_prefill_ctx", "genai_decode_ctx"]))
    if not np.array_equal(one, two):
        sys.exit("FAILED: two models with one set of weights give other logits than one")
    # Where a number is nearly a half, it may be rounded to another integer in the cache.
    for name in ("genai_cache8", "genai_cache4"):
        rounded = generate(build, folder, library, [name])
        for model in (name, name + "_ctx"):
            check(model, distance(generate(build, folder, None, [model]), rounded), 1e-2)
    packed = generate(build, folder, library, ["genai_packed"])
    check("packed", distance(generate(build, folder, None, ["genai_packed_ctx"]), packed), 5e-2)
    print("logits agree with ONNX Runtime's")


if __name__ == "__main__":
    main(*sys.argv[1:])
