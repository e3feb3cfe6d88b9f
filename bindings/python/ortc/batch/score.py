# SPDX-License-Identifier: MIT
"""Scores rows in this process, in pieces that the model takes."""

from typing import Any, List, Mapping, Optional, Sequence

import numpy

from ortc.batch import frames
from ortc.batch.binder import Binder, Inputs
from ortc.batch.model import Model
from ortc.batch.opened import Opened, open_model
from ortc.batch.signature import Arrays
from ortc.cancel import CancelToken
from ortc.errors import InvalidArgument


def score(model: Model, data: Any, *, batch_size: Optional[int] = None, inputs: Inputs = None,
          outputs: Optional[Sequence[str]] = None,
          constants: Optional[Mapping[str, Any]] = None) -> Any:
    """The outputs for all rows of `data`, computed in this process.

    `data` is an array, a dict of arrays by the names of inputs, or a pandas DataFrame; a dict of
    arrays comes back, or a DataFrame with the same index. The model is opened by the first call of
    a process and stays open. `inputs`, `outputs` and `constants` are those of `map_batches`; at
    most `batch_size` rows are in one run, None: all.

    This is what engines call: from pandas' functions of Spark, from Ray's actors, from
    `map_partitions` of Dask. Any thread may call it.
    """
    opened = open_model(model)
    return score_opened(opened, Binder(opened.signature, inputs, constants), data,
                        opened.signature.chosen(outputs), batch_size)


def score_opened(opened: Opened, binder: Binder, data: Any, outputs: List[str],
                 batch_size: Optional[int], cancel: Optional[CancelToken] = None) -> Any:
    """The same for a model that is open and data whose way to the inputs is known."""
    scored = run_rows(opened, binder.feeds(data), binder, outputs, batch_size, cancel)
    return frames.frame_of(scored, data.index) if frames.is_frame(data) else scored


def run_rows(opened: Opened, feeds: Arrays, binder: Binder, outputs: List[str],
             batch_size: Optional[int], cancel: Optional[CancelToken] = None) -> Arrays:
    """Runs checked arrays, piece by piece. A model with a fixed number of rows gets its last piece
    filled up with copies of the last row; what it gives for these is cut off."""
    rows = len(next(iter(feeds.values())))
    constants = {name: _runnable(array) for name, array in binder.constants.items()}
    size = binder.fixed_rows or batch_size or max(rows, 1)
    pieces = []
    for start in range(0, rows, size):
        count = min(size, rows - start)
        feed = {name: _piece(array, start, count, binder.fixed_rows)
                for name, array in feeds.items()}
        results = opened.session.run(outputs, {**feed, **constants}, cancel=cancel)
        pieces.append([_rows_of(name, array, binder.fixed_rows or count, count)
                       for name, array in zip(outputs, results)])
    if not pieces:
        return {argument.name: argument.empty() for argument in opened.signature.outputs
                if argument.name in outputs}
    return {name: piece[0] if len(piece) == 1 else numpy.concatenate(piece)
            for name, piece in zip(outputs, zip(*pieces))}


def _piece(array: Any, start: int, count: int, fixed: Optional[int]) -> Any:
    piece = _runnable(array[start:start + count])
    if fixed is not None and count < fixed:
        piece = numpy.concatenate([piece, numpy.repeat(piece[-1:], fixed - count, axis=0)])
    return piece


def _runnable(array: Any) -> Any:
    """Without gaps, and aligned: arrays that came through a pickle may not be."""
    return numpy.require(array, requirements=["C", "A"])


def _rows_of(name: str, array: Any, expected: int, count: int) -> Any:
    if array.ndim == 0 or len(array) != expected:
        raise InvalidArgument(f"output {name!r} has the shape {list(array.shape)} for {expected} "
                              "rows: not a result for each row; outputs= says which to compute")
    return array[:count]
