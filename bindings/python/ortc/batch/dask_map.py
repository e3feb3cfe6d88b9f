# SPDX-License-Identifier: MIT
"""Scores rows on the workers of a Dask cluster."""

import collections
import contextlib
import uuid
import warnings
from dataclasses import dataclass
from typing import (Any, Callable, Deque, Iterator, List, Mapping, Optional, Sequence,
                    Tuple, Union)

import distributed

from ortc.batch import dask_worker
from ortc.batch.batches import Batch, batches_of, count_rows, is_iterable, rows_of
from ortc.batch.binder import Binder, Inputs
from ortc.batch.carried import FilesMissing
from ortc.batch.dask_prepare import bring, prepare
from ortc.batch.errors import NoWorker, named
from ortc.batch.model import Model
from ortc.errors import Cancelled, Error, InvalidArgument

Progress = Callable[[int, Optional[int]], Any]
OnError = Callable[[Error], Any]
_BROUGHT_MOST = 3
# Without a type, as are most functions there.
_wait: Any = distributed.wait
Timeouts = (TimeoutError, distributed.TimeoutError)


def map_batches(client: Any, model: Union[Model, str], data: Any, *,
                batch_size: Optional[int] = None, inputs: Inputs = None,
                outputs: Optional[Sequence[str]] = None,
                constants: Optional[Mapping[str, Any]] = None,
                max_in_flight: Optional[int] = None, retries: int = 3,
                timeout: Optional[float] = 600, progress: Optional[Progress] = None,
                on_error: Optional[OnError] = None) -> Iterator[Any]:
    """Scores `data` and gives results batch by batch, in the order of the rows, each row once.

    `client` is a Client of dask.distributed. `data` is one of

    - an array, for a model with one input; a dict of arrays by the names of inputs. A dict of
      arrays by the names of outputs comes back for each batch.
    - a pandas DataFrame, with columns named as inputs, or as many columns as the one input has. A
      DataFrame with the rows' index comes back.
    - an iterable of these, of any length; it is read no further than the batches that are sent.
    - a Dask DataFrame or Array, whose parts are the batches and are scored where they are, at most
      1024 rows in one run unless `batch_size` is set.

    `model` is a `Model`, or a path that every machine has. `batch_size` rows are one batch, 1024
    unless set; parts of an iterator are taken as they are unless it is set. A model that fixes its
    number of rows may have any batch size: workers run it as often as it takes.

    `inputs` says where the data of each input are: `{"x": "array"}`, `{"x": ["column", ...]}`, or
    the name of the one input that a single array goes to. `outputs` names those to compute.
    `constants` has values of inputs that are the same for every row; they go with each batch.

    At most `max_in_flight` batches are with the cluster at a time, twice as many as it has threads
    unless set; when nobody takes results, no more are sent. A worker's death costs nothing but
    time: Dask gives its batches to others, as often as its setting `allowed-failures` says. A batch
    that Dask gives up, or that fails because of its machine (files, memory), is sent again,
    `retries` times.

    `progress(done_rows, total_rows)` is told each result before it is given; the total is None
    where it is not known. An error of the model comes as ortc's exception and names batch and rows
    (`error.batch`, `error.rows`); other failures are BatchError. `on_error(error)` gives, in place
    of that, what stands for the batch's result. NoWorker is raised when there is neither a worker
    nor a result for `timeout` seconds.

    Wrong data are refused before they are sent; data must not change until their results are
    given. Closing the iterator, as an exception in the loop over it does, cancels what is under
    way. One thread at a time may use it.
    """
    _check(batch_size, max_in_flight, retries)
    model = model if isinstance(model, Model) else Model(model)
    signature = prepare(client, model, timeout=timeout)
    binder = Binder(signature, inputs, constants)
    size = batch_size or (None if is_iterable(data) else 1024)
    mapping = _Mapping(client, model, binder, signature.chosen(outputs), size, retries, timeout)
    source = batches_of(data, binder, size)
    most = max_in_flight or 2 * max(1, sum(client.nthreads().values()))
    return mapping.results(source, most, count_rows(data), progress, on_error)


def _check(batch_size: Optional[int], max_in_flight: Optional[int], retries: int) -> None:
    for name, value, least in (("batch_size", batch_size, 1),
                               ("max_in_flight", max_in_flight, 1), ("retries", retries, 0)):
        if value is not None and value < least:
            raise InvalidArgument(f"{name} must be {least} or more, not {value}")


@dataclass
class _Sent:
    """A batch that is with the cluster."""

    batch: Batch
    future: Any
    failures: int = 0
    brought: int = 0  # how often it came to a machine without the model's files


