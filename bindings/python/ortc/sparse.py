# SPDX-License-Identifier: MIT
"""Sparse tensors: the shape of a dense tensor, and those of its elements that are there.

Places by format: COO has for each value its position in row-major order, or its row and column; CSR
has for each value its column, and for each row, and the end, the number of values before it; block
sparse has for n blocks of values their rows and columns ([2, n]), counted as the program likes.
"""

import ctypes
from typing import Any, NamedTuple, Sequence, Tuple

from ortc._core.dtypes import dtype_of, element_type_of, require_numpy, row_major
from ortc._core.handles import create, decode, default_allocator, get_int, int64s
from ortc._core.text_tensors import as_bytes, read
from ortc._native import lib
from ortc.enums import ONNXTensorElementDataType, OrtSparseFormat, OrtSparseIndicesFormat
from ortc.errors import InvalidArgument
from ortc.memory import cpu_memory
from ortc.type_info import taken_tensor_info
from ortc.value import OrtValue

STRING = ONNXTensorElementDataType.STRING


class CsrIndices(NamedTuple):
    """Columns of the values, and where each row starts."""

    inner: Any
    outer: Any


class _View:
    """Shows numpy memory of the library, and keeps it."""

    def __init__(self, keeps: Any, address: int, shape: Tuple[int, ...], dtype: Any):
        self.keeps = keeps
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str,
                                    "data": (address, True)}


