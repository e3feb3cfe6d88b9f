# SPDX-License-Identifier: MIT
"""Ctrl-C while the main thread is inside the library.

Python runs signal handlers between two of its own instructions, so a long call would hold a
KeyboardInterrupt back until it ends. While such a call is under way in the main thread, the
interpreter's wake-up file is a pipe of this module; a thread that waits for it asks the library to
stop. The call then fails soon and Python raises KeyboardInterrupt.

Nothing of that happens when SIGINT has a handler of the program's: it decides then, after the call.
A wake-up file of the program's (asyncio has one) gets what was written meanwhile.

What is in the pipe is taken out under the lock alone, by the thread or by the end of the call, so
no byte of one call is left to stop the next.
"""

import os
import select
import signal
import threading
from _thread import allocate_lock, get_ident
from typing import Callable, Optional

import _signal

# What signal.py wraps in Python; runs that take a microsecond pass here.
_getsignal, _set_wakeup_fd = _signal.getsignal, _signal.set_wakeup_fd
_SIGINT, _DEFAULT = int(signal.SIGINT), signal.default_int_handler

_main = threading.main_thread().ident
_lock = allocate_lock()
_read_end = _write_end = -1
_written = select.poll()  # whether something is in the pipe; for the main thread
_stop: Optional[Callable[[], None]] = None
_stopped = False
_owner = -1  # the wake-up file that was there before


def _take() -> None:
    """Takes out what signals have written, and acts on it. Under the lock."""
    global _stopped
    try:
        data = os.read(_read_end, 4096)
    except BlockingIOError:
        return  # the call has ended and took it
    if _owner != -1:
        try:
            os.write(_owner, data)
        except OSError:
            pass  # it was closed meanwhile
    if _stop is not None and _SIGINT in data:
        _stopped = True
        _stop()


def _watch(read_end: int) -> None:
    waiting = select.poll()
    waiting.register(read_end, select.POLLIN)
    while True:
        waiting.poll()
        with _lock:
            _take()


def _start() -> None:
    global _read_end, _write_end
    _read_end, _write_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _written.register(_read_end, select.POLLIN)
    threading.Thread(target=_watch, args=(_read_end,), name="ortc-interrupt", daemon=True).start()


def applies() -> bool:
    """Whether calls on this thread are to be stopped by Ctrl-C."""
    return get_ident() == _main and _getsignal(_SIGINT) is _DEFAULT


def begin(stop: Callable[[], None]) -> Optional[Callable[[], None]]:
    """From now on Ctrl-C calls `stop`, on another thread. Gives what `end` needs; only where
    `applies` says so."""
    global _stop, _owner
    if _write_end == -1:
        _start()
    outer, _stop = _stop, stop
    previous = _set_wakeup_fd(_write_end)
    if previous != _write_end:
        _owner = previous
    return outer


def end(outer: Optional[Callable[[], None]]) -> bool:
    """The call is over. Says whether it was asked to stop."""
    global _stop, _stopped
    if outer is None:
        try:
            _set_wakeup_fd(_owner)
        except (OSError, ValueError):
            _set_wakeup_fd(-1)  # the file was closed meanwhile
    with _lock:
        if _written.poll(0):
            _take()
        _stop = outer
        stopped, _stopped = _stopped, False
    return stopped


def _after_fork() -> None:
    """A child has no thread that waits; it makes its own when it needs one."""
    global _main, _lock, _read_end, _write_end, _written, _stop, _stopped, _owner
    if _write_end != -1 and get_ident() == _main:
        previous = _set_wakeup_fd(-1)
        if previous not in (-1, _write_end):
            _set_wakeup_fd(previous)
    _main = get_ident()
    _lock, _read_end, _write_end, _written = allocate_lock(), -1, -1, select.poll()
    _stop, _stopped, _owner = None, False, -1


os.register_at_fork(after_in_child=_after_fork)
