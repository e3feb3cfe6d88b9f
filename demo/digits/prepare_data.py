#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the handwritten digits of scikit-learn into this folder, split in two.

Of each digit's images, in the order of the data set, every fourth one is held back; repeated
images are dropped first, so that no held-back image can be in the training set. Written are
images.bin (README.md says its format) and the same as *_images.npy and *_labels.npy.
Needs numpy and sklearn (Debian: python3-sklearn).
"""

import os
import struct
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
MAGIC = b"DIGITS1\0"
RECORD = np.dtype([("pixels", np.uint8, (1, 8, 8)), ("label", np.uint8), ("held_back", np.uint8)])


def split(pixels, labels):
    """Records in the order of the data set, without repeated images."""
    records, seen, counts = [], set(), [0] * 10
    for image, label in zip(pixels, labels):
        if image.tobytes() in seen:
            continue
        seen.add(image.tobytes())
        counts[label] += 1
        records.append((image.reshape(1, 8, 8), label, counts[label] % 4 == 0))
    return np.array(records, dtype=RECORD)


def read_records(path=os.path.join(HERE, "images.bin")):
    with open(path, "rb") as file:
        header, body = file.read(16), file.read()
    magic, count, size = struct.unpack("<8sII", header)
    if magic != MAGIC or size != RECORD.itemsize or len(body) != count * size:
        raise ValueError(f"{path} is not a digits file")
    return np.frombuffer(body, dtype=RECORD)


def main():
    from sklearn.datasets import load_digits

    digits = load_digits()
    records = split(digits.images.astype(np.uint8), digits.target)
    with open(os.path.join(HERE, "images.bin"), "wb") as file:
        file.write(struct.pack("<8sII", MAGIC, len(records), RECORD.itemsize))
        file.write(records.tobytes())

    train, test = records[records["held_back"] == 0], records[records["held_back"] == 1]
    files = {
        "train_images": train["pixels"],
        "train_labels": train["label"].astype(np.int64),
        "test_images": test["pixels"].astype(np.float32) / np.float32(16),
        "test_labels": test["label"].astype(np.int64),
    }
    for name, array in files.items():
        np.save(os.path.join(HERE, name + ".npy"), np.ascontiguousarray(array))
        print(f"{name}.npy: {array.dtype} {list(array.shape)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
