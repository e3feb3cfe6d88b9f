# SPDX-License-Identifier: MIT
"""Memory and semaphores of the program on a device: a file without a name, and eventfds."""

import ctypes
import mmap
import os
import sys
import threading
import unittest

import numpy
import ortc
from support import floats, model

FILE = ortc.OrtExternalMemoryHandleType.VK_MEMORY_OPAQUE_FD
HEAP = ortc.OrtExternalMemoryHandleType.D3D12_HEAP
EVENT = ortc.OrtExternalSemaphoreType.VK_TIMELINE_SEMAPHORE_OPAQUE_FD
FENCE = ortc.OrtExternalSemaphoreType.D3D12_FENCE
SIZE = 4096


class Counter:
    """A semaphore of the program."""

    def __init__(self, test):
        self.file = ctypes.CDLL(None).eventfd(0, 0)
        test.addCleanup(os.close, self.file)

    def add(self, value):
        os.write(self.file, value.to_bytes(8, sys.byteorder))

    def take(self):
        return int.from_bytes(os.read(self.file, 8), sys.byteorder)


class Interop(unittest.TestCase):
    def setUp(self):
        env = ortc.Env(logid="interop")
        env.register_execution_provider_library("device.virtual", os.environ["ORTC_DEVICE_LIBRARY"])
        self.env, self.device = env, env.get_ep_devices()[-1]
        self.importer = ortc.ExternalResourceImporter(self.device)
        self.file = os.memfd_create("test")
        self.addCleanup(os.close, self.file)
        os.ftruncate(self.file, SIZE)
        self.floats = numpy.frombuffer(mmap.mmap(self.file, SIZE), numpy.float32)

    def session(self):
        options = ortc.SessionOptions()
        options.add_provider_for_devices([self.device])
        return ortc.Session(model("trivial.onnx"), options, env=self.env)

    def test_a_session_works_in_memory_of_the_program_without_a_copy(self):
        memory = self.importer.import_memory(FILE, self.file, SIZE, offset=256)
        self.assertEqual((memory.handle_type, memory.size), (FILE, SIZE - 256))
        x = self.importer.create_tensor(memory, [1, 4], numpy.float32)
        y = self.importer.create_tensor(memory, [1, 4], "float", offset=64)
        self.assertEqual((x.shape(), x.device_name()), ([1, 4], "devicememory"))
        with self.assertRaisesRegex(ortc.InvalidArgument, "of a device"):
            x.numpy()
        self.importer.close()
        memory.close()  # the tensors keep what they need
        session = self.session()
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", x)
        binding.bind_ortvalue_output("y", y)
        self.floats[64:68] = [0, 1, 2, 3]
        session.run_with_iobinding(binding)
        self.assertEqual(self.floats[80:84].tolist(), [1, 2, 3, 4])

    def test_a_stream_waits_for_the_program_and_tells_it_when_it_has(self):
        ready, done = Counter(self), Counter(self)
        memory = self.importer.import_memory(FILE, self.file, SIZE)
        x = self.importer.create_tensor(memory, [1, 4], "float")
        begin = self.importer.import_semaphore(EVENT, ready.file)
        end = self.importer.import_semaphore(EVENT, done.file)
        self.assertEqual(begin.semaphore_type, EVENT)
        stream = ortc.SyncStream(self.device)
        self.importer.wait_semaphore(begin, stream, 3)
        self.importer.signal_semaphore(end, stream, 5)
        options = ortc.RunOptions()
        options.set_sync_stream(stream)
        begin.close()
        end.close()
        stream.close()  # the options keep it, and it keeps both semaphores

        def produce():
            ready.add(1)
            self.floats[:4] = [0, 1, 2, 3]
            ready.add(2)

        program = threading.Thread(target=produce)
        program.start()
        outputs = self.session().run({"x": x}, run_options=options)
        program.join()
        self.assertEqual(outputs["y"].tolist(), [[1, 2, 3, 4]])
        self.assertEqual(done.take(), 5)

    def test_says_what_can_be_imported(self):
        self.assertEqual([self.importer.can_import_memory(kind) for kind in (FILE, HEAP)],
                         [True, False])
        self.assertEqual([self.importer.can_import_semaphore(kind) for kind in (EVENT, FENCE)],
                         [True, False])

    def test_what_does_not_fit_is_refused(self):
        take = self.importer.import_memory
        for text, arguments in (("'offset_bytes' is 4097", (FILE, self.file, SIZE, SIZE + 1)),
                                ("cannot be mapped", (FILE, self.file, 2 * SIZE)),
                                ("not an open file", (FILE, -1, SIZE)),
                                ("'size' is -1", (FILE, self.file, -1)),
                                ("file descriptors only", (HEAP, self.file, SIZE))):
            with self.assertRaisesRegex(ortc.InvalidArgument, text):
                take(*arguments)
        memory = take(FILE, self.file, SIZE)
        for text, arguments in (("takes 16 bytes; the imported memory has", ([4], "float", SIZE - 8)),
                                ("strings", ([1], "string")),
                                ("'offset' is -4", ([1], "float", -4))):
            with self.assertRaisesRegex(ortc.InvalidArgument, text):
                self.importer.create_tensor(memory, *arguments)
        with self.assertRaisesRegex(ortc.InvalidArgument, "file descriptors only"):
            self.importer.import_semaphore(FENCE, self.file)
        memory.close()
        with self.assertRaisesRegex(ortc.InvalidArgument, "closed"):
            self.importer.create_tensor(memory, [1], "float")

    def test_a_semaphore_needs_a_stream_of_its_provider(self):
        semaphore = self.importer.import_semaphore(EVENT, Counter(self).file)
        with ortc.SyncStream() as none, self.assertRaisesRegex(ortc.InvalidArgument, "stream"):
            self.importer.wait_semaphore(semaphore, none, 1)
        self.importer.close()
        with self.assertRaisesRegex(ortc.InvalidArgument, "closed"):
            self.importer.signal_semaphore(semaphore, ortc.SyncStream(self.device), 1)

    def test_a_provider_that_imports_nothing_is_named(self):
        aot = self.env.get_ep_devices()[0]
        with self.assertRaisesRegex(ortc.NotImplemented, f"{aot.ep_name} imports no memory"):
            ortc.ExternalResourceImporter(aot)
        with self.assertRaisesRegex(ortc.NotImplemented, "DeviceMemory.*InitGraphicsInterop"):
            self.device.init_graphics_interop(ortc.OrtGraphicsApi.VULKAN, options={"key": "value"})
        with self.assertRaisesRegex(ortc.NotImplemented, aot.ep_name):
            aot.deinit_graphics_interop()
        self.assertEqual(self.session().run({"x": floats(1, 4)})["y"].tolist(), [[1, 2, 3, 4]])
