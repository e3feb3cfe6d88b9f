# SPDX-License-Identifier: MIT
"""Rows in this process: pieces, fixed numbers of rows, wrong data, data frames, one opening."""

import os
import pickle
import subprocess
import sys
import threading
import unittest

import numpy
import pandas
from batch_support import DIGITS, MODELS, FolderCase, images, on_cpu, save, weighted
from onnx import TensorProto, helper

from ortc import batch
from ortc.batch import opened
from ortc.errors import InvalidArgument, NoSuchFile


class Scoring(FolderCase):
    def test_pieces_make_no_difference(self):
        model = batch.Model(DIGITS)
        whole = batch.score(model, images())
        self.assertEqual(sorted(whole), ["logits", "probabilities"])
        for size in (1, 7, 445, 1000):
            pieces = batch.score(model, images()[:20], batch_size=size)
            numpy.testing.assert_allclose(pieces["logits"], whole["logits"][:20], rtol=1e-5,
                                          atol=1e-5)

    def test_a_fixed_number_of_rows_is_filled_up_and_cut(self):
        model = on_cpu(weighted(self.folder, rows=4))
        a = numpy.arange(22, dtype=numpy.float32).reshape(11, 2)
        result = batch.score(model, {"a": a, "b": a}, constants={"scale": 3}, outputs=["y"],
                             batch_size=5)
        numpy.testing.assert_array_equal(result["y"], a * 6)

    def test_a_model_of_single_rows_takes_any_number(self):
        x = numpy.random.RandomState(1).rand(9, 256).astype(numpy.float32)
        model = on_cpu(str(MODELS / "first.onnx"))
        single = [batch.score(model, x[row:row + 1])["y"] for row in range(9)]
        numpy.testing.assert_array_equal(batch.score(model, x)["y"], numpy.concatenate(single))

    def test_no_rows_give_no_rows(self):
        result = batch.score(batch.Model(DIGITS), images()[:0])
        self.assertEqual(result["logits"].shape, (0, 10))
        self.assertEqual(result["logits"].dtype, numpy.float32)

    def test_memory_may_lie_as_it_likes(self):
        model, all_images = batch.Model(DIGITS), images()
        turned = numpy.asfortranarray(all_images)
        numpy.testing.assert_array_equal(batch.score(model, turned[::2])["logits"],
                                         batch.score(model, all_images[::2].copy())["logits"])
        all_images.flags.writeable = False  # as engines hand them over
        self.assertEqual(len(batch.score(model, all_images)["logits"]), 445)
        odd = numpy.zeros(all_images.nbytes + 1, numpy.uint8)[1:].view(numpy.float32)
        odd = odd.reshape(all_images.shape)
        odd[:] = all_images
        self.assertFalse(odd.flags.aligned)
        numpy.testing.assert_array_equal(batch.score(model, odd)["logits"],
                                         batch.score(model, all_images)["logits"])

    def test_texts_are_rows_too(self):
        texts = numpy.array(["a", "ü", ""], object)
        result = batch.score(on_cpu(str(MODELS / "texts.onnx")), texts, batch_size=2)
        self.assertEqual(list(result["y"]), ["a", "ü", ""])
        result = batch.score(on_cpu(str(MODELS / "texts.onnx")), numpy.array(["ab", "c"]))
        self.assertEqual(list(result["y"]), ["ab", "c"])

    def test_an_output_without_rows_is_refused(self):
        model = on_cpu(weighted(self.folder))
        data = {"a": numpy.zeros((3, 2), numpy.float32), "b": numpy.zeros((3, 2), numpy.float32)}
        with self.assertRaisesRegex(InvalidArgument, "output 's' has the shape .* for 3 rows"):
            batch.score(model, data, constants={"scale": 1})


