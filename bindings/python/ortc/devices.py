# SPDX-License-Identifier: MIT
"""What can run models here: hardware, and execution providers paired with the devices they serve.
They belong to an environment, and keep it."""

import ctypes
import enum
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from ortc._core.handles import (Handle, Path, addresses, create, decode, default_allocator, encode,
                                encode_path, get_int, get_text, take_text)
from ortc._core.interop_structs import VERSION, GraphicsConfig
from ortc._native import lib
from ortc.enums import (OrtCompiledModelCompatibility, OrtDeviceMemoryType, OrtGraphicsApi,
                        OrtHardwareDeviceType)
from ortc.key_values import BorrowedPairs, KeyValuePairs, Options
from ortc.memory import OrtMemoryInfo


class OrtHardwareDevice:
    """A piece of hardware."""

    def __init__(self, address: int, keeps: Any):
        self._address = address
        self._keeps = keeps

    @property
    def type(self) -> OrtHardwareDeviceType:
        return OrtHardwareDeviceType(lib.OrtHardwareDevice_Type(self._address))

    @property
    def vendor(self) -> str:
        """Empty when it is not known."""
        return decode(lib.OrtHardwareDevice_Vendor(self._address))

    @property
    def vendor_id(self) -> int:
        """As on the PCI bus; 0 when there is none."""
        return int(lib.OrtHardwareDevice_VendorId(self._address))

    @property
    def device_id(self) -> int:
        """The number of the device model; 0 when there is none."""
        return int(lib.OrtHardwareDevice_DeviceId(self._address))

    @property
    def metadata(self) -> Mapping[str, str]:
        """Further facts; "is_virtual" is always there, as "0" or "1"."""
        return BorrowedPairs(lib.OrtHardwareDevice_Metadata(self._address), self._keeps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OrtHardwareDevice) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __repr__(self) -> str:
        return f"OrtHardwareDevice({self.type.name}, vendor={self.vendor!r})"


class OrtEpDevice:
    """An execution provider and a device that it serves."""

    def __init__(self, address: int, keeps: Any):
        self._address = address
        self._keeps = keeps

    @property
    def ep_name(self) -> str:
        """As "AotExecutionProvider"."""
        return decode(lib.OrtEpDevice_EpName(self._address))

    @property
    def ep_vendor(self) -> str:
        """Who made the execution provider."""
        return decode(lib.OrtEpDevice_EpVendor(self._address))

    @property
    def ep_metadata(self) -> Mapping[str, str]:
        """What the provider says about itself; "version" is always there."""
        return BorrowedPairs(lib.OrtEpDevice_EpMetadata(self._address), self._keeps)

    @property
    def ep_options(self) -> Mapping[str, str]:
        """The provider options that suit this device; they apply when a session chooses it."""
        return BorrowedPairs(lib.OrtEpDevice_EpOptions(self._address), self._keeps)

    @property
    def device(self) -> OrtHardwareDevice:
        return OrtHardwareDevice(lib.OrtEpDevice_Device(self._address), self._keeps)

    def memory_info(self,
                    memory_type: int = OrtDeviceMemoryType.DEFAULT) -> Optional[OrtMemoryInfo]:
        """A memory of the device; None when it is that of the processor."""
        address = lib.OrtEpDevice_MemoryInfo(self._address, memory_type)
        return OrtMemoryInfo.borrowed(address, self._keeps) if address else None

    def init_graphics_interop(self, graphics_api: OrtGraphicsApi,
                              command_queue: Optional[int] = None,
                              options: Optional[Options] = None) -> None:
        """Tells the provider which graphics interface streams for the device share from now on;
        NotImplemented when it shares none. `options` are the provider's own."""
        pairs = KeyValuePairs(options)
        config = GraphicsConfig(VERSION, graphics_api, command_queue,
                                pairs._native.address)
        lib.OrtInitGraphicsInteropForEpDevice(self._address, ctypes.byref(config))

    def deinit_graphics_interop(self) -> None:
        """Ends what `init_graphics_interop` began."""
        lib.OrtDeinitGraphicsInteropForEpDevice(self._address)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OrtEpDevice) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __repr__(self) -> str:
        return f"OrtEpDevice({self.ep_name!r}, {self.device!r})"


class OrtDeviceEpIncompatibilityReason(enum.IntFlag):
    """Why an execution provider does not serve hardware."""

    #: The driver is too old, or another one.
    DRIVER_INCOMPATIBLE = 1
    #: The hardware itself.
    DEVICE_INCOMPATIBLE = 2
    #: Something that the provider needs is not there.
    MISSING_DEPENDENCY = 4
    #: A reason that has no bit.
    UNKNOWN = 0x80000000


class OrtDeviceEpIncompatibilityDetails(NamedTuple):
    """Why an execution provider does not serve hardware."""

    reasons: OrtDeviceEpIncompatibilityReason
    #: The provider's own words; empty when it has none.
    notes: str
    #: The provider's own; 0 when it has none.
    error_code: int


def incompatibility_of(env: Handle, ep_name: str,
                       hardware: int) -> Optional[OrtDeviceEpIncompatibilityDetails]:
    """Asks the library; None when the provider serves the hardware."""
    details = create(lib.OrtGetHardwareDeviceEpIncompatibilityDetails, env, encode(ep_name),
                     hardware)
    try:
        reasons, code = ctypes.c_uint32(), ctypes.c_int32()
        lib.OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(details, ctypes.byref(reasons))
        if not reasons.value:
            return None
        lib.OrtDeviceEpIncompatibilityDetails_GetErrorCode(details, ctypes.byref(code))
        return OrtDeviceEpIncompatibilityDetails(
            OrtDeviceEpIncompatibilityReason(reasons.value),
            get_text(lib.OrtDeviceEpIncompatibilityDetails_GetNotes, details), code.value)
    finally:
        lib.OrtReleaseDeviceEpIncompatibilityDetails(details)


def get_compatibility_info_from_model(model: Union[Path, bytearray, memoryview],
                                      ep_type: str) -> Optional[str]:
    """What a model, a path or bytes, was compiled for by a provider; None when it says nothing of
    that provider. Only metadata are read."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
        return take_text(lib.OrtGetCompatibilityInfoFromModelBytes, data, len(data),
                         encode(ep_type), default_allocator())
    return take_text(lib.OrtGetCompatibilityInfoFromModel, encode_path(model), encode(ep_type),
                     default_allocator())


def get_model_compatibility_for_ep_devices(devices: Sequence[OrtEpDevice],
                                           info: str) -> OrtCompiledModelCompatibility:
    """How well a compiled model fits devices of one provider; `info` is of
    `get_compatibility_info_from_model`."""
    array = addresses([device._address for device in devices])
    return OrtCompiledModelCompatibility(
        get_int(lib.OrtGetModelCompatibilityForEpDevices, array, len(devices), encode(info)))
