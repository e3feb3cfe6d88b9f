# SPDX-License-Identifier: MIT
"""A model as workers know it: a path and settings. The session is the process's own."""

import threading
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Union

import ortc

Pairs = Tuple[Tuple[str, str], ...]


@dataclass(frozen=True)
class BatchModel:
    """A model that workers open by its path, which must lead to the same file on all of them.

    `providers` are names of execution providers. `config` has config entries of the session.
    `threads` work on one batch; 1 suits workers that have a processor each. `outputs` are the names
    of those wanted, None for all.
    """

    path: str
    providers: Tuple[str, ...] = ("AOT",)
    config: Union[Pairs, Dict[str, str]] = ()
    threads: int = 1
    outputs: Optional[Tuple[str, ...]] = None

    def __post_init__(self) -> None:
        """Lists and dicts become tuples: the model is a key."""
        if isinstance(self.config, dict):
            object.__setattr__(self, "config", tuple(self.config.items()))
        object.__setattr__(self, "path", str(self.path))
        object.__setattr__(self, "providers", tuple(self.providers))
        if self.outputs is not None:
            object.__setattr__(self, "outputs", tuple(self.outputs))

    def open(self) -> ortc.Session:
        """The session of this process; made when it is asked for first."""
        with _lock:
            session = _sessions.get(self)
            if session is None:
                options = ortc.SessionOptions()
                options.intra_op_num_threads = self.threads
                for key, value in dict(self.config).items():
                    options[key] = value
                session = ortc.Session(self.path, options, self.providers)
                _sessions[self] = session
            return session


_sessions: Dict[BatchModel, ortc.Session] = {}
_lock = threading.Lock()


def run_rows(model: BatchModel, arrays: Dict[str, Any]) -> Dict[str, Any]:
    """What a worker does with a batch."""
    outputs = model.open().run(arrays, model.outputs)
    return {name: outputs[name] for name in outputs}
