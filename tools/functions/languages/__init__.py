# SPDX-License-Identifier: MIT
"""What the bindings take from the one list. Each module here is a language, and has one function:

    files(interface) -> {path below the project's root: text}
"""

import importlib
import pkgutil


def files(interface):
    """The generated files of all languages."""
    outputs = {}
    for module in pkgutil.iter_modules(__path__):
        outputs.update(importlib.import_module(f"{__name__}.{module.name}").files(interface))
    return outputs
