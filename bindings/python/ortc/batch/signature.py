# SPDX-License-Identifier: MIT
"""What a model takes and gives, seen as rows: which inputs have them, how many a run must have."""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from ortc.errors import InvalidArgument

Dimension = Union[int, str, None]
Arrays = Dict[str, "numpy.ndarray[Any, Any]"]

# The dtypes of arrays by ONNX's words for element types. bfloat16 is held by its bits; elements
# that are smaller than a byte are packed, so their arrays have no rows.
_DTYPES = {"float": "f4", "double": "f8", "float16": "f2", "bfloat16": "u2", "bool": "?",
           "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1",
           "uint16": "u2", "uint32": "u4", "uint64": "u8", "complex64": "c8", "complex128": "c16",
           "string": "O"}


@dataclass(frozen=True)
class Argument:
    """An input or output. `shape` is None when the model does not even say its rank."""

    name: str
    type: str  # as "tensor(float)"
    shape: Optional[Tuple[Dimension, ...]]

    @property
    def dtype(self) -> Any:
        """The dtype of its arrays."""
        word = self.type[len("tensor("):-1] if self.type.startswith("tensor(") else ""
        if word not in _DTYPES:
            raise InvalidArgument(f"{self.name!r} is a {self.type}, of which there are no rows")
        return numpy.dtype(_DTYPES[word])

    def check(self, array: "numpy.ndarray[Any, Any]") -> None:
        """Refuses an array that a run would refuse, the number of its rows aside."""
        if array.dtype != self.dtype and not (self.dtype == object and array.dtype.kind in "US"):
            raise InvalidArgument(
                f"input {self.name!r} takes {self._dtype_name()}, not {array.dtype}: "
                "convert it first, as with astype()")
        if self.shape is None:
            return
        fixed = [(have, want) for have, want in zip(array.shape[1:], self.shape[1:])
                 if isinstance(want, int)]
        if array.ndim != len(self.shape) or any(have != want for have, want in fixed):
            raise InvalidArgument(f"input {self.name!r} takes the shape {self._shape_text()}, "
                                  f"not {list(array.shape)}")

    def empty(self) -> "numpy.ndarray[Any, Any]":
        """An array of no rows; dimensions that the model leaves open are 0."""
        rest = [size if isinstance(size, int) else 0 for size in (self.shape or ())[1:]]
        return numpy.empty([0, *rest], self.dtype)

    def _dtype_name(self) -> str:
        return "text" if self.dtype == object else str(self.dtype)

    def _shape_text(self) -> str:
        sizes = [str(size) if size is not None else "?" for size in (self.shape or ())[1:]]
        return f"[{', '.join(['rows', *sizes])}]"


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a model."""

    inputs: Tuple[Argument, ...]
    outputs: Tuple[Argument, ...]

    @classmethod
    def of(cls, session: Any) -> "Signature":
        """That of an open session."""
        return cls(_arguments(session.get_inputs()), _arguments(session.get_outputs()))

    def input(self, name: str) -> Argument:
        return _named(name, self.inputs, "input")

    def chosen(self, outputs: Optional[Sequence[str]]) -> List[str]:
        """The names of the outputs to compute: all, or those that are asked for."""
        if outputs is None:
            return [argument.name for argument in self.outputs]
        if isinstance(outputs, str) or not outputs:
            raise InvalidArgument(f"outputs are a list of names, not {outputs!r}")
        return [_named(name, self.outputs, "output").name for name in outputs]

    def fixed_rows(self, names: Sequence[str]) -> Optional[int]:
        """How many rows every run has, when the model fixes that; None when it leaves it open."""
        fixed = {}
        for name in names:
            shape = self.input(name).shape
            if shape is not None and not shape:
                raise InvalidArgument(f"input {name!r} is a single value, which has no rows: "
                                      "give it in constants")
            if shape and isinstance(shape[0], int):
                fixed[name] = shape[0]
        if len(set(fixed.values())) > 1:
            raise InvalidArgument(f"the model fixes different numbers of rows: {fixed}; inputs "
                                  "that are the same for every row belong in constants")
        return next(iter(fixed.values()), None)


def _arguments(of: Sequence[Any]) -> Tuple[Argument, ...]:
    """What a session says, without what belongs to its process."""
    found = []
    for each in of:
        # Lists of dimensions cannot tell a scalar from an unknown rank; types can.
        info = getattr(each, "type_info", None)
        shape = each.shape if info is None else info.shape
        found.append(Argument(each.name, each.type, None if shape is None else tuple(shape)))
    return tuple(found)


def _named(name: str, arguments: Sequence[Argument], what: str) -> Argument:
    for argument in arguments:
        if argument.name == name:
            return argument
    known = ", ".join(repr(argument.name) for argument in arguments)
    raise InvalidArgument(f"the model has no {what} {name!r}; it has {known}")
