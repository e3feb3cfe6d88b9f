# SPDX-License-Identifier: MIT
"""ortc: an independent ONNX runtime that compiles models ahead of time.

    import numpy, ortc

    ortc.compile_model("model.onnx", "model_ctx.onnx")
    session = ortc.Session("model_ctx.onnx", providers=["AOT"])
    y = session.run({"x": numpy.ones((1, 4), numpy.float32)})["y"]

Names are ONNX Runtime's: `import ortc as onnxruntime` serves most programs. What takes long
releases the interpreter's lock, and is stopped by Ctrl-C or a CancelToken. Failures are exceptions
below `ortc.Error`. Log lines go to logging.getLogger("ortc").
"""

from ortc import config_keys
from ortc._core.dtypes import bfloat16_bits
from ortc._native import get_library_path
from ortc.cache import (explain_context_cache, list_context_cache, prune_context_cache,
                        verify_context_cache)
from ortc.cancel import CancelToken
from ortc.compile_options import ModelCompilationOptions
from ortc.custom_op import CustomOp, FormalParameter, PyOp, onnx_op
from ortc.devices import (OrtDeviceEpIncompatibilityDetails, OrtDeviceEpIncompatibilityReason,
                          OrtEpDevice, OrtHardwareDevice, get_compatibility_info_from_model,
                          get_model_compatibility_for_ep_devices)
from ortc.eager_operator import EagerOperator
from ortc.editor_session import EditorSession, session_from_model
from ortc.enums import (ExecutionMode, GraphOptimizationLevel, ONNXTensorElementDataType, ONNXType,
                        OrtAllocatorType, OrtCompileApiFlags, OrtCompiledModelCompatibility,
                        OrtDeviceMemoryType, OrtEditFlags, OrtErrorCode,
                        OrtExecutionProviderDevicePolicy, OrtExternalMemoryHandleType,
                        OrtExternalSemaphoreType, OrtGraphicsApi, OrtHardwareDeviceType,
                        OrtInspectFlags, OrtLanguageProjection, OrtLoggingLevel,
                        OrtMemoryInfoDeviceType, OrtMemType, OrtModelPackageWriteFlags,
                        OrtOpAttrType, OrtProfilingEventCategory, OrtSparseFormat,
                        OrtSparseIndicesFormat)
from ortc.env import (Env, default_env, disable_telemetry_events, enable_telemetry_events,
                      get_all_providers, get_api_base, get_available_providers, get_build_info,
                      get_device, get_ep_devices, get_version_string,
                      register_execution_provider_library,
                      set_default_logger_severity, unregister_execution_provider_library)
from ortc.errors import (Cancelled, DeviceReset, EngineError, EPFail, Error, Fail, InvalidArgument,
                         InvalidGraph, InvalidProtobuf, ModelLoadCanceled, ModelLoaded,
                         ModelRequiresCompilation, NoModel, NoSuchFile, NotFound, NotImplemented,
                         RunCancelled, RuntimeException)
from ortc.external_initializer import OrtExternalInitializerInfo
from ortc.graph import Graph, Node, Use, ValueInfo
from ortc.inspection import diff, expose_values, extract, inspect, merge, pack, prefix
from ortc.interop import ExternalMemory, ExternalResourceImporter, ExternalSemaphore
from ortc.io_binding import IOBinding
from ortc.kernel_context import KernelContext
from ortc.kernel_info import KernelInfo
from ortc.key_values import KeyValuePairs
from ortc.log import LogRecord, OrtLogger
from ortc.memory import Allocator, MemoryBlock, OrtMemoryInfo
from ortc.metadata import ModelMetadata
from ortc.model_compiler import ModelCompiler, compile_model
from ortc.model_editor import Model
from ortc.model_package import ModelPackage, ModelPackageComponent, ModelPackageWriter
from ortc.outputs import Outputs
from ortc.prepacked import PrepackedWeightsContainer
from ortc.run_options import LoraAdapter, RunOptions, SyncStream
from ortc.session import InferenceSession, Session
from ortc.session_options import SessionOptions
from ortc.shared_allocators import OrtArenaCfg, ProgramAllocator
from ortc.shape_inference import ShapeInferContext
from ortc.sharing_group import SharingGroup
from ortc.sparse import SparseTensor
from ortc.threading_options import ThreadingOptions, start_thread
from ortc.type_info import NodeArg, TypeInfo
from ortc.value import OrtValue

__version__ = "1.0.0"

__all__ = [
    "Allocator", "CancelToken", "Cancelled", "CustomOp", "DeviceReset", "EPFail",
    "EagerOperator", "EditorSession", "EngineError", "Env", "Error", "ExecutionMode",
    "ExternalMemory", "ExternalResourceImporter", "ExternalSemaphore", "Fail",
    "FormalParameter", "Graph", "GraphOptimizationLevel", "IOBinding", "InferenceSession",
    "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "KernelContext", "KernelInfo",
    "KeyValuePairs", "LogRecord", "LoraAdapter", "MemoryBlock", "Model",
    "ModelCompilationOptions", "ModelCompiler", "ModelLoadCanceled", "ModelLoaded",
    "ModelMetadata", "ModelPackage", "ModelPackageComponent",
    "ModelPackageWriter", "ModelRequiresCompilation", "NoModel", "NoSuchFile", "Node", "NodeArg",
    "NotFound", "NotImplemented", "ONNXTensorElementDataType", "ONNXType", "OrtAllocatorType",
    "OrtArenaCfg", "OrtCompileApiFlags", "OrtCompiledModelCompatibility",
    "OrtDeviceEpIncompatibilityDetails", "OrtDeviceEpIncompatibilityReason", "OrtDeviceMemoryType",
    "OrtEditFlags", "OrtEpDevice", "OrtErrorCode", "OrtExecutionProviderDevicePolicy",
    "OrtExternalInitializerInfo", "OrtExternalMemoryHandleType", "OrtExternalSemaphoreType",
    "OrtGraphicsApi", "OrtHardwareDevice", "OrtHardwareDeviceType", "OrtInspectFlags",
    "OrtLanguageProjection", "OrtLogger", "OrtLoggingLevel", "OrtMemType", "OrtMemoryInfo",
    "OrtMemoryInfoDeviceType", "OrtModelPackageWriteFlags",
    "OrtOpAttrType", "OrtProfilingEventCategory", "OrtSparseFormat", "OrtSparseIndicesFormat",
    "OrtValue", "Outputs", "PrepackedWeightsContainer", "ProgramAllocator", "PyOp",
    "RunCancelled", "RunOptions", "RuntimeException", "Session", "SessionOptions",
    "ShapeInferContext", "SharingGroup", "SparseTensor", "SyncStream", "ThreadingOptions",
    "TypeInfo", "Use", "ValueInfo", "bfloat16_bits", "compile_model", "config_keys",
    "default_env", "diff", "disable_telemetry_events", "enable_telemetry_events",
    "explain_context_cache", "expose_values", "extract", "get_all_providers", "get_api_base",
    "get_available_providers", "get_build_info", "get_compatibility_info_from_model",
    "get_device", "get_ep_devices", "get_library_path",
    "get_model_compatibility_for_ep_devices", "get_version_string", "inspect",
    "list_context_cache", "merge", "onnx_op", "pack", "prefix", "prune_context_cache",
    "register_execution_provider_library", "session_from_model", "set_default_logger_severity",
    "start_thread", "unregister_execution_provider_library", "verify_context_cache",
]
