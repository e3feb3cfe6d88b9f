# SPDX-License-Identifier: MIT
"""What was measured on."""

import os
import platform
import subprocess

FLAGS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx_vnni", "avx512_fp16", "avx512_bf16",
         "amx_int8", "asimd", "asimddp", "i8mm", "sve")


def _field(path, name):
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith(name):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return ""


def _first_line(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return ""


def describe():
    flags = set((_field("/proc/cpuinfo", "flags") or _field("/proc/cpuinfo", "Features")).split())
    memory = _field("/proc/meminfo", "MemTotal").split()
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "features": [flag for flag in FLAGS if flag in flags],
        "memory_mb": int(memory[0]) // 1000 if memory else None,
        "governor": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or None,
        "system": f"{platform.system()} {platform.release()}",
        "load_average_at_start": os.getloadavg()[0],
    }


def commit_of(folder):
    """The commit that was measured, with a plus when files differ from it; None where there is no
    git."""
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty=+", "--exclude=*"],
                              cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None
