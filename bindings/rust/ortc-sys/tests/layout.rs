// SPDX-License-Identifier: MIT
//! The declarations of this crate are those of the headers: they are written as C once more, and a
//! C compiler compares both. Function by function, struct by struct, constant by constant.

use std::fmt::Write as _;
use std::mem::{align_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;

use ortc_sys::*;

/// The text of all modules, without comments, with single blanks.
fn sources() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths {
        for line in std::fs::read_to_string(path).unwrap().lines() {
            text.push_str(line.split("//").next().unwrap());
            text.push(' ');
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A type that only has a name in Rust.
const PARALLEL_FOR: &str = "typedef void (*ParallelForFn)(void*, size_t);\n";

/// A type of Rust as C: `*const *mut T` is `T* const*`.
fn c_type(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(inner) = rust.strip_prefix("*mut ") {
        return format!("{}*", c_type(inner));
    }
    if let Some(inner) = rust.strip_prefix("*const ") {
        return format!("{} const*", c_type(inner));
    }
    let plain = match rust {
        "c_char" => "char",
        "c_int" => "int",
        "c_void" => "void",
        "usize" => "size_t",
        "i32" => "int32_t",
        "u32" => "uint32_t",
        "i64" => "int64_t",
        "u64" => "uint64_t",
        "f32" => "float",
        "f64" => "double",
        "bool" => "bool",
        named if named.starts_with("Ort") || named.starts_with("ONNX") => named,
        "ExecutionMode" | "GraphOptimizationLevel" | "RunAsyncCallbackFn" => rust,
        "EpSelectionDelegate" => rust,
        "ParallelForFn" => rust, // PARALLEL_FOR gives it the name
        other => panic!("no C type for '{other}'"),
    };
    plain.into()
}

/// `(a: T, b: U) -> R` as the C types of the parameters and of the result.
fn c_signature(text: &str) -> (String, String) {
    let (parameters, rest) = text.split_at(text.find(')').expect("a closing bracket"));
    let types: Vec<String> = parameters
        .split(',')
        .filter(|parameter| !parameter.trim().is_empty())
        .map(|parameter| c_type(parameter.split_once(':').expect("name: type").1))
        .collect();
    let result = rest[1..].split([';', '>', '{']).next().unwrap().trim();
    let result = match rest[1..].trim().strip_prefix("-> ") {
        Some(result) => c_type(result.split([';', ',', '>']).next().unwrap()),
        None => {
            assert!(result.is_empty() || result == ",", "'{result}' after the parameters");
            "void".into()
        }
    };
    (if types.is_empty() { "void".into() } else { types.join(", ") }, result)
}

/// Has a C compiler look at a file; its complaints, when it has any.
fn complaints(name: &str, body: &str) -> Option<String> {
    let folder = PathBuf::from(std::env::var("ORTC_OUT").unwrap_or_else(|_| {
        std::env::temp_dir().to_str().expect("a folder for temporary files").into()
    }));
    let path = folder.join(format!("{name}_{}.c", std::process::id()));
    std::fs::write(&path, format!("#include \"ort_c/ort_c.h\"\n{body}")).unwrap();
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let output = Command::new("cc")
        .args(["-std=c11", "-Werror", "-Wall", "-fsyntax-only", "-I"])
        .arg(headers)
        .arg(&path)
        .output()
        .expect("a C compiler, cc");
    std::fs::remove_file(&path).unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_function_of_the_list_has_the_signature_of_its_header() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let list = std::fs::read_to_string(root.join("core/api/functions.tsv")).unwrap();
    let listed: Vec<&str> =
        list.lines().skip(1).map(|line| line.split('\t').next().unwrap()).collect();
    let text = sources();
    let mut declared = Vec::new();
    let mut body = String::from(PARALLEL_FOR);
    for part in text.split("pub fn ").skip(1) {
        let (name, signature) = part.split_once('(').unwrap();
        let (parameters, result) = c_signature(signature);
        writeln!(body, "extern {result} {name}({parameters});").unwrap();
        declared.push(name);
    }
    let mut sorted = declared.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), declared.len(), "a function is declared twice");
    for name in &listed {
        assert!(sorted.binary_search(name).is_ok(), "{name} is not declared");
    }
    assert_eq!(declared.len(), listed.len());
    assert_eq!(complaints("functions", &body), None);
}

#[test]
fn a_wrong_signature_is_found() {
    let wrong = "extern OrtStatus* OrtCreateRunOptions(OrtRunOptions* out);";
    assert!(complaints("wrong", wrong).is_some());
}

#[test]
fn every_callback_has_the_signature_of_its_header() {
    let text = sources();
    let mut body = String::from(PARALLEL_FOR);
    let mut count = 0;
    for part in text.split("pub type ").skip(1) {
        let (name, definition) = part.split_once(" =").unwrap();
        let definition = definition.split(';').next().unwrap();
        if !definition.contains("extern \"C\" fn(") {
            continue;
        }
        let (parameters, result) = c_signature(definition.split_once("fn(").unwrap().1);
        writeln!(body, "{name} check_{name}({result} (*f)({parameters})) {{ return f; }}").unwrap();
        count += 1;
    }
    assert_eq!(count, 17);
    assert_eq!(complaints("callbacks", &body), None);
}

#[test]
fn every_constant_has_the_value_of_its_header() {
    let text = sources();
    let mut body = String::new();
    let mut count = 0;
    for part in text.split("pub const ").skip(1) {
        let (name, rest) = part.split_once(':').unwrap();
        let value = rest.split_once(" = ").unwrap().1.split(';').next().unwrap();
        writeln!(body, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
        count += 1;
    }
    for name in ["OrtErrorCode", "ONNXType", "OrtMemType", "OrtAllocatorType"] {
        let size = size_of::<OrtErrorCode>();
        writeln!(body, "_Static_assert(sizeof({name}) == {size}, \"{name}\");").unwrap();
    }
    assert!(count > 130, "{count} constants");
    assert_eq!(complaints("constants", &body), None);
}

/// Where a member of a struct begins.
macro_rules! offset {
    ($type:ident, $member:ident) => {{
        let place = std::mem::MaybeUninit::<$type>::uninit();
        // SAFETY: only an address is taken.
        let member = unsafe { std::ptr::addr_of!((*place.as_ptr()).$member) };
        member as usize - place.as_ptr() as usize
    }};
}

macro_rules! structs {
    ($body:ident: $($type:ident { $($member:ident),* })*) => {$(
        writeln!(
            $body,
            "_Static_assert(sizeof({0}) == {1} && _Alignof({0}) == {2}, \"{0}\");",
            stringify!($type), size_of::<$type>(), align_of::<$type>()
        ).unwrap();
        $(writeln!(
            $body,
            "_Static_assert(offsetof({0}, {1}) == {2}, \"{0}.{1}\");",
            stringify!($type), stringify!($member), offset!($type, $member)
        ).unwrap();)*
    )*};
}

#[test]
fn open_structs_have_the_layout_of_their_headers() {
    let mut body = String::new();
    structs! { body:
        OrtAllocator { version, Alloc, Free, Info, Reserve, GetStats, AllocOnStream, Shrink }
        OrtEnvCreationOptions {
            version, logging_severity_level, log_id, custom_logging_function, custom_logging_param,
            threading_options, config_entries
        }
        OrtThreadPoolCallbacksConfig {
            version, on_enqueue, on_start_work, on_stop_work, on_abandon, user_context
        }
        OrtApiBase { GetApi, GetVersionString }
        OrtCustomOp {
            version, CreateKernel, GetName, GetExecutionProviderType, GetInputType,
            GetInputTypeCount, GetOutputType, GetOutputTypeCount, KernelCompute, KernelDestroy,
            GetInputCharacteristic, GetOutputCharacteristic, GetInputMemoryType,
            GetVariadicInputMinArity, GetVariadicInputHomogeneity, GetVariadicOutputMinArity,
            GetVariadicOutputHomogeneity, CreateKernelV2, KernelComputeV2, InferOutputShapeFn,
            GetStartVersion, GetEndVersion, GetMayInplace, ReleaseMayInplace, GetAliasMap,
            ReleaseAliasMap
        }
        OrtExternalMemoryDescriptor {
            version, handle_type, native_handle, size_bytes, offset_bytes
        }
        OrtExternalSemaphoreDescriptor { version, native_handle }
        OrtExternalTensorDescriptor { version, element_type, shape, rank, offset_bytes }
        OrtGraphicsInteropConfig { version, graphics_api, command_queue, additional_options }
        OrtExternalMemoryHandle { version, ep_device, descriptor, Release }
        OrtExternalSemaphoreHandle { version, ep_device, descriptor, Release }
    }
    assert_eq!(complaints("structs", &body), None);
}

#[test]
fn the_library_is_of_the_release_that_was_declared() {
    // SAFETY: the text is static.
    let version = unsafe { std::ffi::CStr::from_ptr(OrtGetVersionString()) };
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    assert_eq!(version.to_str().unwrap().split('.').next(), Some(major));
}
