# SPDX-License-Identifier: MIT
"""Values: tensors of all types, texts, sequences, maps, optionals; memory that is shared."""

import gc
import tempfile
import types
import unittest
import weakref

import numpy
import ortc
from ortc import ONNXTensorElementDataType as Type
from ortc import ONNXType, OrtValue, TypeInfo
from ortc.value import from_object
from support import data, floats, model


def value_of(array):
    return OrtValue.ortvalue_from_numpy(array)


class Tensors(unittest.TestCase):
    def test_a_tensor_shares_memory_with_its_array(self):
        array = floats(2, 3)
        value = value_of(array)
        self.assertEqual(value.data_ptr(), array.ctypes.data)
        back = value.numpy()
        self.assertEqual(back.ctypes.data, array.ctypes.data)
        back[1, 2] = 50
        self.assertEqual(array[1, 2], 50)
        self.assertEqual(numpy.asarray(value).ctypes.data, array.ctypes.data)
        self.assertEqual(numpy.array(value, copy=False).ctypes.data, array.ctypes.data)

    def test_an_array_is_copied_as_it_is_asked_for(self):
        array = floats(2, 3)
        value, texts = value_of(array), value_of(numpy.array(["a", "b"]))
        for copy, dtype in ((None, None), (False, None), (False, numpy.float32)):
            self.assertEqual(value.__array__(dtype, copy=copy).ctypes.data, array.ctypes.data)
        for copy, dtype in ((True, None), (True, "f8"), (None, "f8")):
            found = value.__array__(dtype, copy=copy)
            self.assertNotEqual(found.ctypes.data, array.ctypes.data)
            numpy.testing.assert_array_equal(found, array)
        self.assertEqual(texts.__array__(copy=True).tolist(), ["a", "b"])
        for needs_one in (lambda: value.__array__("f8", copy=False),
                          lambda: texts.__array__(copy=False)):
            with self.assertRaisesRegex(ValueError, "without a copy"):
                needs_one()

    def test_memory_lives_as_long_as_anybody_looks_at_it(self):
        view = value_of(numpy.full(1000, 7.0)).numpy()
        gc.collect()
        numpy.full(1000, 3.0)
        self.assertTrue((view == 7).all())
        own = OrtValue.ortvalue_from_shape_and_type([1000], "float").numpy()
        own[:] = 5
        gc.collect()
        self.assertTrue((own == 5).all())
        memory = value_of(numpy.full(10, 2, numpy.uint8)).memory()
        gc.collect()
        self.assertEqual(bytes(memory), b"\2" * 10)

    def test_each_type_of_numpy_goes_both_ways(self):
        for text in "? b h i l q B H I L Q e f d F D".split():
            array = numpy.array([[0, 1], [1, 0]], dtype=text)
            value = value_of(array)
            numpy.testing.assert_array_equal(value.numpy(), array)
            self.assertEqual(value.numpy().dtype, array.dtype.newbyteorder("="))
            self.assertEqual(value.shape(), [2, 2])
            self.assertEqual(value.tensor_size_in_bytes(), array.nbytes)
        self.assertEqual(value_of(numpy.zeros(1, numpy.float16)).element_type(), Type.FLOAT16)
        self.assertEqual(value_of(numpy.zeros(1, bool)).data_type(), "tensor(bool)")
        with self.assertRaisesRegex(ortc.InvalidArgument, "datetime64"):
            value_of(numpy.zeros(1, "datetime64[s]"))

    def test_scalars_and_empty_tensors_are_tensors(self):
        scalar = value_of(numpy.array(4, numpy.int64))
        self.assertEqual((scalar.shape(), scalar.numpy().item()), ([], 4))
        with self.assertRaises(TypeError):
            len(scalar)
        empty = value_of(numpy.zeros((3, 0, 2), numpy.float32))
        self.assertEqual((empty.shape(), empty.numpy().shape), ([3, 0, 2], (3, 0, 2)))
        self.assertEqual(empty.tensor_size_in_bytes(), 0)
        self.assertEqual(len(empty.memory()), 0)
        self.assertEqual(len(empty), 3)

    def test_float16_runs(self):
        x = numpy.array([1.5, -2.25, 30000], numpy.float16)
        y = ortc.Session(model("half.onnx")).run({"x": x})
        numpy.testing.assert_array_equal(y["y"], x + x)
        numpy.testing.assert_array_equal(y.value("y").float32()[:2], [3, -4.5])

    def test_bfloat16_runs_as_its_bits(self):
        bits = ortc.bfloat16_bits(numpy.array([1.5, -2.0, 3.0], numpy.float32))
        self.assertEqual(bits.dtype, numpy.uint16)
        x = OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
        self.assertEqual(x.element_type(), Type.BFLOAT16)
        outputs = ortc.Session(model("brain.onnx")).run({"x": x})
        self.assertEqual(outputs["y"].dtype, numpy.uint16)
        numpy.testing.assert_array_equal(outputs.value("y").float32(), [3, -4, 6])
        with self.assertRaises(ortc.InvalidArgument):
            value_of(floats(2)).float32()

    def test_numbers_become_bfloat16(self):
        session = ortc.Session(model("brain.onnx"))
        for numbers in ([1.5, -2, 3], (1.5, -2.0, 3.0)):
            outputs = session.run({"x": numbers})
            numpy.testing.assert_array_equal(outputs.value("y").float32(), [3, -4, 6])
        scalar = from_object(1.5, TypeInfo.tensor("bfloat16", []))
        self.assertEqual((scalar.shape(), scalar.float32().item()), ([], 1.5))

    def test_numbers_that_nothing_converts_are_refused(self):
        for word in ("float8e4m3fn", "float8e8m0", "int4", "uint2", "float4e2m1"):
            for numbers in ([1.0, 2.0], [1, 2], 1):
                with self.assertRaisesRegex(ortc.InvalidArgument, f"not converted to {word}"):
                    from_object(numbers, TypeInfo.tensor(word))

    def test_bits_may_lie_in_a_file(self):
        bits = ortc.bfloat16_bits(numpy.array([1.5, -2.0], numpy.float32))
        with tempfile.NamedTemporaryFile() as file:
            file.write(bits.tobytes())
            file.flush()
            mapped = numpy.memmap(file.name, numpy.uint16, "r", shape=(2,))
            outputs = ortc.Session(model("brain.onnx")).run({"x": mapped})
            numpy.testing.assert_array_equal(outputs.value("y").float32(), [3, -4])
            value = value_of(mapped)
            self.assertEqual(value.data_ptr(), mapped.ctypes.data)
            self.assertFalse(value.numpy().flags.writeable)

    def test_bits_of_a_scalar_have_no_dimension(self):
        bits = ortc.bfloat16_bits(-1.5)
        self.assertEqual((bits.shape, bits.dtype, hex(bits.item())), ((), numpy.uint16, "0xbfc0"))
        self.assertEqual(ortc.bfloat16_bits(floats(2, 3).T).shape, (3, 2))
        self.assertTrue(ortc.bfloat16_bits(numpy.array(0xffffffff, numpy.uint32).view("f4")) & 0x7f)
        value = OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
        self.assertEqual(value.shape(), [])
        self.assertIsInstance(value.float32(), numpy.ndarray)
        self.assertEqual((value.float32().shape, value.float32().item()), ((), -1.5))
        for array in (bits.astype(">u2"), numpy.array(4, ">i8")):
            self.assertEqual(value_of(array).shape(), [])

    def test_bits_come_in_any_order_of_bytes(self):
        bits = numpy.array([0x3fc0, 0xc000], ">u2")
        x = OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
        numpy.testing.assert_array_equal(x.float32(), [1.5, -2])
        outputs = ortc.Session(model("brain.onnx")).run({"x": bits})
        numpy.testing.assert_array_equal(outputs.value("y").float32(), [3, -4])

    def test_bits_are_integers_of_their_size(self):
        for array, number in ((numpy.zeros(2, numpy.float16), 16), (numpy.zeros(2, bool), 17),
                              (numpy.zeros(2, numpy.uint32), 16), (numpy.zeros(2, "U1"), 1),
                              (numpy.zeros(2, object), 8), (numpy.zeros(2, numpy.float32), 6)):
            with self.assertRaisesRegex(ortc.InvalidArgument, f"not {array.dtype}"):
                OrtValue.ortvalue_from_numpy_with_onnx_type(array, number)
        for array, number in ((numpy.zeros(2, numpy.int16), 16), (numpy.zeros(2, numpy.int8), 17),
                              (floats(2), 1), (numpy.zeros(2, numpy.uint32), 1)):
            OrtValue.ortvalue_from_numpy_with_onnx_type(array, number)

    def test_types_of_packages_that_extend_numpy_are_known_by_their_names(self):
        from ortc._core.dtypes import holds_bits
        for name, size, kind, expected in (
                ("bfloat16", 2, Type.BFLOAT16, True), ("bfloat16", 2, Type.FLOAT16, False),
                ("float8_e4m3fn", 1, Type.FLOAT8E4M3FN, True),
                ("float8_e4m3fn", 1, Type.FLOAT8E4M3FNUZ, False), ("int4", 1, Type.INT4, False)):
            dtype = types.SimpleNamespace(kind="V", itemsize=size, name=name)
            self.assertEqual(holds_bits(dtype, kind), expected, (name, kind))

    def test_the_nearest_bfloat16_is_taken(self):
        near = numpy.array([1.0, 1.00390625, 1.01171875, numpy.inf, -0.0], numpy.float32)
        self.assertEqual([hex(bits) for bits in ortc.bfloat16_bits(near)],
                         ["0x3f80", "0x3f80", "0x3f82", "0x7f80", "0x8000"])
        self.assertTrue(ortc.bfloat16_bits([numpy.nan])[0] & 0x7f)

    def test_elements_below_a_byte_are_packed(self):
        packed = numpy.array([0x21, 0x03], numpy.uint8)
        value = OrtValue.ortvalue_from_numpy_with_onnx_type(packed, 21, shape=[3])
        self.assertEqual((value.element_type(), value.shape()), (Type.UINT4, [3]))
        self.assertEqual(value.tensor_size_in_bytes(), 2)
        numpy.testing.assert_array_equal(value.numpy(), packed)
        two = OrtValue.ortvalue_from_numpy_with_onnx_type(packed[:1], 25, shape=[4])
        self.assertEqual((two.element_type(), two.numpy().tolist()), (Type.UINT2, [0x21]))
        with self.assertRaisesRegex(ortc.InvalidArgument, "say the shape"):
            OrtValue.ortvalue_from_numpy_with_onnx_type(packed, 21)
        with self.assertRaises(ortc.InvalidArgument):
            OrtValue.ortvalue_from_numpy_with_onnx_type(packed, 21, shape=[5])
        with self.assertRaisesRegex(ortc.InvalidArgument, "uint16"):
            OrtValue.ortvalue_from_numpy_with_onnx_type(packed, 16)

    def test_eight_bit_floats_are_bytes(self):
        for number in (17, 18, 19, 20, 24):
            value = OrtValue.ortvalue_from_numpy_with_onnx_type(
                numpy.array([1, 2], numpy.uint8), number)
            self.assertEqual(value.numpy().tolist(), [1, 2])
            self.assertTrue(value.element_type().name.startswith("FLOAT8"))

    def test_a_tensor_has_memory_of_its_own(self):
        value = OrtValue.ortvalue_from_shape_and_type([2, 2], numpy.int32)
        value.update_inplace(numpy.array([[1, 2], [3, 4]], numpy.int32))
        self.assertEqual(value.numpy().tolist(), [[1, 2], [3, 4]])
        with self.assertRaisesRegex(ortc.InvalidArgument, "expected an array of int32"):
            value.update_inplace(floats(2, 2))
        self.assertEqual(value.device_name(), "cpu")
        self.assertEqual(value.memory_info().device_id, 0)
        with self.assertRaises(ortc.InvalidArgument):
            OrtValue.ortvalue_from_shape_and_type([1], numpy.float32, "cuda", 0)
        with self.assertRaises(ortc.InvalidArgument):
            OrtValue.ortvalue_from_shape_and_type([-1], numpy.float32)
        with self.assertRaisesRegex(ortc.InvalidArgument, "'shape' is"):
            OrtValue.ortvalue_from_shape_and_type([(1 << 64) + 2], numpy.float32)

    def test_a_tensor_takes_a_block_over(self):
        allocator = ortc.Allocator.default()
        block = allocator.alloc(16)
        block.view()[:] = floats(4).tobytes()
        value = OrtValue.from_memory(block, [4], "float")
        self.assertEqual(block.address, 0)
        numpy.testing.assert_array_equal(value.numpy(), floats(4))
        with self.assertRaisesRegex(ortc.InvalidArgument, "taken over"):
            block.view()
        with self.assertRaises(ortc.InvalidArgument):
            OrtValue.from_memory(allocator.alloc(15), [4], "float")

    def test_a_view_of_a_block_keeps_the_tensor_that_took_it_over(self):
        block = ortc.Allocator.default().alloc(16)
        view = block.view()
        value = OrtValue.from_memory(block, [4], "float")
        alive = weakref.ref(value)
        value.update_inplace(floats(4))
        del block, value
        self.assertIsNotNone(alive())
        self.assertEqual(bytes(view), floats(4).tobytes())
        del view
        self.assertIsNone(alive())

    def test_one_element_has_an_address(self):
        value = value_of(floats(2, 3))
        self.assertEqual(value.element_address(1, 1), value.data_ptr() + 16)
        with self.assertRaises(ortc.InvalidArgument):
            value.element_address(2, 0)
        with self.assertRaisesRegex(ortc.InvalidArgument, "'location' is"):
            value.element_address((1 << 64) + 1, 1)

    def test_an_array_that_is_not_to_be_written_stays_so(self):
        array = floats(3)
        array.flags.writeable = False
        value = value_of(array)
        self.assertFalse(value.numpy().flags.writeable)
        self.assertTrue(value.memory().readonly)
        with self.assertRaisesRegex(ortc.InvalidArgument, "read-only"):
            value.update_inplace(floats(3))

    def test_values_tell_what_they_are(self):
        value = value_of(floats(2))
        self.assertTrue(value.is_tensor() and value.has_value())
        self.assertFalse(value.is_sparse_tensor() or value.is_tensor_sequence())
        self.assertEqual(value.value_type(), ONNXType.TENSOR)
        self.assertEqual(value.type_info(), TypeInfo.tensor("float", [2]))
        self.assertEqual(repr(value), "OrtValue(tensor(float), shape=[2])")

    def test_opaque_values_are_not_implemented(self):
        with self.assertRaises(ortc.NotImplemented):
            OrtValue.opaque("example.org", "thing", b"1")
        with self.assertRaises(ortc.NotImplemented):
            value_of(floats(1)).opaque_data("example.org", "thing", 1)


