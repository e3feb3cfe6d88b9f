# SPDX-License-Identifier: MIT
"""Devices that a function of the program chooses, hardware that a provider does not serve."""

import gc
import os
import threading

import ortc
from support import FolderCase, floats, model

AOT, CPU = "AotExecutionProvider", "CPUExecutionProvider"


def choosing(delegate):
    """Options whose devices a function chooses."""
    options = ortc.SessionOptions()
    options["session.record_ep_graph_assignment_info"] = 1
    options.set_provider_selection_policy_delegate(delegate)
    return options


class Selection(FolderCase):
    def check_runs_on(self, provider, options, env=None):
        session = ortc.Session(model("trivial.onnx"), options, env=env)
        parts = session.get_ep_graph_assignment_info()
        self.assertEqual({part.ep_name for part in parts}, {provider})
        self.assertEqual(session.run({"x": floats(1, 4)})["y"].tolist(), [[1, 2, 3, 4]])

    def test_a_function_chooses(self):
        heard, wanted = [], [AOT]

        def choose(devices, model_metadata, runtime_metadata, most):
            heard.append((threading.get_ident(), devices, model_metadata, runtime_metadata, most))
            return [device for device in devices if device.ep_name in wanted]

        options = choosing(choose)
        del choose
        gc.collect()
        self.check_runs_on(AOT, options)
        (thread, devices, about, runtime, most), = heard
        self.assertEqual((thread, runtime, most), (threading.get_ident(), {}, 8))
        self.assertIn("producer_name", about)
        self.assertEqual(devices[-1].ep_name, CPU)
        self.assertEqual(set(devices), set(ortc.get_ep_devices()))
        wanted[:] = [CPU]
        copied = options.copy()
        del options
        gc.collect()
        self.check_runs_on(CPU, copied)
        self.assertEqual(len(heard), 2)
        copied.set_provider_selection_policy_delegate(None)
        self.check_runs_on(CPU, copied)
        self.assertEqual(len(heard), 2)

    def test_devices_of_the_environment_may_be_chosen(self):
        env, other = ortc.Env(), ortc.Env()
        own = [device for device in env.get_ep_devices() if device.ep_name == AOT]
        options = choosing(lambda *_: own)
        self.check_runs_on(AOT, options, env)
        with self.assertRaisesRegex(ortc.Fail, "that it was not given, at place 0"):
            ortc.Session(model("trivial.onnx"), options, env=other)

    def test_a_compile_asks_too(self):
        calls = []

        def choose(devices, *_):
            calls.append(len(devices))
            return [device for device in devices if device.ep_name == AOT]

        compiler = ortc.ModelCompiler(choosing(choose), model("trivial.onnx"))
        compiler.compile_to_file(self.path("trivial_ctx.onnx"))
        self.assertEqual(len(calls), 1)
        self.assertIn("trivial_ctx.onnx", self.files())

    def test_a_device_keeps_its_environment_and_serves_again(self):
        kept = []

        def choose(devices, *_):
            kept.extend(device for device in devices if device.ep_name == AOT)
            return kept

        self.check_runs_on(AOT, choosing(choose), ortc.Env())
        gc.collect()
        self.assertEqual(kept[0].device.metadata["is_virtual"], "0")
        ortc.SessionOptions().add_provider_for_devices(kept)

    def test_a_device_of_a_session_serves_again(self):
        options = ortc.SessionOptions()
        device, = ortc.Session(model("trivial.onnx"), options).get_input_epdevices()
        options.add_provider_for_devices([device])

    def test_what_is_raised_comes_out_as_it_was(self):
        for error in (KeyError("no device is good enough"), KeyboardInterrupt(),
                      ortc.NotImplemented("not for such models")):
            def refuse(*_, error=error):
                raise error

            with self.assertRaises(type(error)) as caught:
                ortc.Session(model("trivial.onnx"), choosing(refuse))
            self.assertIs(caught.exception, error)

    def test_a_wrong_choice_refuses_the_session(self):
        for kind, text, delegate in (
                (ortc.Fail, "did not select anything", lambda *_: []),
                (ortc.Fail, "twice, the second time at place 1",
                 lambda devices, *_: [devices[0], devices[0]]),
                (ortc.InvalidArgument, "at most 8 may be", lambda devices, *_: devices[:1] * 9),
                (TypeError, "not str", lambda *_: [AOT]),
                (TypeError, "not iterable", lambda *_: None),
                (TypeError, "argument", lambda: [])):
            with self.assertRaisesRegex(kind, text):
                ortc.Session(model("trivial.onnx"), choosing(delegate))


class Hardware(FolderCase):
    def setUp(self):
        super().setUp()
        self.env = ortc.Env()
        self.env.register_execution_provider_library("npu.virtual",
                                                     os.environ["ORTC_PROVIDER_LIBRARY"])
        self.devices = self.env.get_hardware_devices()

    def test_a_provider_says_why_it_does_not_serve_hardware(self):
        ask = self.env.get_hardware_device_ep_incompatibility_details
        self.assertIsNone(ask(CPU, self.devices[0]))
        npu = self.env.get_ep_devices()[-1]
        self.assertIsNone(ask(npu.ep_name, npu.device))
        found = ask("CPU", npu.device)
        self.assertEqual(found.reasons, ortc.OrtDeviceEpIncompatibilityReason.DEVICE_INCOMPATIBLE)
        self.assertEqual(found.notes, "CPUExecutionProvider serves no such hardware")
        self.assertEqual(found.error_code, 0)

    def test_nonsense_is_refused(self):
        ask = self.env.get_hardware_device_ep_incompatibility_details
        with self.assertRaisesRegex(ortc.InvalidArgument, "Nobody"):
            ask("Nobody", self.devices[0])
        with self.assertRaisesRegex(ortc.InvalidArgument, "empty"):
            ask("", self.devices[0])
        with self.assertRaises(ValueError):
            ask("CPU\0", self.devices[0])
        with self.assertRaisesRegex(ortc.InvalidArgument, "environment's hardware"):
            ask("CPU", None)
        with self.assertRaisesRegex(ortc.InvalidArgument, "environment's hardware"):
            ortc.Env().get_hardware_device_ep_incompatibility_details("CPU", self.devices[0])
        self.env.close()
        with self.assertRaisesRegex(ortc.InvalidArgument, "closed"):
            ask("CPU", self.devices[0])

    def test_a_graph_that_nobody_captured_is_released(self):
        with ortc.Session(model("trivial.onnx")) as session:
            session.release_captured_graph()
            session.release_captured_graph(7)
            session.run({"x": floats(1, 4)})
        with self.assertRaisesRegex(ortc.InvalidArgument, "closed"):
            session.release_captured_graph()
