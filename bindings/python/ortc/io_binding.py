# SPDX-License-Identifier: MIT
"""Inputs and outputs of a session tied to values once, for any number of runs."""

import ctypes
import math
from typing import Any, Dict, List, Optional, Sequence, Union

from ortc._core import at_exit, interrupt
from ortc._core.dtypes import as_element_type, bytes_of
from ortc._core.handles import (Handle, Native, create, decode, default_allocator, encode,
                                fitting_size, int64s, pointers_at)
from ortc._native import lib
from ortc.errors import Cancelled, Fail, InvalidArgument, RunCancelled
from ortc.memory import OrtMemoryInfo, cpu_memory
from ortc.run_options import RunOptions
from ortc.value import OrtValue, check_device, from_array


class IOBinding(Native):
    """Results go straight into bound values. One binding serves one run at a time; several of one
    session may run at once."""

    def __init__(self, session: Any):
        native = session._native
        self._handle = Handle(create(lib.OrtCreateIoBinding, native.address),
                              lib.OrtReleaseIoBinding, native)
        # The library shares what is bound; memory of the program under it must stay.
        self._inputs: Dict[str, OrtValue] = {}
        self._bound: Dict[str, Optional[OrtValue]] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Ties an input to an array. One in row-major order is used as it is: runs read what it has
        then. Of another order, and of texts, runs read a copy of this moment."""
        self.bind_ortvalue_input(name, from_array(arr_on_cpu))

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any,
                   shape: Sequence[int], buffer_ptr: int) -> None:
        """Ties an input to memory of the program, which must stay until the input is untied; the
        only device is "cpu", 0. `element_type` may be a dtype, ONNX's word or an enumerator."""
        check_device(device_type, device_id)
        self.bind_ortvalue_input(name, _over_pointer(element_type, shape, buffer_ptr))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Ties an input to a value."""
        lib.OrtBindInput(self._native, encode(name), ortvalue._address)
        self._inputs[name] = ortvalue

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Ties an output to a tensor of its type and shape, which each run fills."""
        lib.OrtBindOutput(self._native, encode(name), ortvalue._target())
        self._bound[name] = ortvalue

    def bind_output(self, name: str, device_type: Union[str, OrtMemoryInfo, None] = "cpu",
                    device_id: int = 0, element_type: Any = None,
                    shape: Optional[Sequence[int]] = None, buffer_ptr: Optional[int] = None, *,
                    memory_info: Optional[OrtMemoryInfo] = None) -> None:
        """Ties an output to memory of the program, as `bind_input` does. Without a `buffer_ptr`
        each run makes a value for it, of whatever shape, in the memory of `memory_info`, which may
        also stand in the place of `device_type`."""
        if memory_info is None and not isinstance(device_type, str):
            memory_info = device_type
        if memory_info is None and isinstance(device_type, str):
            check_device(device_type, device_id)
        if buffer_ptr is None:
            where = memory_info._native if memory_info is not None else cpu_memory()
            lib.OrtBindOutputToDevice(self._native, encode(name), where)
            self._bound[name] = None
            return
        if memory_info is not None:
            raise InvalidArgument("`buffer_ptr` is in the processor's memory: give no other")
        if element_type is None or shape is None:
            raise InvalidArgument("`buffer_ptr` needs `element_type` and `shape`")
        self.bind_ortvalue_output(name, _over_pointer(element_type, shape, buffer_ptr))

    def clear_binding_inputs(self) -> None:
        """Unties all inputs."""
        lib.OrtClearBoundInputs(self._native)
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Unties all outputs."""
        lib.OrtClearBoundOutputs(self._native)
        self._bound.clear()

    def synchronize_inputs(self) -> None:
        """Waits until inputs are where the run needs them; on the processor they always are."""
        lib.OrtSynchronizeBoundInputs(self._native)

    def synchronize_outputs(self) -> None:
        """Waits until outputs are where they should be; on the processor they always are."""
        lib.OrtSynchronizeBoundOutputs(self._native)

    def get_output_names(self) -> List[str]:
        """The names of bound outputs, in the order in which they were bound."""
        texts, lengths, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        allocator = default_allocator()
        lib.OrtGetBoundOutputNames(self._native, allocator, ctypes.byref(texts),
                                   ctypes.byref(lengths), ctypes.byref(count))
        if not count.value:
            return []
        try:
            sizes = list((ctypes.c_size_t * count.value).from_address(lengths.value or 0))
            data = ctypes.string_at(texts.value or 0, sum(sizes))
        finally:
            lib.OrtAllocatorFree(allocator, texts)
            lib.OrtAllocatorFree(allocator, lengths)
        ends = [sum(sizes[:index + 1]) for index in range(count.value)]
        return [decode(data[end - size:end]) for size, end in zip(sizes, ends)]

    def get_outputs(self) -> List[OrtValue]:
        """The bound outputs, in the order in which they were bound."""
        array, count = ctypes.c_void_p(), ctypes.c_size_t()
        allocator = default_allocator()
        lib.OrtGetBoundOutputValues(self._native, allocator, ctypes.byref(array),
                                    ctypes.byref(count))
        found = pointers_at(array.value, count.value)
        lib.OrtAllocatorFree(allocator, array)
        # They share memory with the values that were bound.
        kept: Sequence[Optional[OrtValue]] = list(self._bound.values())
        return [OrtValue(address, kept) for address in found]

    def copy_outputs_to_cpu(self) -> List[Any]:
        """The bound outputs as arrays; nothing has to be copied."""
        return [value.numpy() for value in self.get_outputs()]

    def _run(self, session: Handle, given: Optional[RunOptions]) -> None:
        options = given or RunOptions()
        stop = _Stop(options)
        operation = at_exit.begin(stop)
        stops = interrupt.applies()
        outer = interrupt.begin(stop) if stops else None
        try:
            lib.OrtRunWithBinding(session, stop.native, self._native)
        except Fail as error:
            if options.terminate and not isinstance(error, Cancelled):
                raise RunCancelled(*error.args) from None
            raise
        finally:
            if stops:
                interrupt.end(outer)
            at_exit.end(operation)
            if stop.called:
                stop.undo()


def _over_pointer(element_type: Any, shape: Sequence[int], address: int) -> OrtValue:
    """A tensor over memory of the program."""
    kind = as_element_type(element_type)
    sizes, rank = int64s(shape)
    if any(size < 0 for size in sizes):
        raise InvalidArgument(f"a size of the shape {list(sizes)} is negative")
    count = bytes_of(kind, math.prod(sizes))
    return OrtValue(create(lib.OrtCreateTensorWithDataAsOrtValue, cpu_memory(),
                           fitting_size("buffer_ptr", address), fitting_size("bytes", count),
                           sizes, rank, kind))


class _Stop:
    """Stops a run by its options, and knows that it did."""

    def __init__(self, options: RunOptions):
        self._options = options
        self.native = options._native  # the program may close them meanwhile
        self.called = False

    def __call__(self) -> None:
        if not self._options._terminate:
            self.called = self._options._terminate = True
            lib.OrtRunOptionsSetTerminate(self.native)

    def undo(self) -> None:
        self._options._terminate = False
        lib.OrtRunOptionsUnsetTerminate(self.native)
