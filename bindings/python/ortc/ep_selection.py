# SPDX-License-Identifier: MIT
"""Functions of the program that choose the devices of a session."""

import ctypes
from typing import Callable, List, Mapping, Optional, Sequence

from ortc import env as envs
from ortc._core.callbacks import find, guarded
from ortc._core.handles import pointers_at
from ortc.devices import OrtEpDevice
from ortc.errors import InvalidArgument
from ortc.key_values import BorrowedPairs

# Gets all devices, what the model says of itself, an empty mapping, and how many may be chosen;
# gives those that it chose.
EpSelection = Callable[[List[OrtEpDevice], Mapping[str, str], Mapping[str, str], int],
                       Sequence[OrtEpDevice]]

P, Z = ctypes.c_void_p, ctypes.c_size_t
Select = ctypes.CFUNCTYPE(P, P, Z, P, P, P, Z, P, P)


def _choose(delegate: EpSelection, devices: List[int], model: int, runtime: int, out: int,
            room: int, out_count: int) -> None:
    env = envs.env_of(devices[0])
    if env is None:
        raise InvalidArgument("the environment was closed while a session was made")
    # The lists end with the call, the devices with their environment.
    chosen = list(delegate([OrtEpDevice(address, env) for address in devices],
                           dict(BorrowedPairs(model, env)), dict(BorrowedPairs(runtime, env)),
                           room))
    if len(chosen) > room:
        raise InvalidArgument(f"{len(chosen)} devices were chosen, at most {room} may be")
    for index, device in enumerate(chosen):
        if not isinstance(device, OrtEpDevice):
            raise TypeError(f"expected an OrtEpDevice, not {type(device).__name__}")
        (P * room).from_address(out)[index] = device._address
    Z.from_address(out_count).value = len(chosen)


@Select
def select_devices(devices: int, count: int, model: int, runtime: int, out: int, room: int,
                   out_count: int, state: Optional[int]) -> Optional[int]:
    return guarded(_choose, find(state), pointers_at(devices, count), model, runtime, out, room,
                   out_count)
