"""Whether this installation has the engine as WebAssembly."""

from __future__ import annotations

from importlib import resources


def has_module() -> bool:
    """True if pages can carry their model."""
    return (resources.files("rigcast") / "web" / "page.wasm").is_file()


MISSING = "rigcast.wasm and page.wasm are not built (./run web)"
