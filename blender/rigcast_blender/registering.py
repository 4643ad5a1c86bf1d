# SPDX-License-Identifier: GPL-3.0-or-later
"""Registering: every module lists its ``CLASSES`` and ``HANDLERS``; taking off never fails."""

from __future__ import annotations

import atexit
import contextlib
import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import bpy

MODULES = (
    "preferences",
    "properties",
    "panel",
    "binding_operators",
    "jobs.running",
    "learning.compare",
    "learning.operators",
    "learning.panel",
    "posing.pins",
    "posing.drag",
    "posing.synthesize",
    "faces.solve",
    "faces.transfer",
    "bake",
    "handlers",
)
_registered: list[ModuleType] = []


def modules() -> list[ModuleType]:
    """The modules with something to register, in order."""
    package = __name__.rpartition(".")[0]
    return [importlib.import_module(f"{package}.{name}") for name in MODULES]


def register() -> None:
    """Register the classes and handlers of all modules, then call their ``register``."""
    unregister()
    for module in modules():
        _registered.append(module)
        for kind in getattr(module, "CLASSES", ()):
            bpy.utils.register_class(kind)
        if hasattr(module, "register"):
            module.register()
        watch(getattr(module, "HANDLERS", ()))
    if not bpy.app.binary_path:  # the module bpy: some versions crash at exit if a handler is left
        atexit.unregister(unregister)
        atexit.register(unregister)  # never in the program, which frees the types of ``bpy`` before Python ends


def watch(handlers: Sequence[tuple[str, Any]]) -> None:
    """Append functions to Blender's lists of handlers, by the names of these."""
    for name, handler in handlers:
        getattr(bpy.app.handlers, name).append(handler)


def unwatch(handlers: Sequence[tuple[str, Any]]) -> None:
    """Take functions off these lists; those that are gone are passed over."""
    for name, handler in handlers:
        registered = getattr(bpy.app.handlers, name)
        if handler in registered:
            registered.remove(handler)


def unregister(*_: Any) -> None:
    """Take off what :func:`register` made, last first; what is gone is passed over."""
    while _registered:
        module = _registered.pop()
        unwatch(getattr(module, "HANDLERS", ()))
        if hasattr(module, "unregister"):
            _try(module.unregister)
        for kind in reversed(getattr(module, "CLASSES", ())):
            _try(bpy.utils.unregister_class, kind)


def _try(function: Any, *arguments: Any) -> None:
    """Call it; another add-on, or the end of Blender, may have been faster."""
    with contextlib.suppress(RuntimeError, ValueError, AttributeError, ReferenceError, KeyError):
        function(*arguments)