class Texts(unittest.TestCase):
    WORDS = ["", "plain", "Größe", "大きさ", "tab\tand\0zero"]

    def test_texts_go_both_ways(self):
        for words in (self.WORDS, numpy.array(self.WORDS[:4]), numpy.array(self.WORDS, object)):
            outputs = ortc.Session(model("texts.onnx")).run({"x": words})
            self.assertEqual(outputs["y"].tolist(), list(words))
            self.assertEqual(outputs["y"].dtype, object)

    def test_bytes_that_are_not_utf8_come_through(self):
        value = value_of(numpy.array([b"\xff\xfe", b"ok"], object))
        self.assertEqual(value.texts(), [b"\xff\xfe", b"ok"])
        self.assertEqual(value.numpy()[0], "\udcff\udcfe")

    def test_elements_are_read_and_set_one_by_one(self):
        value = value_of(numpy.array([["a", "b"], ["c", "d"]]))
        value.set_text(2, "ß")
        value.set_text(3, b"x\0y")
        self.assertEqual(value.text(2), "ß".encode())
        self.assertEqual(value.texts(), [b"a", b"b", "ß".encode(), b"x\0y"])
        self.assertEqual(value.numpy().shape, (2, 2))
        value.update_inplace(numpy.array([["1", "2"], ["3", "4"]], object))
        self.assertEqual(value.texts(), [b"1", b"2", b"3", b"4"])
        with self.assertRaises(ortc.InvalidArgument):
            value.text(4)
        with self.assertRaises(TypeError):
            value.set_text(0, 5)
        with self.assertRaises(TypeError):
            value_of(numpy.array([1, "a"], object))
        with self.assertRaises(ortc.InvalidArgument):
            value.data_ptr()

    def test_no_texts_are_no_texts(self):
        value = value_of(numpy.zeros(0, dtype=object))
        self.assertEqual((value.texts(), value.numpy().shape), ([], (0,)))


