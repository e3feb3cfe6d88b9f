# SPDX-License-Identifier: MIT
"""What Python takes from the list: signatures for ctypes, enumerations, config keys."""

import re
import textwrap

from functions.facts import GENERATED

FOLDER = "bindings/python/ortc"
HEAD = f"# SPDX-License-Identifier: MIT\n# {GENERATED}\n"

# Prefixes of enumerators that say what the name of the enumeration says already. ONNX Runtime's
# module keeps some of them (ORT_ENABLE_ALL, ORT_SEQUENTIAL, ORT_SPARSE_COO); so does this one.
PREFIXES = {
    "ONNXTensorElementDataType": "ONNX_TENSOR_ELEMENT_DATA_TYPE_",
    "ONNXType": "ONNX_TYPE_",
    "OrtErrorCode": "ORT_",
    "OrtExternalMemoryHandleType": "ORT_EXTERNAL_MEMORY_HANDLE_TYPE_",
    "OrtExternalSemaphoreType": "ORT_EXTERNAL_SEMAPHORE_",
    "OrtGraphicsApi": "ORT_GRAPHICS_API_",
    "OrtLanguageProjection": "ORT_PROJECTION_",
    "OrtLoggingLevel": "ORT_LOGGING_LEVEL_",
    "OrtOpAttrType": "ORT_OP_ATTR_",
}
RENAMED = {
    "OrtInvalidAllocator": "INVALID",
    "OrtDeviceAllocator": "ORT_DEVICE_ALLOCATOR",
    "OrtArenaAllocator": "ORT_ARENA_ALLOCATOR",
    "OrtReadOnlyAllocator": "ORT_READ_ONLY_ALLOCATOR",
    "OrtMemTypeCPUInput": "CPU_INPUT",
    "OrtMemTypeCPUOutput": "CPU_OUTPUT",
    "OrtMemTypeCPU": "CPU",
    "OrtMemTypeDefault": "DEFAULT",
}
# Of other vendors' execution providers.
LEFT_OUT = {"OrtCudnnConvAlgoSearch"}
# Enumerations whose values are bits.
FLAGS = {"OrtCompileApiFlags", "OrtInspectFlags", "OrtEditFlags"}

SCALARS = {"bool": "B", "int": "I", "int32_t": "I", "uint32_t": "U", "int64_t": "L",
           "uint64_t": "Q", "size_t": "Z", "double": "D", "void": "None", "const char*": "C"}


def ctype(kind, enums):
    """The letter of a type in functions.py; whatever is a pointer to something is a plain one."""
    if kind in SCALARS:
        return SCALARS[kind]
    if kind in enums:
        return "I"
    if "(" in kind or kind.endswith(("*", "Fn", "Func", "Function", "Delegate")):
        return "P"
    raise ValueError(f"no ctypes type for {kind}")


FUNCTIONS = '''\
"""Types of every function of the library, for ctypes.

A function that gives a status has "S" as its result: library.py turns it into an exception.
"""

import ctypes

B = ctypes.c_bool
C = ctypes.c_char_p
D = ctypes.c_double
I = ctypes.c_int  # noqa: E741, an enumeration too
L = ctypes.c_int64
P = ctypes.c_void_p  # a pointer of any kind
Q = ctypes.c_uint64
S = "OrtStatus*"
U = ctypes.c_uint32
Z = ctypes.c_size_t

# name: (result, parameters)
FUNCTIONS = {
'''


def functions_file(interface):
    enums = {enum.name for enum in interface.enums}
    text = HEAD + FUNCTIONS
    for function in sorted(interface.functions):
        returns = "S" if function.returns == "OrtStatus*" else ctype(function.returns, enums)
        letters = "".join(f"{ctype(kind, enums)}, " for kind, _ in function.parameters)
        text += f'    "{function.name}": ({returns}, ({letters.rstrip()})),\n'
    return text + "}\n"


def member_name(enum, enumerator):
    if enumerator.name in RENAMED:
        return RENAMED[enumerator.name]
    for prefix in (enum.name + "_", PREFIXES.get(enum.name, "\0")):
        if enumerator.name.startswith(prefix):
            return enumerator.name[len(prefix):]
    return enumerator.name


def comment(text, indent):
    """Lines that documentation tools take for what follows."""
    if not text:
        return ""
    text = text[0].upper() + text[1:]
    lines = textwrap.wrap(text if text.endswith((".", "?")) else text + ".", 97 - len(indent))
    return "".join(f"{indent}#: {line}\n" for line in lines)


def plain(text):
    """A comment of a header for readers of Python: without the release it ends in."""
    return re.sub(r"\s*Since \d+\.\d+\.$", "", text)


def enum_text(enum):
    base = "enum.IntFlag" if enum.name in FLAGS else "enum.IntEnum"
    about = plain(enum.text) or f"ONNX Runtime's {enum.name}."
    text = f"\n\nclass {enum.name}({base}):\n"
    text += textwrap.indent(textwrap.fill(f'"""{about}"""', 95), "    ") + "\n\n"
    for enumerator in enum.enumerators:
        text += comment(enumerator.text, "    ")
        text += f"    {member_name(enum, enumerator)} = {enumerator.value}\n"
    return text


def enums_file(interface):
    chosen = [enum for enum in interface.enums if enum.name not in LEFT_OUT]
    text = HEAD + '"""The enumerations, with ONNX Runtime\'s names and values."""\n\n'
    text += "import enum\n\n"
    text += "__all__ = [\n" + "".join(f'    "{enum.name}",\n' for enum in chosen) + "]\n"
    return text + "".join(enum_text(enum) for enum in chosen)


def keys_file(interface):
    text = HEAD + '"""Keys of config entries and of metadata, with ONNX Runtime\'s names."""\n'
    group = None
    for key in interface.keys:
        if key.group != group:
            group = key.group
            text += "\n" + "".join(f"# {line}\n" for line in textwrap.wrap(group, 97)) + "\n"
        text += comment(key.text, "")
        line = f'{key.constant} = "{key.key}"\n'
        if len(line) > 101:
            line = f'{key.constant} = (\n    "{key.key}"\n)\n'
        text += line
    return text


def files(interface):
    return {f"{FOLDER}/_native/functions.py": functions_file(interface),
            f"{FOLDER}/enums.py": enums_file(interface),
            f"{FOLDER}/config_keys.py": keys_file(interface)}
