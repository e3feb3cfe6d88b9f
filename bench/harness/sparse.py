# SPDX-License-Identifier: MIT
"""Two models that differ in the size of their weights only: 64 tables in one sparse file.

  rows: int64 [4]; y: float [4,256], the sum of these rows of all tables

grow_small has 100 MB of weights, grow_large 10 GB. Each table begins with a number of its own, so
that no two are the same bytes; the rest is a hole and takes no place on the disk.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper

TABLES = 64
WIDTH = 256
BYTES = {"grow_small": 100 << 20, "grow_large": 10 << 30}


def weight_bytes(file, is_small):
    return BYTES[file] // (1024 if is_small else 1)


def write(folder, file, is_small):
    path = os.path.join(folder, file + ".onnx")
    rows = max(4, weight_bytes(file, is_small) // (TABLES * WIDTH * 4))
    size = rows * WIDTH * 4
    size_aligned = -(-size // 4096) * 4096
    data = os.path.join(folder, file + ".bin")
    if os.path.exists(path) and os.path.exists(data) and \
            os.path.getsize(data) == size_aligned * TABLES:
        return
    os.makedirs(folder, exist_ok=True)
    with open(data, "wb") as out:
        for i in range(TABLES):
            out.seek(i * size_aligned)
            out.write(np.float32(i + 1).tobytes())
        out.truncate(size_aligned * TABLES)
    np.save(os.path.join(folder, f"{file}.rows.npy"), np.array([0, 1, 2, rows - 1], np.int64))
    onnx.save(_model(file, rows, size, size_aligned), path)


def _model(file, rows, size, size_aligned):
    tensors, nodes = [], []
    for i in range(TABLES):
        tensor = TensorProto(name=f"table.{i}", dims=[rows, WIDTH], data_type=TensorProto.FLOAT,
                             data_location=TensorProto.EXTERNAL)
        for key, value in (("location", file + ".bin"), ("offset", i * size_aligned),
                           ("length", size)):
            tensor.external_data.add(key=key, value=str(value))
        tensors.append(tensor)
        nodes.append(helper.make_node("Gather", [tensor.name, "rows"], [f"part.{i}"], axis=0))
    nodes.append(helper.make_node("Sum", [f"part.{i}" for i in range(TABLES)], ["y"]))
    graph = helper.make_graph(
        nodes, file, [helper.make_tensor_value_info("rows", TensorProto.INT64, [4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, WIDTH])], tensors)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
