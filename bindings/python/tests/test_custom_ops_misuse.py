# SPDX-License-Identifier: MIT
"""Operators that fail or misbehave; what they keep; threads; compiled models."""

import asyncio
import concurrent.futures
import gc
import os
import subprocess
import sys
import threading
import unittest
import weakref

import numpy
import ortc
from operator_models import knowing, model_of, node, op, run, session_of, tensor
from ortc import FormalParameter as Formal
from support import FolderCase, aot, floats

LONG = os.environ.get("ORTC_SOAK") == "1"
X = {"x": numpy.arange(3, dtype=numpy.float32)}


class Mine(Exception):
    """An exception of the program."""


def raising(error):
    def fail(*_, **__):
        raise error
    return fail


class Failures(unittest.TestCase):
    def test_what_a_function_raises_comes_out_of_the_run(self):
        error = Mine("computing")
        session = session_of(model_of(node("Fail")), op("Fail")(raising(error)))
        for _ in range(2):
            with self.assertRaises(Mine) as caught:
                session.run(None, X)
            self.assertIs(caught.exception, error)

    def test_what_the_making_of_a_kernel_raises_comes_out_of_the_load(self):
        error = ortc.NotImplemented("not for me")

        @op("Fail")
        class Fail:
            __init__ = raising(error)

        with self.assertRaises(ortc.NotImplemented) as caught:
            session_of(model_of(node("Fail")), Fail)
        self.assertIs(caught.exception, error)

    def test_what_inference_raises_comes_out_of_the_load(self):
        error = Mine("inferring")
        fail = op("Fail", infer_output_shape=raising(error))(lambda x: x)
        with self.assertRaises(Mine) as caught:
            session_of(model_of(node("Fail")), fail)
        self.assertIs(caught.exception, error)

    def test_what_a_part_of_a_loop_raises_comes_out_when_all_have_ended(self):
        @op("Fail")
        class Fail:
            def __init__(self, info):
                pass

            def compute(self, context):
                context.parallel_for(raising(Mine("part")), 10)

        with self.assertRaisesRegex(Mine, "part"):
            run(Fail, model_of(node("Fail")), **X)

    def test_ctrl_c_within_a_function_stops_the_run(self):
        with self.assertRaises(KeyboardInterrupt):
            run(op("Fail")(raising(KeyboardInterrupt())), model_of(node("Fail")), **X)


class WrongResults(unittest.TestCase):
    def check(self, body, words, outputs=("float",), **more):
        with self.assertRaisesRegex(ortc.InvalidArgument, words):
            run(op("Wrong", outputs=outputs)(body), model_of(node("Wrong"), **more), **X)

    def test_an_array_of_another_type(self):
        self.check(lambda x: x.astype(numpy.float64),
                   r"output 0: expected an array of float32 .*, found float64")

    def test_no_result(self):
        self.check(lambda x: None, "output 0 is None, but the model wants it")

    def test_a_tuple_that_is_too_short(self):
        self.check(lambda x: (), "gave 0 outputs, expected 1")

    def test_a_result_that_is_not_numbers(self):
        with self.assertRaises(TypeError):
            run(op("Wrong")(lambda x: object()), model_of(node("Wrong")), **X)

    def test_an_output_of_two_shapes(self):
        @op("Twice")
        class Twice:
            def __init__(self, info):
                pass

            def compute(self, context):
                context.output(0, [1])
                context.output(0, [2])

        with self.assertRaisesRegex(ortc.InvalidArgument, "cannot become"):
            run(Twice, model_of(node("Twice")), **X)

    def test_numbers_of_inputs_and_outputs_that_are_not_there(self):
        seen = []

        @op("Far")
        class Far:
            def __init__(self, info):
                for call in (info.input_type, info.output_type, info.constant_input):
                    with self_.assertRaises(ortc.InvalidArgument):
                        call(7)
                with self_.assertRaisesRegex(ortc.InvalidArgument, "kind 'flaot'"):
                    info.attribute("a", "flaot")

            def compute(self, context):
                for call in (lambda: context.input(7), lambda: context.output(7, [1])):
                    with self_.assertRaisesRegex(ortc.InvalidArgument, "'index' is 7"):
                        call()
                context.output(0, [1]).numpy()[0] = 1
                seen.append(True)

        self_ = self
        run(Far, model_of(node("Far")), **X)
        self.assertEqual(seen, [True])

    def test_inference_that_contradicts_the_model(self):
        wrong = op("Wrong", infer_output_shape=lambda context: context.set_output_shape(0, [1, 1]))
        options = knowing(wrong(lambda x: x))
        options.log_severity_level = 4
        ortc.InferenceSession(model_of(node("Wrong")), options)
        options.add_session_config_entry("session.strict_shape_type_inference", "1")
        with self.assertRaises(ortc.InvalidGraph):
            ortc.InferenceSession(model_of(node("Wrong")), options)
        with self.assertRaisesRegex(ortc.InvalidArgument, "'index' is 3"):
            session_of(model_of(node("Wrong")), op(
                "Wrong", infer_output_shape=lambda context: context.input_type(3))(lambda x: x))


