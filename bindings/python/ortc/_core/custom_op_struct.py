# SPDX-License-Identifier: MIT
"""OrtCustomOp as ctypes has it, and the functions that the library calls for operators of the
program.

One set of functions serves all operators, which are found by the address of their struct; a kernel
is a number (callbacks.py). A kernel holds its operator, and so the struct, until the library gives
it back: a session may end on another thread, after its last Python object.
"""

import ctypes
import weakref
from typing import Any, Optional

from ortc._core.callbacks import find, forget, guarded, register
from ortc.log import LOGGER

# The interface that the struct follows.
VERSION = 18

I, P, Z = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t
CreateKernel = ctypes.CFUNCTYPE(P, P, P, P, P)
Compute = ctypes.CFUNCTYPE(P, P, P)
Destroy = ctypes.CFUNCTYPE(None, P)
Text = ctypes.CFUNCTYPE(P, P)
Count = ctypes.CFUNCTYPE(Z, P)
OfFormal = ctypes.CFUNCTYPE(I, P, Z)
Number = ctypes.CFUNCTYPE(I, P)
Infer = ctypes.CFUNCTYPE(P, P, P)


class CustomOpStruct(ctypes.Structure):
    """The members of version 18."""

    _fields_ = [
        ("version", ctypes.c_uint32), ("create_kernel", P), ("get_name", Text),
        ("get_provider", P), ("get_input_type", OfFormal), ("get_input_count", Count),
        ("get_output_type", OfFormal), ("get_output_count", Count), ("compute", P),
        ("destroy", Destroy), ("get_input_kind", OfFormal), ("get_output_kind", OfFormal),
        ("get_memory_type", P), ("get_input_least", Number), ("get_input_is_of_one", Number),
        ("get_output_least", Number), ("get_output_is_of_one", Number),
        ("create_kernel_v2", CreateKernel), ("compute_v2", Compute), ("infer", Infer),
        ("get_start_version", Number), ("get_end_version", Number), ("get_in_place", P),
        ("release_in_place", P), ("get_aliases", P), ("release_aliases", P)]


# By the address of the struct.
_operators: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()


def _operator(struct: int) -> Any:
    return _operators[struct]


@Text
def get_name(op: int) -> int:
    return ctypes.addressof(_operator(op)._c_name)


@OfFormal
def get_input_type(op: int, index: int) -> int:
    return _operator(op).inputs[index].element_type


@OfFormal
def get_output_type(op: int, index: int) -> int:
    return _operator(op).outputs[index].element_type


@Count
def get_input_count(op: int) -> int:
    return len(_operator(op).inputs)


@Count
def get_output_count(op: int) -> int:
    return len(_operator(op).outputs)


@OfFormal
def get_input_kind(op: int, index: int) -> int:
    return _operator(op).inputs[index].characteristic


@OfFormal
def get_output_kind(op: int, index: int) -> int:
    return _operator(op).outputs[index].characteristic


# Of the last input or output; the library asks when that is variadic.


@Number
def get_input_least(op: int) -> int:
    return _operator(op).inputs[-1].min_arity


@Number
def get_input_is_of_one(op: int) -> int:
    return _operator(op).inputs[-1].is_homogeneous


@Number
def get_output_least(op: int) -> int:
    return _operator(op).outputs[-1].min_arity


@Number
def get_output_is_of_one(op: int) -> int:
    return _operator(op).outputs[-1].is_homogeneous


@Number
def get_start_version(op: int) -> int:
    return _operator(op).since_version


@Number
def get_end_version(op: int) -> int:
    return _operator(op).last_version


@CreateKernel
def create_kernel(op: int, _table: int, info: int, out: int) -> Optional[int]:
    def create() -> None:
        kernel = _operator(op)._make_kernel(info)
        ctypes.c_void_p.from_address(out).value = register(kernel)
    return guarded(create)


@Compute
def compute(kernel: int, context: int) -> Optional[int]:
    return guarded(find(kernel).compute, context)


@Destroy
def destroy(kernel: int) -> None:
    try:
        forget(kernel)  # here ends what the program made
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("the end of a kernel failed")


@Infer
def infer(op: int, context: int) -> Optional[int]:
    return guarded(_operator(op)._infer, context)


def new_struct(operator: Any, infers: bool) -> CustomOpStruct:
    """The struct of an operator, which must hold it."""
    struct = CustomOpStruct(
        version=VERSION, get_name=get_name, get_input_type=get_input_type,
        get_input_count=get_input_count, get_output_type=get_output_type,
        get_output_count=get_output_count, destroy=destroy, get_input_kind=get_input_kind,
        get_output_kind=get_output_kind, get_input_least=get_input_least,
        get_input_is_of_one=get_input_is_of_one, get_output_least=get_output_least,
        get_output_is_of_one=get_output_is_of_one, create_kernel_v2=create_kernel,
        compute_v2=compute, get_start_version=get_start_version, get_end_version=get_end_version)
    if infers:
        struct.infer = infer
    _operators[ctypes.addressof(struct)] = operator
    return struct
