# SPDX-License-Identifier: MIT
"""Log lines of the library, on their way to Python's logging or to a function of the program."""

import ctypes
import logging
from typing import Any, Callable, NamedTuple, Optional

from ortc._core.callbacks import find
from ortc._core.handles import decode, encode, get_int
from ortc._native import lib
from ortc.enums import OrtLoggingLevel

LOGGER = logging.getLogger("ortc")
LEVELS = {OrtLoggingLevel.VERBOSE: logging.DEBUG, OrtLoggingLevel.INFO: logging.INFO,
          OrtLoggingLevel.WARNING: logging.WARNING, OrtLoggingLevel.ERROR: logging.ERROR,
          OrtLoggingLevel.FATAL: logging.CRITICAL}


class LogRecord(NamedTuple):
    """One line: its severity, the stage of the library ("context"), the id of the environment,
    session or run, a file and line inside the library, and the text."""

    severity: OrtLoggingLevel
    category: str
    logid: str
    code_location: str
    message: str


LogFunction = Callable[[LogRecord], Any]


def to_logging(record: LogRecord) -> None:
    """Hands a line to logging.getLogger("ortc")."""
    LOGGER.log(LEVELS[record.severity], "%s%s: %s", f"[{record.logid}] " if record.logid else "",
               record.category, record.message, extra={"ortc": record})


C = ctypes.c_char_p
LoggingFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, C, C, C, C)


@LoggingFunction
def log_line(state: Optional[int], severity: int, category: bytes, logid: bytes,
             code_location: bytes, message: bytes) -> None:
    """What the library calls. It cannot be told of failures, so they go to Python's log."""
    function = find(state)
    if function is None:
        return
    try:
        function(LogRecord(OrtLoggingLevel(severity), decode(category), decode(logid),
                           decode(code_location), decode(message)))
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("a function for log lines failed")


class OrtLogger:
    """A place for log lines that the library handed to code of the program, as its address."""

    def __init__(self, address: int, keeps: Any = None):
        self._address = address
        self._keeps = keeps

    @property
    def severity_level(self) -> OrtLoggingLevel:
        """Milder lines are dropped."""
        return OrtLoggingLevel(get_int(lib.OrtLogger_GetLoggingSeverityLevel, self._address))

    def log(self, severity: int, message: str, file: str = "", line: int = 0,
            function: str = "") -> None:
        """Writes a line that comes from a place in the program."""
        lib.OrtLogger_LogMessage(self._address, severity, encode(message), encode(file), line,
                                 encode(function))
