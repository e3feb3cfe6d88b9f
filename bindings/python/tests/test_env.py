# SPDX-License-Identifier: MIT
"""Environments: the log, devices, threads, allocators; what belongs to libraries of others."""

import ctypes
import logging
import os
import threading
import time
import unittest

import numpy
import ortc
from ortc import (OrtAllocatorType, OrtDeviceMemoryType, OrtHardwareDeviceType, OrtLoggingLevel,
                  OrtMemoryInfoDeviceType, OrtMemType)
from support import FolderCase, data, floats, model


class Library(unittest.TestCase):
    def test_the_library_tells_what_it_is(self):
        self.assertRegex(ortc.get_version_string(), r"^1\.\d+\.\d+$")
        self.assertIn(ortc.get_version_string(), ortc.get_build_info())
        self.assertTrue(os.path.isabs(ortc.get_library_path()))
        self.assertEqual(ortc.get_device(), "CPU")
        self.assertNotEqual(ortc.get_api_base(), 0)
        self.assertEqual(ortc.get_available_providers()[-1], "CPUExecutionProvider")
        self.assertEqual(ortc.get_all_providers(), ortc.get_available_providers())

    def test_a_library_of_providers_adds_devices_and_takes_them_away(self):
        with self.assertRaises(ortc.NoSuchFile):
            ortc.register_execution_provider_library("npu", "/nowhere/at/all.so")
        with self.assertRaises(ortc.Fail):
            ortc.unregister_execution_provider_library("npu")
        before = len(ortc.get_ep_devices())
        ortc.register_execution_provider_library("npu.virtual",
                                                 os.environ["ORTC_PROVIDER_LIBRARY"])
        self.assertEqual(len(ortc.get_ep_devices()), before + 1)
        npu = ortc.get_ep_devices()[-1]
        self.assertEqual(npu.device.metadata["is_virtual"], "1")
        ortc.unregister_execution_provider_library("npu.virtual")
        self.assertEqual(len(ortc.get_ep_devices()), before)
        with self.assertRaises(ortc.InvalidArgument):
            ortc.SessionOptions().add_provider_for_devices([npu], {})

    def test_what_lies_on_a_device_is_copied_and_not_read(self):
        env = ortc.Env(logid="device")
        env.register_execution_provider_library("device.virtual", os.environ["ORTC_DEVICE_LIBRARY"])
        allocator = env.get_shared_allocator(env.get_ep_devices()[-1].memory_info())
        there = ortc.OrtValue.from_memory(allocator.alloc(8), [2], "float")
        here, back = (ortc.OrtValue.ortvalue_from_numpy(numpy.array(each, numpy.float32))
                      for each in ([1, 2], [0, 0]))
        env.copy_tensors([here], [there])
        env.copy_tensors([there], [back])
        self.assertEqual(back.numpy().tolist(), [1, 2])
        for read in (there.numpy, there.memory, there.__dlpack__,
                     lambda: numpy.asarray(there)):
            with self.assertRaisesRegex(ortc.InvalidArgument, "of a device"):
                read()
        self.assertNotEqual(there.data_ptr(), 0)

    def test_a_library_of_operators_is_loaded(self):
        options = ortc.SessionOptions()
        options.register_custom_ops_library(os.environ["ORTC_OPERATOR_LIBRARY"])
        with self.assertRaisesRegex(ortc.Fail, "nowhere"):
            options.register_custom_ops_library("/nowhere/at/all.so")
        with self.assertRaisesRegex(ortc.Fail, "no_such_function"):
            options.register_custom_ops_function("no_such_function")
        with self.assertRaises(ortc.Fail):
            options.enable_ort_custom_ops()


