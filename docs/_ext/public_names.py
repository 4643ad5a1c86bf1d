"""Links from types in signatures to public entries: ``rigcast._rigs.mesh.Mesh`` is ``rigcast.sources.Mesh``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import rigcast


def setup(app: Sphinx) -> dict[str, bool]:
    """Resolve references that Sphinx found no entry for."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def packages() -> dict[str, ModuleType]:
    """The package and its public packages, by their names; the command line has a page of its own."""
    listed = {f"rigcast.{name}": getattr(rigcast, name) for name in rigcast.__all__ if name != "cli"}
    return {"rigcast": rigcast} | {name: value for name, value in listed.items() if inspect.ismodule(value)}


def entries() -> Iterator[tuple[str, str, object]]:
    """Package, name and value of every public name that is no module."""
    for package, module in packages().items():
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.ismodule(value):
                yield package, name, value


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element) -> nodes.Element | None:
    """The entry of a type that a signature names by the module that defines it, or by its name alone."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removeprefix("rc.")
    homes = {name: f"{package}.{name}" for package, name, _ in entries()}
    public = homes.get(target.rpartition(".")[2])
    if public is None or ("." in target and not target.startswith("rigcast.")):
        return None
    domain = env.domains.python_domain
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", public, node, content)
