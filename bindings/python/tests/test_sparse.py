# SPDX-License-Identifier: MIT
"""Sparse tensors."""

import gc
import unittest

import numpy
import ortc
from ortc import OrtSparseFormat, SparseTensor
from support import floats


class Sparse(unittest.TestCase):
    def test_values_with_coordinates(self):
        for in_place in (False, True):
            for indices in ([[0, 1], [2, 0]], [1, 6]):
                tensor = SparseTensor.sparse_coo_from_numpy([3, 3], floats(2) + 1, indices,
                                                            in_place)
                gc.collect()
                self.assertEqual(tensor.format(), OrtSparseFormat.ORT_SPARSE_COO)
                self.assertEqual(tensor.dense_shape(), (3, 3))
                self.assertEqual(tensor.data_type(), "sparse_tensor(float)")
                numpy.testing.assert_array_equal(tensor.values(), [1, 2])
                self.assertEqual(tensor.coo_indices().tolist(), indices)
                self.assertTrue(tensor.ortvalue.is_sparse_tensor())
                self.assertIsInstance(tensor.ortvalue.numpy(), SparseTensor)

    def test_rows(self):
        for in_place in (False, True):
            tensor = SparseTensor.sparse_csr_from_numpy([2, 3], numpy.array([5, 6, 7]), [0, 2, 1],
                                                        [0, 2, 3], in_place)
            gc.collect()
            self.assertEqual(tensor.format(), OrtSparseFormat.ORT_SPARSE_CSRC)
            inner, outer = tensor.csr_indices()
            self.assertEqual((inner.tolist(), outer.tolist()), ([0, 2, 1], [0, 2, 3]))
            self.assertEqual(tensor.values().tolist(), [5, 6, 7])
            with self.assertRaises(ortc.InvalidArgument):
                tensor.coo_indices()

    def test_blocks(self):
        for in_place in (False, True):
            tensor = SparseTensor.sparse_blocks_from_numpy(
                [4, 4], floats(2, 2, 2), [[0, 1], [0, 1]], in_place)
            gc.collect()
            self.assertEqual(tensor.format(), OrtSparseFormat.ORT_SPARSE_BLOCK_SPARSE)
            self.assertEqual(tensor.block_indices().tolist(), [[0, 1], [0, 1]])
            self.assertEqual(tensor.values().shape, (2, 2, 2))

    def test_values_in_another_order_of_bytes_keep_their_numbers(self):
        values = numpy.array([1, 2], ">f4")
        for in_place in (False, True):
            for tensor in (
                    SparseTensor.sparse_coo_from_numpy([4], values, [0, 3], in_place),
                    SparseTensor.sparse_csr_from_numpy([2, 2], values, [0, 1], [0, 1, 2], in_place),
                    SparseTensor.sparse_blocks_from_numpy([2, 2], values.reshape(1, 2, 1), [[0], [0]],
                                                          in_place)):
                self.assertEqual(tensor.values().ravel().tolist(), [1, 2])

    def test_memory_of_the_program_is_used_in_place(self):
        values = floats(2)
        tensor = SparseTensor.sparse_coo_from_numpy([4], values, [0, 3], in_place=True)
        self.assertEqual(tensor.values().ctypes.data, values.ctypes.data)

    def test_texts(self):
        tensor = SparseTensor.sparse_coo_from_numpy([4], numpy.array(["a", "ö"]), [0, 3])
        self.assertEqual(tensor.values().tolist(), ["a", "ö"])
        tensor = SparseTensor.sparse_csr_from_numpy([1, 3], numpy.array(["x"]), [2], [0, 1])
        self.assertEqual(tensor.values().tolist(), ["x"])

    def test_bytes_that_are_not_utf8_come_through(self):
        texts = numpy.array([b"\xff\xfe", b"ok"], object)
        tensor = SparseTensor.sparse_coo_from_numpy([4], texts, [0, 3])
        self.assertEqual(tensor.values().tolist(), ["\udcff\udcfe", "ok"])
        again = SparseTensor.sparse_coo_from_numpy([4], tensor.values(), [0, 3])
        self.assertEqual(again.values().tolist(), tensor.values().tolist())

    def test_views_keep_the_tensor(self):
        values = SparseTensor.sparse_coo_from_numpy([4], floats(2), [0, 3]).values()
        gc.collect()
        self.assertEqual(values.tolist(), [0, 1])
        self.assertFalse(values.flags.writeable)

    def test_mistakes_are_said(self):
        with self.assertRaises(ortc.InvalidArgument):
            SparseTensor.sparse_coo_from_numpy([4], floats(2), [0, 1, 2])
        with self.assertRaises(ortc.InvalidArgument):
            SparseTensor.sparse_csr_from_numpy([2, 2], floats(1), [0], [0])
        with self.assertRaisesRegex(ortc.InvalidArgument, "zero character"):
            SparseTensor.sparse_coo_from_numpy([4], numpy.array(["a\0b"], object), [0])


if __name__ == "__main__":
    unittest.main()
