# SPDX-License-Identifier: MIT
"""Data frames: columns to the arrays of inputs, and outputs to columns."""

import importlib
from typing import Any, Mapping, Sequence, Union

import numpy

from ortc.batch.signature import Argument, Arrays
from ortc.errors import InvalidArgument

# A column, or columns that stand side by side.
Columns = Union[str, Sequence[str]]


def is_frame(data: Any) -> bool:
    """Whether it is pandas' DataFrame; pandas need not be there."""
    return _is_a("DataFrame", "pandas", data)


def is_dask_frame(data: Any) -> bool:
    """Whether it is Dask's DataFrame."""
    return _is_a("DataFrame", "dask", data)


def is_dask_array(data: Any) -> bool:
    """Whether it is Dask's Array."""
    return _is_a("Array", "dask", data)


def _is_a(name: str, package: str, data: Any) -> bool:
    return any(kind.__name__ == name and kind.__module__.startswith(package)
               for kind in type(data).__mro__)


def input_of(frame: Any, columns: Columns, argument: Argument) -> Any:
    """The array of an input. Numbers are converted where that loses no more than digits; a column
    may hold an array in each row."""
    if not isinstance(columns, str):
        return numpy.stack([_column(frame, name, argument) for name in columns], axis=1)
    array = _column(frame, columns, argument)
    shape = argument.shape
    single = shape is not None and len(shape) == 2 and (
        shape[1] == 1 or not isinstance(shape[1], int))
    return array.reshape(-1, 1) if single and array.ndim == 1 else array


def _column(frame: Any, name: str, argument: Argument) -> Any:
    if name not in frame.columns:
        raise InvalidArgument(f"the data frame has no column {name!r} for input "
                              f"{argument.name!r}; it has {', '.join(map(repr, frame.columns))}")
    values = frame[name].to_numpy()
    if argument.dtype == object:
        return _texts(values, name)
    if values.dtype == object:
        values = _stacked(values, name, argument)
    return _converted(values, name, argument)


def _texts(values: Any, name: str) -> Any:
    values = values.astype(object)
    wrong = [value for value in values if not isinstance(value, str)]
    if wrong:
        raise InvalidArgument(f"column {name!r} has {wrong[0]!r} where a text is needed")
    return values


def _stacked(values: Any, name: str, argument: Argument) -> Any:
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


def _converted(values: Any, name: str, argument: Argument) -> Any:
    dtype = argument.dtype
    if values.dtype == dtype:
        return values
    if not numpy.can_cast(values.dtype, dtype, "same_kind"):
        raise InvalidArgument(f"column {name!r} has {values.dtype}, input {argument.name!r} takes "
                              f"{dtype}: convert it first, as with astype()")
    converted = values.astype(dtype)
    if dtype.kind in "iu" and (converted != values).any():
        raise InvalidArgument(f"column {name!r} has numbers that {dtype} of input "
                              f"{argument.name!r} cannot hold")
    return converted


def frame_of(outputs: Mapping[str, "numpy.ndarray[Any, Any]"], index: Any) -> Any:
    """A data frame with the rows' index. An output with one value in each row is a column of its
    name, one with several is columns `name_0`, `name_1`, ..., anything else a column of arrays."""
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
    return importlib.import_module("pandas").DataFrame(columns, index=index)
