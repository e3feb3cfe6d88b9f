# SPDX-License-Identifier: MIT
"""Ties what the caller has (an array, arrays by name, a data frame) to the inputs of a model."""

from typing import Any, Dict, List, Mapping, Optional, Union

import numpy

from ortc.batch import frames
from ortc.batch.signature import Argument, Arrays, Signature
from ortc.errors import InvalidArgument

# The data of each input: names of arrays or columns; or the one input that a single array goes to.
Inputs = Union[str, Mapping[str, frames.Columns], None]


class Binder:
    """The way from data to inputs, worked out once. Wrong names fail here, wrong data in `feeds`,
    both before anything runs."""

    def __init__(self, signature: Signature, inputs: Inputs = None,
                 constants: Optional[Mapping[str, Any]] = None):
        self.signature = signature
        self.constants: Arrays = {}
        for name, value in (constants or {}).items():
            self.constants[name] = numpy.asarray(value, signature.input(name).dtype)
        self._sources: Optional[Mapping[str, frames.Columns]] = None
        self._arguments = self._chosen(inputs)
        self.fixed_rows = signature.fixed_rows([argument.name for argument in self._arguments])

    def _chosen(self, inputs: Inputs) -> List[Argument]:
        """The inputs that rows go to."""
        needed = [each for each in self.signature.inputs if each.name not in self.constants]
        if not needed:
            raise InvalidArgument("no input is left for the data: all are constants")
        if isinstance(inputs, str):
            inputs = {self.signature.input(inputs).name: inputs}
        if inputs is not None:
            for name in inputs:
                if self.signature.input(name) not in needed:
                    raise InvalidArgument(f"input {name!r} is both among inputs and constants")
            missing = [each.name for each in needed if each.name not in inputs]
            if missing:
                raise InvalidArgument(f"nothing is said to go to input {missing[0]!r}")
            self._sources = inputs
        return needed

    def feeds(self, data: Any) -> Arrays:
        """The checked arrays of the inputs, all with the same number of rows."""
        if frames.is_frame(data):
            arrays = {each.name: frames.input_of(data, self._columns(data, each), each)
                      for each in self._arguments}
        elif isinstance(data, Mapping):
            arrays = self._named(data)
        else:
            arrays = {self._only().name: numpy.asarray(data)}
        for argument in self._arguments:
            argument.check(_with_rows(arrays[argument.name], argument.name))
        counts = {name: len(array) for name, array in arrays.items()}
        if len(set(counts.values())) > 1:
            raise InvalidArgument(f"inputs have different numbers of rows: {counts}")
        return arrays

    def _only(self) -> Argument:
        if len(self._arguments) > 1:
            names = ", ".join(repr(argument.name) for argument in self._arguments)
            raise InvalidArgument(f"one array, but the model has the inputs {names}: give a dict "
                                  "of arrays, and what is the same for every row in constants")
        return self._arguments[0]

    def _named(self, data: Mapping[str, Any]) -> Arrays:
        arrays: Dict[str, Any] = {}
        for argument in self._arguments:
            source = argument.name if self._sources is None else self._sources[argument.name]
            if not isinstance(source, str) or source not in data:
                known = ", ".join(map(repr, data))
                raise InvalidArgument(f"there is no array {source!r} for input "
                                      f"{argument.name!r}; there are {known}")
            arrays[argument.name] = numpy.asarray(data[source])
        unknown = [name for name in data if name not in arrays]
        if unknown and self._sources is None:
            raise InvalidArgument(f"{unknown[0]!r} is not an input of the model; inputs= says "
                                  "which arrays to take")
        return arrays

    def _columns(self, frame: Any, argument: Argument) -> frames.Columns:
        """Columns are found by name; all of them side by side are the one input that is a table."""
        if self._sources is not None:
            return self._sources[argument.name]
        shape = argument.shape
        if (argument.name not in frame.columns and len(self._arguments) == 1
                and shape is not None and shape[1:] == (len(frame.columns),)):
            return list(frame.columns)
        return argument.name


def _with_rows(array: "numpy.ndarray[Any, Any]", name: str) -> "numpy.ndarray[Any, Any]":
    if array.ndim == 0:
        raise InvalidArgument(f"a single {array.dtype} for input {name!r} has no rows")
    return array