class SparseTensor:
    """A sparse tensor. `ortvalue` is the value for runs; `session.run` takes this object too.

    The functions that make one copy values and places, unless `in_place` says that the arrays are
    used as they are; they are kept then.
    """

    def __init__(self, ortvalue: OrtValue):
        self._value = ortvalue

    @property
    def ortvalue(self) -> OrtValue:
        return self._value

    # Making.

    @staticmethod
    def sparse_coo_from_numpy(dense_shape: Sequence[int], values: Any, coo_indices: Any,
                              in_place: bool = False) -> "SparseTensor":
        """Values at positions ([n]) or at rows and columns ([n, 2])."""
        numpy = require_numpy("SparseTensor")
        indices = numpy.ascontiguousarray(coo_indices, dtype=numpy.int64)
        values = row_major(numpy.ascontiguousarray(values))
        if in_place:
            value = _over(dense_shape, values, indices)
            lib.OrtUseCooIndices(value._address, indices.ctypes.data, indices.size)
            return SparseTensor(value)
        value = _empty(dense_shape, values)
        shape, rank = int64s(values.shape)
        data, _kept = _data(values)
        lib.OrtFillSparseTensorCoo(value._address, cpu_memory(), shape, rank, data,
                                   indices.ctypes.data, indices.size)
        return SparseTensor(value)

    @staticmethod
    def sparse_csr_from_numpy(dense_shape: Sequence[int], values: Any, inner_indices: Any,
                              outer_indices: Any, in_place: bool = False) -> "SparseTensor":
        """A matrix by rows: columns, and where each row starts."""
        numpy = require_numpy("SparseTensor")
        inner = numpy.ascontiguousarray(inner_indices, dtype=numpy.int64)
        outer = numpy.ascontiguousarray(outer_indices, dtype=numpy.int64)
        values = row_major(numpy.ascontiguousarray(values))
        if in_place:
            value = _over(dense_shape, values, (inner, outer))
            lib.OrtUseCsrIndices(value._address, inner.ctypes.data, inner.size, outer.ctypes.data,
                                 outer.size)
            return SparseTensor(value)
        value = _empty(dense_shape, values)
        shape, rank = int64s(values.shape)
        data, _kept = _data(values)
        lib.OrtFillSparseTensorCsr(value._address, cpu_memory(), shape, rank, data,
                                   inner.ctypes.data, inner.size, outer.ctypes.data, outer.size)
        return SparseTensor(value)

    @staticmethod
    def sparse_blocks_from_numpy(dense_shape: Sequence[int], values: Any, indices: Any,
                                 in_place: bool = False) -> "SparseTensor":
        """Blocks of values and their rows and columns, int32 of shape [2, n]."""
        numpy = require_numpy("SparseTensor")
        places = numpy.ascontiguousarray(indices, dtype=numpy.int32)
        values = row_major(numpy.ascontiguousarray(values))
        place_shape, place_rank = int64s(places.shape)
        if in_place:
            value = _over(dense_shape, values, places)
            lib.OrtUseBlockSparseIndices(value._address, place_shape, place_rank,
                                         places.ctypes.data)
            return SparseTensor(value)
        value = _empty(dense_shape, values)
        shape, rank = int64s(values.shape)
        data, _kept = _data(values)
        lib.OrtFillSparseTensorBlockSparse(value._address, cpu_memory(), shape, rank, data,
                                           place_shape, place_rank, places.ctypes.data)
        return SparseTensor(value)

    # Asking.

    def format(self) -> OrtSparseFormat:
        """How it says where its values belong."""
        return OrtSparseFormat(get_int(lib.OrtGetSparseTensorFormat, self._value._address))

    def dense_shape(self) -> Tuple[int, ...]:
        """Of the dense tensor it stands for."""
        return self._value._kind_and_shape()[1]

    def data_type(self) -> str:
        """As "sparse_tensor(float)"."""
        return self._value.data_type()

    def values(self) -> Any:
        """The values, as an array over the tensor's memory; texts are copied."""
        numpy = require_numpy("SparseTensor.values()")
        kind, shape = taken_tensor_info(create(lib.OrtGetSparseTensorValuesTypeAndShape,
                                               self._value._address))
        sizes = tuple(int(size or 0) for size in shape or ())
        if kind == STRING:
            count = int(numpy.prod(sizes))
            texts = [decode(text) for text in read(self._value._address, count)]
            return numpy.array(texts, dtype=object).reshape(sizes)
        address = create(lib.OrtGetSparseTensorValues, self._value._address)
        return numpy.asarray(_View(self._value, address, sizes, dtype_of(kind)))

    def coo_indices(self) -> Any:
        """Positions ([n]), or rows and columns ([n, 2])."""
        return self._indices(OrtSparseIndicesFormat.ORT_SPARSE_COO_INDICES)

    def csr_indices(self) -> CsrIndices:
        """Columns of the values, and where each row starts."""
        return CsrIndices(self._indices(OrtSparseIndicesFormat.ORT_SPARSE_CSR_INNER_INDICES),
                          self._indices(OrtSparseIndicesFormat.ORT_SPARSE_CSR_OUTER_INDICES))

    def block_indices(self) -> Any:
        """Coordinates of blocks."""
        return self._indices(OrtSparseIndicesFormat.ORT_SPARSE_BLOCK_SPARSE_INDICES)

    def _indices(self, which: OrtSparseIndicesFormat) -> Any:
        numpy = require_numpy("indices of a SparseTensor")
        address = self._value._address
        kind, shape = taken_tensor_info(create(lib.OrtGetSparseTensorIndicesTypeShape, address,
                                               which))
        count, data = ctypes.c_size_t(), ctypes.c_void_p()
        lib.OrtGetSparseTensorIndices(address, which, ctypes.byref(count), ctypes.byref(data))
        sizes = tuple(int(size or 0) for size in shape or (count.value,))
        return numpy.asarray(_View(self._value, data.value or 0, sizes, dtype_of(kind)))


def _empty(dense_shape: Sequence[int], values: Any) -> OrtValue:
    shape, rank = int64s(dense_shape)
    return OrtValue(create(lib.OrtCreateSparseTensorAsOrtValue, default_allocator(), shape, rank,
                           element_type_of(values.dtype)))


def _over(dense_shape: Sequence[int], values: Any, indices: Any) -> OrtValue:
    """A tensor over values of the program, which it keeps together with their places."""
    shape, rank = int64s(dense_shape)
    sizes, count = int64s(values.shape)
    return OrtValue(create(lib.OrtCreateSparseTensorWithValuesAsOrtValue, cpu_memory(),
                           values.ctypes.data, shape, rank, sizes, count,
                           element_type_of(values.dtype)), (values, indices))


def _data(values: Any) -> Tuple[Any, Any]:
    """The values for C, and what must live as long as the call."""
    if element_type_of(values.dtype) != STRING:
        return values.ctypes.data, values
    texts = [as_bytes(text) for text in values.ravel().tolist()]
    if any(b"\0" in text for text in texts):
        raise InvalidArgument("a text of a sparse tensor cannot have a zero character in it")
    return (ctypes.c_char_p * len(texts))(*texts), texts
