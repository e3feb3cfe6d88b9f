# SPDX-License-Identifier: MIT
"""Model packages: one folder with a model in several variants, of which the best for this machine
runs.

    session = ModelPackage("phi").session("decoder")

    writer = ModelPackageWriter(package_name="phi")
    writer.add_variant("decoder", "v3", "decoder_v3_ctx.onnx")
    writer.add_variant("decoder", "any", "decoder.onnx")
    writer.write("phi")
"""

import ctypes
import threading
from typing import Any, List, Optional

from ortc._core.handles import (Handle, Native, Path, create, decode, default_allocator, encode,
                                encode_path, get_int64, get_size, get_text, take_text)
from ortc._native import lib
from ortc.enums import OrtModelPackageWriteFlags
from ortc.env import Env, default_env
from ortc.inspection import Report, taken_report
from ortc.key_values import KeyValuePairs
from ortc.session import Session
from ortc.session_options import SessionOptions


def _names(function: Any, *arguments: Any) -> List[str]:
    """Calls a function that gives a borrowed array of texts."""
    array, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
    function(*arguments, ctypes.byref(array), ctypes.byref(count))
    return [decode(array[i]) for i in range(count.value)]


class ModelPackageComponent(Native):
    """A component with the variant that was selected of it."""

    def __init__(self, handle: Handle):
        self._handle = handle

    @property
    def variant(self) -> str:
        """The variant's name."""
        return get_text(lib.OrtModelPackageComponent_GetSelectedVariantName, self._native)

    @property
    def folder(self) -> str:
        """The variant's folder; empty when it has none."""
        return get_text(lib.OrtModelPackageComponent_GetSelectedVariantFolderPath, self._native)

    def session(self, options: Optional[SessionOptions] = None,
                env: Optional[Env] = None) -> Session:
        """A session of the variant's model. Without options it has those of the package."""
        env = env or default_env()
        address = create(lib.OrtModelPackage_CreateSession, env._native, self._native,
                         options._native if options else None)
        session = Session.__new__(Session)
        session._adopt(Handle(address, lib.OrtReleaseSession, (options, env)),
                       options or SessionOptions())
        return session


class ModelPackage(Native):
    """What a package has. No model is opened before there is a session."""

    def __init__(self, root: Path):
        self._handle = Handle(create(lib.OrtCreateModelPackageContext, encode_path(root)),
                              lib.OrtReleaseModelPackageContext)
        self._resolving = threading.Lock()  # the library keeps the last resolved path only

    @property
    def schema_version(self) -> int:
        """The major version of its format."""
        return get_int64(lib.OrtModelPackage_GetSchemaVersion, self._native)

    @property
    def components(self) -> List[str]:
        """The names of its components, in the order of the manifest."""
        return _names(lib.OrtModelPackage_GetComponentNames, self._native)

    def __len__(self) -> int:
        return get_size(lib.OrtModelPackage_GetComponentCount, self._native)

    def variants(self, component: str) -> List[str]:
        """The names of a component's variants, in the order of the manifest."""
        return _names(lib.OrtModelPackage_GetVariantNames, self._native, encode(component))

    def variant_count(self, component: str) -> int:
        """How many variants a component has."""
        return get_size(lib.OrtModelPackage_GetVariantCount, self._native, encode(component))

    def provider(self, component: str, variant: str) -> str:
        """The execution provider that a variant is for; empty when it names none."""
        return get_text(lib.OrtModelPackage_GetVariantEpName, self._native, encode(component),
                        encode(variant))

    def resolve(self, reference: str, base: Optional[Path] = None, must_exist: bool = True) -> str:
        """The path that a text in the package means: a shared asset, or a path seen from `base`."""
        native = self._native
        with self._resolving:
            return get_text(lib.OrtModelPackage_ResolveStringRef, native,
                            None if base is None else encode_path(base), encode(reference),
                            int(must_exist))

    def select(self, component: str, options: Optional[SessionOptions] = None,
               env: Optional[Env] = None) -> ModelPackageComponent:
        """The component with the variant that is best for the providers of the options."""
        wanted = self._wanted(options, env)
        return ModelPackageComponent(Handle(
            create(lib.OrtModelPackage_SelectComponent, self._native, encode(component),
                   wanted.address), lib.OrtReleaseModelPackageComponentContext))

    def session(self, component: str, options: Optional[SessionOptions] = None,
                env: Optional[Env] = None) -> Session:
        """A session of the best variant, with the options that the package has for it."""
        return self.select(component, options, env).session(env=env)

    def describe(self, options: Optional[SessionOptions] = None,
                 env: Optional[Env] = None) -> Report:
        """Components, variants and shared assets, what the providers of the options say of each
        variant, and which is selected."""
        wanted = self._wanted(options, env)
        return taken_report(create(lib.OrtModelPackage_Describe, self._native, wanted.address))

    def verify(self) -> Report:
        """Everything that has a hash, compared with it; `report["verdict"]` sums it up."""
        return taken_report(create(lib.OrtModelPackage_Verify, self._native))

    @staticmethod
    def _wanted(options: Optional[SessionOptions], env: Optional[Env]) -> Handle:
        chosen = options or SessionOptions()
        return Handle(create(lib.OrtCreateModelPackageOptionsFromSessionOptions,
                             (env or default_env())._native, chosen._native),
                      lib.OrtReleaseModelPackageOptions)


class ModelPackageWriter(Native):
    """Models become variants of components; everything is written at once, or nothing."""

    def __init__(self, **info: str):
        """`package_name`, `package_version`, `description`."""
        pairs = KeyValuePairs(info)
        self._handle = Handle(create(lib.OrtCreateModelPackageWriter, pairs._native),
                              lib.OrtReleaseModelPackageWriter)

    def add_variant(self, component: str, variant: str, model: Path,
                    **settings: Any) -> None:
        """Adds a model. `ep`, `device` and `compatibility_string` say what it is for, and
        `session_options` and `provider_options`, which are dicts, what its sessions get."""
        pairs = KeyValuePairs()
        for key, value in settings.items():
            if not isinstance(value, dict):
                pairs[key] = value
                continue
            for name, text in value.items():
                pairs[f"{key}.{name}"] = text
        lib.OrtModelPackageWriter_AddVariant(self._native, encode(component), encode(variant),
                                             encode_path(model), pairs._native)

    def add_shared_asset(self, folder: Path) -> str:
        """Adds a folder that variants share; "sha256:...", as options refer to it."""
        return take_text(lib.OrtModelPackageWriter_AddSharedAsset, self._native,
                         encode_path(folder), default_allocator()) or ""

    def write(self, root: Path, link_files: bool = False) -> Report:
        """Writes the package to a folder that is not there yet. With `link_files` files get a
        second name where that can be, and must not be changed in place."""
        return taken_report(create(lib.OrtModelPackageWriter_Write, self._native,
                                   encode_path(root), OrtModelPackageWriteFlags.LINK_FILES if link_files else
                                   OrtModelPackageWriteFlags.NONE))
