# SPDX-License-Identifier: MIT
"""Operators written in Python: values, attributes, state, shapes, calls of other operators."""

import unittest

import numpy
import onnx
import ortc
from onnx import helper, numpy_helper
from onnx.mapping import TENSOR_TYPE_TO_NP_TYPE
from operator_models import model_of, node, op, run, session_of, tensor
from ortc import FormalParameter as Formal
from ortc import PyOp
from support import floats

NUMBERS = ("FLOAT", "DOUBLE", "FLOAT16", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16",
           "UINT32", "UINT64", "BOOL")


@op("Scale", attrs={"factor": float})
def scale(x, factor=1.0):
    return x * numpy.float32(factor)


class Values(unittest.TestCase):
    def test_numbers_of_every_type_come_as_arrays(self):
        for name in NUMBERS:
            with self.subTest(name):
                kind = ortc.ONNXTensorElementDataType[name]
                twice = op("Twice", [kind], [kind])(lambda x: x + x)
                dtype = TENSOR_TYPE_TO_NP_TYPE[getattr(onnx.TensorProto, name)]
                x = numpy.array([0, 1, 1], dtype)
                y, = run(twice, model_of(node("Twice"), [tensor("x", name)], [tensor("y", name)]),
                         x=x)
                self.assertEqual(y.dtype, dtype)
                numpy.testing.assert_array_equal(y, x + x)

    def test_texts_come_as_arrays_of_str(self):
        upper = op("Upper", ["string"], ["string"])(
            lambda x: numpy.array([text.upper() for text in x.ravel()]).reshape(x.shape))
        y, = run(upper, model_of(node("Upper"), [tensor("x", "STRING", [2, 1])],
                                 [tensor("y", "STRING", [2, 1])]),
                 x=numpy.array([["zwölf"], [""]]))
        self.assertEqual(y.tolist(), [["ZWÖLF"], [""]])

    def test_bits_of_types_that_numpy_has_not_pass(self):
        keep = op("Keep", ["bfloat16"], ["bfloat16"])(lambda x: x)
        bits = ortc.bfloat16_bits(numpy.array([1.5, -2], numpy.float32))
        y, = run(keep, model_of(node("Keep"), [tensor("x", "BFLOAT16")],
                                [tensor("y", "BFLOAT16")]), x=bits)
        numpy.testing.assert_array_equal(y, bits)

    def test_inputs_are_not_copied_and_not_to_be_written(self):
        seen = []

        @op("Look")
        def look(x):
            seen.append((x.ctypes.data, x.flags.writeable))
            return x

        x = floats(1000)
        run(look, model_of(node("Look")), x=x)
        self.assertEqual(seen, [(x.ctypes.data, False)])

    def test_what_is_not_an_array_becomes_what_the_model_says(self):
        count = op("Count", ["float"], ["int64"])(len)
        y, = run(count, model_of(node("Count"), outputs=[tensor("y", "INT64", [])]), x=floats(7))
        self.assertEqual((y.dtype, y.shape, y), (numpy.int64, (), 7))

    def test_an_optional_input_that_is_left_out_is_none(self):
        @op("Add3", ["float", Formal("float", optional=True), Formal("float", optional=True)])
        def add3(a, b, c):
            return sum(x for x in (a, b, c) if x is not None)

        for inputs, expected in (("x", 1), ("x _ x", 2), ("x x x", 3), ("x x", 2)):
            y, = run(add3, model_of(node("Add3", inputs)), x=numpy.ones(2, numpy.float32))
            numpy.testing.assert_array_equal(y, [expected] * 2)

    def test_a_variadic_input_is_any_number_of_arrays(self):
        total = op("Total", [Formal("float", variadic=True, min_arity=2)])(lambda *x: sum(x))
        y, = run(total, model_of(node("Total", "x x x x")), x=floats(3))
        numpy.testing.assert_array_equal(y, [0, 4, 8])
        with self.assertRaisesRegex(ortc.InvalidGraph, r"input size 1 not in range \[min=2"):
            session_of(model_of(node("Total")), total)

    def test_values_of_any_type_in_one_variadic_input(self):
        kinds = op("Kinds", [Formal(variadic=True, is_homogeneous=False)], ["string"])(
            lambda *values: [str(value.dtype) for value in values])
        y, = run(kinds, model_of(node("Kinds", "x n"), [tensor("x"), tensor("n", "INT64")],
                                 [tensor("y", "STRING", [2])]),
                 x=floats(1), n=numpy.zeros(1, numpy.int64))
        self.assertEqual(y.tolist(), ["float32", "int64"])

    def test_outputs_are_a_tuple_and_may_be_left_out(self):
        both = op("Both", ["float"], [Formal("float", optional=True)] * 2)(lambda x: (x + 1, x + 2))
        for outputs, names in (("y z", "yz"), ("y", "y"), ("_ z", "z")):
            results = run(both, model_of(node("Both", "x", outputs),
                                         outputs=[tensor(name) for name in names]), x=floats(1))
            self.assertEqual([result[0] for result in results], [" yz".index(n) for n in names])

    def test_outputs_of_any_number(self):
        split = op("Cut", ["float"], [Formal("float", variadic=True)])(
            lambda x: tuple(x[i:i + 1] for i in range(len(x))))
        results = run(split, model_of(node("Cut", "x", "a b c"),
                                      outputs=[tensor(name) for name in "abc"]), x=floats(3))
        self.assertEqual([result.tolist() for result in results], [[0], [1], [2]])

    def test_a_sequence_comes_as_a_list(self):
        length = op("Length", [None], ["int64"])(len)
        make = helper.make_node("SequenceConstruct", ["x", "x"], ["s"])
        y, = run(length, model_of([make, node("Length", "s")],
                                  outputs=[tensor("y", "INT64", [])]), x=floats(1))
        self.assertEqual(y, 2)

    def test_scalars_and_tensors_without_elements(self):
        y, = run(scale, model_of(node("Scale", factor=3.0), [tensor("x", shape=[])],
                                 [tensor("y", shape=[])]), x=numpy.float32(2))
        self.assertEqual((y.shape, y), ((), 6))
        y, = run(scale, model_of(node("Scale", factor=3.0)), x=floats(0))
        self.assertEqual(y.shape, (0,))


