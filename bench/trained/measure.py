# SPDX-License-Identifier: MIT
"""Measures the networks: each is compared first, then loaded and run in rounds, ours and theirs
in turn, a fresh process per sample.

Ours is an external context, theirs the source with default options. `ratio` is that of the steady
runs, the median over the rounds of two processes that follow each other; `lower` and `upper` are
the smallest and the largest. `load` is the ratio of the shortest loads, `memory` of the private
memory after the first run, `processor` of the processor time per run.
"""

import json
import math
import os
import statistics

from harness import agreement, driver, operators, samples

SLOWER = 1.0  # rows above it show where both sides spend their time


class Measure:
    def __init__(self, place, folder, rounds, seconds, threads):
        self.place, self.folder = place, folder
        self.rounds, self.seconds, self.threads = rounds, seconds, threads

    def _sample(self, side, name, threads):
        path = self.place.context(name) if side == "ours" else self.place.source(name)
        driver.warm(self.place.files_of(path))
        arguments = ["session", "--library", self.place.libraries[side], "--model", path,
                     "--threads", str(threads), "--seconds", str(self.seconds), "--least-runs", "5"]
        if side == "ours":
            arguments += ["--provider", "AOT"]
        for key, file in self.place.inputs(name).items():
            arguments += ["--input", f"{key}={file}"]
        return driver.run(self.place.driver, arguments, threads)

    def _rounds(self, name, threads):
        taken = {"ours": [], "theirs": []}
        for number in range(self.rounds):
            sides = ("ours", "theirs") if number % 2 == 0 else ("theirs", "ours")
            for side in sides:
                taken[side].append(self._sample(side, name, threads))
        return taken

    def rows(self, name):
        """One row per number of threads; a row without numbers has `error`."""
        model = self.place.model(name)
        row = {"name": name, "what": model.what, "package": model.package.title}
        try:
            agreed = agreement.check(self.place, name, os.path.join(self.folder, "outputs"))
            if "error" in agreed:
                return [{**row, "threads": self.threads[0], "error": agreed["error"]}]
            row["largest_error"] = agreed["largest_error"]
            return [self._row(row, name, threads) for threads in self.threads]
        except driver.DriverError as error:
            return [{**row, "threads": self.threads[0], "error": str(error)}]

    def _row(self, row, name, threads):
        made = {**row, "threads": threads, **ratios(self._rounds(name, threads))}
        if made["ratio"] > SLOWER and threads == 1:
            made["profile"] = operators.profile_of(self.place, name,
                                                   os.path.join(self.folder, "profiles"))
        return made


def ratios(taken):
    """The numbers of a row from the samples of both sides, in the order of the rounds."""
    def values(side, field):
        return [samples.field(sample, field) for sample in taken[side]]

    def of(field, choose):
        theirs = choose(values("theirs", field))
        return choose(values("ours", field)) / theirs if theirs > 0 else None

    rounds = [a / b for a, b in zip(values("ours", "steady_ms"), values("theirs", "steady_ms"))]
    return {"ratio": statistics.median(rounds), "lower": min(rounds), "upper": max(rounds),
            "ours_ms": statistics.median(values("ours", "steady_ms")),
            "theirs_ms": statistics.median(values("theirs", "steady_ms")),
            "processor": of("processor_ms", statistics.median), "load": of("load_ms", min),
            "ours_load_ms": min(values("ours", "load_ms")),
            "memory": of("memory_mb", statistics.median),
            "ours_memory_mb": statistics.median(values("ours", "memory_mb"))}


def summary(rows):
    measured = [row for row in rows if "error" not in row]
    if not measured:
        return {"rows": 0, "errors": len(rows)}
    mean = math.exp(sum(math.log(row["ratio"]) for row in measured) / len(measured))
    return {"rows": len(measured), "errors": len(rows) - len(measured), "geometric_mean": mean,
            "above_1": sum(row["ratio"] > 1 for row in measured),
            "above_1_for_certain": sum(row["lower"] > 1 for row in measured),
            "largest_load": max(row["load"] for row in measured),
            "largest_memory": max(row["memory"] for row in measured)}


def print_rows(rows):
    """Worst first."""
    print(f"{'network':22}{'':4}{'ratio':>7}{'':18}{'processor':>10}{'load':>9}{'memory':>8}"
          f"{'ours':>12}{'theirs':>12}")
    for row in sorted(rows, key=lambda row: -row.get("ratio", 1e9)):
        if "error" in row:
            print(f"{row['name']:22}{row['threads']}t  error: {row['error'][:150]}")
            continue
        print(f"{row['name']:22}{row['threads']}t {row['ratio']:8.2f} ({row['lower']:.2f} to "
              f"{row['upper']:.2f}){row['processor']:12.2f}{row['load']:9.4f}{row['memory']:8.3f}"
              f"{row['ours_ms']:9.3f} ms{row['theirs_ms']:9.3f} ms")
    print(json.dumps(summary(rows)))