class Devices(unittest.TestCase):
    def test_each_provider_has_a_device(self):
        devices = ortc.get_ep_devices()
        self.assertEqual([device.ep_name for device in devices], ortc.get_available_providers())
        for device in devices:
            self.assertTrue(device.ep_vendor)
            self.assertEqual(device.ep_metadata["version"], ortc.get_version_string())
            self.assertEqual(dict(device.ep_options), {})
            self.assertIsNone(device.memory_info())
            self.assertIsNone(device.memory_info(OrtDeviceMemoryType.HOST_ACCESSIBLE))
            hardware = device.device
            self.assertEqual(hardware.type, OrtHardwareDeviceType.CPU)
            self.assertEqual(hardware.metadata["is_virtual"], "0")
            self.assertIn("is_virtual", hardware.metadata)
            self.assertNotIn("nothing", hardware.metadata)
            with self.assertRaises(KeyError):
                hardware.metadata["nothing"]
            self.assertGreaterEqual(len(hardware.metadata), 1)
            self.assertIn("is_virtual", repr(hardware.metadata))
            self.assertIsInstance(hardware.vendor, str)
            self.assertEqual((hardware.vendor_id >= 0, hardware.device_id >= 0), (True, True))
        hardware, = ortc.default_env().get_hardware_devices()
        self.assertEqual(hardware, devices[0].device)
        self.assertEqual(len({*devices, *ortc.get_ep_devices()}), len(devices))
        self.assertIn("AotExecutionProvider", repr(devices[0]))

    def test_devices_keep_their_environment(self):
        device = ortc.Env().get_ep_devices()[0]
        self.assertEqual(device.device.metadata["is_virtual"], "0")

    def test_a_session_is_made_for_devices(self):
        device = next(device for device in ortc.get_ep_devices()
                      if device.ep_name == "AotExecutionProvider")
        options = ortc.SessionOptions()
        options.add_provider_for_devices([device], {"target": "x86-64-v3"})
        session = ortc.Session(model("first.onnx"), options)
        self.assertEqual(session.get_providers()[0], "AotExecutionProvider")
        with self.assertRaises(ortc.InvalidArgument):
            options.add_provider_for_devices([], {})
        options = ortc.SessionOptions()
        options.set_provider_selection_policy(ortc.OrtExecutionProviderDevicePolicy.PREFER_CPU)
        ortc.Session(model("first.onnx"), options)
        with self.assertRaises(ValueError):
            options.set_provider_selection_policy(99)


class Log(FolderCase):
    def test_lines_go_to_a_function(self):
        lines = []
        env = ortc.Env(OrtLoggingLevel.VERBOSE, "mine", lines.append)
        ortc.Session(model("first.onnx"), env=env)
        self.assertTrue(lines)
        self.assertEqual({line.logid for line in lines} & {"mine"}, {"mine"})
        self.assertIsInstance(lines[0].severity, OrtLoggingLevel)
        count = len(lines)
        env.set_log_severity_level(OrtLoggingLevel.FATAL)
        ortc.Session(model("first.onnx"), env=env)
        self.assertEqual(len(lines), count)

    def test_lines_go_to_pythons_log(self):
        ortc.set_default_logger_severity(0)
        try:
            with self.assertLogs("ortc", logging.DEBUG) as logs:
                ortc.Session(model("first.onnx"))
            self.assertIsInstance(logs.records[0].ortc, ortc.LogRecord)
        finally:
            ortc.set_default_logger_severity(2)

    def test_lines_of_a_session_go_to_its_own_function(self):
        lines = []
        options = ortc.SessionOptions()
        options.log_severity_level = 0
        options.log_verbosity_level = 1
        options.logid = "session größe"
        options.set_logger(lines.append)
        session = ortc.Session(model("first.onnx"), options)
        self.assertIn("session größe", {line.logid for line in lines})
        count = len(lines)
        del options
        run = ortc.RunOptions()
        run.log_severity_level = 0
        session.run({"x": numpy.ones((1, 256), numpy.float32)}, run_options=run)
        self.assertGreaterEqual(len(lines), count)

    def test_a_function_that_fails_is_told_in_pythons_log(self):
        def fail(_record):
            raise KeyError("in the log")

        with self.assertLogs("ortc", logging.ERROR) as logs:
            ortc.Session(model("first.onnx"), env=ortc.Env(OrtLoggingLevel.VERBOSE, "", fail))
        self.assertIn("in the log", logs.output[0])

    def test_a_logger_without_an_address_is_refused(self):
        with self.assertRaises(ortc.InvalidArgument):
            ortc.OrtLogger(0).log(OrtLoggingLevel.ERROR, "text", "file.py", 3, "function")
        with self.assertRaises(ortc.InvalidArgument):
            ortc.OrtLogger(0).severity_level