class WrongDeclarations(unittest.TestCase):
    def test_they_are_refused_at_once(self):
        for inputs, words in ((["flaot"], "flaot"), ([object()], "."),
                              ([Formal(variadic=True), "float"], "only the last one"),
                              ([Formal(variadic=True, optional=True)], "not both")):
            with self.subTest(words), self.assertRaisesRegex((ortc.Error, TypeError), words):
                op("Wrong", inputs)(lambda x: x)
        with self.assertRaisesRegex(ortc.InvalidArgument, "'a' cannot be of the kind .*dict"):
            op("Wrong", attrs={"a": dict})
            op("Wrong", attrs={"a": dict})(lambda x: x)
        with self.assertRaisesRegex(TypeError, "function or a class, not 7"):
            op("Wrong")(7)
        with self.assertRaisesRegex(TypeError, "onnx_op"):
            ortc.SessionOptions().register_custom_ops(lambda x: x)

    def test_or_when_a_session_is_made(self):
        for wrong, words in (
                (op("", ["float"])(lambda x: x), "has no name"),
                (op("Wrong", since_version=3, last_version=2)(lambda x: x), "3 to 2"),
                (op("Wrong", [Formal(None, variadic=True, min_arity=-1)])(lambda x: x), "-1")):
            with self.subTest(words), self.assertRaisesRegex(ortc.InvalidArgument, words):
                session_of(model_of(node("Wrong")), wrong)
        same = [op("Same", since_version=since)(lambda x: x) for since in (1, 2)]
        with self.assertRaisesRegex(ortc.InvalidArgument, "take the same types"):
            session_of(model_of(node("Same")), *same)

    def test_a_class_whose_objects_cannot_compute(self):
        @op("Wrong")
        class Wrong:
            def __init__(self, info):
                pass

        with self.assertRaisesRegex(TypeError, "neither compute"):
            session_of(model_of(node("Wrong")), Wrong)

    def test_attributes_that_are_missing_or_of_another_kind(self):
        want = op("Want", attrs={"a": int})(lambda x, a: x)
        default = op("Want", attrs={"a": int})(lambda x, a=1: x)
        either = op("Want", attrs=["a"])(lambda x, a: x)
        for operator, attributes, words in ((want, {}, "'a' is defined"),
                                            (want, {"a": 0.5}, "'a' is not a whole number"),
                                            (default, {"a": 0.5}, "'a' is not a whole number"),
                                            (either, {}, "no attribute 'a'")):
            with self.subTest(words), self.assertRaisesRegex(ortc.Fail, words):
                session_of(model_of(node("Want", **attributes)), operator)

    def test_models_that_do_not_fit(self):
        known = op("Known", since_version=2)(lambda x: x)
        for nodes, words, more in (
                (node("Known"), "imports opset 1 of the domain, expected 2", {}),
                (node("Known", "x x"), r"input size 2 not in range \[min=1, max=1\]", {"mine": 2}),
                (node("Unknown"), "Unknown", {"mine": 2}),
                (node("Known"), "is int64.*expected float32",
                 {"mine": 2, "inputs": [tensor("x", "INT64")]})):
            with self.subTest(words), self.assertRaisesRegex(ortc.Error, words):
                session_of(model_of(nodes, **more), known)

    def test_operators_of_onnx_that_are_not_there(self):
        @op("Call")
        class Call:
            def __init__(self, info):
                with self_.assertRaisesRegex(ortc.NotImplemented, "Nonsense"):
                    ortc.EagerOperator(info, "Nonsense", 17, 1)
                self.neg = ortc.EagerOperator(info, "Neg", 13, 1)

            def compute(self, context):
                y = context.output(0, context.input(0).shape())
                with self_.assertRaisesRegex(ortc.InvalidArgument, "'input_count' is 2"):
                    self.neg.invoke(context, [context.input(0)] * 2, [y])
                with self_.assertRaisesRegex(ortc.InvalidArgument, "read-only"):
                    self.neg.invoke(context, [y], [context.input(0)])
                self.neg.invoke(context, context.inputs, [y])

        self_ = self
        y, = run(Call, model_of(node("Call")), **X)
        numpy.testing.assert_array_equal(y, -X["x"])


