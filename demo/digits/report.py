#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Says how well the digits were recognised, in plain Python.

  report.py LOGITS.npy LABELS.npy [IMAGES.npy] [--right N] [--wrong N] [--least P] [--most P]

LOGITS is [n,10] float, LABELS [n] integer, IMAGES [n,1,8,8] with 0 for paper and 1 for ink. Draws
the first N wrong and the first N right answers. Exits 1 when the accuracy in percent is below
--least or above --most.
"""

import argparse
import math
import sys

from npy import read_npy, rows_of

SHADES = " .:-=+*#%@"


def draw(image, top):
    """Eight lines; a pixel is two characters wide so that it looks square."""
    lines = []
    for y in range(8):
        shades = (SHADES[round(9 * min(max(p / top, 0), 1))] for p in image[8 * y : 8 * y + 8])
        lines.append("    |" + "".join(2 * shade for shade in shades) + "|")
    return lines


def confidence(row, answer):
    """The softmax of the answer, in percent."""
    return 100 / sum(math.exp(value - row[answer]) for value in row)


def main():
    parser = argparse.ArgumentParser(description="Report the accuracy on handwritten digits.")
    parser.add_argument("logits")
    parser.add_argument("labels")
    parser.add_argument("images", nargs="?")
    parser.add_argument("--right", type=int, default=2, help="right answers to draw")
    parser.add_argument("--wrong", type=int, default=2, help="wrong answers to draw")
    parser.add_argument("--least", type=float)
    parser.add_argument("--most", type=float)
    args = parser.parse_args()

    try:
        logits = rows_of(args.logits, (10,))
        shape, labels = read_npy(args.labels)
        images = rows_of(args.images, (1, 8, 8)) if args.images else None
    except (OSError, ValueError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1
    if len(shape) != 1 or not len(logits) == len(labels) == len(images or labels) > 0:
        print("report.py: the files do not hold the same number of rows", file=sys.stderr)
        return 1
    if not all(math.isfinite(value) for row in logits for value in row):
        print("report.py: a logit is not a finite number", file=sys.stderr)
        return 1

    answers = [row.index(max(row)) for row in logits]
    verdicts = [answer == label for answer, label in zip(answers, labels)]
    if images:
        top = max(max(image) for image in images) or 1
        wrong = [i for i, good in enumerate(verdicts) if not good][: args.wrong]
        right = [i for i, good in enumerate(verdicts) if good][: args.right]
        for i in right + wrong:
            print(f"image {i}: answer {answers[i]} ({confidence(logits[i], answers[i]):.1f} %), "
                  f"truth {labels[i]}{'' if verdicts[i] else '   <- wrong'}")
            print("\n".join(draw(images[i], top)))

    accuracy = 100 * sum(verdicts) / len(verdicts)
    print(f"right: {sum(verdicts)} of {len(verdicts)}")
    print(f"accuracy: {accuracy:.1f} %")
    if args.least is not None and accuracy < args.least:
        print(f"report.py: below {args.least} %", file=sys.stderr)
        return 1
    if args.most is not None and accuracy > args.most:
        print(f"report.py: above {args.most} %", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
