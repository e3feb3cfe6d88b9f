# SPDX-License-Identifier: MIT
"""Values: what goes into a run and comes out of it.

A tensor over a numpy array shares the array's memory, and `numpy()` shares the tensor's: nothing is
copied either way, and each keeps the other's memory alive.
"""

import ctypes
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ortc._core import dlpack, dtypes, text_tensors
from ortc._core.dtypes import (FROM_ONNX, ONNX_WORDS, TYPESTR, as_element_type, bytes_of, dtype_of,
                               element_type_of, require_numpy)
from ortc._core.handles import (addresses, create, default_allocator, encode, fitting, get_int,
                                get_size, int64s)
from ortc._native import lib
from ortc.enums import (ONNXTensorElementDataType, ONNXType, OrtDeviceMemoryType,
                        OrtMemoryInfoDeviceType)
from ortc.errors import InvalidArgument
from ortc.memory import Allocator, MemoryBlock, OrtMemoryInfo, cpu_memory
from ortc.type_info import TypeInfo, native_type, taken_tensor_info, taken_type

STRING = ONNXTensorElementDataType.STRING
# numpy wants an address, also of no elements, which other libraries may have at none.
_NO_ELEMENTS = ctypes.c_char()
_NO_ELEMENTS_AT = ctypes.addressof(_NO_ELEMENTS)
_create_over_memory = lib.OrtCreateTensorWithDataAsOrtValue
_get_data = lib.OrtGetTensorData
_get_device_type = lib.OrtMemoryInfoGetDeviceType
_get_type_and_shape = lib.OrtGetTensorElementTypeAndShapeDataReference


