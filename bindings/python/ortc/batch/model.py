# SPDX-License-Identifier: MIT
"""A model as processes of many machines name it."""

import hashlib
import json
import os
import uuid
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from ortc.batch import carried
from ortc.errors import InvalidArgument
from ortc.session import InferenceSession
from ortc.session_options import SessionOptions

# Makes the session: gets the path and the number of threads.
OpenSession = Callable[[str, int], Any]
ProviderNames = Sequence[Union[str, Tuple[str, Mapping[str, str]]]]


class Model:
    """Where a model is, and how a process opens it. Small; it is sent to workers with every batch.

    `Model(path)` is a file that every machine has under this path: on a disk of its own, or on a
    volume that all see. `Model.carried(path)` is a file of this machine that is brought to each.

    `providers` are names or pairs of a name and options, `config` entries of the session's options.
    `threads` work on one run; None: as many as the process may run tasks at a time. Whoever needs
    other options gives `open_session(path, threads)`, which makes the session.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]", carried.Cargo], *,
                 providers: ProviderNames = ("AOT",),
                 config: Optional[Mapping[str, str]] = None, threads: Optional[int] = None,
                 open_session: Optional[OpenSession] = None):
        self.cargo = path if isinstance(path, carried.Cargo) else None
        self._path = "" if isinstance(path, carried.Cargo) else os.fspath(path)
        if not os.path.isabs(self.path):
            raise InvalidArgument(f"the path of a model must be absolute, not {self.path!r}: every "
                                  "process has a working folder of its own")
        if threads is not None and threads < 1:
            raise InvalidArgument(f"threads must be 1 or more, not {threads}")
        self.providers = [(each, {}) if isinstance(each, str) else (each[0], dict(each[1]))
                          for each in providers]
        self.config = dict(config or {})
        self.threads = threads
        self.open_session = open_session
        self.key = self._key()

    @classmethod
    def carried(cls, model: Union[str, "os.PathLike[str]", bytes],
                files: Sequence[Union[str, "os.PathLike[str]"]] = (), *,
                folder: Optional[str] = None, **options: Any) -> "Model":
        """A model of this machine, for machines that do not have it.

        `model` is a file, or the bytes of a model that needs none. The context binaries that it
        names come along; `files` are others that it reads, in its folder or below. Each machine
        keeps them below `folder`, checked by size and hash; None: a folder of the user's in the
        folder for temporary files.
        """
        return cls(carried.pack(model, files, folder), **options)

    def _key(self) -> str:
        """The same for models that are opened in the same way; functions are never the same."""
        what = [self.cargo and (self.cargo.digest, self.cargo.folder), self._path, self.providers,
                self.config, self.threads, uuid.uuid4().hex if self.open_session else None]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]

    @property
    def path(self) -> str:
        """Where it is on this machine, or will be."""
        return self._path if self.cargo is None else self.cargo.path

    def open(self, threads: int) -> Any:
        """A session of its own. `threads` are those of the process."""
        if self.cargo is not None:
            self.cargo.require()
        threads = self.threads or threads
        if self.open_session is not None:
            return self.open_session(self.path, threads)
        options = SessionOptions()
        options.intra_op_num_threads = threads
        for key, value in self.config.items():
            options[key] = value
        for name, provider_options in self.providers:
            options.add_provider(name, provider_options)
        return InferenceSession(self.path, options)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "cargo": self.cargo and self.cargo.described()}

    def __repr__(self) -> str:
        return f"Model({self.path!r})"
