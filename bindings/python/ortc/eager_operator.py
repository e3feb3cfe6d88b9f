# SPDX-License-Identifier: MIT
"""Operators of ONNX that a kernel of the program calls."""

from typing import Any, Mapping, Optional, Sequence

from ortc._core.handles import Handle, Native, addresses, create, encode, fitting
from ortc._native import lib
from ortc.kernel_context import KernelContext
from ortc.kernel_info import KernelInfo
from ortc.op_attr import new_attribute
from ortc.value import OrtValue, from_object


class EagerOperator(Native):
    """An operator that the library's processor has, with its attributes: ints, floats, texts, or
    lists of these. It is made with the kernel; any number of threads may call it."""

    def __init__(self, info: KernelInfo, op_type: str, version: int, input_count: int,
                 output_count: int = 1, attributes: Optional[Mapping[str, Any]] = None,
                 domain: str = ""):
        made = [new_attribute(name, value) for name, value in (attributes or {}).items()]
        self._handle = Handle(
            create(lib.OrtCreateOp, info._native, encode(op_type), encode(domain),
                   fitting("version", version), None, None, 0,
                   addresses([attribute.address for attribute in made]), len(made),
                   fitting("input_count", input_count), fitting("output_count", output_count)),
            lib.OrtReleaseOp)

    def invoke(self, context: KernelContext, inputs: Sequence[Any],
               outputs: Sequence[Optional[OrtValue]]) -> None:
        """Computes. Inputs are values or arrays, outputs tensors of the right type and shape, which
        are filled; None stands for one that is left out."""
        values = [None if item is None else from_object(item, None) for item in inputs]
        read = addresses([None if value is None else value._address for value in values])
        written = addresses([None if value is None else value._target() for value in outputs])
        lib.OrtInvokeOp(context._address, self._native, read, len(values), written, len(outputs))
