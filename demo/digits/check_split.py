#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Exits 1 when a held-back image is also in the training set, in plain Python.

Looks at images.bin, which training reads, and at the .npy files, which the demo reads, and checks
that both tell the same.
"""

import os
import struct
import sys

from npy import read_npy, rows_of

HERE = os.path.dirname(os.path.abspath(__file__))


def from_bin(path):
    """Returns {0: training, 1: held back}, each a list of (64 pixel bytes, label)."""
    with open(path, "rb") as file:
        data = file.read()
    magic, count, size = struct.unpack_from("<8sII", data)
    if magic != b"DIGITS1\0" or size != 66 or len(data) != 16 + count * size:
        raise ValueError(f"{path} is not a digits file")
    parts = {0: [], 1: []}
    for start in range(16, len(data), size):
        record = data[start : start + size]
        parts[record[65]].append((record[:64], record[64]))
    return parts


def from_npy(name, scale):
    """(64 pixel bytes, label) of NAME_images.npy and NAME_labels.npy; the bytes are exact."""
    rows = rows_of(os.path.join(HERE, name + "_images.npy"), (1, 8, 8))
    _, labels = read_npy(os.path.join(HERE, name + "_labels.npy"))
    pixels = [[value * scale for value in row] for row in rows]
    if any(value != int(value) for row in pixels for value in row):
        raise ValueError(f"{name}_images.npy holds a value that is not a grey level")
    if len(pixels) != len(labels):
        raise ValueError(f"{name}: {len(pixels)} images, {len(labels)} labels")
    return [(bytes(map(int, row)), label) for row, label in zip(pixels, labels)]


def main():
    try:
        parts = from_bin(os.path.join(HERE, "images.bin"))
        if from_npy("train", 1) != parts[0] or from_npy("test", 16) != parts[1]:
            raise ValueError("images.bin and the .npy files differ")
    except (OSError, ValueError, KeyError, struct.error) as error:
        print(f"check_split.py: {error}", file=sys.stderr)
        return 1
    known = {pixels for pixels, _ in parts[0]}
    both = [i for i, (pixels, _) in enumerate(parts[1]) if pixels in known]
    print(f"{len(parts[0])} training images, {len(parts[1])} held back, {len(both)} in both")
    return 1 if both or not parts[0] or not parts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
