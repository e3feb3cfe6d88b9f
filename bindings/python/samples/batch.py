#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Scores the rows of an array in a file on a Dask cluster, and writes the results as another.

    batch.py MODEL.onnx ROWS.npy RESULTS.npy [--scheduler HOST:PORT] [--batch-size N] [--carry]

MODEL.onnx is a compiled model with one input; the first output is written. Neither array is in
memory as a whole: rows are read as they are sent, results written as they come. Without a
scheduler, worker processes of this machine do the work. With --carry machines need not have the
model.
"""

import argparse
import os
import sys

import numpy
from distributed import Client, LocalCluster

from ortc.batch import Model, map_batches


# docs: begin
def score_file(client, model, rows_path, results_path, batch_size):
    rows = numpy.load(rows_path, mmap_mode="r")
    partial = f"{results_path}.partial"
    written, target = 0, None

    def progress(done, total):
        print(f"\r{done} of {total} rows", end="", file=sys.stderr)

    for result in map_batches(client, model, rows, batch_size=batch_size, progress=progress):
        part = next(iter(result.values()))
        if target is None:
            target = numpy.lib.format.open_memmap(
                partial, "w+", part.dtype, (len(rows), *part.shape[1:]))
        target[written:written + len(part)] = part
        written += len(part)
    if target is None:
        raise ValueError(f"{rows_path} has no rows")
    target.flush()
    os.replace(partial, results_path)  # complete, or not there
# docs: end


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("rows")
    parser.add_argument("results")
    parser.add_argument("--scheduler", metavar="HOST:PORT")
    parser.add_argument("--batch-size", type=int, default=256, metavar="N")
    parser.add_argument("--carry", action="store_true", help="bring the model to each machine")
    given = parser.parse_args()
    path = os.path.abspath(given.model)
    model = Model.carried(path) if given.carry else Model(path)
    cluster = given.scheduler or LocalCluster(processes=True, threads_per_worker=1,
                                              host="127.0.0.1", dashboard_address=None)
    with Client(cluster) as client:
        score_file(client, model, given.rows, given.results, given.batch_size)
    print(f"\nwrote {given.results}", file=sys.stderr)
    if not given.scheduler:
        cluster.close()


if __name__ == "__main__":
    main()
