# SPDX-License-Identifier: MIT
"""Files of a model that are brought to machines which do not have them.

They lie in a folder that is named after their hashes and appears by renaming, so it is there whole
or not at all. Processes of a machine share it. The folder above is the user's alone: who may write
there decides what models compute.

    FOLDER/9f86d081884c7d65/m_ctx.onnx       complete and checked
    FOLDER/9f86d081884c7d65.lock             held while such a folder appears
    FOLDER/incoming-4be1.../m_ctx.onnx       on its way
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import time
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from ortc.errors import Error, InvalidArgument
from ortc.inspection import inspect

Path = Union[str, "os.PathLike[str]"]
CHUNK_BYTES = 8 << 20
# What was on its way so long ago comes no more.
ABANDONED_SECONDS = 24 * 3600


class FilesMissing(Error):
    """The files of a carried model are not on this machine yet."""


@dataclass(frozen=True)
class CarriedFile:
    """A file by its name in the model's folder. `source`, a path or bytes, stays on the machine
    that has it."""

    name: str
    size: int
    sha256: str
    source: Union[str, bytes, None] = field(default=None, compare=False, repr=False)

    def chunks(self) -> Iterator[bytes]:
        if isinstance(self.source, bytes):
            for start in range(0, self.size, CHUNK_BYTES):
                yield self.source[start:start + CHUNK_BYTES]
        elif self.source is not None:
            with open(self.source, "rb") as file:
                yield from iter(lambda: file.read(CHUNK_BYTES), b"")
        else:
            raise InvalidArgument(f"{self.name} can be brought only by the process that made the "
                                  "Model")


@dataclass(frozen=True)
class Cargo:
    """The files of a model, the model first."""

    files: Tuple[CarriedFile, ...]
    folder: Optional[str]

    @property
    def digest(self) -> str:
        """Names the folder; the same files have the same one."""
        text = "".join(f"{file.sha256} {file.size} {file.name}\n" for file in self.files)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def base(self) -> str:
        return self.folder or os.path.join(tempfile.gettempdir(), f"ortc-batch-{os.getuid()}")

    @property
    def path(self) -> str:
        """Where the model is, or will be."""
        return os.path.join(self.base, self.digest, self.files[0].name)

    def described(self) -> "Cargo":
        """The same without sources, to be sent."""
        return replace(self, files=tuple(replace(file, source=None) for file in self.files))

    def complete(self) -> bool:
        """Whether this machine has the files. Their hashes were compared when they came."""
        if os.path.lexists(self.base):
            check_private(self.base)
        folder = os.path.join(self.base, self.digest)
        try:
            return all(os.stat(os.path.join(folder, file.name)).st_size == file.size
                       for file in self.files)
        except OSError:
            return False

    def require(self) -> None:
        if not self.complete():
            raise FilesMissing(f"{self.path} is not on this machine yet")


def pack(model: Union[Path, bytes], files: Sequence[Path], folder: Optional[str]) -> Cargo:
    """Reads the files once, for their sizes and hashes."""
    if folder is not None and not os.path.isabs(folder):
        raise InvalidArgument(f"the folder for carried files must be absolute, not {folder!r}")
    if isinstance(model, bytes):
        digest = hashlib.sha256(model).hexdigest()
        return Cargo((CarriedFile("model.onnx", len(model), digest, model),), folder)
    first = os.path.abspath(model)
    found = [first]
    for path in [*_files_named_by(first), *files]:
        path = os.path.abspath(path)
        if path not in found:
            found.append(path)
    return Cargo(tuple(_described(path, os.path.dirname(first)) for path in found), folder)


def _described(path: str, folder: str) -> CarriedFile:
    name = os.path.relpath(path, folder)
    if name.split(os.sep)[0] == os.pardir:
        raise InvalidArgument(f"{path} is not below the model's folder {folder}")
    digest, size = hashlib.sha256(), 0
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(CHUNK_BYTES), b""):
            digest.update(chunk)
            size += len(chunk)
    return CarriedFile(name, size, digest.hexdigest(), path)


class Incoming:
    """Files on their way into this machine. They come in order, in chunks."""

    def __init__(self, cargo: Cargo, token: str):
        self._cargo = cargo
        make_private(cargo.base)
        remove_abandoned(cargo.base)
        self._folder = os.path.join(cargo.base, f"incoming-{token}")
        os.mkdir(self._folder)
        self._hashes: Dict[str, "hashlib._Hash"] = {}

    def write(self, name: str, chunk: bytes) -> None:
        if name not in [file.name for file in self._cargo.files]:
            raise InvalidArgument(f"{name!r} is not a file of the model")
        path = os.path.join(self._folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "ab") as file:
            file.write(chunk)
        self._hashes.setdefault(name, hashlib.sha256()).update(chunk)

    def finish(self) -> None:
        """Compares what came with what was announced, and makes it appear."""
        for file in self._cargo.files:
            path = os.path.join(self._folder, file.name)
            if not os.path.exists(path):
                self.write(file.name, b"")  # an empty file has no chunks
            size, digest = os.path.getsize(path), self._hashes[file.name].hexdigest()
            if (size, digest) != (file.size, file.sha256):
                raise Error(f"{file.name} arrived with {size} bytes and hash {digest}, expected "
                            f"{file.size} and {file.sha256}")
            _sync(path)
        folder = os.path.join(self._cargo.base, self._cargo.digest)
        with _locked(folder + ".lock"):
            if self._cargo.complete():
                self.abandon()  # another process was faster
            else:
                # What is there has the wrong sizes. Processes that have it mapped keep it.
                shutil.rmtree(folder, ignore_errors=True)
                os.rename(self._folder, folder)

    def abandon(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def make_private(folder: str) -> None:
    """Makes the folder for the user alone."""
    with contextlib.suppress(FileExistsError):  # a link that leads nowhere
        os.makedirs(folder, mode=0o700, exist_ok=True)
    check_private(folder)


def check_private(folder: str) -> None:
    """Refuses a folder that others may write to, or may have put there."""
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise InvalidArgument(f"{folder} must be a folder of this user that no one else may "
                              "write to")


def remove_abandoned(base: str) -> None:
    """Removes what was on its way when a process died."""
    with os.scandir(base) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if entry.name.startswith("incoming-") and age > ABANDONED_SECONDS:
                    shutil.rmtree(entry.path, ignore_errors=True)


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    with open(path, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _sync(path: str) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def identity(folder: str) -> Tuple[Any, ...]:
    """The same for all processes that see this folder; made if it is not there."""
    make_private(folder)
    found = os.stat(folder)
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read(), found.st_dev, found.st_ino


def _files_named_by(model: str) -> List[str]:
    """The context binaries and files of weights that a model names."""
    return [os.path.join(os.path.dirname(model), each["file"]) for each in inspect(model)["files"]]
