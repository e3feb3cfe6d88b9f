# SPDX-License-Identifier: MIT
"""Graphs that are read, and models that are made."""

import gc
import unittest
import weakref

import numpy
import onnx
import ortc
from onnx import TensorProto, helper, numpy_helper
from ortc import Model, OrtExternalInitializerInfo, OrtValue, TypeInfo
from ortc.op_attr import attribute_name, attribute_value, new_attribute
from ortc.type_info import native_type, read_type
from support import DATA, FolderCase, aot, data, floats, model


class Reading(unittest.TestCase):
    def test_a_graph_tells_what_it_is(self):
        graph = ortc.Graph(data("described.onnx"))
        self.assertEqual((graph.name, graph.model_path, graph.ir_version),
                         ("the graph", data("described.onnx"), 8))
        self.assertEqual(graph.operator_sets, {"": 17})
        self.assertEqual([value.name for value in graph.inputs], ["x", "bias"])
        self.assertEqual([value.name for value in graph.outputs], ["y"])
        self.assertEqual([value.name for value in graph.initializers], ["bias"])
        self.assertEqual(graph.metadata.producer_name, "a maker")
        self.assertIsNone(graph.parent_node)
        self.assertEqual(repr(graph), "Graph('the graph', 1 nodes)")
        self.assertEqual(ortc.Graph((DATA / "described.onnx").read_bytes()).model_path, "")
        with self.assertRaises(ortc.NoSuchFile):
            ortc.Graph("nothing.onnx")

    def test_nodes_tell_what_they_are(self):
        graph = ortc.Graph(data("layers.onnx"))
        first, cut, second = graph.nodes
        self.assertEqual((cut.name, cut.op_type, cut.domain, cut.since_version, cut.ep_name),
                         ("cut", "Relu", "", 14, ""))
        self.assertEqual(len({first.id, cut.id, second.id}), 3)
        self.assertEqual([value.name for value in first.inputs], ["x", "weight"])
        self.assertEqual([value.name for value in first.outputs], ["a"])
        self.assertEqual((cut.implicit_inputs, cut.attributes, cut.subgraphs), ([], {}, {}))
        self.assertEqual(cut.graph.name, "layers")
        self.assertEqual(graph.node("cut"), cut)
        self.assertEqual(repr(cut), "Node('Relu', 'cut')")
        self.assertEqual(len({cut, graph.node("cut")}), 1)
        with self.assertRaises(ortc.NotFound):
            graph.node("nothing")

    def test_values_tell_who_makes_and_reads_them(self):
        graph = ortc.Graph(data("layers.onnx"))
        first, cut, second = graph.nodes
        a = first.outputs[0]
        self.assertEqual(a.producer, (first, 0))
        self.assertEqual(a.consumers, [(cut, 0)])
        self.assertEqual(a.type_info, TypeInfo.tensor("float", ["rows", 64]))
        weight = first.inputs[1]
        self.assertEqual([(use.node, use.slot) for use in weight.consumers],
                         [(first, 1), (second, 1)])
        self.assertIsNone(weight.producer)
        self.assertTrue(weight.is_constant_initializer)
        self.assertFalse(weight.is_from_outer_scope)
        self.assertEqual(repr(weight), "ValueInfo('weight', tensor(float))")
        x, y = graph.inputs[0], graph.outputs[0]
        self.assertTrue(x.is_required_graph_input and y.is_graph_output)
        bias = ortc.Graph(data("described.onnx")).initializers[0]
        self.assertTrue(bias.is_optional_graph_input)
        self.assertFalse(bias.is_constant_initializer)

    def test_initializers_are_shown_and_cannot_be_written(self):
        graph = ortc.Graph(data("matmul.onnx"))
        value = graph.initializers[0].initializer
        array = value.numpy()
        del graph, value
        gc.collect()
        numpy.testing.assert_array_equal(array[1], [3, 4, 5])
        self.assertFalse(array.flags.writeable)
        self.assertIsNone(ortc.Graph(data("matmul.onnx")).inputs[0].initializer)
        self.assertIsNone(ortc.Graph(data("matmul.onnx")).initializers[0].external_initializer)

    def test_places_in_files_are_told(self):
        made = OrtExternalInitializerInfo("weights.bin", 16, 8)
        self.assertEqual((made.filepath, made.file_offset, made.byte_size), ("weights.bin", 16, 8))
        self.assertNotEqual(made, OrtExternalInitializerInfo("weights.bin", 0, 8))
        self.assertEqual(len({made, OrtExternalInitializerInfo("weights.bin", 16, 8)}), 1)
        with self.assertRaises(ortc.InvalidArgument):
            OrtExternalInitializerInfo("", 0, 8)

    def test_sub_graphs_are_graphs(self):
        graph = ortc.Graph(data("counting.onnx"))
        loop, = graph.nodes
        self.assertEqual([value and value.name for value in loop.inputs], ["times", None, "x"])
        body = loop.subgraphs["body"]
        self.assertEqual(body.parent_node, loop)
        self.assertEqual([node.op_type for node in body.nodes], ["Identity", "Add"])
        self.assertIsNone(loop.attributes["body"])
        del graph, loop
        gc.collect()
        self.assertEqual(body.name, "body")

    def test_some_nodes_are_a_graph_of_their_own(self):
        graph = ortc.Graph(data("layers.onnx"))
        view = graph.view(graph.nodes[1:])
        del graph
        self.assertEqual([value.name for value in view.inputs], ["a"])
        self.assertEqual([value.name for value in view.outputs], ["y"])
        self.assertEqual(len(view.nodes), 2)
        with self.assertRaises(ortc.InvalidArgument):
            view.view([])

    def test_a_closed_graph_says_so_and_its_parts_live_on(self):
        graph = ortc.Graph(data("layers.onnx"))
        node = graph.nodes[0]
        graph.close()
        with self.assertRaises(ortc.InvalidArgument):
            graph.nodes
        self.assertEqual(node.name, "first")