class OrtValue:
    """A tensor, a sequence, a map, or nothing. Ends with its last reference; arrays and memory
    views of it count. Threads may read one at the same time while none writes."""

    __slots__ = ("_address", "_keeps", "_read_only", "_borrowed", "_lent", "__weakref__")

    def __init__(self, address: int, keeps: Any = None, read_only: bool = False,
                 borrowed: bool = False, lent: bool = False):
        self._address = address
        self._keeps = keeps
        self._read_only = read_only
        self._borrowed = borrowed or lent
        self._lent = lent  # to a callback: ends with the call, so what looks at it is a copy

    def __del__(self, _release: Any = lib.OrtReleaseValue) -> None:
        if not self._borrowed:
            _release(self._address)

    # Making tensors.

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: Any, device_type: str = "cpu",
                            device_id: int = 0) -> "OrtValue":
        """A tensor over an array's memory. Arrays that do not lie in row-major order are copied,
        and so are texts."""
        check_device(device_type, device_id)
        return from_array(numpy_obj)

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: Any, onnx_element_type: int,
                                           shape: Optional[Sequence[int]] = None) -> "OrtValue":
        """A tensor over an array that holds the bits of elements numpy has no type for.

        `onnx_element_type` is a number of onnx.TensorProto. With elements below a byte `data` is
        uint8, in which they are packed, and `shape` is needed.
        """
        kind = FROM_ONNX.get(onnx_element_type) or ONNXTensorElementDataType(onnx_element_type)
        return over_bits(data, kind, shape)

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: Any,
                                     device_type: str = "cpu", device_id: int = 0) -> "OrtValue":
        """A tensor with memory of its own; numbers start undefined, texts empty. `element_type` may
        be a dtype, ONNX's word ("float", "bfloat16") or an enumerator."""
        check_device(device_type, device_id)
        sizes, rank = int64s(shape)
        return OrtValue(create(lib.OrtCreateTensorAsOrtValue, default_allocator(), sizes, rank,
                               as_element_type(element_type)))

    @staticmethod
    def from_memory(block: MemoryBlock, shape: Sequence[int], element_type: Any) -> "OrtValue":
        """A tensor that takes a block of memory over."""
        sizes, rank = int64s(shape)
        allocator = block._allocator
        value = OrtValue(create(lib.OrtCreateTensorWithDataAndDeleterAsOrtValue,
                                allocator.address, block.address, block.size, sizes, rank,
                                as_element_type(element_type)), allocator)
        block.detach(value)
        return value

    @staticmethod
    def from_dlpack(data: Any) -> "OrtValue":
        """A tensor over what another library has in memory of the processor; nothing is copied."""
        tensor = dlpack.receive(data)
        sizes, rank = int64s(tensor.shape)
        return OrtValue(create(_create_over_memory, cpu_memory(), tensor.address, tensor.size,
                               sizes, rank, tensor.element_type), tensor, tensor.read_only)

    # Making other kinds.

    @staticmethod
    def sequence(values: Sequence["OrtValue"]) -> "OrtValue":
        """A sequence of copies of tensors or maps; not empty."""
        array = addresses([value._address for value in values])
        return OrtValue(create(lib.OrtCreateValue, array, len(values), ONNXType.SEQUENCE))

    @staticmethod
    def map(keys: "OrtValue", values: "OrtValue") -> "OrtValue":
        """A map: copies of two tensors of one dimension, its keys and its values."""
        array = addresses([keys._address, values._address])
        return OrtValue(create(lib.OrtCreateValue, array, 2, ONNXType.MAP))

    @staticmethod
    def empty(kind: TypeInfo) -> "OrtValue":
        """A sequence without elements, or an optional without content."""
        return OrtValue(create(lib.OrtCreateEmptyValue, native_type(kind)))

    @staticmethod
    def opaque(domain: str, type_name: str, data: bytes) -> "OrtValue":
        """Would be a value of a type that only the program knows: always NotImplemented."""
        return OrtValue(create(lib.OrtCreateOpaqueValue, encode(domain), encode(type_name), data,
                               len(data)))

    # Asking.

    def value_type(self) -> ONNXType:
        """What kind of value it is; an optional is what it contains."""
        return ONNXType(get_int(lib.OrtGetValueType, self._address))

    def type_info(self) -> Optional[TypeInfo]:
        """Its type; None for a value without content."""
        address = create(lib.OrtGetTypeInfo, self._address)
        return taken_type(address) if address else None

    def data_type(self) -> str:
        """Its type as ONNX writes it, as "tensor(float)"."""
        return str(self.type_info() or "undefined")

    def is_tensor(self) -> bool:
        return get_int(lib.OrtIsTensor, self._address) == 1

    def is_sparse_tensor(self) -> bool:
        return get_int(lib.OrtIsSparseTensor, self._address) == 1

    def is_tensor_sequence(self) -> bool:
        kind = self.type_info()
        return (kind is not None and kind.kind == ONNXType.SEQUENCE and kind.element is not None
                and kind.element.kind == ONNXType.TENSOR)

    def has_value(self) -> bool:
        """Whether there is content: an optional may have none."""
        return get_int(lib.OrtHasValue, self._address) == 1

    def element_type(self) -> ONNXTensorElementDataType:
        """The type of a tensor's elements."""
        return taken_tensor_info(create(lib.OrtGetTensorTypeAndShape, self._address))[0]

    def shape(self) -> List[int]:
        """The sizes of a tensor's dimensions; [] for a scalar."""
        return list(self._kind_and_shape()[1])

    def tensor_size_in_bytes(self) -> int:
        """The bytes of a tensor's elements; those below a byte are packed."""
        return get_size(lib.OrtGetTensorSizeInBytes, self._address)

    def data_ptr(self) -> int:
        """The address of a tensor's first element."""
        function = _get_data if self._read_only else lib.OrtGetTensorMutableData
        return create(function, self._address)

    def _target(self) -> int:
        """The value's own address, for calls that write its elements."""
        if self._read_only:
            raise InvalidArgument("the tensor's memory is read-only: nothing can be written to it")
        return self._address

    def _host_data(self) -> int:
        """The address of elements that this process may read."""
        memory = create(lib.OrtGetTensorMemoryInfo, self._address)
        if (get_int(_get_device_type, memory) != OrtMemoryInfoDeviceType.CPU
                and lib.OrtMemoryInfoGetDeviceMemType(memory) != OrtDeviceMemoryType.HOST_ACCESSIBLE):
            raise InvalidArgument(f"the tensor lies in memory '{self.memory_info().name}' of a "
                                  "device: copy it to one of the host first")
        return create(_get_data, self._address)

    def memory_info(self) -> OrtMemoryInfo:
        """Where a tensor's elements lie."""
        return OrtMemoryInfo.borrowed(create(lib.OrtGetTensorMemoryInfo, self._address), self)

    def device_name(self) -> str:
        return self.memory_info().name.lower()

    def element_address(self, *location: int) -> int:
        """The address of one element, by its index in each dimension."""
        indices, rank = int64s(location, "location")
        return create(lib.OrtTensorAt, self._address, indices, rank)

    def opaque_data(self, domain: str, type_name: str, size: int) -> bytes:
        """Would show a value of a type that only the program knows: always NotImplemented."""
        buffer = ctypes.create_string_buffer(max(size, 1))
        lib.OrtGetOpaqueValue(encode(domain), encode(type_name), self._address, buffer, size)
        return buffer.raw[:size]

    def _kind_and_shape(self) -> Tuple[int, Tuple[int, ...]]:
        kind, sizes, rank = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_size_t()
        _get_type_and_shape(self._address, ctypes.byref(kind), ctypes.byref(sizes),
                            ctypes.byref(rank))
        if not rank.value:
            return kind.value, ()
        return kind.value, tuple((ctypes.c_int64 * rank.value).from_address(sizes.value or 0))

    # What is in it.

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        if not self._lent and self.is_tensor():
            kind, shape = self._kind_and_shape()
            if kind != STRING:
                return self._interface(kind, shape)
        raise AttributeError("no array lies in memory here")

    def _interface(self, kind: int, shape: Tuple[int, ...]) -> Dict[str, Any]:
        if dtypes.BITS[kind] < 8:
            shape = (bytes_of(kind, math.prod(shape)),)
        return {"version": 3, "shape": shape, "typestr": TYPESTR[kind],
                "data": (self._host_data() or _NO_ELEMENTS_AT, self._read_only)}

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        array = self.numpy()
        if not hasattr(array, "dtype"):
            raise TypeError(f"a value of type {self.data_type()} is not an array")
        copied = self._lent or array.dtype == object
        converted = dtype is not None and array.dtype != dtype
        if copy is False and (copied or converted):
            raise ValueError("an array over the value's memory is not to be had without a copy")
        if converted:
            return array.astype(dtype)
        return array.copy() if copy and not copied else array

    def numpy(self) -> Any:
        """The content: of a tensor an array over its memory, of texts an array of str, of a
        sequence a list, of a map a dict; None without content.

        Elements that numpy has no type for come as their bits: bfloat16 as uint16, 8-bit floats as
        uint8, those below a byte packed in one dimension of uint8 (`float32()` converts).
        """
        numpy = require_numpy("OrtValue.numpy()")
        if not self.is_tensor():
            return self._contained()
        kind, shape = self._kind_and_shape()
        if kind != STRING:
            array = numpy.asarray(_Elements(self, kind, shape))
            return array.copy() if self._lent else array
        texts = [item.decode("utf-8", "surrogateescape") for item in self.texts()]
        array = numpy.empty(len(texts), dtype=object)
        array[:] = texts
        return array.reshape(shape)

    def _contained(self) -> Any:
        kind = self.value_type() if self.has_value() else ONNXType.UNKNOWN
        if kind == ONNXType.SEQUENCE:
            return [item.numpy() for item in self.items()]
        if kind == ONNXType.MAP:
            keys, values = self.items()
            return dict(zip(keys.numpy().tolist(), values.numpy().tolist()))
        if kind == ONNXType.SPARSETENSOR:
            from ortc.sparse import SparseTensor
            return SparseTensor(self)
        return None

    def float32(self) -> Any:
        """The elements of a float16 or bfloat16 tensor as an array of float32."""
        kind, _ = self._kind_and_shape()
        array = dtypes.float32_of(self.numpy(), kind)
        if array is None:
            raise InvalidArgument(f"float32() is for float16 and bfloat16, not {ONNX_WORDS[kind]}")
        return array

    def memory(self) -> memoryview:
        """A tensor's bytes, for reading and, unless they belong to a model, for writing."""
        size = self.tensor_size_in_bytes()
        if self._lent:
            return memoryview(ctypes.string_at(self._host_data(), size))
        array = (ctypes.c_ubyte * size)() if not size else (
            ctypes.c_ubyte * size).from_address(self._host_data())
        array._value = self  # type: ignore[attr-defined]
        view = memoryview(array).cast("B")
        return view.toreadonly() if self._read_only else view

    def __buffer__(self, _flags: int) -> memoryview:
        return self.memory()

    def __dlpack__(self, stream: Any = None, *, max_version: Any = None,
                   dl_device: Optional[Tuple[int, int]] = None,
                   copy: Optional[bool] = None) -> Any:
        kind, shape = self._kind_and_shape()
        dlpack.check(kind, dl_device)
        if copy:
            copied = OrtValue.ortvalue_from_shape_and_type(shape, kind)
            ctypes.memmove(copied.data_ptr(), self._host_data(), self.tensor_size_in_bytes())
            return copied.__dlpack__()
        if self._read_only:
            raise BufferError("the elements belong to a model and cannot be written")
        return dlpack.give(self, self._host_data(), kind, shape)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return dlpack.CPU, 0

    def __len__(self) -> int:
        """The elements of a sequence; 2 for a map; the first dimension of a tensor."""
        if self.is_tensor():
            shape = self.shape()
            if not shape:
                raise TypeError("a scalar has no length")
            return shape[0]
        return get_size(lib.OrtGetValueCount, self._address)

    def items(self) -> List["OrtValue"]:
        """Copies of the elements of a sequence; of a map two tensors, its keys, which ascend, and
        its values."""
        return [self.item(index) for index in range(get_size(lib.OrtGetValueCount, self._address))]

    def item(self, index: int, allocator: Optional[Allocator] = None) -> "OrtValue":
        """A copy of one element of a sequence; of a map 0 gives its keys and 1 its values."""
        where = allocator._native if allocator else default_allocator()
        return OrtValue(create(lib.OrtGetValue, self._address, fitting("index", index, 32), where),
                        allocator)

    # Texts.

    def texts(self) -> List[bytes]:
        """The elements of a tensor of texts, in row-major order."""
        return text_tensors.read(self._address, math.prod(self._kind_and_shape()[1]))

    def text(self, index: int) -> bytes:
        """One element of a tensor of texts, counted in row-major order."""
        return text_tensors.read_element(self._address, index)

    def set_text(self, index: int, text: Union[str, bytes]) -> None:
        """Sets one element of a tensor of texts, counted in row-major order."""
        text_tensors.fill_element(self._target(), index, text)

    def update_inplace(self, array: Any) -> None:
        """Copies an array of the same type and shape into a tensor."""
        address = self._target()
        target = self.numpy()
        array = require_numpy("update_inplace").asarray(array)
        if array.dtype.kind in "SU":
            array = array.astype(object)
        if target.dtype != array.dtype or target.shape != array.shape:
            raise InvalidArgument(f"expected an array of {target.dtype} and shape {target.shape}, "
                                  f"found {array.dtype} and {array.shape}")
        if target.dtype == object:
            text_tensors.fill(address, array.ravel().tolist())
        else:
            target[...] = array

    def __repr__(self) -> str:
        if not self.has_value():
            return "OrtValue(no content)"
        shape = f", shape={self.shape()}" if self.is_tensor() else ""
        return f"OrtValue({self.data_type()}{shape})"


