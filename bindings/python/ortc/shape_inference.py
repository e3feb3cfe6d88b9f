# SPDX-License-Identifier: MIT
"""Types and shapes of the outputs of an operator of the program, before a run."""

from typing import Any, Optional, Sequence, Tuple

from ortc._core.handles import create, encode, get_size
from ortc._native import lib
from ortc.enums import ONNXTensorElementDataType, ONNXType
from ortc.errors import InvalidArgument
from ortc.op_attr import attribute_value
from ortc.type_info import Dimension, TypeInfo, native_tensor_info, tensor_type_and_shape

_NEEDED = object()


class ShapeInferContext:
    """What `infer_output_shape` gets: a node whose inputs are known as far as the model says. It is
    valid until that returns."""

    def __init__(self, address: int):
        self._open: Optional[int] = address

    @property
    def _address(self) -> int:
        if self._open is None:
            raise InvalidArgument("the call for shapes is over")
        return self._open

    def _end(self) -> None:
        self._open = None

    @property
    def input_count(self) -> int:
        """Inputs that are left out count."""
        return get_size(lib.OrtShapeInferContext_GetInputCount, self._address)

    def input_type(self, index: int) -> TypeInfo:
        """The type of an input that is a tensor."""
        kind, shape = tensor_type_and_shape(
            create(lib.OrtShapeInferContext_GetInputTypeShape, self._address, index))
        return TypeInfo(ONNXType.TENSOR, kind, shape)

    def input_shape(self, index: int) -> Optional[Tuple[Dimension, ...]]:
        """Sizes, names of sizes that are not fixed, and None for those without a name; None when
        not even their number is known."""
        return self.input_type(index).shape

    def attribute(self, name: str, otherwise: Any = _NEEDED) -> Any:
        """An attribute of the node, whatever its kind; `otherwise`, or InvalidArgument, when it has
        none of that name."""
        try:
            address = create(lib.OrtShapeInferContext_GetAttribute, self._address, encode(name))
        except InvalidArgument:
            if otherwise is _NEEDED or self._open is None:
                raise
            return otherwise
        return attribute_value(address)

    def set_output_shape(self, index: int, shape: Optional[Sequence[Dimension]],
                         element_type: Any = ONNXTensorElementDataType.UNDEFINED) -> None:
        """Says the shape of an output, as `input_shape` gives them, and its element type where the
        operator does not declare one."""
        info = native_tensor_info(TypeInfo.tensor(element_type, shape))
        lib.OrtShapeInferContext_SetOutputTypeShape(self._address, index, info.address)
