#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stands in for the benchmark's driver: numbers that a test can foresee, and no library.

Ours takes 1 ms to load and ONNX Runtime 100 ms, everything else is 8 against 10; each process adds
a little to the latency, so that there is a spread. FAKE_FAILS names a model that cannot be loaded,
FAKE_DIFFERS one whose outputs differ, FAKE_OTHER_BITS one whose source gives other bits. Each
command line is appended to the file FAKE_LOG.
"""

import json
import os
import sys


def options(words):
    found, i = {"--model": []}, 0
    while i < len(words):
        if words[i] in ("--peak", "--no-run", "--embed"):
            found[words[i]] = True
            i += 1
            continue
        found.setdefault(words[i], [])
        found[words[i]].append(words[i + 1])
        i += 2
    return found


def is_named(variable, model):
    name = os.environ.get(variable)
    return bool(name) and os.path.basename(model).split("_ctx")[0].split(".")[0] == name


def dump(folder, model, is_ours):
    import numpy as np  # takes longer than all the rest; most calls dump nothing
    value = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)
    if is_ours and is_named("FAKE_DIFFERS", model):
        value = value * np.float32(1.01)
    if is_ours and is_named("FAKE_OTHER_BITS", model) and "_ctx" not in model:
        value = np.nextafter(value, np.float32(2))
    np.save(os.path.join(folder, "0.npy"), value)
    with open(os.path.join(folder, "names.txt"), "w", encoding="utf-8") as file:
        file.write("y\n")


def count_calls():
    path = os.environ["FAKE_LOG"]
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(sys.argv[1:]) + "\n")
    with open(path, encoding="utf-8") as file:
        return sum(1 for _ in file)


def main():
    mode, given = sys.argv[1], options(sys.argv[2:])
    calls = count_calls()
    is_ours = "theirs" not in given["--library"][0]
    models = given["--model"]
    for model in models:
        if is_ours and is_named("FAKE_FAILS", model):
            print(json.dumps({"mode": mode, "error": f"CreateSession of {model}: no kernel"}))
            return 1
    base, scale = 1_000_000, 8 if is_ours else 10
    result = {"mode": mode, "init_ms": scale / 10, "load_ms": 1.0 if is_ours else 100.0,
              "second_load_ms": 1.0 if is_ours else 100.0, "sequential_ms": 10.0,
              "concurrent_ms": 6.0, "peak_compile_bytes": base + 5_000, "base_bytes": base,
              "loaded_bytes": base + 1000,
              "prompt_token_ms": scale, "token_ms": scale}
    memory = base + scale * 1_000_000
    result["memory"] = {"base_bytes": base, "after_load_bytes": base + 1000,
                        "after_first_run_bytes": memory, "after_second_load_bytes": base + 1000,
                        "after_first_runs_bytes": memory}
    if "--no-run" not in given:
        result["first_run_ms"] = scale
    if "--least-runs" in given:
        result["steady"] = {"median_ms": scale * (1 + calls % 3 / 100), "processor_ms": scale}
    if "--dump" in given:
        dump(given["--dump"][0], models[0], is_ours)
    for output in given.get("--output", []):
        with open(output, "w", encoding="ascii") as file:
            file.write("compiled")
    if mode == "profile":
        result["error"] = "no profiler"
    print(json.dumps(result))
    return 1 if "error" in result else 0


if __name__ == "__main__":
    sys.exit(main())
