# SPDX-License-Identifier: MIT
"""What the caller gives, cut into batches: rows in their order, each in one batch."""

import functools
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Tuple

import numpy

from ortc.batch import frames
from ortc.batch.binder import Binder
from ortc.batch.signature import Arrays
from ortc.errors import InvalidArgument

# Makes the caller's kind of result: arrays, or a data frame with the rows' index.
Finish = Callable[[Arrays], Any]


@dataclass
class Batch:
    """Consecutive rows. `rows` is None where only the workers know how many there are."""

    index: int
    rows: Optional[int]
    feeds: Arrays
    finish: Finish
    # What gives the part on the workers, in place of `feeds`.
    part: Any = None


def is_iterable(data: Any) -> bool:
    """Whether it is to be asked for its items: no array, nor arrays or columns by name."""
    return not (isinstance(data, Mapping) or hasattr(data, "__array__")
                or frames.is_dask_frame(data))


def count_rows(data: Any) -> Optional[int]:
    """How many rows there are, where that is known before they are read."""
    if is_iterable(data) or frames.is_dask_frame(data):
        return None
    if isinstance(data, Mapping):
        data = next(iter(data.values()), ())
    count = next(iter(numpy.shape(data)), 0)
    return count if isinstance(count, int) else None  # Dask has arrays that do not know


def rows_of(outputs: Any) -> int:
    """The rows of a data frame or of arrays by name."""
    return len(outputs if frames.is_frame(outputs) else next(iter(outputs.values())))


def batches_of(data: Any, binder: Binder, batch_size: Optional[int]) -> Iterator[Batch]:
    """Cuts arrays and data frames into batches of `batch_size` rows; the last may have fewer.
    Items of an iterator that have more rows are cut as well, but not joined."""
    if frames.is_dask_frame(data):
        return _parts(data.to_delayed())
    if frames.is_dask_array(data):
        return _parts(_blocks(data))
    if not is_iterable(data):
        return _cut([_checked(data, binder)], binder, batch_size)
    try:
        return _cut(iter(data), binder, batch_size)
    except TypeError:
        raise InvalidArgument("data must be an array, a dict of arrays, a data frame or an "
                              f"iterable of these, not {type(data).__name__}") from None


def _checked(data: Any, binder: Binder) -> Any:
    """Refuses wrong data at once rather than with the first batch."""
    binder.feeds(data.iloc[:0] if frames.is_frame(data) else data)
    return data


def _cut(items: Iterable[Any], binder: Binder, batch_size: Optional[int]) -> Iterator[Batch]:
    pieces = (piece for item in items for piece in _pieces(item, binder, batch_size))
    for index, (feeds, finish) in enumerate(pieces):
        # Copies where rows do not lie together: only a batch's own rows are sent.
        feeds = {name: numpy.ascontiguousarray(array) for name, array in feeds.items()}
        yield Batch(index, len(next(iter(feeds.values()))), feeds, finish)


def _pieces(item: Any, binder: Binder,
            batch_size: Optional[int]) -> Iterator[Tuple[Arrays, Finish]]:
    """The arrays of each batch, and what makes the caller's kind of result from its outputs."""
    if frames.is_frame(item):
        for first in range(0, len(item), batch_size or max(len(item), 1)):
            part = item.iloc[first:first + (batch_size or len(item))]
            yield binder.feeds(part), functools.partial(frames.frame_of, index=part.index)
        return
    feeds = binder.feeds(item)
    rows = len(next(iter(feeds.values())))
    size = batch_size or max(rows, 1)
    for first in range(0, rows, size):
        yield {name: array[first:first + size] for name, array in feeds.items()}, dict


def _parts(delayed: Iterable[Any]) -> Iterator[Batch]:
    """The parts of a collection of Dask, which stay where they are."""
    for index, part in enumerate(delayed):
        yield Batch(index, None, {}, _same, part)


def _blocks(array: Any) -> Iterable[Any]:
    if any(len(chunks) > 1 for chunks in array.chunks[1:]):
        raise InvalidArgument(f"a Dask array must be in blocks of whole rows, not {array.chunks}: "
                              "rechunk it first")
    blocks: Iterable[Any] = array.to_delayed().ravel()
    return blocks


def _same(outputs: Any) -> Any:
    return outputs
