# SPDX-License-Identifier: MIT
"""Memory and semaphores that others made, such as a graphics interface, on a device."""

import ctypes
from typing import Any, Sequence

from ortc._core.dtypes import as_element_type
from ortc._core.handles import Handle, Native, create, fitting_size, get_bool, int64s
from ortc._core.interop_structs import (VERSION, MemoryDescriptor, SemaphoreDescriptor,
                                        TensorDescriptor)
from ortc._native import lib
from ortc.devices import OrtEpDevice
from ortc.enums import OrtExternalMemoryHandleType, OrtExternalSemaphoreType
from ortc.run_options import SyncStream
from ortc.value import OrtValue


class ExternalMemory(Native):
    """Imported memory. Tensors in it keep what they need of it."""

    def __init__(self, handle: Handle, handle_type: OrtExternalMemoryHandleType, size: int):
        self._handle = handle
        self.handle_type = handle_type
        #: The bytes of the part that was imported.
        self.size = size


class ExternalSemaphore(Native):
    """An imported semaphore. Streams that wait for it, or set it, keep it."""

    def __init__(self, handle: Handle, semaphore_type: OrtExternalSemaphoreType):
        self._handle = handle
        self.semaphore_type = semaphore_type


class ExternalResourceImporter(Native):
    """Imports memory and semaphores for a device without a copy.

        with ortc.ExternalResourceImporter(device) as importer:
            memory = importer.import_memory(Kind.VK_MEMORY_OPAQUE_FD, file, 4096)
            x = importer.create_tensor(memory, [1, 2], "float")

    Devices whose library imports nothing are NotImplemented. One thread at a time may use it; what
    it made stays after its end. Native handles are numbers: file descriptors, or addresses.
    """

    def __init__(self, ep_device: OrtEpDevice):
        self._handle = Handle(
            create(lib.OrtCreateExternalResourceImporterForDevice, ep_device._address),
            lib.OrtReleaseExternalResourceImporter, ep_device)

    def can_import_memory(self, handle_type: OrtExternalMemoryHandleType) -> bool:
        """Whether handles of memory of that type can be imported."""
        return get_bool(lib.OrtCanImportMemory, self._native, handle_type)

    def import_memory(self, handle_type: OrtExternalMemoryHandleType, native_handle: int, size: int,
                      offset: int = 0) -> ExternalMemory:
        """Imports memory of `size` bytes, from `offset` on. Who owns the native handle afterwards is
        the library's to say; libraries on Linux make a descriptor of their own."""
        what = MemoryDescriptor(VERSION, handle_type, native_handle, fitting_size("size", size),
                                 fitting_size("offset", offset))
        address = create(lib.OrtImportMemory, self._native, ctypes.byref(what))
        return ExternalMemory(Handle(address, lib.OrtReleaseExternalMemoryHandle),
                              OrtExternalMemoryHandleType(handle_type), size - offset)

    def create_tensor(self, memory: ExternalMemory, shape: Sequence[int], element_type: Any,
                      offset: int = 0) -> OrtValue:
        """A tensor in imported memory, `offset` bytes from where the import begins; `element_type`
        may be a dtype, ONNX's word ("float", "bfloat16") or an enumerator.

        Who reads and writes it when is the program's to order: with semaphores.
        """
        sizes, rank = int64s(shape)
        what = TensorDescriptor(VERSION, as_element_type(element_type),
                                 ctypes.cast(sizes, ctypes.c_void_p), rank,
                                 fitting_size("offset", offset))
        return OrtValue(create(lib.OrtCreateTensorFromMemory, self._native, memory._native,
                               ctypes.byref(what)))

    def can_import_semaphore(self, semaphore_type: OrtExternalSemaphoreType) -> bool:
        """Whether handles of semaphores of that type can be imported."""
        return get_bool(lib.OrtCanImportSemaphore, self._native, semaphore_type)

    def import_semaphore(self, semaphore_type: OrtExternalSemaphoreType,
                         native_handle: int) -> ExternalSemaphore:
        """Imports a semaphore. Who owns the native handle afterwards is the library's to say."""
        what = SemaphoreDescriptor(VERSION, semaphore_type, native_handle)
        address = create(lib.OrtImportSemaphore, self._native, ctypes.byref(what))
        return ExternalSemaphore(Handle(address, lib.OrtReleaseExternalSemaphoreHandle),
                                 OrtExternalSemaphoreType(semaphore_type))

    def wait_semaphore(self, semaphore: ExternalSemaphore, stream: SyncStream, value: int) -> None:
        """Lets what is added to the stream afterwards wait until the semaphore has this value, or a
        greater one."""
        stream._use(semaphore._native)
        lib.OrtWaitSemaphore(self._native, semaphore._native, stream._native,
                             fitting_size("value", value))

    def signal_semaphore(self, semaphore: ExternalSemaphore, stream: SyncStream,
                         value: int) -> None:
        """Lets the stream set the semaphore to this value when it has done what was added before."""
        stream._use(semaphore._native)
        lib.OrtSignalSemaphore(self._native, semaphore._native, stream._native,
                               fitting_size("value", value))