class _Elements:
    """Shows numpy the elements of a tensor. The value itself is a sequence to numpy as well."""

    __slots__ = ("value", "__array_interface__")

    def __init__(self, value: OrtValue, kind: int, shape: Tuple[int, ...]):
        self.value = value
        self.__array_interface__ = value._interface(kind, shape)


def check_device(device_type: str, device_id: int) -> None:
    if device_type.lower() != "cpu" or device_id != 0:
        raise InvalidArgument(f"there is no device {device_type}:{device_id}, only cpu:0")


def from_array(array: Any) -> OrtValue:
    """A tensor over an array's memory; of texts, and of arrays in another order, a copy."""
    if type(array) is not dtypes.ARRAY:
        array = require_numpy("a tensor of an array").asarray(array)
    kind = element_type_of(array.dtype)
    if kind == STRING:
        return _texts_of(array)
    if not array.flags.c_contiguous or not array.dtype.isnative:
        array = dtypes.row_major(array)
    return over_array(array, kind, array.shape)


def over_array(array: Any, kind: int, shape: Sequence[int]) -> OrtValue:
    """A tensor over an array in row-major order."""
    rank = len(shape)
    out = ctypes.c_void_p()
    interface = array.__array_interface__["data"]
    _create_over_memory(cpu_memory(), interface[0], array.nbytes, (ctypes.c_int64 * rank)(*shape),
                        rank, kind, ctypes.byref(out))
    return OrtValue(out.value or 0, array, interface[1])


