#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares a model with its compiled form: load time, first result, latency, private memory.

  compare_load.py ORTC SOURCE.onnx CONTEXT.onnx [--repeat N] [-- OPTION of `ortc bench` ...]

Every measurement is a process of its own, the two models take turns, and the table shows medians
of N. Files are in the page cache after the first turn, for both alike.
"""

import argparse
import json
import statistics
import subprocess
import sys

ROWS = [
    # what, where in the JSON of `ortc bench`, unit
    ("load", ("load_ns",), "ms"),
    ("time to first result", ("first_result_ns",), "ms"),
    ("median run", ("latency", "median_ns"), "ms"),
    ("private memory after load", ("private_memory", "after_load_bytes"), "MiB"),
    ("private memory after first run", ("private_memory", "after_first_run_bytes"), "MiB"),
]
SCALE = {"ms": 1e6, "MiB": 2**20}


def measure(ortc, model, options):
    done = subprocess.run([ortc, "bench", model, "--json", *options], stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"compare_load.py: ortc bench {model} failed with exit code {done.returncode}")
    return json.loads(done.stdout)


def pick(result, path):
    for key in path:
        result = result[key]
    return result


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ortc")
    parser.add_argument("source")
    parser.add_argument("context")
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    args = parser.parse_args(arguments)

    # Not by name: a file compared with itself shows the noise.
    results = [(args.source, []), (args.context, [])]
    for _ in range(max(args.repeat, 1)):
        for model, list_of in results:
            list_of.append(measure(args.ortc, model, options))

    print(f"{'':32}{'from source':>16}{'from context':>16}{'ratio':>9}")
    for what, path, unit in ROWS:
        values = []
        for _, list_of in results:
            samples = [pick(result, path) for result in list_of]
            if any(sample is None for sample in samples):
                break
            values.append(statistics.median(samples) / SCALE[unit])
        if len(values) < 2:
            print(f"{what:32}not known on this system")
            continue
        ratio = f"{values[0] / values[1]:.2f}" if values[1] > 0 else "-"
        print(f"{what:32}" + "".join(f"{value:>12.2f} {unit:3}" for value in values)
              + f"{ratio:>9}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
