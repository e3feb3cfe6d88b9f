# SPDX-License-Identifier: MIT
"""The constants of the Rust crates: plain numbers for ortc-sys, enums, flags and keys for ortc."""

import re
import textwrap

from functions.facts import GENERATED

CRATES = "bindings/rust"
HEADER = f"""\
// {GENERATED}
// SPDX-License-Identifier: MIT
"""
# Options of other vendors' providers.
LEFT_OUT = {"OrtCudnnConvAlgoSearch"}

# C enumeration -> (Rust name, what goes from the enumerators' names: before, after).
ENUMS = {
    "OrtErrorCode": ("ErrorCode", "ORT_", ""),
    "ONNXTensorElementDataType": ("ElementType", "ONNX_TENSOR_ELEMENT_DATA_TYPE_", ""),
    "ONNXType": ("ValueKind", "ONNX_TYPE_", ""),
    "OrtSparseFormat": ("SparseFormat", "ORT_SPARSE_", ""),
    "OrtSparseIndicesFormat": ("SparseIndices", "ORT_SPARSE_", "_INDICES"),
    "OrtLoggingLevel": ("LoggingLevel", "ORT_LOGGING_LEVEL_", ""),
    "GraphOptimizationLevel": ("GraphOptimizationLevel", "ORT_", ""),
    "ExecutionMode": ("ExecutionMode", "ORT_", ""),
    "OrtAllocatorType": ("AllocatorType", "Ort", "Allocator"),
    "OrtMemType": ("MemType", "OrtMemType", ""),
    "OrtDeviceMemoryType": ("DeviceMemoryType", "OrtDeviceMemoryType_", ""),
    "OrtMemoryInfoDeviceType": ("MemoryDeviceType", "OrtMemoryInfoDeviceType_", ""),
    "OrtHardwareDeviceType": ("HardwareDeviceType", "OrtHardwareDeviceType_", ""),
    "OrtExecutionProviderDevicePolicy": ("DevicePolicy", "OrtExecutionProviderDevicePolicy_", ""),
    "OrtCompiledModelCompatibility": ("Compatibility", "OrtCompiledModelCompatibility_EP_", ""),
    "OrtExternalMemoryHandleType": ("ExternalMemoryType", "ORT_EXTERNAL_MEMORY_HANDLE_TYPE_", ""),
    "OrtExternalSemaphoreType": ("ExternalSemaphoreType", "ORT_EXTERNAL_SEMAPHORE_", ""),
    "OrtGraphicsApi": ("GraphicsApi", "ORT_GRAPHICS_API_", ""),
    "OrtOpAttrType": ("OpAttrType", "ORT_OP_ATTR_", ""),
    "OrtLanguageProjection": ("LanguageProjection", "ORT_PROJECTION_", ""),
}
FLAGS = {
    "OrtCompileApiFlags": ("CompileFlags", "OrtCompileApiFlags_"),
    "OrtInspectFlags": ("InspectFlags", "OrtInspectFlags_"),
    "OrtEditFlags": ("EditFlags", "OrtEditFlags_"),
    "OrtModelPackageWriteFlags": ("ModelPackageWriteFlags", "OrtModelPackageWriteFlags_"),
}

# Words that the names in C run together.
SPACED = {"SPARSETENSOR": "SPARSE_TENSOR", "SUCHFILE": "SUCH_FILE", "CPUEP": "CpuEp"}


def doc(text, indent=0):
    """Doc comment lines. Functions of the header get a code font, brackets stay what they are."""
    text = re.sub(r"\b(Ort\w+)\(\)", r"`\1`", text)
    text = re.sub(r"(?<!`)([\[\]])", r"\\\1", text)
    text = text[0].upper() + text[1:] + ("" if text[-1] in ".:" else ".")
    mark = " " * indent + "/// "
    return "".join(f"{mark}{line}\n" for line in textwrap.wrap(text, 100 - len(mark)))


def words(name):
    """'EpContextEnable' and 'CPU_INPUT' as lists of words in lower case."""
    for written, spaced in SPACED.items():
        name = name.replace(written, spaced)
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return [word.lower() for word in name.split("_") if word]


def camel(name):
    return "".join(word.capitalize() for word in words(name))


def screaming(name):
    return "_".join(words(name)).upper()


def inner(name, before, after=""):
    return name[len(before):len(name) - len(after)]


def constant(name, value):
    """A constant, broken as rustfmt breaks it."""
    line = f"{name} = {value};\n"
    if len(line) <= 101:
        return line
    if len(name) + 2 <= 100:
        return f"{name} =\n    {value};\n"
    return line.replace(": ", ":\n    ", 1)