def over_memory(value: OrtValue, kind: int, shape: Sequence[int]) -> OrtValue:
    """A second tensor over the elements of a tensor, which it keeps."""
    sizes, rank = int64s(shape)
    return OrtValue(create(_create_over_memory, cpu_memory(), value._host_data(),
                           value.tensor_size_in_bytes(), sizes, rank, kind), value,
                    value._read_only)


def over_bits(data: Any, kind: ONNXTensorElementDataType,
              shape: Optional[Sequence[int]] = None) -> OrtValue:
    """A tensor over an array that holds the bits of its elements."""
    array = dtypes.row_major(require_numpy("a tensor of an array").asarray(data))
    if not dtypes.holds_bits(array.dtype, kind):
        raise InvalidArgument(f"the bits of {ONNX_WORDS[kind]} come as an array of "
                              f"{dtype_of(kind)}, not {array.dtype}")
    if shape is None:
        if dtypes.BITS[kind] < 8:
            raise InvalidArgument(f"elements of {ONNX_WORDS[kind]} are packed: say the shape")
        shape = array.shape
    return over_array(array, kind, shape)


def _texts_of(array: Any) -> OrtValue:
    value = OrtValue.ortvalue_from_shape_and_type(array.shape, STRING)
    if array.size:
        text_tensors.fill(value._address, array.ravel().tolist())
    return value


