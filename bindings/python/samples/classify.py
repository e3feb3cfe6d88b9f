#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads handwritten digits with a model that is compiled the first time and found the next.

    classify.py DIGITS.onnx IMAGES.npy LABELS.npy CACHE
"""

import sys

import numpy
import ortc


def main(model, images, labels, cache):
    options = ortc.SessionOptions()
    options.add_provider("AOT")
    session = ortc.Session(model, options, cache_dir=cache)
    images, labels = numpy.load(images).astype(numpy.float32), numpy.load(labels)
    logits = session.run({"images": images}, ["logits"])["logits"]
    right = int((logits.argmax(axis=1) == labels).sum())
    print(f"cache: {session.report['cache']['result']}")
    print(f"{right} of {len(labels)} are right")


if __name__ == "__main__":
    main(*sys.argv[1:])
