# SPDX-License-Identifier: MIT
"""ONNX Runtime's library behind its C interface, for tests that compare with it.

  Library(path).run(model, {name: array}, output_names) -> [array]
"""

import ctypes

import numpy as np

# Places in the table of functions (version 1 of the interface, they never change).
GET_ERROR_MESSAGE, CREATE_ENV, CREATE_SESSION, RUN, CREATE_SESSION_OPTIONS = 2, 3, 7, 9, 10
SET_THREADS, CREATE_TENSOR, TENSOR_DATA = 24, 49, 51
ELEMENT_TYPE, DIM_COUNT, DIMS, TYPE_AND_SHAPE, CPU_MEMORY = 60, 61, 62, 65, 69
RELEASE_SESSION, RELEASE_VALUE = 95, 96

TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64, 9: np.bool_,
         10: np.float16, 11: np.float64}
NUMBERS = {np.dtype(dtype): number for number, dtype in TYPES.items()}


class Failure(RuntimeError):
    """What the library answered instead of a result."""


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        library.OrtGetApiBase.restype = ctypes.POINTER(ctypes.c_void_p)
        get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(library.OrtGetApiBase()[0])
        self._table = ctypes.cast(get_api(1), ctypes.POINTER(ctypes.c_void_p))
        self._env, self._memory = ctypes.c_void_p(), ctypes.c_void_p()
        self._call(CREATE_ENV, ctypes.c_int(3), b"test", ctypes.byref(self._env))
        self._call(CPU_MEMORY, ctypes.c_int(0), ctypes.c_int(0), ctypes.byref(self._memory))

    def _function(self, place, result=ctypes.c_void_p):
        return ctypes.cast(self._table[place], ctypes.CFUNCTYPE(result))

    def _call(self, place, *arguments):
        status = self._function(place)(*arguments)
        if status:
            text = self._function(GET_ERROR_MESSAGE, ctypes.c_char_p)(ctypes.c_void_p(status))
            raise Failure(text.decode())

    def _tensor(self, array):
        value, dims = ctypes.c_void_p(), (ctypes.c_int64 * array.ndim)(*array.shape)
        self._call(CREATE_TENSOR, self._memory, array.ctypes.data_as(ctypes.c_void_p),
                   ctypes.c_size_t(array.nbytes), dims, ctypes.c_size_t(array.ndim),
                   ctypes.c_int(NUMBERS[array.dtype]), ctypes.byref(value))
        return value

    def _array(self, value):
        info, kind, rank = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_size_t()
        self._call(TYPE_AND_SHAPE, value, ctypes.byref(info))
        self._call(ELEMENT_TYPE, info, ctypes.byref(kind))
        self._call(DIM_COUNT, info, ctypes.byref(rank))
        dims = (ctypes.c_int64 * rank.value)()
        self._call(DIMS, info, dims, rank)
        data = ctypes.c_void_p()
        self._call(TENSOR_DATA, value, ctypes.byref(data))
        array = np.empty(tuple(dims), TYPES[kind.value])
        ctypes.memmove(array.ctypes.data, data.value, array.nbytes)
        return array

    def run(self, model, feeds, outputs):
        options, session = ctypes.c_void_p(), ctypes.c_void_p()
        self._call(CREATE_SESSION_OPTIONS, ctypes.byref(options))
        self._call(SET_THREADS, options, ctypes.c_int(1))
        self._call(CREATE_SESSION, self._env, model.encode(), options, ctypes.byref(session))
        arrays = [np.asarray(array, order="C") for array in feeds.values()]
        values = (ctypes.c_void_p * len(arrays))(*[self._tensor(a).value for a in arrays])
        names = (ctypes.c_char_p * len(feeds))(*[name.encode() for name in feeds])
        wanted = (ctypes.c_char_p * len(outputs))(*[name.encode() for name in outputs])
        found = (ctypes.c_void_p * len(outputs))()
        try:
            self._call(RUN, session, None, names, values, ctypes.c_size_t(len(arrays)), wanted,
                       ctypes.c_size_t(len(outputs)), found)
            return [self._array(ctypes.c_void_p(value)) for value in found]
        finally:
            for value in list(values) + list(found):
                self._function(RELEASE_VALUE, None)(ctypes.c_void_p(value))
            self._function(RELEASE_SESSION, None)(session)
