# SPDX-License-Identifier: MIT
"""ONNX's interface of backends, for its test suite and for programs written for it: `prepare` a
model, `run` it. Needs the package onnx."""

from typing import Any, Optional, Sequence, Tuple

import numpy
import onnx
from onnx.backend.base import Backend, BackendRep

import ortc


class OrtcBackendRep(BackendRep):  # type: ignore[misc]
    """A model that is ready to run."""

    def __init__(self, session: ortc.InferenceSession):
        self.session = session
        self._names = [argument.name for argument in session.get_inputs()]

    def run(self, inputs: Any, **_: Any) -> Tuple[Any, ...]:
        """Inputs in the model's order or by name; outputs in the model's order."""
        if not isinstance(inputs, dict):
            if not isinstance(inputs, (list, tuple)):
                inputs = [inputs]
            if len(inputs) > len(self._names):
                raise ortc.InvalidArgument(f"{len(inputs)} inputs, but the model has "
                                           f"{len(self._names)}: {', '.join(self._names)}")
            inputs = dict(zip(self._names, inputs))
        return tuple(self.session.run(None, inputs))


class OrtcBackend(Backend):  # type: ignore[misc]
    """Runs models on the processor."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **settings: Any) -> bool:
        """Whether the model can be prepared."""
        try:
            cls.prepare(model, device, **settings)
        except ortc.Error:
            return False
        return True

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **settings: Any) -> OrtcBackendRep:
        """Makes a session of an onnx.ModelProto, a path or bytes. `settings` are
        InferenceSession's."""
        if not cls.supports_device(device):
            raise ortc.InvalidArgument(f"there is no device {device!r}, only CPU")
        if isinstance(model, onnx.ModelProto):
            model = model.SerializeToString()
        return OrtcBackendRep(ortc.InferenceSession(model, **settings))

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU",
                  **settings: Any) -> Tuple[Any, ...]:
        """Prepares a model and runs it once."""
        return cls.prepare(model, device, **settings).run(inputs)

    @classmethod
    def run_node(cls, node: Any, inputs: Sequence[Any], device: str = "CPU",
                 outputs_info: Optional[Sequence[Tuple[Any, Sequence[int]]]] = None,
                 **settings: Any) -> Tuple[Any, ...]:
        """Runs one node. `outputs_info` has dtype and shape of each output; without it they are
        inferred."""
        settings.pop("opset_version", None)
        arrays = [numpy.asarray(item) for item in inputs]
        given = [name for name in node.input if name]
        types = onnx.helper.make_tensor_value_info
        values = [types(name, _tensor_type(array.dtype), array.shape)
                  for name, array in zip(given, arrays)]
        results = [types(name, _tensor_type(info[0]), info[1])
                   for name, info in zip(node.output, outputs_info)] if outputs_info else [
                       onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = onnx.helper.make_graph([node], "node", values, results)
        model = onnx.helper.make_model(graph, ir_version=8, opset_imports=[
            onnx.helper.make_opsetid(node.domain, 1 if node.domain else 17)])
        if not outputs_info:
            model = onnx.shape_inference.infer_shapes(model)
        return cls.prepare(model, device, **settings).run(dict(zip(given, arrays)))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """There is the processor, and no other device."""
        return device.split(":")[0].upper() == "CPU"


def _tensor_type(dtype: Any) -> int:
    """A number of onnx.TensorProto; where it is to be had depends on the release of onnx."""
    if hasattr(onnx.helper, "np_dtype_to_tensor_dtype"):
        return int(onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)))
    return int(onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[numpy.dtype(dtype)])


is_compatible = OrtcBackend.is_compatible
prepare = OrtcBackend.prepare
run_model = OrtcBackend.run_model
run_node = OrtcBackend.run_node
supports_device = OrtcBackend.supports_device