def sys_enums(enums):
    text = HEADER + """\
//! Enumerations: an integer type and a constant for each value, so that a value of a later release
//! of the library is a number like any other.

use std::os::raw::c_int;
"""
    for enum in enums:
        text += "\n" + doc(enum.text or f"{enum.name}.") + f"pub type {enum.name} = c_int;\n"
        for row in enum.enumerators:
            text += doc(row.text or f"One of `{enum.name}`.")
            text += constant(f"pub const {row.name}: {enum.name}", row.value)
    return text


def rust_enum(enum):
    name, before, after = ENUMS[enum.name]
    text = f"\n{doc(enum.text)}"
    if name != enum.name:
        text += f"#[doc(alias = \"{enum.name}\")]\n"
    text += "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[non_exhaustive]\n"
    text += f"pub enum {name} {{\n"
    first, other = {}, ""
    for row in enum.enumerators:
        variant = camel(inner(row.name, before, after))
        if row.value in first:
            other += doc(row.text or f"`{row.name}`.", 4)
            other += (f"    pub const {screaming(inner(row.name, before, after))}: Self = "
                      f"Self::{first[row.value]};\n\n")
            continue
        first[row.value] = variant
        text += doc(row.text or f"`{row.name}`.", 4)
        text += f"    #[doc(alias = \"{row.name}\")]\n    {variant},\n"
    text += "    /// A value that this crate does not know, as a later library may have.\n"
    text += "    Other(i32),\n}\n\n"
    text += f"impl {name} {{\n{other}"
    text += "    /// The value with that number in C.\n"
    text += "    pub const fn from_raw(raw: i32) -> Self {\n        match raw {\n"
    for value, variant in first.items():
        text += f"            {value} => Self::{variant},\n"
    text += "            other => Self::Other(other),\n        }\n    }\n\n"
    text += "    /// The number of the value in C.\n"
    text += "    pub const fn to_raw(self) -> i32 {\n        match self {\n"
    for value, variant in first.items():
        text += f"            Self::{variant} => {value},\n"
    return text + "            Self::Other(other) => other,\n        }\n    }\n}\n"


def rust_flags(enum):
    name, before = FLAGS[enum.name]
    text = f"\n{doc(enum.text)}#[doc(alias = \"{enum.name}\")]\n"
    text += "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]\n"
    text += f"pub struct {name}(u32);\n\nimpl {name} {{\n"
    for row in enum.enumerators:
        text += doc(row.text or "No bit.", 4)
        text += f"    pub const {screaming(inner(row.name, before))}: Self = Self({row.value});\n"
    text += f"""
    /// Those bits, also ones that have no name here.
    pub const fn from_bits(bits: u32) -> Self {{
        Self(bits)
    }}

    /// All bits as a number.
    pub const fn bits(self) -> u32 {{
        self.0
    }}

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {{
        self.0 & other.0 == other.0
    }}
}}

impl std::ops::BitOr for {name} {{
    type Output = Self;

    fn bitor(self, other: Self) -> Self {{
        Self(self.0 | other.0)
    }}
}}
"""
    return text


def rust_enums(enums):
    by_name = {enum.name: enum for enum in enums}
    text = HEADER + "//! Enumerations and sets of flags of the library.\n"
    text += "".join(rust_enum(by_name[name]) for name in ENUMS)
    return text + "".join(rust_flags(by_name[name]) for name in FLAGS)


def rust_keys(keys):
    text = HEADER + """\
//! Keys of config entries and of metadata. `docs/config-keys.md` of the project says which values a
//! key takes, and which holds when none is set.
"""
    group = None
    for key in keys:
        if key.group != group:
            group = key.group
            text += "\n" + "".join(f"// {line}\n" for line in textwrap.wrap(group, 97))
        name = screaming(re.sub(r"^k(Ort)?", "", key.constant))
        text += "\n" + doc(key.text) + f"#[doc(alias = \"{key.constant}\")]\n"
        text += constant(f"pub const {name}: &str", f'"{key.key}"')
    return text


def files(interface):
    enums = [enum for enum in interface.enums if enum.name not in LEFT_OUT]
    return {f"{CRATES}/ortc-sys/src/enums.rs": sys_enums(enums),
            f"{CRATES}/ortc/src/enums.rs": rust_enums(enums),
            f"{CRATES}/ortc/src/keys.rs": rust_keys(interface.keys)}