class _Mapping:
    """One call of `map_batches`."""

    def __init__(self, client: Any, model: Model, binder: Binder, outputs: List[str],
                 batch_size: Optional[int], retries: int, timeout: Optional[float]):
        self._client, self._model, self._binder = client, model, binder
        self._outputs, self._batch_size = outputs, batch_size
        self._retries, self._timeout = retries, timeout
        self._sent: Deque[_Sent] = collections.deque()

    def results(self, source: Iterator[Batch], most: int, total: Optional[int],
                progress: Optional[Progress], on_error: Optional[OnError]) -> Iterator[Any]:
        """Sends and receives. The next batch is sent before a result is given, so the cluster has
        work while the caller has."""
        done = 0
        try:
            failure = self._fill(source, most)
            while self._sent:
                batch = self._sent[0].batch
                try:
                    result, rows = self._receive(self._sent[0], done)
                except Error as error:
                    if on_error is None or isinstance(error, NoWorker):
                        raise
                    result, rows = on_error(error), batch.rows or 0
                self._sent.popleft()
                failure = failure or self._fill(source, most)
                done += rows
                if progress is not None:
                    progress(done, total)
                yield result
            if failure is not None:
                raise failure
        finally:
            self._cancel()

    def _fill(self, source: Iterator[Batch], most: int) -> Optional[Exception]:
        """Sends batches until enough are under way. A failure of the source is for later: what was
        sent before it is still given."""
        while len(self._sent) < most:
            try:
                batch = next(source)
            except StopIteration:
                return None
            except Exception as error:
                return error
            self._sent.append(_Sent(batch, self._submit(batch)))
        return None

    def _submit(self, batch: Batch) -> Any:
        key = f"{dask_worker.plugin_name(self._model)}-{batch.index}-{uuid.uuid4().hex}"
        function: Any = dask_worker.score_arrays
        what: Any = batch.feeds
        if batch.part is not None:
            function, what = dask_worker.score_part, self._client.compute(batch.part)
        with _without_advice():
            return self._client.submit(function, self._model, self._binder, what, self._outputs,
                                       self._batch_size, key=key, pure=False)

    def _receive(self, sent: _Sent, start: int) -> Tuple[Any, int]:
        """The result of the oldest batch, and its number of rows."""
        outputs, error = self._outcome(sent)
        while error is not None:
            self._again(sent, error, start)
            outputs, error = self._outcome(sent)
        sent.future.release()
        batch = sent.batch
        return batch.finish(outputs), rows_of(outputs)

    def _outcome(self, sent: _Sent) -> Tuple[Any, Optional[BaseException]]:
        """Waits for what becomes of a batch: its outputs, or an exception."""
        future = sent.future
        try:
            if not future.done():
                # Apart from the result, since a task may fail with a TimeoutError of its own.
                _wait(future, timeout=self._timeout)
            if future.status == "error":
                return None, future.exception()
            return future.result(timeout=self._timeout), None
        except Timeouts:
            raise self._no_worker(sent.batch) from None
        except Exception as error:  # cancelled, or its result was lost with a worker
            return None, error

    def _again(self, sent: _Sent, error: BaseException, start: int) -> None:
        """Sends the batch once more if that may help."""
        # Not left to the end of its last reference: the exception's traceback has one.
        sent.future.release()
        cargo = self._model.cargo
        if isinstance(error, FilesMissing) and cargo is not None and sent.brought < _BROUGHT_MOST:
            sent.brought += 1
            bring(self._client, cargo)  # to a machine that joined meanwhile
        elif _may_pass(error) and sent.failures < self._retries:
            sent.failures += 1
        else:
            rows = sent.batch.rows
            raise named(error, sent.batch.index, (start, None if rows is None else start + rows))
        sent.future = self._submit(sent.batch)

    def _no_worker(self, batch: Batch) -> NoWorker:
        count = len(self._client.scheduler_info()["workers"])
        return NoWorker(f"no result of batch {batch.index} within {self._timeout} seconds; the "
                        f"cluster has {count} workers")

    def _cancel(self) -> None:
        """Takes back what is under way; workers stop their runs."""
        futures = [sent.future for sent in self._sent]
        self._sent.clear()
        if futures and self._client.status == "running":
            self._client.cancel(futures)


def _may_pass(error: BaseException) -> bool:
    """Whether another worker may do better: workers that died, machines without files or memory. A
    run that was stopped although its batch is wanted belongs to these."""
    if isinstance(error, Error):
        return isinstance(error, Cancelled)
    return isinstance(error, (distributed.scheduler.KilledWorker, distributed.CancelledError,
                              OSError, MemoryError))


@contextlib.contextmanager
def _without_advice() -> Iterator[None]:
    """distributed advises against large arguments. These are sent on purpose: they are there to be
    sent again when a worker dies, and there are never more than are in flight."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Large object of size")
        yield
