#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Lists the external initializers that all models have: shared_list.py LIST MODEL MODEL ...

One line each, as the driver's --shared wants it: name, type, dims, file, offset, length.
"""

import os
import sys

import onnx
from onnx import TensorProto, numpy_helper


def external_initializers(path):
    folder = os.path.dirname(os.path.abspath(path))
    found = {}
    for tensor in onnx.load(path, load_external_data=False).graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            place = {entry.key: entry.value for entry in tensor.external_data}
            found[tensor.name] = (str(tensor.data_type), ",".join(map(str, tensor.dims)),
                                  os.path.join(folder, place["location"]),
                                  place.get("offset", "0"), place["length"])
    return found


def weight_bytes(path):
    """Bytes of all initializers, those inside the model and those beside it."""
    total = 0
    for tensor in onnx.load(path, load_external_data=False).graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            total += int({e.key: e.value for e in tensor.external_data}["length"])
        else:
            total += numpy_helper.to_array(tensor).nbytes
    return total


def main():
    target, *models = sys.argv[1:]
    tables = [external_initializers(path) for path in models]
    with open(target, "w", encoding="utf-8") as file:
        for name, parts in tables[0].items():
            if all(table.get(name) == parts for table in tables[1:]):
                file.write("\t".join((name, *parts)) + "\n")


if __name__ == "__main__":
    main()