class Environments(unittest.TestCase):
    def run_in(self, env):
        options = ortc.SessionOptions()
        options.use_per_session_threads = False
        session = ortc.Session(data("matmul.onnx"), options, env=env)
        del env
        self.assertEqual(session.run({"x": floats(2, 4)})["y"].shape, (2, 3))
        with self.assertRaises(ValueError):
            options.use_per_session_threads = True

    def threads(self, **settings):
        return ortc.ThreadingOptions(intra_op_num_threads=2, inter_op_num_threads=1,
                                     allow_spinning=False, **settings)

    def test_there_is_one_of_each_kind(self):
        ortc.Session(data("matmul.onnx"), env=ortc.Env(logger=False))
        self.run_in(ortc.Env(logger=False, threads=self.threads()))
        self.run_in(ortc.Env(threads=self.threads(denormal_as_zero=True,
                                                  intra_op_thread_affinity="1")))
        self.run_in(ortc.Env(threads=self.threads(), config={"allow_virtual_devices": "1"}))
        ortc.Env(logger=False, config={})
        with self.assertRaises(ortc.InvalidArgument):
            ortc.Env(config={"nothing": "1"})
        with self.assertRaises(ortc.InvalidArgument):
            ortc.ThreadingOptions(intra_op_num_threads=-1)

    def test_there_is_no_telemetry(self):
        ortc.enable_telemetry_events()
        ortc.disable_telemetry_events()

    def test_the_program_makes_the_threads_of_an_environment(self):
        started = []

        def start(work):
            started.append(ortc.start_thread(work))
            return started[-1]

        self.run_in(ortc.Env(threads=self.threads(start=start)))
        self.assertEqual(len(started), 1)
        started[0].join(10)
        self.assertFalse(started[0].is_alive())

    def test_functions_hear_of_the_work_of_a_sessions_threads(self):
        heard = {"enqueued": 0, "started": [], "stopped": [], "abandoned": []}

        def enqueued():
            heard["enqueued"] += 1
            return heard["enqueued"]

        env = ortc.Env()
        env.set_thread_pool_callbacks(enqueued, heard["started"].append, heard["stopped"].append,
                                      heard["abandoned"].append)
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 3
        session = ortc.Session(data("layers.onnx"), options, env=env)
        env.close()
        del env
        session.run({"x": floats(256, 64)})
        session.close()
        self.assertGreater(heard["enqueued"], 0)
        self.assertEqual(sorted(heard["started"]), sorted(heard["stopped"]))
        self.assertEqual(sorted(heard["started"] + heard["abandoned"]),
                         list(range(1, heard["enqueued"] + 1)))

    def test_functions_that_fail_to_hear_of_work_harm_no_run(self):
        def fails(*_):
            raise RuntimeError("not listening")

        env = ortc.Env()
        env.set_thread_pool_callbacks(fails, fails, fails, fails)
        with self.assertLogs("ortc", "ERROR"):
            self.run_layers(env)
        env.set_thread_pool_callbacks()
        with self.assertNoLogs("ortc", "ERROR"):
            self.run_layers(env)

    def run_layers(self, env):
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 3
        return ortc.Session(data("layers.onnx"), options, env=env).run({"x": floats(256, 64)})

    def test_the_program_makes_the_threads_of_a_session(self):
        started = []

        def start(work):
            started.append(ortc.start_thread(work))
            return started[-1]

        options = ortc.SessionOptions()
        options.intra_op_num_threads = 3
        options.set_threads(start)
        session = ortc.Session(data("layers.onnx"), options)
        del options
        session.run({"x": floats(64, 64)})
        self.assertEqual(len(started), 2)
        session.close()
        for thread in started:
            thread.join(10)
        self.assertFalse(any(thread.is_alive() for thread in started))

    def with_threads(self, start):
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 3
        options.set_threads(start)
        return ortc.Session(data("layers.onnx"), options)

    def test_work_that_comes_after_its_session_does_nothing(self):
        kept = []

        def start(work):
            kept.append(work)
            return ortc.start_thread(lambda: None)

        self.with_threads(start).close()
        self.assertEqual(len(kept), 2)
        for work in kept * 2:
            work()

    def test_threads_that_are_at_work_are_threads(self):
        started = []

        def start(work):
            started.append(ortc.start_thread(work))
            time.sleep(0.02)  # it has mostly begun
            raise RuntimeError("the thread was lost")

        def is_made():
            try:
                self.with_threads(start).close()
            except ortc.Error:
                return False
            return True

        with self.assertLogs("ortc", logging.ERROR):
            self.assertTrue(any(is_made() for _ in range(50)))
        for thread in started:
            thread.join(10)
        self.assertFalse(any(thread.is_alive() for thread in started))

    def test_threads_that_cannot_be_started_are_a_failure(self):
        def start(_work):
            raise RuntimeError("no threads today")

        options = ortc.SessionOptions()
        options.intra_op_num_threads = 2
        options.set_threads(start)
        with self.assertLogs("ortc", logging.ERROR):
            with self.assertRaises(ortc.Error):
                ortc.Session(data("layers.onnx"), options)


