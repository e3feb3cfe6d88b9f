# SPDX-License-Identifier: MIT
"""One call of a kernel of the program: its inputs, its outputs, and help with the work.

All of that is the run's memory, and nothing is copied. So what shows it must not be kept: the call
fails with the index of what was, once it is over.
"""

import ctypes
import gc
import weakref
from typing import Any, Callable, List, Optional, Sequence, Tuple

from ortc._core.handles import Handle, create, get_size, int64s
from ortc._native import lib
from ortc.errors import InvalidArgument
from ortc.log import OrtLogger
from ortc.memory import Allocator, OrtMemoryInfo
from ortc.value import OrtValue

ForEach = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)


class KernelContext:
    """What `compute` gets. It is valid until `compute` returns."""

    def __init__(self, address: int):
        self._open: Optional[int] = address
        # What it is called, and what shows it.
        self._lent: List[Tuple[str, "weakref.ref[Any]"]] = []

    @property
    def _address(self) -> int:
        if self._open is None:
            raise InvalidArgument("the call of the kernel is over")
        return self._open

    @property
    def input_count(self) -> int:
        """Inputs that are left out count, but not those behind the last one that is there."""
        return get_size(lib.OrtKernelContext_GetInputCount, self._address)

    @property
    def output_count(self) -> int:
        """Outputs that are left out count, but not those behind the last one that is there."""
        return get_size(lib.OrtKernelContext_GetOutputCount, self._address)

    def input(self, index: int) -> Optional[OrtValue]:
        """An input, to be read only; None for one that is left out."""
        address = create(lib.OrtKernelContext_GetInput, self._address, index)
        return self._lend(f"input {index}", address, read_only=True)

    @property
    def inputs(self) -> List[Optional[OrtValue]]:
        """All inputs."""
        return [self.input(index) for index in range(self.input_count)]

    def output(self, index: int, shape: Sequence[int]) -> Optional[OrtValue]:
        """Makes an output, a tensor to be filled: `output.numpy()[...] = y`, of texts
        `output.update_inplace(y)`. None for one that the model leaves out."""
        sizes, rank = int64s(shape)
        address = create(lib.OrtKernelContext_GetOutput, self._address, index, sizes, rank)
        return self._lend(f"output {index}", address, read_only=False)

    def _lend(self, what: str, address: int, read_only: bool) -> Optional[OrtValue]:
        if not address:
            return None
        value = OrtValue(address, read_only=read_only, borrowed=True)
        self._lent.append((what, weakref.ref(value)))
        return value

    def _end(self) -> List[str]:
        """The call is over: what is still shown of its memory."""
        self._open = None
        if any(shows() is not None for _, shows in self._lent):
            gc.collect()
        kept = []
        for what, shows in self._lent:
            value = shows()
            if value is not None:
                kept.append(what)
                if isinstance(value, OrtValue):
                    value._address = 0  # the library refuses it from now on
        return kept

    # Help with the work.

    def parallel_for(self, function: Callable[[int], Any], total: int, batches: int = 0) -> None:
        """Calls `function(index)` for each index below `total`, on the threads of the session; an
        exception comes out when all calls are over. `batches` is into how many parts the indices
        are divided; 0: the library chooses."""
        failures: List[BaseException] = []

        @ForEach
        def each(_: Optional[int], index: int) -> None:
            if failures:
                return
            try:
                function(index)
            except BaseException as error:  # pylint: disable=broad-except
                failures.append(error)

        lib.OrtKernelContext_ParallelFor(self._address, each, total, batches, None)
        if failures:
            raise failures[0]

    def scratch(self, size: int, memory_info: Optional[OrtMemoryInfo] = None) -> memoryview:
        """So many bytes, undefined, that are the call's until it returns."""
        memory = memory_info or OrtMemoryInfo.cpu()
        address = create(lib.OrtKernelContext_GetScratchBuffer, self._address, memory._native,
                         size)
        array = (ctypes.c_ubyte * size).from_address(address) if size else (ctypes.c_ubyte * 0)()
        self._lent.append(("scratch memory", weakref.ref(array)))
        return memoryview(array).cast("B")

    def allocator(self, memory_info: Optional[OrtMemoryInfo] = None) -> Allocator:
        """An allocator; what it allocates may be kept."""
        memory = memory_info or OrtMemoryInfo.cpu()
        return Allocator(Handle(create(lib.OrtKernelContext_GetAllocator, self._address,
                                       memory._native), lib.OrtReleaseAllocator))

    @property
    def logger(self) -> OrtLogger:
        """The log of the session, during the call."""
        return OrtLogger(create(lib.OrtKernelContext_GetLogger, self._address))

    # The device that the call works on, if any.

    @property
    def gpu_compute_stream(self) -> int:
        """The handle of the device's stream; 0 without one."""
        return create(lib.OrtKernelContext_GetGPUComputeStream, self._address)

    @property
    def sync_stream(self) -> int:
        """The address of the stream; 0 without one."""
        return create(lib.OrtKernelContext_GetSyncStream, self._address)

    def resource(self, version: int, number: int) -> int:
        """A resource of the stream, as a handle of a vendor's library. InvalidArgument without
        one."""
        return create(lib.OrtKernelContext_GetResource, self._address, version, number)
