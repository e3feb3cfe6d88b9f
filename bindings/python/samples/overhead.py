#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time of one run of a small model: the median over batches of 1000 runs.

    overhead.py MODEL ITERATIONS
"""

import statistics
import sys
import time

import numpy
import ortc

BATCH = 1000


def main(model, iterations):
    session = ortc.Session(model)
    x = ortc.OrtValue.ortvalue_from_numpy(numpy.zeros((1, 4), numpy.float32))
    feed = {"x": x}
    means = []
    for _ in range(max(iterations // BATCH, 1)):
        begin = time.perf_counter_ns()
        for _ in range(BATCH):
            session.run(feed)
        means.append((time.perf_counter_ns() - begin) / BATCH)
    print(f"median_ns {statistics.median(means):.0f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
