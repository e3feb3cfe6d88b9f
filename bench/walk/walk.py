# SPDX-License-Identifier: MIT
"""Measures the cases: each is compared first, then timed in rounds, ours and theirs in turn.

A row is one case on one number of threads. `ratio` is the median over the rounds of (our fastest
run / their fastest run) of two processes that follow each other; `lower` is the smallest of them.
The fastest run of a process, since runs of some microseconds are what other programs disturb most.
"""

import json
import math
import os
import shutil
import statistics

from harness import compare, driver

from . import case as cases_of_walk
from . import elementwise, movement, narrow, products, quantised, reductions, tabular, vision, wild

FAMILIES = {"elementwise": elementwise.cases, "movement": movement.cases,
            "reductions": reductions.cases, "products": products.cases,
            "quantised": products.quantised, "forms": quantised.cases,
            "vision": vision.cases, "narrow": narrow.cases, "tabular": tabular.cases}

# How ONNX Runtime says it, of the model and of what it made of the model.
NO_KERNEL = ("Could not find an implementation", "Failed to find kernel")


def select(names, seed, wild_count=None):
    """Those whose name begins like one of `names`, or of such a family; all without names. A name
    that selects nothing is a slip, and ends the program before it replaces results."""
    families = FAMILIES
    if wild_count:
        families = {"wild": lambda: wild.cases(wild_count, seed)}
    chosen, found = [], set()
    for family, make in families.items():
        for case in make():
            if seed is not None and not case.size_is_free:
                continue
            fitting = [n for n in names if n == family or case.name.startswith(n)]
            found.update(fitting)
            if fitting or not names:
                chosen.append(case)
    for name in names:
        if name not in found:
            raise SystemExit(f"no case and no family begins with '{name}'; --list names them")
    return chosen


class Walk:
    def __init__(self, place, folder, rounds, seconds, threads, seed, leaves_out=False):
        """`leaves_out`: no row for what ONNX Runtime has no kernel for."""
        self.place, self.folder, self.leaves_out = place, folder, leaves_out
        self.rounds, self.seconds, self.threads, self.seed = rounds, seconds, threads, seed

    def _sample(self, side, path, files, threads, dump=None):
        arguments = ["session", "--library", self.place.libraries[side], "--threads",
                     str(threads), "--model", path, "--seconds", str(self.seconds),
                     "--least-runs", "5"]
        if side == "ours":
            arguments += ["--provider", "AOT"]
        for name, file in files.items():
            arguments += ["--input", f"{name}={file}"]
        if dump:
            os.makedirs(dump, exist_ok=True)
            arguments += ["--dump", dump]
        return driver.run(self.place.driver, arguments, threads)

    def _agreement(self, case, path, files, folder):
        """None, or how the outputs differ."""
        for side in ("ours", "theirs"):
            self._sample(side, path, files, self.threads[0], f"{folder}/{side}")
        ours, theirs = (compare.read(f"{folder}/{side}") for side in ("ours", "theirs"))
        return compare.difference(ours, theirs, case.arithmetic)

    def rows(self, case):
        """One row per number of threads; a row without numbers has `error`."""
        folder = os.path.join(self.folder, case.name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        row = {"name": case.name, "operator": case.operator, "threads": self.threads[0]}
        try:
            seed = None if self.seed is None else f"{self.seed} {case.name}"
            path, files = cases_of_walk.write(case, cases_of_walk.Sizes(seed), folder)
            text = self._agreement(case, path, files, folder)
            if text:
                return [{**row, "error": f"outputs differ from ONNX Runtime's: {text}"}]
            return [{**row, "threads": threads, **self._times(path, files, threads)}
                    for threads in self.threads]
        except driver.DriverError as error:
            if self.leaves_out and any(text in str(error) for text in NO_KERNEL):
                return []
            return [{**row, "error": str(error)}]
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _times(self, path, files, threads):
        fastest = {"ours": [], "theirs": []}
        for number in range(self.rounds):
            sides = ("ours", "theirs") if number % 2 == 0 else ("theirs", "ours")
            for side in sides:
                steady = self._sample(side, path, files, threads)["steady"]
                fastest[side].append(steady["min_ms"])
        ratios = [a / b for a, b in zip(fastest["ours"], fastest["theirs"]) if b > 0]
        if not ratios:
            raise driver.DriverError("ONNX Runtime's run takes no time that can be measured")
        return {"ratio": statistics.median(ratios), "lower": min(ratios), "upper": max(ratios),
                "ours_us": min(fastest["ours"]) * 1e3, "theirs_us": min(fastest["theirs"]) * 1e3}


def summary(rows):
    ratios = [row["ratio"] for row in rows if "error" not in row]
    if not ratios:
        return {"rows": 0, "errors": len(rows)}
    return {"rows": len(ratios), "errors": len(rows) - len(ratios),
            "geometric_mean": math.exp(sum(map(math.log, ratios)) / len(ratios)),
            "above_1.1": sum(ratio > 1.1 for ratio in ratios),
            "above_1.5_for_certain": sum(row["lower"] > 1.5 for row in rows if "error" not in row)}


def print_rows(rows):
    for row in sorted(rows, key=lambda row: -row.get("ratio", 1e9)):
        if "error" in row:
            print(f"{row['name']:44}{row['threads']}t  error: {row['error'][:150]}")
            continue
        print(f"{row['name']:44}{row['threads']}t {row['ratio']:7.2f} "
              f"({row['lower']:.2f} to {row['upper']:.2f}) {row['ours_us']:10.1f} us"
              f"{row['theirs_us']:10.1f} us")
    print(json.dumps(summary(rows)))