class WrongData(FolderCase):
    def refused(self, pattern, data, path=DIGITS, **options):
        model = batch.Model(path) if path == DIGITS else on_cpu(path)
        with self.assertRaisesRegex(InvalidArgument, pattern):
            batch.score(model, data, **options)

    def test_types_and_shapes_are_compared_first(self):
        good = images()
        self.refused("'images' takes float32, not float64: convert", good.astype(float))
        self.refused(r"takes the shape \[rows, 1, 8, 8\], not \[445, 8, 8\]", good[:, 0])
        self.refused(r"takes the shape .*, not \[445, 1, 8, 4\]", good[..., :4])
        self.refused("has no rows", numpy.float32(1))
        self.refused("takes float32, not object", [[1, None]])

    def test_names_must_fit(self):
        good = images()
        self.refused("no array 'images' for input 'images'; there are 'image'", {"image": good})
        self.refused("'label' is not an input", {"images": good, "label": good})
        self.refused("no input 'picture'; it has 'images'", good, inputs="picture")
        self.refused("no output 'z'; it has 'logits', 'probabilities'", good, outputs=["z"])
        self.refused("outputs are a list", good, outputs="logits")
        chosen = batch.score(batch.Model(DIGITS), {"image": good, "label": good},
                             inputs={"images": "image"})
        self.assertEqual(len(chosen["logits"]), len(good))

    def test_several_inputs_need_as_many_rows(self):
        path = weighted(self.folder)
        two, three = (numpy.zeros((rows, 2), numpy.float32) for rows in (2, 3))
        one = {"scale": 1}
        self.refused("different numbers of rows: {'a': 2, 'b': 3}", {"a": two, "b": three}, path,
                     constants=one)
        self.refused("one array, but the model has the inputs 'a', 'b'", two, path, constants=one)
        self.refused("'scale' is a single value", {"a": two, "b": two, "scale": two}, path)
        self.refused("nothing is said to go to input 'b'", {"a": two}, path, inputs={"a": "a"},
                     constants=one)
        self.refused("both among inputs and constants", {"a": two}, path, constants=one,
                     inputs={"a": "a", "b": "a", "scale": "a"})

    def test_fixed_numbers_of_rows_must_agree(self):
        path = save(self.folder, "unequal", [helper.make_node("MatMul", ["a", "b"], ["y"])],
                    [("a", TensorProto.FLOAT, [4, 2]), ("b", TensorProto.FLOAT, [2, 3])],
                    [("y", TensorProto.FLOAT, [4, 3])])
        a, b = numpy.ones((4, 2), numpy.float32), numpy.ones((2, 3), numpy.float32)
        self.refused("different numbers of rows: {'a': 4, 'b': 2}", {"a": a, "b": b}, path)
        right = batch.score(on_cpu(path), a, constants={"b": b})
        numpy.testing.assert_array_equal(right["y"], a @ b)


class Frames(FolderCase):
    def test_columns_are_inputs_by_name(self):
        frame = pandas.DataFrame({"a": list(numpy.ones((3, 2), numpy.float32)), "other": "x",
                                  "b": list(numpy.ones((3, 2)))}, index=[5, 3, 1])
        result = batch.score(on_cpu(weighted(self.folder)), frame, constants={"scale": 2},
                             outputs=["y"])
        self.assertEqual(list(result.columns), ["y_0", "y_1"])
        self.assertEqual(list(result.index), [5, 3, 1])
        self.assertTrue((result == 4).all(axis=None))

    def test_kinds_of_frames_are_frames(self):
        class Table(pandas.DataFrame):
            pass

        result = batch.score(on_cpu(str(MODELS / "texts.onnx")), Table({"x": ["a"]}))
        self.assertIsInstance(result, pandas.DataFrame)

    def test_columns_side_by_side_are_a_table(self):
        path = str(MODELS / "trivial.onnx")
        frame = pandas.DataFrame({name: [1, 2, 3] for name in "pqrs"})
        expected = [[2.0] * 4, [3.0] * 4, [4.0] * 4]
        self.assertEqual(batch.score(on_cpu(path), frame).values.tolist(), expected)
        frame["label"] = "text"
        chosen = batch.score(on_cpu(path), frame, inputs={"x": list("pqrs")})
        self.assertEqual(chosen.values.tolist(), expected)
        with self.assertRaisesRegex(InvalidArgument, "no column 'x' for input 'x'"):
            batch.score(on_cpu(path), frame)

    def test_outputs_of_other_shapes_find_a_column(self):
        texts = pandas.DataFrame({"x": ["a", "b"]})
        self.assertEqual(list(batch.score(on_cpu(str(MODELS / "texts.onnx")), texts)["y"]),
                         ["a", "b"])
        path = save(self.folder, "deep", [helper.make_node("Identity", ["x"], ["y"])],
                    [("x", TensorProto.FLOAT, ["n", 2, 2])],
                    [("y", TensorProto.FLOAT, ["n", 2, 2])])
        deep = pandas.DataFrame({"x": list(numpy.ones((3, 2, 2), numpy.float32))})
        self.assertEqual(batch.score(on_cpu(path), deep)["y"][2].shape, (2, 2))

    def test_numbers_are_converted_only_where_they_keep_their_value(self):
        path = save(self.folder, "small", [helper.make_node("Identity", ["x"], ["y"])],
                    [("x", TensorProto.INT8, ["n"])], [("y", TensorProto.INT8, ["n"])])
        model = on_cpu(path)
        self.assertEqual(list(batch.score(model, pandas.DataFrame({"x": [1, -128]}))["y"]),
                         [1, -128])
        for values, pattern in (([1, 300], "numbers that int8 of input 'x' cannot hold"),
                                ([1.5, 2], "has float64, input 'x' takes int8"),
                                (["a", "b"], "missing or no numbers"),
                                (pandas.array([1, None], "Int8"), "missing or no numbers")):
            with self.assertRaisesRegex(InvalidArgument, pattern):
                batch.score(model, pandas.DataFrame({"x": values}))
        with self.assertRaisesRegex(InvalidArgument, "None where a text is needed"):
            batch.score(on_cpu(str(MODELS / "texts.onnx")), pandas.DataFrame({"x": ["a", None]}))


