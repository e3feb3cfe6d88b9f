# SPDX-License-Identifier: MIT
"""Which execution provider runs which nodes of a session."""

import ctypes
from typing import Any, List, NamedTuple

from ortc._core.handles import Handle, get_text, pointers_at
from ortc._native import lib


class EpAssignedNode(NamedTuple):
    """A node, as the optimised model has it."""

    name: str
    domain: str
    op_type: str


class EpAssignedSubgraph(NamedTuple):
    """A part of the model and its provider: what was compiled as a whole, or one node."""

    ep_name: str
    nodes: List[EpAssignedNode]


def _listed(function: Any, address: int) -> List[int]:
    array, count = ctypes.c_void_p(), ctypes.c_size_t()
    function(address, ctypes.byref(array), ctypes.byref(count))
    return pointers_at(array.value, count.value)


def assigned_subgraphs(session: Handle) -> List[EpAssignedSubgraph]:
    """All parts of a session."""
    return [EpAssignedSubgraph(
        get_text(lib.OrtEpAssignedSubgraph_GetEpName, part),
        [EpAssignedNode(get_text(lib.OrtEpAssignedNode_GetName, node),
                        get_text(lib.OrtEpAssignedNode_GetDomain, node),
                        get_text(lib.OrtEpAssignedNode_GetOperatorType, node))
         for node in _listed(lib.OrtEpAssignedSubgraph_GetNodes, part)])
        for part in _listed(lib.OrtSession_GetEpGraphAssignmentInfo, session.address)]
