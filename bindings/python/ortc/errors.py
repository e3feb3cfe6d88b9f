# SPDX-License-Identifier: MIT
"""What goes wrong: an exception class for each code of the library.

An exception that a callback raised comes out of the call that led to the callback, as it was.
"""

from typing import Any, Dict, Optional, Type

from ortc._core.pending import take_exception
from ortc._native import library
from ortc._native.library import lib
from ortc.enums import OrtErrorCode


class Error(RuntimeError):
    """Any failure of the library. `code` says which kind, the text what happened."""

    code: OrtErrorCode = OrtErrorCode.FAIL


class Fail(Error):
    """The operation could not be done; the text says why."""


class InvalidArgument(Error, ValueError):
    """The caller passed something wrong."""

    code = OrtErrorCode.INVALID_ARGUMENT


class NoSuchFile(Error, FileNotFoundError):
    """A model file is not there."""

    code = OrtErrorCode.NO_SUCHFILE


class NoModel(Error):
    """There is no model to work on."""

    code = OrtErrorCode.NO_MODEL


class EngineError(Error):
    """An execution engine broke."""

    code = OrtErrorCode.ENGINE_ERROR


class RuntimeException(Error):
    """Something unforeseen, out of memory included."""

    code = OrtErrorCode.RUNTIME_EXCEPTION


class InvalidProtobuf(Error):
    """The bytes are not an ONNX model."""

    code = OrtErrorCode.INVALID_PROTOBUF


class ModelLoaded(Error):
    """The model was loaded already."""

    code = OrtErrorCode.MODEL_LOADED


class NotImplemented(Error, NotImplementedError):
    """Understood, but this library cannot do it."""

    code = OrtErrorCode.NOT_IMPLEMENTED


class InvalidGraph(Error):
    """The model or its context data break a rule."""

    code = OrtErrorCode.INVALID_GRAPH


class EPFail(Error):
    """An execution provider failed."""

    code = OrtErrorCode.EP_FAIL


class Cancelled(Error):
    """Stopped on request, whatever it was that was stopped."""


class RunCancelled(Fail, Cancelled):
    """A run that was stopped: by a token, by its run options, or because its task was cancelled."""


class ModelLoadCanceled(Cancelled):
    """A load or a compile that was stopped, or took longer than its deadline."""

    code = OrtErrorCode.MODEL_LOAD_CANCELED


class ModelRequiresCompilation(Error):
    """Compiling is switched off, but the model needs it."""

    code = OrtErrorCode.MODEL_REQUIRES_COMPILATION


class NotFound(Error, LookupError):
    """A name or key is not there."""

    code = OrtErrorCode.NOT_FOUND


class DeviceReset(Error):
    """The device was reset under us; make a new session."""

    code = OrtErrorCode.DEVICE_RESET


CLASSES: Dict[int, Type[Error]] = {
    kind.code: kind for kind in (
        Fail, InvalidArgument, NoSuchFile, NoModel, EngineError, RuntimeException, InvalidProtobuf,
        ModelLoaded, NotImplemented, InvalidGraph, EPFail, ModelLoadCanceled,
        ModelRequiresCompilation, NotFound, DeviceReset)}


def from_code(code: int, message: str) -> Error:
    """The exception for a code; one that this package does not know is a plain Error."""
    error = CLASSES.get(code, Error)(message)
    if code not in CLASSES:
        error.args = (f"{message} (code {code})",)
    return error


def exception_of(status: int) -> BaseException:
    """Ends a status and gives the exception it stands for."""
    code = lib.OrtGetErrorCode(status)
    message = lib.OrtGetErrorMessage(status).decode("utf-8", "replace")
    lib.OrtReleaseStatus(status)
    return take_exception(message) or from_code(code, message)


def new_status(code: int, message: str) -> Optional[int]:
    """A status for the library to take over; None for OK."""
    return lib.OrtCreateStatus(code, message.replace("\0", " ").encode("utf-8", "replace"))


def _check(status: Optional[int], _function: Any, _arguments: Any) -> None:
    if status:
        raise exception_of(status)


setattr(library.Library, "check", staticmethod(_check))