class Attributes(unittest.TestCase):
    def test_attributes_are_values_of_python(self):
        graph = ortc.Graph(model("digits.onnx"))
        seen = {}
        for node in graph.nodes:
            seen.update(node.attributes)
        self.assertTrue(any(isinstance(value, (int, list)) for value in seen.values()))
        node = next(node for node in graph.nodes if node.op_type == "Softmax")
        self.assertEqual(node.attribute("axis", -1), node.attributes.get("axis", -1))
        with self.assertRaises(ortc.NotFound):
            node.attribute("nothing")

    def test_every_kind_is_written_and_read(self):
        for value in (5, -1.5, "größe", b"\xff\0bytes", [1, 2, 3], [0.5, 2.0], ["a", "", "ö"], [],
                      [1, 2.5]):
            attribute = new_attribute("thing", value)
            self.assertEqual(attribute_name(attribute.address), "thing")
            self.assertEqual(attribute_value(attribute.address), value)
        flag = new_attribute("flag", True)
        self.assertEqual(attribute_value(flag.address), 1)
        for wrong in ([1, "a"], object()):
            with self.assertRaises(TypeError):
                new_attribute("thing", wrong)
        with self.assertRaises(ortc.InvalidArgument):
            new_attribute("", 1)
        for number in (-1 << 63, (1 << 63) - 1):
            attribute = new_attribute("thing", [number])
            self.assertEqual(attribute_value(attribute.address), [number])
        for wide in (1 << 63, [1, (-1 << 63) - 1]):
            with self.assertRaisesRegex(ortc.InvalidArgument, "'thing' is"):
                new_attribute("thing", wide)
        for cut in (["a\0b"], ["a", b"b\0"]):
            with self.assertRaisesRegex(ValueError, "zero"):
                new_attribute("thing", cut)

    def test_tensors_are_read(self):
        tensor = numpy_helper.from_array(floats(2), "value")
        node = helper.make_node("ConstantOfShape", ["s"], ["y"], name="fill",
                                value=numpy_helper.from_array(floats(1) + 7, "seven"))
        graph = helper.make_graph(
            [node], "g", [helper.make_tensor_value_info("s", TensorProto.INT64, [1])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])], [tensor])
        content = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                    ir_version=8).SerializeToString()
        value = ortc.Graph(content).node("fill").attribute("value")
        numpy.testing.assert_array_equal(value.numpy(), [7])
        self.assertFalse(value.numpy().flags.writeable)


