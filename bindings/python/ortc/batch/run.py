# SPDX-License-Identifier: MIT
"""Batches on Dask's workers: so many at a time, in order, each row once.

A worker that dies takes its batch with it; the scheduler gives the batch to another one. The rows
go with the task, not ahead of it, so that the scheduler still has them then. A result counts when
it is here: what a worker did twice comes once.
"""

import collections
from typing import Any, Callable, Deque, Iterator, List, Optional, Tuple

from distributed import KilledWorker, WorkerPlugin

from ortc.batch.model import BatchModel, run_rows
from ortc.batch.rows import Arrays, Prepare, Rows, check_rows

Progress = Callable[[int, int], Any]
# distributed.Client and distributed.Future, which have no annotations.
Client = Any
Future = Any


class OpenModel(WorkerPlugin):
    """Opens the model when a worker starts, so that its first batch does not wait."""

    def __init__(self, model: BatchModel):
        self.model = model

    def setup(self, worker: Any) -> None:
        """Called in each worker, also in those that come later."""
        self.model.open()


def open_on_workers(client: Client, model: BatchModel) -> None:
    """Opens a model in every worker, now and in those that come later. What is wrong with it is
    raised here."""
    client.register_worker_plugin(OpenModel(model), name=f"ortc-{hash(model):x}")
    # A plugin that fails only logs; asking the workers raises.
    client.run(_open, model)


def _open(model: BatchModel) -> None:
    model.open()


class _Batch:
    """A batch under way."""

    def __init__(self, client: Client, model: BatchModel, start: int, arrays: Arrays):
        self._client, self._model = client, model
        self.start, self.arrays = start, arrays
        self.future: Future = self._submit()

    def _submit(self) -> Future:
        return self._client.submit(run_rows, self._model, self.arrays, pure=False)

    def result(self, retries: int) -> Arrays:
        """Waits for it. When too many workers died over it, it is tried again so often; what the
        model says of its rows is raised at once."""
        while True:
            try:
                outputs: Arrays = self.future.result()
                break
            except KilledWorker:
                if not retries:
                    raise
                retries -= 1
                self.future = self._submit()
        check_rows(self.start, self.arrays, outputs)
        return outputs


def iterate_batches(client: Client, model: BatchModel, data: Any, batch_size: int, *,
                    prepare: Optional[Prepare] = None, in_flight: Optional[int] = None,
                    retries: int = 3,
                    on_progress: Optional[Progress] = None) -> Iterator[Tuple[int, Arrays]]:
    """(first row, outputs) of each batch, in order, as they come.

    At most `in_flight` batches are on their way or waiting to be taken, by default twice as many as
    the workers have threads: whoever takes results slowly slows the work down, and memory is needed
    for so many batches and no more. `on_progress(rows done, rows)` hears after each batch.
    """
    rows = Rows(data, prepare)
    most = in_flight or 2 * max(sum(client.nthreads().values()), 1)
    waiting: Deque[_Batch] = collections.deque()
    source = rows.batches(batch_size)
    done = 0
    try:
        while True:
            while len(waiting) < most:
                following = next(source, None)
                if following is None:
                    break
                waiting.append(_Batch(client, model, *following))
            if not waiting:
                return
            batch = waiting[0]
            outputs = batch.result(retries)
            waiting.popleft()
            done = min(batch.start + batch_size, rows.count)
            if on_progress is not None:
                on_progress(done, rows.count)
            yield batch.start, outputs
    finally:
        # After a failure, or when the caller stops: nothing is left on the workers.
        client.cancel([batch.future for batch in waiting])


def map_batches(client: Client, model: BatchModel, data: Any, batch_size: int, *,
                prepare: Optional[Prepare] = None, in_flight: Optional[int] = None,
                retries: int = 3, on_progress: Optional[Progress] = None) -> Any:
    """Runs a model over all rows, and waits: arrays by the names of outputs, or of a data frame one
    with the same index. The parameters are those of `iterate_batches`."""
    open_on_workers(client, model)
    parts: List[Arrays] = [outputs for _, outputs in iterate_batches(
        client, model, data, batch_size, prepare=prepare, in_flight=in_flight, retries=retries,
        on_progress=on_progress)]
    return Rows(data, prepare).join(parts)