class Keeping(unittest.TestCase):
    def test_an_array_that_outlives_its_call_fails_the_run(self):
        kept = []
        for keep in (kept.append, lambda x: kept.append(x[1:])):
            with self.assertRaisesRegex(ortc.InvalidArgument, "keeps input 0 of a call"):
                run(op("Keep")(lambda x, keep=keep: (keep(x), x + 0)[1]), model_of(node("Keep")),
                    **X)
            kept.clear()

    def test_so_do_values_outputs_and_scratch_memory(self):
        kept = []

        @op("Keep")
        class Keep:
            def __init__(self, info):
                pass

            def compute(self, context):
                kept.extend([context.input(0), context.output(0, [1]), context.scratch(8), context])

        with self.assertRaisesRegex(ortc.InvalidArgument,
                                    "keeps input 0, output 0, scratch memory of"):
            run(Keep, model_of(node("Keep")), **X)
        value, _, _, context = kept
        with self.assertRaises(ortc.InvalidArgument):
            value.numpy()
        with self.assertRaisesRegex(ortc.InvalidArgument, "is over"):
            context.input(0)

    def test_a_copy_may_be_kept_and_a_cycle_is_not_keeping(self):
        kept = []

        @op("Copy")
        def copy(x):
            loop = [x]
            loop.append(loop)
            kept.append(x.copy())
            return x

        run(copy, model_of(node("Copy")), **X)
        numpy.testing.assert_array_equal(kept[0], X["x"])

    def test_an_exception_shows_no_memory_of_the_run(self):
        values = []

        @op("Raise")
        def fails(x):
            values.append(weakref.ref(x.base.value))
            try:
                raise Mine("first")
            except Mine:
                raise Mine("second")

        with self.assertRaisesRegex(Mine, "second") as caught:
            run(fails, model_of(node("Raise")), **X)
        self.assertEqual(values[0](), None)
        self.assertIsNotNone(caught.exception.__context__)

    def test_the_context_of_shapes_ends(self):
        kept = []
        session_of(model_of(node("Keep")),
                   op("Keep", infer_output_shape=kept.append)(lambda x: x))
        with self.assertRaisesRegex(ortc.InvalidArgument, "is over"):
            kept[0].attribute("a", None)