class Making(FolderCase):
    def small(self, weight=None, in_place=False):
        made = Model({"": 17})
        made.set_inputs([("x", TypeInfo.tensor("float", ["rows", 4]))])
        made.set_outputs([("y", TypeInfo.tensor("float", ["rows", 4]))])
        made.add_initializer("w", floats(4, 4) if weight is None else weight, in_place)
        made.add_node("MatMul", ["x", "w"], ["a"], name="product")
        made.add_node("LeakyRelu", ["a"], ["y"], {"alpha": 0.5})
        return made

    def test_a_model_is_made_and_run(self):
        session = ortc.session_from_model(self.small())
        gc.collect()
        self.assertEqual(session.get_inputs()[0].shape, ["rows", 4])
        x = -numpy.ones((1, 4), numpy.float32)
        numpy.testing.assert_array_equal(session.run({"x": x})["y"],
                                         -floats(4, 4).sum(0, keepdims=True) / 2)

    def test_memory_of_the_program_is_used_in_place(self):
        weight = numpy.zeros((4, 4), numpy.float32) + numpy.eye(4, dtype=numpy.float32)
        big = numpy.zeros((64, 4), numpy.float32)
        big[:4] = weight
        made = Model({"": 17})
        made.set_inputs([("x", TypeInfo.tensor("float", [1, 64]))])
        made.set_outputs([("y", TypeInfo.tensor("float", [1, 4]))])
        made.add_initializer("w", big, in_place=True)
        made.add_node("MatMul", ["x", "w"], ["y"])
        session = ortc.session_from_model(made)
        del made, big
        gc.collect()
        x = floats(1, 64)
        numpy.testing.assert_array_equal(session.run({"x": x})["y"], x[:, :4])
        self.assertIsNotNone(self.small(in_place=True))

    def test_a_model_is_compiled(self):
        compiled = ortc.ModelCompiler(aot(), self.small(), True).compile_to_bytes()
        session = ortc.Session(compiled, providers=["AOT"])
        numpy.testing.assert_array_equal(
            session.run({"x": numpy.ones((1, 4), numpy.float32)})["y"],
            floats(4, 4).sum(0, keepdims=True))

    def test_all_kinds_of_attributes_and_initializers_are_taken(self):
        made = Model({"": 17, "ai.onnx.ml": 1})
        made.set_inputs([("x", TypeInfo.tensor("float", [2, 2]))])
        made.set_outputs([("y", TypeInfo.tensor("float", [2, 2]))])
        made.add_initializer("words", numpy.array(["a", "b"]))
        made.add_initializer("one", OrtValue.ortvalue_from_numpy(numpy.ones(1, numpy.float32)))
        made.add_node("Transpose", ["x"], ["t"], {"perm": [1, 0]})
        made.add_node("Add", ["t", "one"], ["y"])
        numpy.testing.assert_array_equal(
            ortc.session_from_model(made).run({"x": floats(2, 2)})["y"], floats(2, 2).T + 1)

    def test_mistakes_are_said(self):
        made = Model({"": 17})
        with self.assertRaises(ortc.InvalidArgument):
            ortc.session_from_model(made)
        with self.assertRaises(ortc.InvalidArgument):
            made.add_node("", ["x"], ["y"])
        made.add_node("Relu", ["x"], ["y"])
        with self.assertRaises(ortc.InvalidArgument):
            made.add_node("Abs", ["x"], ["y"])
        with self.assertRaises(ortc.NotImplemented):
            made.set_inputs([("x", TypeInfo.sequence(TypeInfo.tensor("float")))])
        with self.assertRaises(ortc.InvalidArgument):
            made.set_inputs([("x", TypeInfo.tensor("float")), ("x", TypeInfo.tensor("float"))])
        made.add_initializer("w", floats(2))
        with self.assertRaises(ortc.InvalidArgument):
            made.add_initializer("w", floats(2))
        with self.assertRaises(TypeError):
            made.set_inputs([("x", TypeInfo(ortc.ONNXType.SEQUENCE))])
        made.close()
        with self.assertRaises(ortc.InvalidArgument):
            made.add_initializer("v", floats(2))
        with self.assertRaises(ortc.InvalidArgument):
            Model({"": 0})

    def test_a_session_from_a_file_gets_more_nodes(self):
        for source in (data("matmul.onnx"), (DATA / "matmul.onnx").read_bytes()):
            session = ortc.EditorSession(source)
            more = Model({})
            more.set_outputs([("z", TypeInfo.tensor("float", ["rows", 3]))])
            more.add_initializer("hundred", numpy.full(1, 100, numpy.float32))
            more.add_node("Add", ["y", "hundred"], ["z"])
            session.apply(more)
            with self.assertRaises(ortc.NotImplemented):
                session.finalize(prepacked_weights=ortc.PrepackedWeightsContainer())
            session.finalize(aot())
            self.assertEqual([output.name for output in session.get_outputs()], ["z"])
            plain = ortc.Session(data("matmul.onnx")).run({"x": floats(2, 4)})["y"]
            numpy.testing.assert_array_equal(session.run({"x": floats(2, 4)})["z"], plain + 100)
            with self.assertRaises(ortc.ModelLoaded):
                session.apply(more)

    def test_a_finished_session_keeps_its_environment(self):
        env = ortc.Env()
        native = weakref.ref(env._native)
        session = ortc.EditorSession(data("matmul.onnx"), env=env)
        del env
        session.finalize()
        gc.collect()
        self.assertIsNotNone(native())
        session.run({"x": floats(2, 4)})
        session.close()
        gc.collect()
        self.assertIsNone(native())


