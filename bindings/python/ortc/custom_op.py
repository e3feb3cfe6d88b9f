# SPDX-License-Identifier: MIT
"""Operators written in Python, in the form that onnxruntime-extensions has for them.

    @ortc.onnx_op(op_type="Scale", domain="mine", inputs=["float"], outputs=["float"],
                  attrs={"factor": float})
    def scale(x, factor=1.0):
        return x * numpy.float32(factor)

    options.register_custom_ops(scale)

Operators live as long as options and sessions that know them. Their functions may be called by any
thread, several at once. What they raise comes out of the load or the run, as it was.
"""

import ctypes
import inspect
import traceback
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ortc._core import at_exit
from ortc._core.custom_op_struct import new_struct
from ortc._core.dtypes import as_element_type, dtype_of, require_numpy
from ortc._core.handles import Handle, create, encode, fitting
from ortc._native import lib
from ortc.enums import ONNXTensorElementDataType as ElementType
from ortc.enums import OrtCustomOpInputOutputCharacteristic as Characteristic
from ortc.errors import InvalidArgument
from ortc.kernel_context import KernelContext
from ortc.kernel_info import READERS, KernelInfo
from ortc.shape_inference import ShapeInferContext
from ortc.value import OrtValue

# The library's word for an operator without a last opset version.
_NO_LAST = 2**31 - 1


class PyOp:
    """The names that onnxruntime-extensions has for element types."""

    dt_undefined, dt_float, dt_uint8 = ElementType.UNDEFINED, ElementType.FLOAT, ElementType.UINT8
    dt_int8, dt_uint16, dt_int16 = ElementType.INT8, ElementType.UINT16, ElementType.INT16
    dt_int32, dt_int64, dt_string = ElementType.INT32, ElementType.INT64, ElementType.STRING
    dt_bool, dt_float16, dt_double = ElementType.BOOL, ElementType.FLOAT16, ElementType.DOUBLE
    dt_uint32, dt_uint64 = ElementType.UINT32, ElementType.UINT64
    dt_complex64, dt_complex128 = ElementType.COMPLEX64, ElementType.COMPLEX128
    dt_bfloat16 = ElementType.BFLOAT16


@dataclass(frozen=True)
class FormalParameter:
    """An input or output of an operator. `kind` is an element type: ONNX's word, a dtype or an
    enumerator; None is any value. The last one may be variadic: `min_arity` values or more, of one
    type when it is homogeneous."""

    kind: Any = None
    optional: bool = False
    variadic: bool = False
    min_arity: int = 1
    is_homogeneous: bool = True

    @property
    def element_type(self) -> ElementType:
        return ElementType.UNDEFINED if self.kind is None else as_element_type(self.kind)

    @property
    def characteristic(self) -> Characteristic:
        if self.variadic:
            return Characteristic.INPUT_OUTPUT_VARIADIC
        return (Characteristic.INPUT_OUTPUT_OPTIONAL if self.optional
                else Characteristic.INPUT_OUTPUT_REQUIRED)


Formals = Optional[Sequence[Any]]
Attributes = Union[Mapping[str, Any], Sequence[str], None]


def _formals(what: str, given: Formals) -> List[FormalParameter]:
    formals = [one if isinstance(one, FormalParameter) else FormalParameter(one)
               for one in (["float"] if given is None else given)]
    for index, formal in enumerate(formals):
        formal.element_type  # raises for what is not a type
        if formal.variadic and index + 1 < len(formals):
            raise InvalidArgument(f"{what} {index} is variadic, which only the last one can be")
        if formal.variadic and formal.optional:
            raise InvalidArgument(f"{what} {index} is variadic or optional, not both")
    return formals


def _attribute_kind(name: str, kind: Any) -> Optional[str]:
    """A kind of KernelInfo.attribute from Python's types, [int] for a list, or an element type."""
    if kind is None or (isinstance(kind, str) and kind in READERS):
        return kind
    if isinstance(kind, list) and len(kind) == 1:
        return f"{_attribute_kind(name, kind[0])}s"
    words = {int: "int", float: "float", str: "string", OrtValue: "tensor", ElementType.INT64: "int",
             ElementType.FLOAT: "float", ElementType.STRING: "string"}
    if kind not in words:
        raise InvalidArgument(f"attribute '{name}' cannot be of the kind {kind!r}; expected int, "
                              f"float, str, a list of one of these, or one of {', '.join(READERS)}")
    return words[kind]


