# SPDX-License-Identifier: MIT
"""Rows that are cut into batches, and results that are put together again."""

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import numpy

from ortc.errors import InvalidArgument

Arrays = Dict[str, Any]
Prepare = Callable[[Any], Mapping[str, Any]]


class Rows:
    """Arrays by the names of inputs, whose first dimension is the rows; or a pandas data frame,
    whose columns have these names, or which `prepare` makes arrays of, batch by batch."""

    def __init__(self, data: Any, prepare: Optional[Prepare] = None):
        self._frame = data if hasattr(data, "iloc") else None
        self._prepare = prepare
        if self._frame is not None:
            self.count = len(self._frame)
            return
        if prepare is not None:
            raise InvalidArgument("`prepare` is for data frames")
        self._arrays = {name: numpy.asarray(array) for name, array in data.items()}
        counts = {name: array.shape[0] if array.ndim else None
                  for name, array in self._arrays.items()}
        if len(set(counts.values())) != 1 or None in counts.values():
            raise InvalidArgument(f"arrays need the same number of rows, found {counts}")
        self.count = next(iter(counts.values())) or 0

    def batches(self, size: int) -> Iterator[Tuple[int, Arrays]]:
        """(first row, arrays) of each batch, in order."""
        if size < 1:
            raise InvalidArgument(f"a batch of {size} rows")
        for start in range(0, self.count, size):
            yield start, self._batch(slice(start, start + size))

    def _batch(self, part: slice) -> Arrays:
        if self._frame is None:
            return {name: numpy.ascontiguousarray(array[part])
                    for name, array in self._arrays.items()}
        frame = self._frame.iloc[part]
        if self._prepare is not None:
            return {name: numpy.asarray(array) for name, array in self._prepare(frame).items()}
        return {name: frame[name].to_numpy() for name in frame.columns}

    def join(self, parts: List[Arrays]) -> Any:
        """The results of all batches: arrays, or of a data frame one with the same index."""
        if not parts:
            return {} if self._frame is None else self._frame.iloc[:, :0]
        arrays = {name: numpy.concatenate([part[name] for part in parts]) for name in parts[0]}
        return arrays if self._frame is None else self._as_frame(arrays)

    def _as_frame(self, arrays: Arrays) -> Any:
        columns = {}
        for name, array in arrays.items():
            if array.ndim == 1:
                columns[name] = array
            elif array.ndim == 2:
                columns.update({f"{name}_{index}": array[:, index]
                                for index in range(array.shape[1])})
            else:
                raise InvalidArgument(f"output {name!r} of shape {array.shape} fits no columns: "
                                      "give arrays instead of a data frame")
        return type(self._frame)(columns, index=self._frame.index)


def check_rows(start: int, sent: Arrays, got: Arrays) -> None:
    """Each row of a batch must have its result: outputs have the rows of the inputs."""
    expected = next(iter(sent.values())).shape[0]
    for name, array in got.items():
        if not array.ndim or array.shape[0] != expected:
            raise InvalidArgument(f"output {name!r} of rows {start} to {start + expected - 1} has "
                                  f"shape {array.shape}: its first dimension is not the rows")
