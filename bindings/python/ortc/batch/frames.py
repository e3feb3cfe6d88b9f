# SPDX-License-Identifier: MIT
"""Data frames: columns to the arrays of inputs, and outputs to columns."""

from typing import Any, Mapping, Sequence, Union

import numpy

from ortc.batch.signature import Argument, Arrays
from ortc.errors import InvalidArgument

# A column, or columns that stand side by side.
Columns = Union[str, Sequence[str]]


def is_frame(data: Any) -> bool:
    """Whether it is pandas' DataFrame; pandas need not be there."""
    return _class_of(data) == "pandas"


def is_dask_frame(data: Any) -> bool:
    """Whether it is dask's DataFrame."""
    return _class_of(data) == "dask"


def _class_of(data: Any) -> str:
    kind = type(data)
    package = kind.__module__.split(".")[0]
    if kind.__name__ == "DataFrame":
        return "dask" if package.startswith("dask") else package
    return ""


def input_of(frame: Any, columns: Columns, argument: Argument) -> "numpy.ndarray[Any, Any]":
    """The array of an input. Numbers are converted where that loses no more than digits; a column
    may hold an array in each row."""
    if not isinstance(columns, str):
        return numpy.stack([_column(frame, name, argument) for name in columns], axis=1)
    array = _column(frame, columns, argument)
    shape = argument.shape
    single = shape is not None and len(shape) == 2 and (
        shape[1] == 1 or not isinstance(shape[1], int))
    return array.reshape(-1, 1) if single and array.ndim == 1 else array


def _column(frame: Any, name: str, argument: Argument) -> "numpy.ndarray[Any, Any]":
    if name not in frame.columns:
        raise InvalidArgument(f"the data frame has no column {name!r} for input "
                              f"{argument.name!r}; it has {', '.join(map(repr, frame.columns))}")
    values = frame[name].to_numpy()
    if argument.dtype == object:
        return _texts(values, name)
    if values.dtype == object:
        values = _stacked(values, name, argument)
    return _converted(values, name, argument)


def _texts(values: Any, name: str) -> "numpy.ndarray[Any, Any]":
    values = values.astype(object)
    wrong = [value for value in values if not isinstance(value, str)]
    if wrong:
        raise InvalidArgument(f"column {name!r} has {wrong[0]!r} where a text is needed")
    return numpy.asarray(values)


def _stacked(values: Any, name: str, argument: Argument) -> "numpy.ndarray[Any, Any]":
    """The arrays in the cells of a column as one array."""
    if not len(values):
        return argument.empty()
    try:
        stacked = numpy.stack([numpy.asarray(value) for value in values])
    except ValueError:
        raise InvalidArgument(f"the cells of column {name!r} have different shapes") from None
    if stacked.dtype.kind not in "biuf":
        raise InvalidArgument(f"column {name!r} has values that are missing or no numbers")
    return stacked


def _converted(values: Any, name: str, argument: Argument) -> "numpy.ndarray[Any, Any]":
    dtype = argument.dtype
    if values.dtype == dtype:
        return numpy.asarray(values)
    if not numpy.can_cast(values.dtype, dtype, "same_kind"):
        raise InvalidArgument(f"column {name!r} has {values.dtype}, input {argument.name!r} takes "
                              f"{dtype}: convert it first, as with astype()")
    converted = values.astype(dtype)
    if dtype.kind in "iu" and (converted != values).any():
        raise InvalidArgument(f"column {name!r} has numbers that {dtype} of input "
                              f"{argument.name!r} cannot hold")
    return numpy.asarray(converted)


def frame_of(outputs: Mapping[str, "numpy.ndarray[Any, Any]"], index: Any) -> Any:
    """A data frame with the rows' index. An output with one value in each row is a column of its
    name, one with several is columns `name_0`, `name_1`, ..., anything else a column of arrays."""
    import pandas

    columns: Arrays = {}
    for name, array in outputs.items():
        if array.ndim == 2 and array.shape[1] == 1:
            columns[name] = array[:, 0]
        elif array.ndim == 2:
            columns.update({f"{name}_{at}": array[:, at] for at in range(array.shape[1])})
        elif array.ndim > 2:
            cells = numpy.empty(len(array), object)
            cells[:] = list(array)
            columns[name] = cells
        else:
            columns[name] = array
    return pandas.DataFrame(columns, index=index)
