# SPDX-License-Identifier: MIT
"""Stopping what takes long, from any thread: runs, loads and compiles."""

import threading
from typing import Callable, Dict


class CancelToken:
    """Stops everything that was started with it, now and from then on.

    `cancel()` may be called from any thread, also before something is started: it is then refused.
    What was stopped raises `Cancelled`, soon and not at once.
    """

    def __init__(self) -> None:
        self._cancelled = False
        # Reentrant: a signal handler may cancel while its own thread is in here.
        self._lock = threading.RLock()
        self._stops: Dict[int, Callable[[], None]] = {}

    def cancel(self) -> None:
        """Stops what is under way. May be called again."""
        with self._lock:
            self._cancelled = True
            for stop in list(self._stops.values()):
                stop()

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def _add(self, stop: Callable[[], None]) -> int:
        """Has `stop` called by a cancel, at once when there was one. Gives a number for `_remove`,
        after which `stop` is not called any more."""
        with self._lock:
            self._stops[id(stop)] = stop
            if self._cancelled:
                stop()
        return id(stop)

    def _remove(self, number: int) -> None:
        with self._lock:
            self._stops.pop(number, None)