class Lifetimes(unittest.TestCase):
    def make(self):
        @op("Here")
        class Here:
            alive = 0

            def __init__(self, info):
                type(self).alive += 1

            def __del__(self):
                type(self).alive -= 1

            def __call__(self, x):
                return x + 1

        return Here

    def test_a_session_holds_what_it_needs(self):
        options = knowing(self.make())
        session = ortc.InferenceSession(model_of(node("Here")), options)
        del options
        gc.collect()
        numpy.testing.assert_array_equal(session.run(None, X)[0], [1, 2, 3])
        binding = session.io_binding()
        binding.bind_cpu_input("x", X["x"])
        binding.bind_output("y")
        session.run_with_iobinding(binding)
        del session
        gc.collect()
        numpy.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], [1, 2, 3])

    def test_all_ends_with_the_last_session(self):
        here = self.make()
        body, operator = here.body, weakref.ref(here)
        model, options = model_of(node("Here")), knowing(here)
        del here
        sessions = [ortc.InferenceSession(model, options) for _ in range(3)]
        self.assertEqual(body.alive, 3)
        del options
        while sessions:
            self.assertIsNotNone(operator())
            sessions.pop()
            self.assertEqual(body.alive, len(sessions))
        gc.collect()
        self.assertIsNone(operator())

    def test_a_session_may_end_in_the_callback_of_its_last_run(self):
        """On a thread of the library, which gives kernels back after that."""
        here = self.make()
        body, ended = here.body, threading.Event()
        options = knowing(here)
        options.intra_op_num_threads = 2
        held = [ortc.InferenceSession(model_of(node("Here")), options)]
        del here, options

        def done(results, _, error):
            held.clear()
            gc.collect()
            ended.set()

        held[0].run_async(None, X, done, None)
        self.assertTrue(ended.wait(30))
        for _ in range(1000):
            if body.alive == 0:
                return
            threading.Event().wait(0.01)
        self.fail("the kernel is still there")

    def test_a_thousand_sessions_leave_nothing(self):
        model = model_of(node("Here"))

        def rounds(count):
            for _ in range(count):
                here = self.make()
                ortc.InferenceSession(model, knowing(here)).run(None, X)
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        before = rounds(200)
        self.assertLess(rounds(10_000 if LONG else 1_000) - before, 4 << 20)

    def test_a_process_ends_with_sessions_that_are_still_there(self):
        code = ("import numpy, ortc, threading\nfrom operator_models import *\n"
                "@op('Here')\nclass Here:\n"
                "    def __init__(self, info): pass\n"
                "    def __del__(self, told=print): told('ended')\n"
                "    def __call__(self, x):\n"
                "        while len(x) == 2: pass\n"
                "        return x\n"
                "session = session_of(model_of(node('Here')), Here)\n"
                "feed = {'x': numpy.zeros(2, numpy.float32)}\n"
                "session.run(None, {'x': numpy.zeros(1, numpy.float32)})\n"
                "threading.Thread(target=session.run, args=(None, feed), daemon=True).start()\n")
        for text in (code, code.rsplit("threading.", 1)[0]):
            done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Threads(unittest.TestCase):
    def test_runs_at_once_and_loops_over_the_threads_of_the_session(self):
        @op("Slow")
        class Slow:
            def __init__(self, info):
                self.together = threading.Barrier(2)

            def compute(self, context):
                x, y = context.input(0).numpy(), context.output(0, [3]).numpy()
                self.together.wait(30)  # two calls are inside

                def one(index):
                    y[index] = x[index] + 1
                context.parallel_for(one, 3)

        options = knowing(Slow)
        options.intra_op_num_threads = 3
        session = ortc.InferenceSession(model_of(node("Slow")), options)

        def work(number):
            for step in range(20):
                x = numpy.full(3, number * 100 + step, numpy.float32)
                numpy.testing.assert_array_equal(session.run(None, {"x": x})[0], x + 1)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for future in [pool.submit(work, number) for number in range(2)]:
                future.result(60)

    def test_runs_in_asyncio(self):
        add = op("Add1")(lambda x: x + 1)
        options = knowing(add)
        options.intra_op_num_threads = 2
        session = ortc.Session(model_of(node("Add1")), options)

        async def main():
            return await asyncio.gather(*[session.run_async({"x": floats(3) + number})
                                          for number in range(50)])

        for number, outputs in enumerate(asyncio.run(main())):
            numpy.testing.assert_array_equal(outputs["y"], floats(3) + number + 1)

    def test_a_run_within_a_run(self):
        inner = session_of(model_of(node("Add1")), op("Add1")(lambda x: x + 1))
        outer = op("Outer")(lambda x: inner.run(None, {"x": x})[0])
        y, = run(outer, model_of(node("Outer")), **X)
        numpy.testing.assert_array_equal(y, X["x"] + 1)


class Compiled(FolderCase):
    def test_what_stands_around_it_is_compiled(self):
        from onnx import helper
        nodes = [helper.make_node("Neg", ["x"], ["a"]), node("Add1", "a", "b"),
                 helper.make_node("Neg", ["b"], ["y"])]
        options, context = aot(), self.path("m_ctx.onnx")
        options.register_custom_ops(op("Add1")(lambda x: x + 1))
        compiler = ortc.ModelCompiler(options, model_of(nodes))
        compiler.compile_to_file(context)
        self.assertEqual([one.op_type for one in ortc.Graph(context).nodes],
                         ["EPContext", "Add1", "EPContext"])
        y, = ortc.InferenceSession(context, options).run(None, X)
        numpy.testing.assert_array_equal(y, X["x"] - 1)
        with self.assertRaisesRegex(ortc.Error, r"mine.*Add1|Add1.*mine"):
            ortc.InferenceSession(context, aot())


if __name__ == "__main__":
    unittest.main()
