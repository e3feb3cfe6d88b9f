#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of pictures as inputs, and of models whose operators need libort_c_extra.so, with the library
and without: extra_test.py ORTC [unittest argument ...]

Pictures are written here, as PNM; what resizing gives is computed by numpy.
"""
import os
import shutil
import subprocess
import unittest

import numpy as np
from onnx import TensorProto, helper

from tool_testing import FLOAT, ORTC, ToolTestCase, save

UINT8, HALF = TensorProto.UINT8, TensorProto.FLOAT16
LIBRARIES = os.path.join(os.path.dirname(os.path.dirname(ORTC)), "lib")


def resized(picture, height, width):
    """[H,W,C] with triangles around the places of the pixels, wider where it shrinks."""
    def along(x, size):
        scale = size / x.shape[0]
        reach = max(1.0, 1.0 / scale)
        centres = (np.arange(size)[:, None] + 0.5) / scale - 0.5
        weights = np.maximum(0.0, 1.0 - np.abs(np.arange(x.shape[0])[None] - centres) / reach)
        return np.tensordot(weights / weights.sum(1, keepdims=True), x, 1)
    rows = along(picture.astype(np.float64), height)
    return along(rows.swapaxes(0, 1), width).swapaxes(0, 1)


class PictureTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.rgb = np.random.default_rng(4).integers(0, 256, (6, 10, 3), np.uint8)
        self.write_ppm("p.ppm", self.rgb)

    def write_ppm(self, name, rgb):
        with open(self.path(name), "wb") as file:
            file.write(b"P6 %d %d 255\n" % (rgb.shape[1], rgb.shape[0]) + rgb.tobytes())

    def give(self, kind, shape, *options, exit_code=0, source="p.ppm"):
        """What an input of the shape gets."""
        self.save_identities(x=(kind, shape))
        self.ortc("run", "same.onnx", "--input", f"x={source}", *options, "--output-dir", "out",
                  exit_code=exit_code)
        return np.load(self.path("out/x_out.npy")) if exit_code == 0 else None

    def assert_given(self, expected, *arguments, **keywords):
        found = self.give(*arguments, **keywords)
        self.assertEqual(found.shape, expected.shape)
        np.testing.assert_allclose(found.astype(np.float64), expected, rtol=1e-3, atol=1e-3)

    def test_picture__lies_as_the_shape_says(self):
        planes = self.rgb.transpose(2, 0, 1)
        self.assert_given(planes[None], FLOAT, ["n", 3, "h", "w"])
        self.assert_given(self.rgb[None], UINT8, [1, 6, 10, 3])
        self.assert_given(planes, FLOAT, [3, 6, 10])
        self.assert_given(self.rgb, HALF, ["h", "w", 3])
        self.assert_given(np.stack([planes] * 2), FLOAT, [2, 3, 6, 10])
        self.assert_given(self.rgb[None], FLOAT, ["a", "b", "c", "d"], "--layout", "NHWC")
        self.assert_given(planes[None], FLOAT, ["a", "b", "c", "d"], "--layout", "NCHW")
        os.rename(self.path("p.ppm"), self.path("p"))
        self.assert_given(planes[None], FLOAT, [1, 3, 6, 10], source="image:p")

    def test_picture__is_resized_to_what_the_model_has(self):
        for height, width in ((12, 20), (3, 5), (6, 4), (7, 23)):
            expected = resized(self.rgb, height, width)
            self.assert_given(expected.transpose(2, 0, 1)[None], FLOAT, [1, 3, height, width])
        expected = resized(self.rgb, 3, 10)
        self.assert_given(expected.transpose(2, 0, 1)[None], FLOAT, [1, 3, "h", "w"],
                          "--shape", "x=1x3x3x10")
        found = self.give(UINT8, [4, 4, 3])
        self.assertLessEqual(np.abs(found - resized(self.rgb, 4, 4)).max(), 0.501)

    def test_picture__is_normalised_channel_by_channel(self):
        mean, scale = np.array([1.5, 20, 300]), np.array([2, 58.5, -1])
        self.assert_given((self.rgb - mean) / scale, FLOAT, [6, 10, 3], "--mean", "1.5,20,300",
                          "--scale", "2,58.5,-1")
        self.assert_given(self.rgb / 255, FLOAT, [6, 10, 3], "--scale", "255")
        self.assert_given((self.rgb[..., ::-1] - mean), FLOAT, [6, 10, 3], "--mean", "1.5,20,300",
                          "--pixel-format", "BGR")

    def test_picture__is_grey_for_one_channel(self):
        grey = np.round(self.rgb @ np.array([0.299, 0.587, 0.114]))
        found = self.give(UINT8, [1, 1, 6, 10])
        self.assertLessEqual(np.abs(found[0, 0] - grey).max(), 1)

    def test_picture__goes_to_bench_and_compare_too(self):
        self.save_identities(x=(FLOAT, [1, 3, 4, 4]))
        self.ortc("bench", "same.onnx", "--input", "x=p.ppm", "--iterations", "2")
        self.ortc("compare", "same.onnx", "same.onnx", "--input", "x=p.ppm", "--scale", "255")

    def test_picture__that_does_not_fit_is_refused_in_words(self):
        with open(self.path("bad.png"), "wb") as file:
            file.write(b"no picture")
        for kind, shape, options, exit_code, text in (
                (FLOAT, [2, 3], (), 2, "a picture needs an input of 3 or 4 dimensions"),
                (FLOAT, [1, 3, 8, 3], (), 2, "where the channels are cannot be told"),
                (FLOAT, ["n", "c", "h", "w"], (), 2, "give --layout NCHW or --layout NHWC"),
                (FLOAT, [1, 4, 8, 8], ("--layout", "NCHW"), 2, "it has 4 channels, RGB has 3"),
                (FLOAT, [1, 1, 8, 8], ("--pixel-format", "BGR"), 2, "it has 1 channels, BGR has 3"),
                (FLOAT, [1, 3, 8, 8], ("--mean", "1,2"), 2, "one for each channel: 3, found '1,2'"),
                (FLOAT, [1, 3, 8, 8], ("--scale", "0"), 2, "it cannot be 0"),
                (UINT8, [1, 3, 8, 8], ("--mean", "1"), 2, "it takes pixels as they are"),
                (TensorProto.INT64, [1, 3, 8, 8], (), 1, "a picture as int64")):
            self.give(kind, shape, *options, exit_code=exit_code)
            self.assertIn(text, self.errors)
        self.give(FLOAT, [1, 3, 8, 8], source="bad.png", exit_code=1)
        self.assertIn("bad.png is not an image that can be decoded", self.errors)
        self.give(FLOAT, [1, 3, 8, 8], source="missing.png", exit_code=1)
        self.assertIn("missing.png", self.errors)
        self.give(FLOAT, [1, 3, 8, 8], "--mean", "1", source="zeros", exit_code=2)
        self.assertIn("are for pictures, and no --input is one", self.errors)


class LeftOutTest(ToolTestCase):
    """The tool and libort_c alone, in a folder without libort_c_extra.so."""

    def setUp(self):
        super().setUp()
        known = subprocess.run(["ldconfig", "-p"], stdout=subprocess.PIPE, text=True).stdout
        if "libort_c_extra.so" in known:
            self.skipTest("the system has a libort_c_extra.so")
        with open(ORTC, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("AddressSanitizer looks for libraries where the tool was built")
        shutil.copy(ORTC, self.path("ortc"))
        shutil.copy(os.path.join(LIBRARIES, "libort_c.so.1"), self.folder)
        self.alone = self.path("ortc")
        save(self.path("decode.onnx"), [helper.make_node("ImageDecoder", ["x"], ["y"])],
             [("x", UINT8, ["n"])], [("y", UINT8, ["h", "w", 3])], opset=20)
        save(self.path("match.onnx"), [helper.make_node("RegexFullMatch", ["x"], ["y"], pattern="a+")],
             [("x", TensorProto.STRING, ["n"])], [("y", TensorProto.BOOL, ["n"])], opset=20)
        np.save(self.path("x.npy"), np.frombuffer(b"P2 1 1 255 7", np.uint8))

    def ortc_alone(self, *arguments):
        done = subprocess.run([self.alone, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "LD_LIBRARY_PATH": self.folder})
        return done.returncode, done.stdout

    def test_left_out__models_compile_and_load_and_say_what_runs_need(self):
        for model in ("decode", "match"):
            self.assertEqual(self.ortc_alone("compile", f"{model}.onnx")[0], 0)
        self.assertEqual(self.ortc_alone("verify", "decode_ctx.onnx")[0], 0)
        for model, value in (("decode", "x.npy"), ("decode_ctx", "x.npy"), ("match", '["aa"]')):
            code, text = self.ortc_alone("run", f"{model}.onnx", "--input", f"x={value}")
            self.assertNotEqual(code, 0)
            self.assertIn("NOT_IMPLEMENTED", text)
            self.assertIn("needs libort_c_extra.so (Debian package libort-c1-extra)", text)

    def test_left_out__what_was_compiled_runs_where_the_library_is(self):
        self.ortc_alone("compile", "decode.onnx")
        self.ortc("run", "decode_ctx.onnx", "--input", "x=x.npy", "--output-dir", "out")
        np.testing.assert_array_equal(np.load(self.path("out/y.npy")), np.full((1, 1, 3), 7, np.uint8))

    def test_extra__is_loaded_for_models_that_need_it_only(self):
        self.save_network()
        for model, value, is_loaded in (("m", "1", False), ("decode", "x.npy", True)):
            shape = ("--shape", "x=1x8") if model == "m" else ()
            done = subprocess.run([ORTC, "run", f"{model}.onnx", "--input", f"x={value}", *shape],
                                  cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, env={**os.environ, "LD_DEBUG": "files"})
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertEqual("libort_c_extra.so" in done.stderr, is_loaded)

    def test_extra__a_pattern_that_is_none_ends_making_a_session(self):
        save(self.path("bad.onnx"), [helper.make_node("RegexFullMatch", ["x"], ["y"], pattern="a(")],
             [("x", TensorProto.STRING, ["n"])], [("y", TensorProto.BOOL, ["n"])], opset=20)
        self.ortc("run", "bad.onnx", "--input", 'x=["a"]', exit_code=1)
        self.assertIn("INVALID_GRAPH", self.errors)
        self.assertIn("'a(' is not a regular expression of RE2: missing ): a(", self.errors)


if __name__ == "__main__":
    unittest.main()