class Containers(unittest.TestCase):
    def test_sequences_are_lists(self):
        session = ortc.Session(data("containers.onnx"))
        many = [floats(2), floats(3), floats(4)]
        outputs = session.run({"many": many, "maybe": floats(2)})
        numpy.testing.assert_array_equal(outputs["first"], floats(2))
        self.assertEqual([part.shape for part in outputs["rest"]], [(3,), (4,)])
        rest = outputs.value("rest")
        self.assertTrue(rest.is_tensor_sequence())
        self.assertEqual(len(rest), 2)
        with self.assertRaises(ortc.Error):
            rest.item(2)
        with self.assertRaisesRegex(ortc.InvalidArgument, "'index' is"):
            rest.item((1 << 32) + 1)

    def test_an_optional_may_be_none(self):
        session = ortc.Session(data("containers.onnx"))
        self.assertFalse(session.run({"many": [floats(1)], "maybe": None})["there"])
        self.assertTrue(session.run({"many": [floats(1)], "maybe": floats(2)})["there"])
        nothing = OrtValue.empty(TypeInfo.optional(TypeInfo.tensor("float", [2])))
        self.assertFalse(nothing.has_value())
        self.assertIsNone(nothing.numpy())
        self.assertIsNone(nothing.type_info())
        self.assertEqual(repr(nothing), "OrtValue(no content)")

    def test_an_empty_sequence_has_a_type(self):
        empty = OrtValue.empty(TypeInfo.sequence(TypeInfo.tensor("float")))
        self.assertEqual((len(empty), empty.numpy()), (0, []))
        self.assertEqual(empty.data_type(), "seq(tensor(float))")
        session = ortc.Session(data("containers.onnx"))
        with self.assertRaises(ortc.Error):
            session.run({"many": [], "maybe": None})

    def test_maps_are_dicts(self):
        maps = ortc.Session(data("labels.onnx")).run({"scores": floats(2, 2)})["maps"]
        self.assertEqual(maps, [{"cat": 1.0, "dog": 0.0}, {"cat": 3.0, "dog": 2.0}])

    def test_a_map_is_made_of_keys_and_values(self):
        made = OrtValue.map(value_of(numpy.array([3, 1])), value_of(floats(2)))
        self.assertEqual(made.value_type(), ONNXType.MAP)
        self.assertEqual(made.numpy(), {1: 1.0, 3: 0.0})
        keys, values = made.items()
        self.assertEqual(keys.numpy().tolist(), [1, 3])
        self.assertEqual(made.data_type(), "map(int64,tensor(float))")
        with self.assertRaises(ortc.Error):
            OrtValue.map(value_of(numpy.array([3])), value_of(floats(2)))
        with self.assertRaises(TypeError):
            numpy.asarray(made)

    def test_sequences_of_different_things_are_refused(self):
        with self.assertRaises(ortc.Error):
            OrtValue.sequence([value_of(floats(2)), value_of(numpy.array([1]))])
        with self.assertRaises(ortc.Fail):
            OrtValue.sequence([])


