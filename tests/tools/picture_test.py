#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of ortc inspect --picture: picture_test.py ORTC [argument ...]

Pictures are read back by an XML parser.
"""
import os
import re
import resource
import sys
import unittest
import xml.etree.ElementTree as xml

import numpy as np
import onnx
from onnx import helper

from tool_testing import FLOAT, ToolTestCase, save

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>alert('1')</script>\"&amp;\x01\u202e]]>"
SHOWN = HOSTILE.replace("\x01", "\ufffd").replace("\u202e", "\ufffd")


class PictureTest(ToolTestCase):
    def picture(self, file, *models):
        """The root of what the tool drew; HTML is written so that an XML parser reads it too."""
        self.report = self.ortc_json("inspect", *models, "--picture", file)
        with open(self.path(file), encoding="utf-8") as opened:
            self.text = opened.read()
        self.assertEqual(self.report["bytes"], len(self.text.encode()))
        return xml.fromstring(self.text.replace("<!DOCTYPE html>\n", ""))

    def texts(self, root):
        return "\n".join(text for element in root.iter() for text in (element.text,) if text)

    def save_pair(self, *names, own=8):
        """Models that share a large weight and have a small one each."""
        rng = np.random.default_rng(1)
        shared = rng.standard_normal((64, 256), dtype=np.float32)
        for name in names:
            mine = rng.standard_normal((256, own), dtype=np.float32)
            save(self.path(name + ".onnx"),
                 [helper.make_node("MatMul", ["x", "w"], ["h"], name="first"),
                  helper.make_node("MatMul", ["h", "v"], ["y"], name="last")],
                 [("x", FLOAT, [4, 64])], [("y", FLOAT, [4, own])], [("w", shared), ("v", mine)])

    def save_layers(self, count, path="deep.onnx"):
        """Layers of ten nodes each, with what every decoder has: a path that goes around."""
        nodes, at = [], "x"
        for layer in range(count):
            name = f"layers.{layer}/"
            for step, op in enumerate(["Relu", "Neg", "Abs", "Tanh", "Sigmoid", "Exp", "Neg",
                                       "Floor", "Tanh"]):
                value = f"{name}v{step}"
                nodes.append(helper.make_node(op, [at if step == 0 else f"{name}v{step - 1}"],
                                              [value], name=f"{name}{op}{step}"))
            nodes.append(helper.make_node("Add", [at, f"{name}v8"], [f"{name}out"],
                                          name=f"{name}Add"))
            at = f"{name}out"
        save(self.path(path), nodes, [("x", FLOAT, [4])], [(at, FLOAT, [4])])
        return [node.name for node in nodes]

    def test_a_graph__has_every_node_input_and_output(self):
        self.save_network()
        for file in ("m.svg", "m.html"):
            shown = self.texts(self.picture(file, "m.onnx"))
            for name in ("product", "bias", "relu", "MatMul", "Relu", "m.onnx", "a/y:0",
                         "not compiled: 3 nodes"):
                self.assertIn(name, shown)
            self.assertEqual(self.report["schema"], "ortc.picture/1")
            self.assertEqual(self.report["nodes_left_out"], 0)

    def test_constants__are_listed_but_not_drawn(self):
        value = helper.make_tensor("k", FLOAT, [4], [1, 2, 3, 4])
        save(self.path("c.onnx"),
             [helper.make_node("Constant", [], ["k"], name="literal", value=value),
              helper.make_node("Add", ["x", "k"], ["y"], name="sum"),
              helper.make_node("Constant", [], ["z"], name="given", value=value)],
             [("x", FLOAT, [4])], [("y", FLOAT, [4]), ("z", FLOAT, [4])])
        root = self.picture("c.svg", "c.onnx")
        self.assertEqual(len(list(root.iter(SVG + "path"))), 2)
        self.assertIn("2 Constant nodes not drawn", self.texts(root))
        self.assertNotIn("literal", self.texts(root))
        self.assertIn("literal", self.texts(self.picture("c.html", "c.onnx")))

    def test_a_constant_that_reads__is_a_node(self):
        save(self.path("odd.onnx"), [helper.make_node("Constant", ["x"], ["c"], value_float=1.0),
                                     helper.make_node("Add", ["x", "c"], ["y"])],
             [("x", FLOAT, [1])], [("y", FLOAT, [1])])
        self.assertIn("Constant", self.texts(self.picture("odd.svg", "odd.onnx")))

    def test_what_many_layers_read__has_a_box_at_each(self):
        names = [f"n{i}" for i in range(6)]
        nodes = [helper.make_node("Add", ["x" if i == 0 else names[i - 1], "mask"], [names[i]],
                                  name=names[i]) for i in range(6)]
        save(self.path("m.onnx"), nodes, [("x", FLOAT, [4]), ("mask", FLOAT, [4])],
             [("n5", FLOAT, [4])])
        root = self.picture("m.svg", "m.onnx")
        shown = [text.text for text in root.iter(SVG + "text")]
        self.assertEqual((shown.count("mask"), shown.count("x")), (6, 1))

    def test_a_compiled_graph__tells_compiled_parts_from_nodes_that_were_left(self):
        self.save_network()
        self.ortc("compile", "m.onnx", "--ep-opt", "excluded_operators=Add")
        root = self.picture("m.svg", "m_ctx.onnx")
        shown = self.texts(root)
        self.assertIn("compiled by AOT: 2 parts", shown)
        self.assertIn("left to other providers: 1 node", shown)
        classes = [rect.get("class") for rect in root.iter(SVG + "rect")]
        self.assertEqual(classes.count("c0"), 3)  # and one of the legend
        self.assertEqual(classes.count("left"), 2)
        self.assertEqual(len(list(root.iter(SVG + "path"))), 4)

    def test_models_of_a_group__show_what_is_stored_once(self):
        self.save_pair("a", "b")
        self.ortc("compile", "--share", "a.onnx", "b.onnx", "--out-dir", "shared")
        pair = ("shared/a_ctx.onnx", "shared/b_ctx.onnx")
        shown = self.texts(self.picture("map.svg", *pair))
        for name in ("a_aot.bin", "a_ctx.onnx", "b_ctx.onnx", "shared by two", "used by one model"):
            self.assertIn(name, shown)
        facts = re.search(r"2 models use (\S+) KiB of tensors in 1 file; (\S+) KiB are stored, "
                          r"(\S+) KiB saved", shown)
        used, stored, saved = map(float, facts.groups())
        self.assertAlmostEqual(used - stored, saved, delta=0.2)
        self.assertAlmostEqual(saved, 64, delta=1)  # float32[64,256]
        page = self.texts(self.picture("map.html", *pair))
        for name in ("a_aot.bin", "saved by sharing", "a_ctx.onnx, b_ctx.onnx"):
            self.assertIn(name, page)

    def test_models_compiled_one_by_one__show_what_is_stored_twice(self):
        self.save_pair("a", "b")
        for name in ("a", "b"):
            self.ortc("compile", name + ".onnx")
        shown = self.texts(self.picture("map.svg", "a_ctx.onnx", "b_ctx.onnx"))
        self.assertIn("0 B saved by sharing", shown)
        self.assertRegex(shown, r"The same bytes are in several files: 64(\.0)? KiB in 1 tensor")

    def test_models_that_read_one_file_of_weights__share_it(self):
        self.save_pair("a", "b")
        model = onnx.load(self.path("a.onnx"))
        onnx.save(model, self.path("a.onnx"), save_as_external_data=True, location="w.bin",
                  size_threshold=0)
        os.rename(self.path("a.onnx"), self.path("c.onnx"))
        with open(self.path("c.onnx"), "rb") as source, open(self.path("d.onnx"), "wb") as copy:
            copy.write(source.read())
        shown = self.texts(self.picture("map.svg", "c.onnx", "d.onnx"))
        self.assertIn("2 models use 144.0 KiB of tensors in 1 file; 72.0 KiB are stored", shown)

    def test_hostile_names__are_texts_and_nothing_else(self):
        model = HOSTILE.replace("/", "").replace("\x01", "") + ".onnx"
        save(self.path(model), [helper.make_node("Relu", ["x" + HOSTILE], ["y" + HOSTILE],
                                                 name=HOSTILE + "BAD!")],
             [("x" + HOSTILE, FLOAT, [1])], [("y" + HOSTILE, FLOAT, [1])])
        with open(self.path(model), "rb") as opened:
            data = opened.read()
        with open(self.path(model), "wb") as opened:  # not UTF-8
            opened.write(data.replace(b"BAD!", b"\xff\xc0\x80\xed"))
        for file in ("m.svg", "m.html"):
            root = self.picture(file, model)
            self.assertIn(SHOWN, self.texts(root))
            scripts = [element for element in root.iter() if element.tag.endswith("script")]
            self.assertEqual(len(scripts), 1 if file == "m.html" else 0)
            self.assertEqual(self.text.count("<script>"), len(scripts))
            self.assertNotIn("\u202e", self.text)
        self.assertNotRegex(self.text, r"(src|href)=\"[^#]")  # nothing comes from elsewhere

    def test_the_same_models__give_the_same_bytes(self):
        names = self.save_layers(20)
        self.picture("a.html", "deep.onnx")
        first = self.text
        self.picture("b.html", "deep.onnx")
        self.assertEqual(self.text, first)
        self.assertEqual(len(names), 200)

    def test_repeated_layers__are_parts_that_open(self):
        names = self.save_layers(20)
        root = self.picture("deep.html", "deep.onnx")
        shown = self.texts(root)
        for name in names + ["layer 1 of 20", "layer 20 of 20"]:
            self.assertIn(name, shown)
        links = [a.get("href")[1:] for a in root.iter(SVG + "a")]
        ids = [details.get("id") for details in root.iter("details")]
        self.assertEqual(len(links), 20)
        for link in links:
            self.assertIn(link, ids)

    def test_a_large_model__is_drawn_fast_and_says_what_is_left_out(self):
        self.save_layers(200)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.picture("deep.html", "deep.onnx")
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.assertEqual(self.report["nodes_left_out"], 0)
        self.assertLess(self.report["bytes"], 4_000_000)
        self.assertLess(seconds, 2)
        self.save_layers(600, "deeper.onnx")
        self.picture("deeper.html", "deeper.onnx")
        self.assertEqual(self.report["nodes_left_out"], 4000)
        self.assertLess(self.report["bytes"], 5_000_000)
        self.assertIn("Not drawn", self.text)
        self.picture("deeper.svg", "deeper.onnx")
        self.assertLess(self.report["bytes"], 300_000)

    def test_mistakes__are_said_and_leave_no_file(self):
        self.save_network()
        self.ortc("compile", "m.onnx")
        before = sorted(os.listdir(self.folder))
        for words, exit_code, text in (
                (["m.onnx", "--picture", "m.png"], 2, "'m.png'"),
                (["m.onnx", "--picture", ".svg"], 2, "'.svg'"),
                (["m.onnx", "m_ctx.onnx"], 2, "--picture"),
                (["m.onnx", "--picture", "m.svg", "--details"], 2, "--details"),
                (["--picture", "m.svg"], 2, "needs FILE"),
                (["m.onnx", "--picture", "absent/m.svg"], 1, "absent/m.svg"),
                (["absent.onnx", "--picture", "m.svg"], 1, "absent.onnx"),
                (["m_aot.bin", "--picture", "m.svg"], 1, "context binary"),
                (["m.onnx", "m.onnx", "--picture", "m.svg"], 1, "no tensors in files")):
            self.ortc("inspect", *words, exit_code=exit_code)
            self.assertIn(text, self.errors)
            self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_picture__does_not_replace_a_model(self):
        self.save_network()
        os.rename(self.path("m.onnx"), self.path("m.svg"))
        self.ortc("inspect", "m.svg", "--picture", "m.svg", exit_code=1)
        self.ortc("inspect", "m.svg")

    def test_a_model_whose_context_is_missing__is_drawn_with_its_verdict(self):
        self.save_network()
        self.ortc("compile", "m.onnx")
        os.remove(self.path("m_aot.bin"))
        self.assertIn("verdict: broken", self.texts(self.picture("m.svg", "m_ctx.onnx")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
