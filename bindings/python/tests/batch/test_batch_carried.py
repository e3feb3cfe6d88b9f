# SPDX-License-Identifier: MIT
"""Files of a model that come to a machine: whole and right, or not at all."""

import hashlib
import multiprocessing
import os
import pathlib
import pickle
import stat
import unittest

import numpy
from batch_support import DIGITS, MODELS, FolderCase, images

from ortc import batch
from ortc.batch import carried
from ortc.errors import Error, InvalidArgument


def bring(cargo, token):
    """What a client and a worker do together. The sender's cargo has sources, the other none."""
    incoming = carried.Incoming(cargo.described(), token)
    for file in cargo.files:
        for chunk in file.chunks():
            incoming.write(file.name, chunk)
    return incoming


def bring_whole(cargo, token, start):
    incoming = bring(cargo, token)
    start.wait()
    incoming.finish()


class Carrying(FolderCase):
    def setUp(self):
        self.base = os.path.join(self.folder, self.id().rsplit(".", 1)[1])

    def model(self, source=DIGITS, files=()):
        return batch.Model.carried(source, files, folder=self.base)

    def names(self):
        return sorted(os.listdir(self.base))

    def test_a_compiled_model_brings_its_context_binary(self):
        model = self.model()
        self.assertEqual([file.name for file in model.cargo.files],
                         ["digits_ctx.onnx", "digits_aot.bin"])
        with self.assertRaisesRegex(carried.FilesMissing, "not on this machine yet"):
            batch.score(model, images())
        bring(model.cargo, "a").finish()
        self.assertEqual(self.names(), [model.cargo.digest, model.cargo.digest + ".lock"])
        expected = batch.score(batch.Model(DIGITS), images())["logits"]
        numpy.testing.assert_array_equal(batch.score(model, images())["logits"], expected)

    def test_bytes_and_files_below_the_folder_come_as_well(self):
        model = self.model((MODELS / "digits.onnx").read_bytes())
        bring(model.cargo, "a").finish()
        self.assertEqual(len(batch.score(model, images())["logits"]), 445)
        root = pathlib.Path(self.folder, "source")
        (root / "inner").mkdir(parents=True)
        (root / "m.onnx").write_bytes((MODELS / "digits.onnx").read_bytes())
        (root / "inner" / "empty").write_bytes(b"")
        model = self.model(root / "m.onnx", [root / "inner" / "empty"])
        bring(model.cargo, "b").finish()
        self.assertEqual(os.path.getsize(os.path.join(os.path.dirname(model.path), "inner",
                                                      "empty")), 0)
        with self.assertRaisesRegex(InvalidArgument, "is not below the model's folder"):
            self.model(root / "m.onnx", [MODELS / "digits.onnx"])

    def test_what_is_sent_has_no_contents(self):
        model = self.model(b"x" * 1_000_000)
        sent = pickle.dumps(model)
        self.assertLess(len(sent), 2000)
        again = pickle.loads(sent)
        self.assertEqual((again.key, again.path), (model.key, model.path))
        with self.assertRaisesRegex(InvalidArgument, "only by the process that made"):
            list(again.cargo.files[0].chunks())

    def test_damage_on_the_way_is_found(self):
        model = self.model()
        incoming = carried.Incoming(model.cargo, "a")
        for file in model.cargo.files:
            contents = bytearray(b"".join(file.chunks()))
            contents[len(contents) // 2] ^= 1
            incoming.write(file.name, bytes(contents))
        with self.assertRaisesRegex(Error, "digits_ctx.onnx arrived with .* expected"):
            incoming.finish()
        incoming.abandon()
        self.assertEqual(self.names(), [])
        with self.assertRaisesRegex(Error, "arrived with 0 bytes"):
            carried.Incoming(model.cargo, "b").finish()

    def test_only_files_of_the_model_are_written(self):
        incoming = carried.Incoming(self.model().cargo, "a")
        for name in ("other", "../escape", "/tmp/escape"):
            with self.assertRaisesRegex(InvalidArgument, "is not a file of the model"):
                incoming.write(name, b"x")

    def test_a_folder_that_was_damaged_is_replaced(self):
        model = self.model()
        bring(model.cargo, "a").finish()
        os.truncate(model.path, 10)
        with self.assertRaises(carried.FilesMissing):
            model.open(1)
        bring(model.cargo, "b").finish()
        self.assertEqual(hashlib.sha256(pathlib.Path(model.path).read_bytes()).hexdigest(),
                         model.cargo.files[0].sha256)

    def test_two_that_bring_the_same_do_not_hurt_each_other(self):
        model = self.model()
        start = multiprocessing.Barrier(3)
        processes = [multiprocessing.Process(target=bring_whole, args=(model.cargo, token, start))
                     for token in "abc"]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            self.assertEqual(process.exitcode, 0)
        self.assertEqual(self.names(), [model.cargo.digest, model.cargo.digest + ".lock"])
        self.assertTrue(model.cargo.complete())

    def test_what_was_left_on_the_way_is_removed_after_a_day(self):
        cargo = self.model().cargo
        bring(cargo, "old")
        bring(cargo, "new")
        yesterday = os.stat(self.base).st_mtime - carried.ABANDONED_SECONDS - 60
        os.utime(os.path.join(self.base, "incoming-old"), (yesterday, yesterday))
        bring(cargo, "last")
        self.assertEqual(self.names(), ["incoming-last", "incoming-new"])

    def test_the_folder_is_the_users_alone(self):
        cargo = self.model().cargo
        bring(cargo, "a")
        self.assertEqual(stat.S_IMODE(os.stat(self.base).st_mode), 0o700)
        os.chmod(self.base, 0o770)
        with self.assertRaisesRegex(InvalidArgument, "that no one else may write to"):
            bring(cargo, "b")
        with self.assertRaisesRegex(InvalidArgument, "that no one else may write to"):
            cargo.require()  # nor is anything read from there
        os.chmod(self.base, 0o700)
        os.symlink(self.base, self.base + "-link")
        with self.assertRaisesRegex(InvalidArgument, "must be a folder of this user"):
            carried.make_private(self.base + "-link")
        with self.assertRaisesRegex(InvalidArgument, "must be absolute, not 'here'"):
            batch.Model.carried(DIGITS, folder="here")

    def test_the_folder_without_a_name_is_this_machines(self):
        model = batch.Model.carried(DIGITS)
        self.assertIn(f"ortc-batch-{os.getuid()}", model.path)


if __name__ == "__main__":
    unittest.main()