class Types(unittest.TestCase):
    def test_types_go_to_the_library_and_back(self):
        tensor = TypeInfo.tensor("float", [2, "n", None])
        for kind in (tensor, TypeInfo.sparse_tensor(numpy.int64, [3, 3]),
                     TypeInfo.sequence(tensor), TypeInfo.optional(TypeInfo.sequence(tensor)),
                     TypeInfo.map("int64", tensor), TypeInfo.tensor("bfloat16"),
                     TypeInfo.sequence(TypeInfo.map("string", TypeInfo.tensor("double")))):
            native = native_type(kind)
            self.assertEqual(read_type(native.address), kind)

    def test_types_are_written_as_onnx_does(self):
        self.assertEqual(str(TypeInfo.map("string", TypeInfo.tensor("float"))),
                         "map(string,tensor(float))")
        self.assertEqual(str(TypeInfo.optional(TypeInfo.sparse_tensor("double"))),
                         "optional(sparse_tensor(double))")
        self.assertEqual(str(TypeInfo.tensor(ortc.ONNXTensorElementDataType.FLOAT8E4M3FN)),
                         "tensor(float8e4m3fn)")

    def test_elements_are_counted(self):
        self.assertEqual(TypeInfo.tensor("float", [2, 3]).element_count, 6)
        self.assertEqual(TypeInfo.tensor("float", []).element_count, 1)
        self.assertIsNone(TypeInfo.tensor("float", [2, "n"]).element_count)
        self.assertIsNone(TypeInfo.tensor("float").element_count)

    def test_a_denotation_is_told(self):
        made = onnx.load(data("matmul.onnx"))
        made.graph.input[0].type.denotation = "IMAGE"
        session = ortc.Session(made.SerializeToString())
        self.assertEqual(session.get_inputs()[0].type_info.denotation, "IMAGE")

    def test_what_is_no_type_is_refused(self):
        for wrong in ("flaot", "datetime64[s]"):
            with self.assertRaises((ortc.InvalidArgument, TypeError)):
                TypeInfo.tensor(wrong)


if __name__ == "__main__":
    unittest.main()
