# SPDX-License-Identifier: MIT
"""Sessions of the model editor: of a model made in memory, or of one from a file that gets more
nodes before it is finished."""

from typing import Optional, Union

from ortc._core import loading
from ortc._core.handles import Handle, Path, create, encode_path
from ortc._native import lib
from ortc.env import Env, default_env
from ortc.model_editor import Model
from ortc.prepacked import PrepackedWeightsContainer
from ortc.session import Session
from ortc.session_options import SessionOptions


def session_from_model(model: Model, sess_options: Optional[SessionOptions] = None,
                       env: Optional[Env] = None) -> Session:
    """Makes a session of a model of the editor; more may be made of it."""
    options = loading.options_with(sess_options, None, None)
    where = env or default_env()
    address = create(lib.OrtCreateSessionFromModel, where._native, model._native,
                     options._native)
    session = Session.__new__(Session)
    session._adopt(Handle(address, lib.OrtReleaseSession, (options, model._keeps, where)),
                   options)
    return session


class EditorSession(Session):
    """A session that is not finished: it tells its inputs and outputs, takes changes, and runs
    after `finalize()`."""

    def __init__(self, path_or_bytes: Union[Path, bytearray, memoryview],
                 sess_options: Optional[SessionOptions] = None, env: Optional[Env] = None):
        options = loading.options_with(sess_options, None, None)
        used = env or default_env()
        where = used._native
        data = loading.as_bytes(path_or_bytes)
        if data is not None:
            address = create(lib.OrtCreateModelEditorSessionFromArray, where, data, len(data),
                             options._native)
        else:
            address = create(lib.OrtCreateModelEditorSession, where, encode_path(path_or_bytes),
                             options._native)
        self._models: "list[Model]" = []
        self._adopt(Handle(address, lib.OrtReleaseSession, (options, self._models, used)),
                    options)

    def apply(self, model: Model) -> None:
        """Adds the nodes and initializers of a model. Its inputs and outputs, when it has any, take
        the place of the session's."""
        lib.OrtApplyModelToModelEditorSession(self._native, model._native)
        self._models.append(model)
        self._describe()

    def finalize(self, sess_options: Optional[SessionOptions] = None,
                 prepacked_weights: Optional[PrepackedWeightsContainer] = None) -> None:
        """Finishes the session. After a failure it stays unfinished."""
        options = loading.options_with(sess_options, None, None)
        lib.OrtFinalizeModelEditorSession(self._native, options._native,
                                          prepacked_weights._native if prepacked_weights else None)
        self._options = options
        # What it was made with is still needed: the environment, and memory that the model is in.
        self._native.keeps = (options, *self._native.keeps)
        self._describe()