class Attributes(unittest.TestCase):
    def test_each_kind_arrives(self):
        given = {"i": 3, "f": 0.5, "s": "täxt", "ints": [1, 2], "floats": [0.25, 0.5],
                 "strings": ["a", "b"]}
        kinds = {"i": int, "f": PyOp.dt_float, "s": "string", "ints": [int], "floats": [float],
                 "strings": [PyOp.dt_string]}
        for attrs in (kinds, list(kinds)):
            heard = {}
            told = op("Told", attrs=attrs)(lambda x, **more: (heard.update(more), x)[1])
            run(told, model_of(node("Told", **given)), x=floats(1))
            self.assertEqual(heard, given)

    def test_a_tensor_is_a_value(self):
        add = op("AddTensor", attrs={"t": "tensor"})(lambda x, t: x + t.numpy())
        y, = run(add, model_of(node("AddTensor", t=numpy_helper.from_array(floats(3)))),
                 x=floats(3))
        numpy.testing.assert_array_equal(y, [0, 2, 4])

    def test_defaults_stand_for_what_the_node_leaves_out(self):
        y, = run(scale, model_of(node("Scale")), x=floats(2))
        numpy.testing.assert_array_equal(y, [0, 1])
        y, = run(scale, model_of(node("Scale", factor=4.0)), x=floats(2))
        numpy.testing.assert_array_equal(y, [0, 4])

    def test_a_list_without_texts_is_empty(self):
        @op("Names")
        class Names:
            def __init__(self, info):
                self.names = info.attribute("names", "strings", ["nobody"])
                self.bytes = info.attribute("bytes")

            def __call__(self, x):
                assert self.names == ["nobody"] and self.bytes == b"\xff\x00"
                return x

        run(Names, model_of(node("Names", bytes=b"\xff\x00")), x=floats(1))


