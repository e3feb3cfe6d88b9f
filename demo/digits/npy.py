# SPDX-License-Identifier: MIT
"""Reads .npy files in plain Python: little-endian numbers in C order, nothing else."""

import ast
import math
import struct

_FORMATS = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|u1": "B", "|i1": "b"}


def read_npy(path):
    """Returns (shape, flat list of numbers); ValueError when the file is anything else."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY" or len(data) < 12:
        raise ValueError(f"{path} is not a .npy file")
    if data[6] == 1:
        length, start = struct.unpack_from("<H", data, 8)[0], 10
    else:
        length, start = struct.unpack_from("<I", data, 8)[0], 12
    header = ast.literal_eval(data[start : start + length].decode("latin-1"))
    shape = header["shape"]
    if header["descr"] not in _FORMATS or (header["fortran_order"] and len(shape) > 1):
        raise ValueError(f"{path} holds {header}, which this reader does not know")
    count, code = math.prod(shape), _FORMATS[header["descr"]]
    if len(data) - start - length != count * struct.calcsize(code):
        raise ValueError(f"{path} does not hold the {count} elements its header promises")
    return shape, list(struct.unpack_from(f"<{count}{code}", data, start + length))


def rows_of(path, row_shape):
    """The rows of an array [n, *row_shape], each as a flat list."""
    shape, values = read_npy(path)
    if tuple(shape[1:]) != tuple(row_shape):
        raise ValueError(f"{path} has shape {list(shape)}, expected [n, {row_shape}]")
    size = math.prod(row_shape)
    return [values[i : i + size] for i in range(0, len(values), size)]
