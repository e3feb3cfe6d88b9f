# SPDX-License-Identifier: MIT
"""Constants of the Go package: enumerations, error sentinels and the keys of entries."""

import re
import textwrap

from functions.facts import GENERATED

FOLDER = "bindings/go"
# The enumeration's type in Go, and what stands before each enumerator in C. Those that are not here
# belong to provider libraries and to providers of others.
ENUMS = {
    "OrtErrorCode": ("ErrorCode", "ORT_"),
    "ONNXTensorElementDataType": ("ElementType", "ONNX_TENSOR_ELEMENT_DATA_TYPE_"),
    "ONNXType": ("ValueType", "ONNX_TYPE_"),
    "OrtSparseFormat": ("SparseFormat", "ORT_SPARSE_"),
    "OrtSparseIndicesFormat": ("SparseIndicesFormat", "ORT_SPARSE_"),
    "OrtLoggingLevel": ("LoggingLevel", "ORT_LOGGING_LEVEL_"),
    "GraphOptimizationLevel": ("GraphOptimizationLevel", "ORT_"),
    "ExecutionMode": ("ExecutionMode", "ORT_"),
    "OrtAllocatorType": ("AllocatorType", "Ort"),
    "OrtMemType": ("MemType", "OrtMemType"),
    "OrtDeviceMemoryType": ("DeviceMemoryType", "OrtDeviceMemoryType_"),
    "OrtMemoryInfoDeviceType": ("MemoryInfoDeviceType", "OrtMemoryInfoDeviceType_"),
    "OrtHardwareDeviceType": ("HardwareDeviceType", "OrtHardwareDeviceType_"),
    "OrtExecutionProviderDevicePolicy": ("DevicePolicy", "OrtExecutionProviderDevicePolicy_"),
    "OrtCompiledModelCompatibility": ("Compatibility", "OrtCompiledModelCompatibility_"),
    "OrtCompileApiFlags": ("CompileFlags", "OrtCompileApiFlags_"),
    "OrtInspectFlags": ("InspectFlags", "OrtInspectFlags_"),
    "OrtEditFlags": ("EditFlags", "OrtEditFlags_"),
    "OrtModelPackageWriteFlags": ("ModelPackageWriteFlags", "OrtModelPackageWriteFlags_"),
    "OrtExternalMemoryHandleType": ("ExternalMemoryType", "ORT_EXTERNAL_MEMORY_HANDLE_TYPE_"),
    "OrtExternalSemaphoreType": ("ExternalSemaphoreType", "ORT_EXTERNAL_SEMAPHORE_"),
    "OrtGraphicsApi": ("GraphicsAPI", "ORT_GRAPHICS_API_"),
    "OrtOpAttrType": ("OpAttrType", "ORT_OP_ATTR_"),
    "OrtLanguageProjection": ("LanguageProjection", "ORT_PROJECTION_"),
}
FLAGS = ("CompileFlags", "InspectFlags", "EditFlags", "ModelPackageWriteFlags")
# Words that Go and ONNX write in capitals.
CAPITALS = {"cpu", "gpu", "npu", "fpga", "coo", "csrc", "csr", "ok", "d3d12", "fd"}
WORDS = {"bfloat16": "BFloat16", "sparsetensor": "SparseTensor", "suchfile": "SuchFile", "winml": "WinML", "nodejs": "NodeJS",
         "csharp": "CSharp", "cplusplus": "CPlusPlus"}
HEAD = f"// Code {GENERATED.replace(', do not edit', '')}. DO NOT EDIT."


def camel(name):
    """UPPER_CASE words as CamelCase; other names as they are, without underscores."""
    if name != name.upper():
        return name.replace("_", "")
    result = ""
    for word in name.lower().split("_"):
        if word in WORDS:
            result += WORDS[word]
        elif word in CAPITALS:
            result += word.upper()
        else:
            result += re.sub(r"^([a-z]+\d*)(e\d.*)?$",
                             lambda m: m.group(1).capitalize() + (m.group(2) or "").upper(), word)
    return result


def enumerator(kind, prefix, name):
    rest = name.removeprefix(prefix)
    if kind == "AllocatorType":
        rest = rest.removesuffix("Allocator")
    return kind + camel(rest)


def comment(text, indent=""):
    lines = textwrap.wrap(" ".join(text.split()), 96 - len(indent))
    return "".join(f"{indent}// {line}\n" for line in lines)


def sentence(text):
    return text if text.endswith(".") else text + "."


def aligned_runs(names):
    """gofmt aligns lines that follow each other; a comment begins anew."""
    runs = []
    for pair in names:
        if pair[1].text or not runs:
            runs.append([])
        runs[-1].append(pair)
    return runs


def enum_text(enum, kind, prefix):
    names = [(enumerator(kind, prefix, e.name), e) for e in enum.enumerators]
    base = "uint32" if kind in FLAGS else "int32"
    text = comment(f"{kind}: {enum.text[:1].lower()}{enum.text[1:]}")
    text += f"type {kind} {base}\n\n// Values of {kind}.\nconst (\n"
    for run in aligned_runs(names):
        width = max(len(name) for name, _ in run)
        for name, one in run:
            if one.text:
                text += comment(f"{name}: {sentence(one.text)}", "\t")
            text += f"\t{name:{width}} {kind} = {one.value}\n"
    text += ")\n\n"
    if kind in FLAGS:
        return text
    return text + string_method(kind, enum, names)


def string_method(kind, enum, names):
    text = f"// String gives the name of the value, as \"{names[-1][1].name}\".\n"
    text += f"func (v {kind}) String() string {{\n\tswitch v {{\n"
    seen = set()
    for name, one in names:
        if one.value not in seen:
            text += f"\tcase {name}:\n\t\treturn \"{one.name}\"\n"
        seen.add(one.value)
    text += f"\t}}\n\treturn unknownName(\"{enum.name}\", int32(v))\n}}\n\n"
    return text


def sentinels(enum):
    text = comment("Errors to compare with: errors.Is(err, ortc.ErrInvalidGraph) holds for every "
                   "error with that code.") + "var (\n"
    for one in enum.enumerators:
        if one.name == "ORT_OK":
            continue
        word = camel(one.name.removeprefix("ORT_"))
        text += comment(f"Err{word}: {sentence(one.text)}", "\t")
        text += f"\tErr{word} = &Error{{Code: ErrorCode{word}}}\n"
    return text + ")\n"


def constants(interface):
    text = f"// SPDX-License-Identifier: MIT\n\n{HEAD}\n\npackage ortc\n\n"
    for enum in interface.enums:
        if enum.name in ENUMS:
            kind, prefix = ENUMS[enum.name]
            text += enum_text(enum, kind, prefix)
    text += sentinels(next(e for e in interface.enums if e.name == "OrtErrorCode"))
    return text


def key_name(constant):
    return "Key" + re.sub(r"^k(Ort)?", "", constant).replace("_", "")


def keys(interface):
    text = f"// SPDX-License-Identifier: MIT\n\n{HEAD}\n\npackage ortc\n"
    group = None
    for key in interface.keys:
        if key.group != group:
            text += ")\n" if group else ""
            text += "\n" + comment(key.group) + "const (\n"
            group = key.group
        name = key_name(key.constant)
        text += comment(f"{name}: {key.text}", "\t") + f"\t{name} = \"{key.key}\"\n"
    return text + ")\n"


def files(interface):
    return {f"{FOLDER}/constants.go": constants(interface), f"{FOLDER}/keys.go": keys(interface)}