def _parameters(body: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(body).parameters
    except ValueError:  # some functions of C do not tell
        return {}


class CustomOp:
    """An operator of the program; `onnx_op` makes them. Called, it is the function or class that it
    was made of."""

    def __init__(self, body: Callable[..., Any], op_type: Optional[str] = None,
                 inputs: Formals = None, outputs: Formals = None, attrs: Attributes = None, *,
                 domain: str = "ai.onnx.contrib", since_version: int = 1,
                 last_version: Optional[int] = None,
                 infer_output_shape: Optional[Callable[[ShapeInferContext], Any]] = None):
        if not callable(body):
            raise TypeError(f"an operator is made of a function or a class, not {body!r}")
        self.body = body
        self.op_type = body.__name__ if op_type is None else op_type
        self.domain = domain
        self.inputs = _formals("input", inputs)
        self.outputs = _formals("output", outputs)
        kinds = attrs if isinstance(attrs, Mapping) else dict.fromkeys(attrs or ())
        self.attrs = {name: _attribute_kind(name, kind) for name, kind in kinds.items()}
        self.since_version = fitting("since_version", since_version)
        self.last_version = (_NO_LAST if last_version is None
                             else fitting("last_version", last_version))
        self.infer_output_shape = infer_output_shape or getattr(body, "infer_output_shape", None)
        self._c_name = ctypes.create_string_buffer(encode(self.op_type))
        self._struct = new_struct(self, self.infer_output_shape is not None)
        self._native = Handle(create(lib.OrtCreateCustomOpDomain, encode(domain)),
                              lib.OrtReleaseCustomOpDomain)
        lib.OrtCustomOpDomain_Add(self._native.address, ctypes.addressof(self._struct))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.body(*arguments, **named)

    def __repr__(self) -> str:
        return f"CustomOp({self.domain}.{self.op_type})"

    def _attributes(self, info: KernelInfo) -> Dict[str, Any]:
        """What the node says. What it leaves out, and the function has a default for, is not
        there."""
        parameters = _parameters(self.body)
        found = {}
        for name, kind in self.attrs.items():
            parameter = parameters.get(name)
            if (parameter is None or parameter.default is parameter.empty
                    or info.has_attribute(name)):
                found[name] = info.attribute(name, kind)
        return found

    def _make_kernel(self, info_address: int) -> "Kernel":
        info = KernelInfo(info_address)
        attributes = self._attributes(info)
        if not inspect.isclass(self.body):
            return Kernel(self, self.body, attributes)
        made = self.body(info, **attributes)
        if not callable(getattr(made, "compute", made)):
            raise TypeError(f"a {type(made).__name__} has neither compute(context) nor __call__")
        return Kernel(self, made, {})

    def _infer(self, address: int) -> None:
        context = ShapeInferContext(address)
        try:
            assert self.infer_output_shape is not None
            self.infer_output_shape(context)
        finally:
            context._end()


class Kernel:
    """What is made for one node."""

    def __init__(self, operator: CustomOp, made: Any, attributes: Dict[str, Any]):
        self._operator = operator
        self._attributes = attributes
        self._made = made

    def compute(self, address: int) -> None:
        """One call. A kernel that keeps memory of the run is told."""
        context = KernelContext(address)
        try:
            with at_exit.in_program():
                getattr(self._made, "compute", self._call)(context)
        except BaseException as error:
            # It will be kept, and with it all that its frames show.
            failed: Optional[BaseException] = error
            while failed is not None:
                traceback.clear_frames(failed.__traceback__)
                failed = failed.__context__
            context._end()
            raise
        kept = context._end()
        if kept:
            raise InvalidArgument(
                f"{self._operator!r} keeps {', '.join(kept)} of a call that is over: that memory is "
                "the run's, keep a copy")

    def _call(self, context: KernelContext) -> None:
        """As a function of arrays."""
        inputs = [None if value is None else value.numpy() for value in context.inputs]
        for formal in self._operator.inputs[len(inputs):]:
            if not formal.variadic:
                inputs.append(None)
        results = self._made(*inputs, **self._attributes)
        outputs = results if isinstance(results, tuple) else (results,)
        if len(outputs) < context.output_count:
            raise InvalidArgument(f"{self._operator!r} gave {len(outputs)} outputs, expected "
                                  f"{context.output_count}")
        for index in range(context.output_count):
            _give(context, index, outputs[index])


def _give(context: KernelContext, index: int, item: Any) -> None:
    """Copies what a function returned into an output. Arrays have the right type; numbers, texts
    and lists become what the model says."""
    numpy = require_numpy("an operator that is a function")
    if isinstance(item, OrtValue):
        item = item.numpy()
    array = numpy.asarray(item)
    output = context.output(index, array.shape)
    if output is None:
        return
    if item is None:
        raise InvalidArgument(f"output {index} is None, but the model wants it")
    if not isinstance(item, (numpy.ndarray, numpy.generic)):
        array = numpy.asarray(item, dtype_of(output._kind_and_shape()[0]))
    try:
        output.update_inplace(array)
    except InvalidArgument as error:
        raise InvalidArgument(f"output {index}: {error}") from None


def onnx_op(op_type: Optional[str] = None, inputs: Formals = None, outputs: Formals = None,
            attrs: Attributes = None, **more: Any) -> Callable[[Callable[..., Any]], CustomOp]:
    """Makes an operator of a function, or of a class whose objects are the kernels of nodes.

    A function gets the inputs as arrays, None for one that is left out, and the attributes `attrs`
    by name; it returns the output, or a tuple of them. A class is made with a KernelInfo and the
    attributes; its objects are called like a function, without attributes, or have
    `compute(context)`, which gets a KernelContext and writes outputs in place.

    `op_type` is the name of the operator, by default the function's. `inputs` and `outputs` are
    element types or FormalParameters, by default one float each. `attrs` maps names to int, float,
    str, [int], [float], [str] or "tensor"; a list of names takes what there is. An attribute that
    the node leaves out must have a default in the function. Arrays show the run's memory: they are
    read only, and nothing may keep them.

    More: `domain`, by default onnxruntime-extensions' own; `since_version` and `last_version`, the
    opset versions of the domain that it is for; `infer_output_shape(context)` says types and shapes
    of outputs before a run.
    """
    return lambda body: CustomOp(body, op_type, inputs, outputs, attrs, **more)