class Dlpack(unittest.TestCase):
    def test_a_tensor_is_shared_with_numpy(self):
        value = value_of(floats(2, 3))
        array = numpy.from_dlpack(value)
        self.assertEqual(array.ctypes.data, value.data_ptr())
        numpy.testing.assert_array_equal(array, floats(2, 3))
        self.assertEqual(value.__dlpack_device__(), (1, 0))
        del value
        gc.collect()
        numpy.testing.assert_array_equal(array, floats(2, 3))

    def test_a_tensor_comes_from_numpy(self):
        array = floats(2, 3)
        value = OrtValue.from_dlpack(array)
        self.assertEqual((value.data_ptr(), value.shape()), (array.ctypes.data, [2, 3]))
        back = value.numpy()
        del value, array
        gc.collect()
        numpy.testing.assert_array_equal(back, floats(2, 3))
        y = ortc.Session(model("trivial.onnx")).run(
            {"x": OrtValue.from_dlpack(floats(1, 4))})["y"]
        numpy.testing.assert_array_equal(y, [[1, 2, 3, 4]])

    def test_a_capsule_that_nobody_takes_gives_its_tensor_back(self):
        from ortc._core import dlpack
        value = value_of(floats(2))
        before = len(dlpack._given)
        capsule = value.__dlpack__()
        self.assertEqual(len(dlpack._given), before + 1)
        del capsule
        self.assertEqual(len(dlpack._given), before)
        taken = OrtValue.from_dlpack(value)
        self.assertEqual(len(dlpack._given), before + 1)
        del taken
        self.assertEqual(len(dlpack._given), before)

    def test_a_copy_is_made_when_it_is_asked_for(self):
        constant = floats(2, 3)
        constant.flags.writeable = False
        for array in (floats(2, 3), constant, floats(0, 3), numpy.array(5, numpy.int64)):
            value = value_of(array)
            copied = OrtValue.from_dlpack(value.__dlpack__(copy=True, dl_device=(1, 0)))
            if array.size:
                self.assertNotEqual(copied.data_ptr(), array.ctypes.data)
            numpy.testing.assert_array_equal(copied.numpy(), array)
            self.assertEqual(copied.numpy().dtype, array.dtype)

    def test_tensors_are_given_to_the_processor_only(self):
        with self.assertRaisesRegex(BufferError, "device"):
            value_of(floats(2)).__dlpack__(dl_device=(2, 0), copy=True)

    def test_strides_of_no_elements_do_not_matter(self):
        from ortc._core import dlpack
        for array in (floats(0, 4).T, floats(3, 0, 2)[:, :, ::2], floats(4, 4).T[:, :0]):
            value = OrtValue.from_dlpack(array)
            self.assertEqual(value.numpy().shape, array.shape)
        nowhere = OrtValue.from_dlpack(dlpack.give(None, 0, Type.FLOAT, (0, 2)))
        self.assertEqual(nowhere.numpy().shape, (0, 2))

    def test_what_cannot_be_shared_is_refused(self):
        with self.assertRaisesRegex(ortc.InvalidArgument, "row-major"):
            OrtValue.from_dlpack(floats(4, 4).T)
        with self.assertRaises(BufferError):
            OrtValue.ortvalue_from_numpy_with_onnx_type(
                numpy.zeros(2, numpy.uint8), 21, [4]).__dlpack__()
        constant = floats(3)
        constant.flags.writeable = False
        with self.assertRaises(BufferError):
            value_of(constant).__dlpack__()


if __name__ == "__main__":
    unittest.main()
