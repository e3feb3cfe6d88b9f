# SPDX-License-Identifier: MIT
"""Models over many rows on many machines, with Dask.

    from dask.distributed import Client
    from ortc.batch import BatchModel, map_batches

    model = BatchModel("model_ctx.onnx", providers=["AOT"])
    outputs = map_batches(Client("scheduler:8786"), model, {"x": rows}, batch_size=256)

Each worker process opens the model once. Processes of one machine share its weights, when it is a
compiled model: they are pages of one file. `docs/scale.md` has the same with Spark, Ray and
Kubernetes.
"""

from ortc.batch.model import BatchModel, run_rows
from ortc.batch.rows import Rows
from ortc.batch.run import iterate_batches, map_batches, open_on_workers

__all__ = ["BatchModel", "Rows", "iterate_batches", "map_batches", "open_on_workers", "run_rows"]
