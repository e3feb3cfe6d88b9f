# SPDX-License-Identifier: MIT
"""Threads that all sessions of an environment share, and threads that the program makes itself."""

import ctypes
import threading
from typing import Any, Callable, NamedTuple, Optional, Protocol, Tuple

from ortc._core.callbacks import Registration, find, forget, register
from ortc._core.handles import Handle, Native, create, encode, fitting
from ortc._native import lib
from ortc.log import LOGGER


class Joinable(Protocol):
    """A thread of the program: threading.Thread is one."""

    def join(self) -> Any:
        """Waits for its end."""


# Gets what the thread is to do, and starts one that does it. What is called when the thread was
# joined does nothing.
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


class ThreadWork:
    """What a thread is to do, once, until the library has joined it: the lock is held meanwhile,
    and a call that comes later does nothing."""

    __slots__ = ("thread", "_lock", "_entry")

    def __init__(self, worker: int, parameter: int):
        self.thread: Optional[Joinable] = None
        self._lock = threading.Lock()
        self._entry: Optional[Tuple[int, int]] = (worker, parameter)

    def __call__(self) -> None:
        with self._lock:
            entry, self._entry = self._entry, None
            if entry is not None:
                Worker(entry[0])(entry[1])

    def end(self, wait: bool = True) -> bool:
        """Waits for work that runs; none begins later. Without waiting, False when it has begun."""
        if not self._lock.acquire(wait):
            return False
        entry, self._entry = self._entry, None
        self._lock.release()
        return entry is not None


@CreateThread
def create_thread(state: Optional[int], worker: int, parameter: int) -> Optional[int]:
    start = find(state)
    if start is None:
        return None
    work = ThreadWork(worker, parameter)
    try:
        work.thread = start(work)
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("a function that starts threads failed")
        if work.end(wait=False):
            return None  # the library reports that there is no thread to be had
    return register(work)


@JoinThread
def join_thread(number: Optional[int]) -> None:
    work = find(number)
    forget(number)
    try:
        if work.thread is not None:
            work.thread.join()
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("a thread could not be joined")
    finally:
        work.end()


# What is told about the work of threads: gives anything, or gets what was given.
OnEnqueue = Callable[[], Any]
OnWork = Callable[[Any], Any]

Enqueue = ctypes.CFUNCTYPE(P, P)
HearWork = ctypes.CFUNCTYPE(None, P, P)


class WorkCallbacks(NamedTuple):
    """Functions of the program; see Env.set_thread_pool_callbacks()."""

    on_enqueue: Optional[OnEnqueue]
    on_start_work: Optional[OnWork]
    on_stop_work: Optional[OnWork]
    on_abandon: Optional[OnWork]


def _heard(function: Optional[Callable[..., Any]], *arguments: Any) -> Any:
    try:
        return function(*arguments) if function is not None else None
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("a function that is told about the work of threads failed")
        return None


@Enqueue
def enqueue_work(state: Optional[int]) -> Optional[int]:
    return register(_heard(find(state).on_enqueue))


@HearWork
def start_work(state: Optional[int], work: Optional[int]) -> None:
    _heard(find(state).on_start_work, find(work))


@HearWork
def stop_work(state: Optional[int], work: Optional[int]) -> None:
    _heard(find(state).on_stop_work, find(work))
    forget(work)


@HearWork
def abandon_work(state: Optional[int], work: Optional[int]) -> None:
    _heard(find(state).on_abandon, find(work))
    forget(work)


class WorkCallbacksConfig(ctypes.Structure):
    """C's struct OrtThreadPoolCallbacksConfig."""

    _fields_ = [("version", ctypes.c_uint32), ("on_enqueue", Enqueue), ("on_start_work", HearWork),
                ("on_stop_work", HearWork), ("on_abandon", HearWork), ("user_context", P)]

    @classmethod
    def of(cls, callbacks: Registration) -> "WorkCallbacksConfig":
        return cls(25, enqueue_work, start_work, stop_work, abandon_work, callbacks.number)


class ThreadingOptions(Native):
    """Settings of the threads of an environment: by default one for each core."""

    __slots__ = ("_threads",)

    def __init__(self, intra_op_num_threads: Optional[int] = None,
                 inter_op_num_threads: Optional[int] = None, allow_spinning: bool = True,
                 denormal_as_zero: bool = False, intra_op_thread_affinity: Optional[str] = None,
                 start: Optional[StartThread] = None):
        self._handle = Handle(create(lib.OrtCreateThreadingOptions),
                              lib.OrtReleaseThreadingOptions)
        self._threads: Optional[Registration] = None
        if intra_op_num_threads is not None:
            lib.OrtSetGlobalIntraOpNumThreads(
                self._native, fitting("intra_op_num_threads", intra_op_num_threads))
        if inter_op_num_threads is not None:
            lib.OrtSetGlobalInterOpNumThreads(
                self._native, fitting("inter_op_num_threads", inter_op_num_threads))
        lib.OrtSetGlobalSpinControl(self._native, int(allow_spinning))
        if denormal_as_zero:
            lib.OrtSetGlobalDenormalAsZero(self._native)
        if intra_op_thread_affinity is not None:
            lib.OrtSetGlobalIntraOpThreadAffinity(self._native, encode(intra_op_thread_affinity))
        if start is not None:
            self._set_threads(start)

    def _set_threads(self, start: StartThread) -> None:
        self._threads = Registration(start)
        lib.OrtSetGlobalCustomCreateThreadFn(self._native, create_thread)
        lib.OrtSetGlobalCustomThreadCreationOptions(self._native, self._threads.number)
        lib.OrtSetGlobalCustomJoinThreadFn(self._native, join_thread)