class Memory(unittest.TestCase):
    def test_memory_is_described(self):
        info = ortc.OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0,
                                  OrtMemType.DEFAULT)
        self.assertEqual((info.name, info.device_id, info.mem_type, info.allocator_type),
                         ("Cpu", 0, OrtMemType.DEFAULT, OrtAllocatorType.ORT_ARENA_ALLOCATOR))
        self.assertEqual(info.device_type, OrtMemoryInfoDeviceType.CPU)
        self.assertNotEqual(info, ortc.OrtMemoryInfo.cpu())
        self.assertEqual(ortc.OrtMemoryInfo.cpu(), ortc.OrtMemoryInfo.cpu())
        self.assertEqual(hash(ortc.OrtMemoryInfo.cpu()), hash(ortc.OrtMemoryInfo.cpu()))
        self.assertNotEqual(info, "Cpu")
        gpu = ortc.OrtMemoryInfo.create_v2(
            "board", OrtMemoryInfoDeviceType.GPU, 7, 1, OrtDeviceMemoryType.HOST_ACCESSIBLE, 256,
            OrtAllocatorType.ORT_DEVICE_ALLOCATOR)
        self.assertEqual((gpu.device_vendor_id, gpu.device_id, gpu.device_mem_type),
                         (7, 1, OrtDeviceMemoryType.HOST_ACCESSIBLE))
        with self.assertRaises(ortc.InvalidArgument):
            ortc.OrtMemoryInfo("Nowhere")
        self.assertEqual(repr(gpu), "OrtMemoryInfo('board', device_id=1)")

    def test_blocks_are_handed_out_and_given_back(self):
        allocator = ortc.Allocator.default()
        block = allocator.alloc(100)
        self.assertEqual(block.address % 64, 0)
        view = block.view()
        del block
        view[:] = b"x" * 100
        self.assertEqual(bytes(view[:2]), b"xx")
        self.assertEqual(allocator.info.name, "Cpu")
        self.assertIsInstance(allocator.stats, dict)

    def test_a_session_has_an_arena(self):
        session = ortc.Session(data("layers.onnx"))
        session.run({"x": floats(4, 64)})
        allocator = session.create_allocator(
            ortc.OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_ARENA_ALLOCATOR))
        self.assertIn("NumAllocs", allocator.stats)
        block = allocator.alloc(64)
        del session, allocator
        block.view()[0] = 1

    def test_an_environment_shares_an_allocator(self):
        env = ortc.Env()
        info = ortc.OrtMemoryInfo("Cpu", OrtAllocatorType.ORT_ARENA_ALLOCATOR)
        env.create_and_register_allocator(info, ortc.OrtArenaCfg(1 << 24, 1, 4096, -1))
        env.create_and_register_allocator_v2("CPUExecutionProvider", info, None,
                                             ortc.OrtArenaCfg({"max_mem": 1 << 24}))
        options = ortc.SessionOptions()
        options["session.use_env_allocators"] = 1
        session = ortc.Session(data("sums.onnx"), options, env=env)
        result = session.run({"a": floats(3), "b": floats(3), "c": floats(3)})
        numpy.testing.assert_array_equal(result["sum"], floats(3) * 3)
        shared = env.get_shared_allocator(info)
        self.assertGreater(int(shared.stats["NumAllocs"]), 0)
        env.unregister_allocator(info)
        with self.assertRaises(ortc.InvalidArgument):
            env.unregister_allocator(info)
        with self.assertRaises(ortc.InvalidArgument):
            ortc.OrtArenaCfg({"nothing": 1})
        with self.assertRaises(ortc.InvalidArgument):
            env.create_and_register_allocator_v2("AotExecutionProvider", info)
        # The library's own stands in.
        self.assertNotIn("NumAllocs", ortc.Env().get_shared_allocator(info).stats)

    def test_devices_of_the_library_have_no_memory_or_streams_of_their_own(self):
        env = ortc.default_env()
        device = env.get_ep_devices()[0]
        with self.assertRaises(ortc.InvalidArgument):
            env.create_shared_allocator(device, options={"a": "b"})
        with self.assertRaises(ortc.InvalidArgument):
            env.release_shared_allocator(device)
        with self.assertRaises(ortc.InvalidArgument):
            ortc.SyncStream(device, {"priority": "1"})
        with ortc.SyncStream() as stream:
            self.assertIsNone(stream.handle)
            run = ortc.RunOptions()
            run.set_sync_stream(stream)
            session = ortc.Session(model("trivial.onnx"))
            session.run({"x": floats(1, 4)}, run_options=run)

    def test_the_program_allocates(self):
        env = ortc.Env()
        allocator = Counting()
        env.register_allocator(allocator)
        options = ortc.SessionOptions()
        options["session.use_env_allocators"] = 1
        session = ortc.Session(data("sums.onnx"), options, env=env)
        result = session.run({"a": floats(3), "b": floats(3), "c": floats(3)})
        numpy.testing.assert_array_equal(result["sum"], floats(3) * 3)
        self.assertGreater(allocator.count, 0)
        del result, session
        self.assertEqual(allocator.blocks, {})

    def test_an_allocator_that_has_nothing_is_out_of_memory(self):
        env = ortc.Env()
        empty = Counting()
        empty.most = 0
        env.register_allocator(empty)
        options = ortc.SessionOptions()
        options["session.use_env_allocators"] = 1
        with self.assertLogs("ortc", logging.ERROR):
            with self.assertRaises(ortc.RuntimeException):
                ortc.Session(data("sums.onnx"), options, env=env).run(
                    {"a": floats(3), "b": floats(3), "c": floats(3)})

    def test_tensors_are_copied(self):
        source = ortc.OrtValue.ortvalue_from_numpy(floats(3))
        target = ortc.OrtValue.ortvalue_from_shape_and_type([3], "float")
        ortc.default_env().copy_tensors([source], [target])
        numpy.testing.assert_array_equal(target.numpy(), floats(3))
        with self.assertRaises(ValueError):
            ortc.default_env().copy_tensors([source], [])
        with self.assertRaises(ortc.InvalidArgument):
            ortc.default_env().copy_tensors(
                [source], [ortc.OrtValue.ortvalue_from_shape_and_type([4], "float")])
        constant = numpy.zeros(3, numpy.float32)
        constant.flags.writeable = False
        with self.assertRaisesRegex(ortc.InvalidArgument, "read-only"):
            ortc.default_env().copy_tensors(
                [source], [ortc.OrtValue.ortvalue_from_numpy(constant)])
        self.assertFalse(constant.any())