class Kernels(unittest.TestCase):
    def test_each_node_has_an_object_of_its_own(self):
        @op("Sum", attrs={"start": float})
        class Sum:
            def __init__(self, info, start):
                self.total = start

            def __call__(self, x):
                self.total += x.sum()
                return numpy.full(1, self.total, numpy.float32)

        session = session_of(model_of([node("Sum", "x", "y", start=0.0),
                                       node("Sum", "x", "z", start=10.0)],
                                      outputs=[tensor("y"), tensor("z")]), Sum)
        for expected in ([1, 11], [2, 12]):
            got = session.run(None, {"x": numpy.ones(1, numpy.float32)})
            self.assertEqual([y[0] for y in got], expected)

    def test_it_is_told_of_its_node(self):
        said = {}

        @op("Tell", ["float", Formal("float", optional=True), "float"])
        class Tell:
            def __init__(self, info):
                said.update(
                    name=info.node_name, op=info.op_type, domain=info.domain,
                    since=info.since_version, inputs=info.input_names, outputs=info.output_names,
                    types=[str(info.input_type(0)), info.output_type(0).shape],
                    constant=info.constant_input(2).numpy().tolist(),
                    variable=info.constant_input(0), config=info.config_entries,
                    level=info.logger.severity_level, memory=info.allocator().info.name)
                said["info"] = info

            def __call__(self, x, _, weight):
                return x + weight

        options = ortc.SessionOptions()
        options["session.intra_op.allow_spinning"] = 1
        options.register_custom_ops(Tell)
        weight = numpy_helper.from_array(floats(2), "w")
        session = ortc.InferenceSession(
            model_of(node("Tell", "x _ w", name="told"), initializers=[weight]), options)
        info = said.pop("info")
        self.assertEqual(said, {
            "name": "told", "op": "Tell", "domain": "mine", "since": 1, "inputs": ["x", "", "w"],
            "outputs": ["y"], "types": ["tensor(float)", ("n",)], "constant": [0, 1],
            "variable": None, "config": {"session.intra_op.allow_spinning": "1"},
            "level": ortc.OrtLoggingLevel.WARNING, "memory": "Cpu"})
        del session
        self.assertEqual((info.node_name, info.constant_input(2).shape()), ("told", [2]))

    def test_compute_writes_outputs_in_place(self):
        @op("Ramp")
        class Ramp:
            def __init__(self, info):
                pass

            def compute(self, context):
                x = context.input(0).numpy()
                y = context.output(0, [2, len(x)]).numpy()
                numpy.add.outer([0, 1], x, out=y, casting="same_kind")

        y, = run(Ramp, model_of(node("Ramp"), outputs=[tensor("y", shape=[2, "n"])]), x=floats(3))
        numpy.testing.assert_array_equal(y, [[0, 1, 2], [1, 2, 3]])

    def test_the_context_helps_with_the_work(self):
        seen = {}

        @op("Help", ["float"], ["float", "string"])
        class Help:
            def __init__(self, info):
                pass

            def compute(self, context):
                x = context.input(0).numpy()
                y = context.output(0, x.shape).numpy()
                scratch = numpy.frombuffer(context.scratch(x.nbytes), numpy.float32)

                def square(index):
                    scratch[index] = x[index] ** 2
                    y[index] = scratch[index]

                context.parallel_for(square, len(x), batches=3)
                context.output(1, [1]).update_inplace(numpy.array(["done"]))
                context.logger.log(ortc.OrtLoggingLevel.WARNING, "computed")
                seen.update(
                    counts=(context.input_count, context.output_count), left=context.inputs[0].shape(),
                    memory=context.allocator().info.name, empty=len(context.scratch(0)),
                    streams=(context.gpu_compute_stream, context.sync_stream))
                try:
                    context.resource(1, 1)
                except ortc.InvalidArgument as error:
                    seen["resource"] = str(error)

        with self.assertLogs("ortc", "WARNING") as logs:
            y, text = run(Help, model_of(node("Help", "x", "y z"),
                                         outputs=[tensor("y"), tensor("z", "STRING", [1])]),
                          x=floats(100))
        numpy.testing.assert_array_equal(y, floats(100) ** 2)
        self.assertEqual(text.tolist(), ["done"])
        self.assertIn("computed", logs.output[0])
        self.assertIn("resource 1", seen.pop("resource"))
        self.assertEqual(seen, {"counts": (1, 2), "left": [100], "memory": "Cpu", "empty": 0,
                                "streams": (0, 0)})

    def test_it_calls_operators_of_onnx(self):
        @op("SoftmaxOfSum", ["float", "float"])
        class SoftmaxOfSum:
            def __init__(self, info):
                self.add = ortc.EagerOperator(info, "Add", 14, 2)
                self.softmax = ortc.EagerOperator(info, "Softmax", 13, 1, attributes={"axis": -1})

            def compute(self, context):
                a, b = context.inputs
                total = ortc.OrtValue.ortvalue_from_shape_and_type(a.shape(), "float")
                self.add.invoke(context, [a, b.numpy()], [total])
                self.softmax.invoke(context, [total], [context.output(0, a.shape())])

        y, = run(SoftmaxOfSum, model_of(node("SoftmaxOfSum", "x x")), x=floats(3))
        expected = numpy.exp(2 * floats(3))
        numpy.testing.assert_allclose(y, expected / expected.sum(), rtol=1e-6)

    def test_overloads_differ_in_types_or_versions(self):
        kinds = {"float": numpy.float32, "double": numpy.float64}
        operators = [op("Say", [kind], ["string"])(lambda x, kind=kind: [kind]) for kind in kinds]
        for kind, dtype in kinds.items():
            y, = run(operators, model_of(node("Say"), [tensor("x", kind.upper())],
                                         [tensor("y", "STRING")]), x=numpy.zeros(1, dtype))
            self.assertEqual(y.tolist(), [kind])
        old = op("Plus", last_version=2)(lambda x: x + 1)
        new = op("Plus", since_version=3)(lambda x: x + 2)
        for version, expected in ((1, 1), (2, 1), (3, 2), (4, 2)):
            y, = run((old, new), model_of(node("Plus"), mine=version), x=floats(1))
            self.assertEqual(y, [expected])

    def test_what_it_is_made_of_can_be_called(self):
        self.assertEqual(scale(numpy.float32(2), factor=3), 6)

    def test_the_forms_of_onnxruntime_extensions_work(self):
        @ortc.onnx_op(op_type="Reverse", inputs=[PyOp.dt_float], outputs=[PyOp.dt_float],
                      attrs={"axis": PyOp.dt_int64})
        def reverse(x, **kwargs):
            return numpy.flip(x, kwargs["axis"])

        made = helper.make_node("Reverse", ["x"], ["y"], domain="ai.onnx.contrib", axis=0)
        graph = helper.make_graph([made], "g", [tensor("x")], [tensor("y")])
        model = helper.make_model(graph, ir_version=8, opset_imports=[
            helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.contrib", 1)])
        y, = run(reverse, model.SerializeToString(), x=floats(3))
        self.assertEqual(y.tolist(), [2, 1, 0])


class Shapes(unittest.TestCase):
    def test_types_and_shapes_are_known_before_a_run(self):
        seen = []

        def infer(context):
            seen.append((context.input_count, context.input_type(0).element_type,
                         context.input_shape(0), context.attribute("times"),
                         context.attribute("nothing", "else")))
            context.set_output_shape(0, [context.attribute("times"), *context.input_shape(0)],
                                     context.input_type(0).element_type)

        repeat = op("Repeat", [None], [None], {"times": int}, infer_output_shape=infer)(
            lambda x, times: numpy.stack([x] * times))
        model = onnx.load_from_string(model_of(node("Repeat", times=2)))
        model.graph.output[0].type.Clear()
        del model.graph.output[0]
        model.graph.output.append(onnx.ValueInfoProto(name="y"))
        session = session_of(model.SerializeToString(), repeat)
        output, = session.get_outputs()
        self.assertEqual((output.type, output.shape), ("tensor(float)", [2, "n"]))
        self.assertEqual(seen[0], (1, ortc.ONNXTensorElementDataType.FLOAT, ("n",), 2, "else"))
        y, = session.run(None, {"x": floats(2)})
        numpy.testing.assert_array_equal(y, [[0, 1], [0, 1]])

    def test_a_class_may_infer_too(self):
        @op("Flat")
        class Flat:
            def __init__(self, info):
                self.shape = info.output_type(0).shape

            @staticmethod
            def infer_output_shape(context):
                context.set_output_shape(0, [context.input_type(0).element_count])

            def __call__(self, x):
                assert self.shape == (6,)
                return x.ravel()

        y, = run(Flat, model_of(node("Flat"), [tensor("x", shape=[2, 3])],
                                [tensor("y", shape=None)]), x=floats(2, 3))
        self.assertEqual(y.shape, (6,))


if __name__ == "__main__":
    unittest.main()
