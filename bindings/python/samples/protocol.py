# SPDX-License-Identifier: MIT
"""The Open Inference Protocol's JSON, to and from arrays."""

import math

import numpy

DATATYPES = {"BOOL": "?", "INT8": "i1", "INT16": "i2", "INT32": "i4", "INT64": "i8", "UINT8": "u1",
             "UINT16": "u2", "UINT32": "u4", "UINT64": "u8", "FP16": "f2", "FP32": "f4",
             "FP64": "f8", "BYTES": "O"}
WORDS = {"BOOL": "bool", "FP16": "float16", "FP32": "float", "FP64": "double", "BYTES": "string"}
BY_WORD = {f"tensor({WORDS.get(name, name.lower())})": name for name in DATATYPES}
# What a datatype takes from JSON, by its kind in numpy.
TYPES = {"b": {bool}, "i": {int}, "u": {int}, "f": {int, float}, "O": {str}}
DEEPEST = 61  # lists in each other; with what is around them 64


class BadRequest(ValueError):
    """A request that does not fit the model, with what is wrong."""


def describe(name, session):
    """The answer to a question about a model."""
    def tensors(arguments):
        return [{"name": argument.name, "datatype": BY_WORD.get(argument.type, "UNKNOWN"),
                 "shape": [size if isinstance(size, int) else -1 for size in argument.shape]}
                for argument in arguments]

    return {"name": name, "versions": ["1"], "platform": "onnx",
            "inputs": tensors(session.get_inputs()), "outputs": tensors(session.get_outputs())}


def member(thing, name, kind, what):
    """A member of a JSON object that must be there and of a type."""
    if not isinstance(thing, dict) or not isinstance(thing.get(name), kind):
        raise BadRequest(f"{what} needs '{name}', a {kind.__name__}")
    return thing[name]


def flattened(data, name, depth=1):
    """The elements of nested lists, in their order."""
    if not any(isinstance(element, list) for element in data):
        return data
    if depth == DEEPEST:
        raise BadRequest(f"input '{name}': data is too deep")
    flat = []
    for element in data:
        if isinstance(element, list):
            flat += flattened(element, name, depth + 1)
        else:
            flat.append(element)
    return flat


def checked(data, datatype, name):
    """The numbers or texts of a tensor; nothing is rounded or cut off on the way."""
    # As objects: else numpy would give each text the room of the longest, and make floats of
    # numbers some of which fit only int64 and others only uint64.
    flat = flattened(data, name)
    raw = numpy.empty(len(flat), object)
    raw[:] = flat
    dtype = numpy.dtype(DATATYPES[datatype])
    if not set(map(type, flat)) <= TYPES[dtype.kind]:
        raise BadRequest(f"input '{name}': data does not fit {datatype}")
    if dtype.kind in "iu" and raw.size:
        limits = numpy.iinfo(dtype)
        if raw.min() < limits.min or raw.max() > limits.max:
            raise BadRequest(f"input '{name}': a number does not fit {datatype}")
    try:
        with numpy.errstate(over="raise"):
            array = raw.astype(dtype)
    except (OverflowError, FloatingPointError):
        raise BadRequest(f"input '{name}': a number does not fit {datatype}") from None
    if dtype.kind == "f" and not numpy.isfinite(array).all():
        raise BadRequest(f"input '{name}': a number does not fit {datatype}")
    return array


def read_tensor(tensor):
    """(name, array) of an element of `inputs`."""
    name = member(tensor, "name", str, "an input")
    shape = member(tensor, "shape", list, f"input '{name}'")
    datatype = member(tensor, "datatype", str, f"input '{name}'")
    data = member(tensor, "data", list, f"input '{name}'")
    if datatype not in DATATYPES:
        raise BadRequest(f"input '{name}': there is no datatype '{datatype}'")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise BadRequest(f"input '{name}': shape {shape} is not one of sizes")
    array = checked(data, datatype, name)
    if math.prod(shape) != array.size:
        raise BadRequest(f"input '{name}': {array.size} elements, but shape {shape}")
    return name, array.reshape(shape)


def read_request(request):
    """(feed, names of outputs or None, id or None)."""
    feed = {}
    for tensor in member(request, "inputs", list, "a request"):
        name, array = read_tensor(tensor)
        if name in feed:
            raise BadRequest(f"input '{name}' is there twice")
        feed[name] = array
    names = None
    if request.get("outputs") is not None:
        names = [member(output, "name", str, "an output")
                 for output in member(request, "outputs", list, "a request")] or None
    identifier = request.get("id")
    if not (identifier is None or isinstance(identifier, str)):
        raise BadRequest("'id' is not a string")
    return feed, names, identifier


def elements(array):
    """JSON's form of an array's elements; it has no word for what is not finite."""
    flat = array.ravel()
    if flat.dtype.kind == "f" and not numpy.isfinite(flat).all():
        return [number if math.isfinite(number) else None for number in flat.tolist()]
    return flat.tolist()


def write_answer(model, outputs, identifier):
    """The answer with the outputs of a run."""
    tensors = []
    for name in outputs:
        datatype = BY_WORD.get(outputs.value(name).data_type())
        if datatype is None:
            raise BadRequest(f"output '{name}' has a type that the protocol does not have")
        array = outputs[name]
        tensors.append({"name": name, "datatype": datatype, "shape": list(array.shape),
                        "data": elements(array)})
    answer = {"model_name": model, "model_version": "1", "outputs": tensors}
    return answer if identifier is None else {**answer, "id": identifier}
