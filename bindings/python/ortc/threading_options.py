# SPDX-License-Identifier: MIT
"""Threads that all sessions of an environment share, and threads that the program makes itself."""

import ctypes
import threading
from typing import Any, Callable, Optional, Protocol

from ortc._core.callbacks import Registration, find, forget, register
from ortc._core.handles import Handle, Native, create, encode
from ortc._native import lib
from ortc.log import LOGGER


class Joinable(Protocol):
    """A thread of the program: threading.Thread is one."""

    def join(self) -> Any:
        """Waits for its end."""


# Gets what the thread shall do, and starts one that does it.
StartThread = Callable[[Callable[[], None]], Joinable]

P = ctypes.c_void_p
Worker = ctypes.CFUNCTYPE(None, P)
CreateThread = ctypes.CFUNCTYPE(P, P, P, P)
JoinThread = ctypes.CFUNCTYPE(None, P)


def start_thread(work: Callable[[], None]) -> threading.Thread:
    """A plain thread of Python."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@CreateThread
def create_thread(state: Optional[int], worker: int, parameter: int) -> Optional[int]:
    start = find(state)
    if start is None:
        return None
    try:
        return register(start(lambda: Worker(worker)(parameter)))
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("a function that starts threads failed")
        return None  # the library reports that there is no thread to be had


@JoinThread
def join_thread(number: Optional[int]) -> None:
    thread = find(number)
    forget(number)
    try:
        thread.join()
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("a thread could not be joined")


class ThreadingOptions(Native):
    """Settings of the threads of an environment: by default one for each core."""

    def __init__(self, intra_op_num_threads: Optional[int] = None,
                 inter_op_num_threads: Optional[int] = None, allow_spinning: bool = True,
                 denormal_as_zero: bool = False, intra_op_thread_affinity: Optional[str] = None,
                 start: Optional[StartThread] = None):
        self._handle = Handle(create(lib.OrtCreateThreadingOptions),
                              lib.OrtReleaseThreadingOptions)
        self._threads: Optional[Registration] = None
        if intra_op_num_threads is not None:
            lib.OrtSetGlobalIntraOpNumThreads(self._address, intra_op_num_threads)
        if inter_op_num_threads is not None:
            lib.OrtSetGlobalInterOpNumThreads(self._address, inter_op_num_threads)
        lib.OrtSetGlobalSpinControl(self._address, int(allow_spinning))
        if denormal_as_zero:
            lib.OrtSetGlobalDenormalAsZero(self._address)
        if intra_op_thread_affinity is not None:
            lib.OrtSetGlobalIntraOpThreadAffinity(self._address, encode(intra_op_thread_affinity))
        if start is not None:
            self._set_threads(start)

    def _set_threads(self, start: StartThread) -> None:
        self._threads = Registration(start)
        lib.OrtSetGlobalCustomCreateThreadFn(self._address, create_thread)
        lib.OrtSetGlobalCustomThreadCreationOptions(self._address, self._threads.number)
        lib.OrtSetGlobalCustomJoinThreadFn(self._address, join_thread)
