#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs beside each other in asyncio, one of them with a limit of time.

    asynchronous.py SLOW.onnx
"""

import asyncio
import sys

import numpy
import ortc


async def count(session, steps):
    outputs = await session.run_async({"steps": numpy.array(steps)})
    return int(outputs["y"][0, 0])


async def main(model):
    session = ortc.Session(model)
    print("together:", *await asyncio.gather(count(session, 10), count(session, 20)))
    try:
        await asyncio.wait_for(count(session, 10**8), timeout=0.2)
    except asyncio.TimeoutError:
        print("the long one was stopped")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