class Counting(ortc.ProgramAllocator):
    """Blocks of ctypes, counted."""

    def __init__(self):
        super().__init__()
        self.blocks, self.count, self.most = {}, 0, 1 << 30
        self.lock = threading.Lock()

    def allocate(self, size):
        if size > self.most:
            raise MemoryError("nothing left")
        block = ctypes.create_string_buffer(size + 64)
        address = (ctypes.addressof(block) + 63) // 64 * 64
        with self.lock:
            self.blocks[address] = block
            self.count += 1
        return address

    def free(self, address):
        with self.lock:
            del self.blocks[address]


class Pairs(unittest.TestCase):
    def test_a_list_of_pairs_is_a_mapping(self):
        pairs = ortc.KeyValuePairs({"a": 1, "ö": "2"})
        pairs["c"] = "3"
        self.assertEqual(dict(pairs), {"a": "1", "ö": "2", "c": "3"})
        del pairs["a"]
        self.assertEqual((list(pairs), len(pairs)), (["ö", "c"], 2))
        self.assertEqual(repr(pairs), "KeyValuePairs({'ö': '2', 'c': '3'})")
        with self.assertRaises(KeyError):
            del pairs["a"]
        with self.assertRaises(KeyError):
            pairs["a"]
        with self.assertRaises(ValueError):
            pairs[""] = "x"
        with self.assertRaises(TypeError):
            pairs["x"] = 5


if __name__ == "__main__":
    unittest.main()