class Opening(FolderCase):
    def test_a_process_opens_a_model_once(self):
        made = []

        def session(path, threads):
            made.append(threads)
            return batch.Model(path).open(threads)

        model = batch.Model(DIGITS, open_session=session)
        start = threading.Barrier(8)

        def use():
            start.wait()
            results.append(batch.score(model, images()[:5])["logits"])

        results = []
        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(made), 1)
        for result in results:
            numpy.testing.assert_array_equal(result, results[0])
        batch.close_model(model)
        batch.score(model, images()[:5])
        self.assertEqual(len(made), 2)

    def test_it_closes_with_its_last_user(self):
        model = batch.Model(DIGITS, threads=1)
        for _ in range(2):
            opened.add_user(model)
        first = opened.open_model(model)
        opened.remove_user(model)
        self.assertIs(opened.open_model(model), first)
        opened.remove_user(model)
        self.assertIsNot(opened.open_model(model), first)
        batch.close_model(model)

    def test_a_failure_names_the_model_and_is_tried_again(self):
        path = os.path.join(self.folder, "late.onnx")
        model = on_cpu(path)
        with self.assertRaisesRegex(NoSuchFile, "late.onnx"):
            batch.score(model, images())
        with open(MODELS / "digits.onnx", "rb") as source, open(path, "wb") as target:
            target.write(source.read())
        self.assertEqual(len(batch.score(model, images())["logits"]), 445)

    def test_models_are_told_apart_by_what_opens_them(self):
        same = [batch.Model("/m.onnx"), batch.Model("/m.onnx", providers=[("AOT", {})])]
        others = [batch.Model("/n.onnx"), batch.Model("/m.onnx", providers=()),
                  batch.Model("/m.onnx", threads=2),
                  batch.Model("/m.onnx", config={"session.disable_file_mapping": "1"}),
                  batch.Model("/m.onnx", open_session=print)]
        self.assertEqual(len({model.key for model in same}), 1)
        self.assertEqual(len({model.key for model in [*same, *others]}), 6)
        again = pickle.loads(pickle.dumps(others[2]))
        self.assertEqual((again.key, again.path, again.threads), (others[2].key, "/m.onnx", 2))

    def test_wrong_models_are_refused_at_once(self):
        with self.assertRaisesRegex(InvalidArgument, "must be absolute, not 'm.onnx'"):
            batch.Model("m.onnx")
        with self.assertRaisesRegex(InvalidArgument, "threads must be 1 or more"):
            batch.Model("/m.onnx", threads=0)

    def test_a_child_of_a_process_with_sessions_opens_its_own(self):
        model = batch.Model(DIGITS, threads=2)
        expected = batch.score(model, images())["logits"]
        child = os.fork()
        if child == 0:
            try:
                same = numpy.array_equal(batch.score(model, images())["logits"], expected)
                os._exit(0 if same else 1)
            except BaseException:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class WithoutDask(unittest.TestCase):
    def test_what_needs_it_says_what_to_install(self):
        code = ("import sys; sys.modules['distributed'] = None\n"
                "from ortc import batch\nassert batch.score and batch.Model\nbatch.map_batches")
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("ImportError: ortc.batch.map_batches needs dask.distributed: install "
                      "python3-distributed", ran.stderr)
        with self.assertRaisesRegex(AttributeError, "no attribute 'map_batch'"):
            batch.map_batch


if __name__ == "__main__":
    unittest.main()