def from_object(item: Any, kind: Optional[TypeInfo]) -> OrtValue:
    """A value of what a program has: an array, numbers, texts; lists and dicts where `kind` says
    sequence or map. Lists of numbers become what `kind` says, bfloat16 too; arrays stay what they
    are, but for bits of a type that numpy does not have."""
    if isinstance(item, OrtValue):
        return item
    if kind is not None and kind.kind == ONNXType.TENSOR and isinstance(item, dtypes.ARRAY):
        wanted = kind.element_type
        if wanted in dtypes.AS_BITS and item.dtype.newbyteorder("=") == dtype_of(wanted):
            return over_bits(item, wanted)
        return from_array(item)
    if kind is not None and kind.kind == ONNXType.OPTIONAL and kind.element is not None:
        return OrtValue.empty(kind) if item is None else from_object(item, kind.element)
    if kind is not None and kind.kind == ONNXType.SEQUENCE:
        parts = [from_object(part, kind.element) for part in item]
        return OrtValue.sequence(parts) if parts else OrtValue.empty(kind)
    if kind is not None and kind.kind == ONNXType.MAP and isinstance(item, Mapping):
        return _map_of(item, kind)
    if isinstance(getattr(item, "ortvalue", None), OrtValue):  # a SparseTensor
        return item.ortvalue
    numpy = require_numpy("a tensor of an array")
    if not isinstance(item, numpy.ndarray) and not hasattr(item, "__array__"):
        if item is None:
            raise InvalidArgument("None is not a value for an input that is not an optional")
        if kind is not None and kind.element_type not in (None, STRING):
            return _of_numbers(item, kind.element_type)
        item = numpy.array(item)
    return from_array(item)


def _of_numbers(item: Any, kind: Any) -> OrtValue:
    if kind == ONNXTensorElementDataType.BFLOAT16:
        return over_bits(dtypes.bfloat16_bits(item), kind)
    if kind in dtypes.AS_BITS or dtypes.BITS[kind] < 8:
        # As numbers of uint8 they would be taken for the bits.
        raise InvalidArgument(f"numbers are not converted to {ONNX_WORDS[kind]}: give their bits, "
                              "with OrtValue.ortvalue_from_numpy_with_onnx_type()")
    return from_array(require_numpy("a tensor of numbers").array(item, dtype=dtype_of(kind)))


def _map_of(item: Mapping[Any, Any], kind: TypeInfo) -> OrtValue:
    numpy = require_numpy("a map of a dict")
    inner = kind.element.element_type if kind.element else None
    keys = numpy.array(list(item), dtype=dtype_of(kind.element_type or 0))
    values = numpy.array(list(item.values()), dtype=dtype_of(inner) if inner else None)
    return OrtValue.map(from_array(keys), from_array(values))
