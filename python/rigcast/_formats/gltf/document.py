"""A glTF file: its container and JSON, and checked access to what strangers wrote into them.

JSON says nothing of types and ranges, so every number, list and index is checked here before use.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from rigcast._safe_reading import as_utf8
from rigcast._validate import bad_argument, is_text, shown

# Decoded bytes that a byte of the file may give: 8-bit weights become float64, and files share data between primitives.
EXPANSION = 64
ALLOWANCE = 1 << 20
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942  # types of chunks (glTF 2.0, section 4.4.3)
# Extensions that a file may require without changing vertices, skins or clips; the last one only adds integer types.
HARMLESS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "KHR_mesh_quantization")


def refuse(what: str, got: str, expected: str) -> ValueError:
    """The error for a file that is not as it must be."""
    return bad_argument("load_gltf_rig", what, got, expected)


def integer(value: object, low: int, high: int, what: str) -> int:
    """``value`` as an int with ``low <= value < high``."""
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    if not whole or not low <= value < high:  # type: ignore[operator]
        raise refuse(what, repr(value)[:60], f"an integer in [{low}, {high})")
    return int(value)  # type: ignore[call-overload, no-any-return]


def optional(value: object, default: int, low: int, high: int, what: str) -> int:
    """:func:`integer`, or ``default`` where the file says nothing."""
    return default if value is None else integer(value, low, high, what)


def numbers(value: object, count: int, what: str) -> NDArray[np.float64]:
    """A list of ``count`` finite numbers as float64."""
    fits = isinstance(value, list) and len(value) == count
    if not fits or not all(isinstance(x, int | float) and not isinstance(x, bool) for x in value):  # type: ignore[attr-defined]
        raise refuse(what, repr(value)[:60], f"a list of {count} numbers")
    try:
        result = np.array(value, np.float64)
    except OverflowError:
        result = np.full(count, np.inf)
    if not (np.abs(result) <= np.finfo(np.float32).max).all():
        raise refuse(what, repr(value)[:60], "finite in float32")
    return result


def items(value: object, what: str) -> list[Any]:
    """A list, empty where the file says nothing."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise refuse(what, type(value).__name__, "a list")
    return value


class GltfObject:
    """A JSON object: its properties are attributes, None where the file says nothing."""

    __slots__ = ("_properties",)

    def __init__(self, properties: dict[str, Any]) -> None:
        self._properties = properties

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python itself asks for
            raise AttributeError(name)
        return self._properties.get(name)

    def __repr__(self) -> str:
        return repr(self._properties)


def records(value: object, what: str) -> list[Any]:
    """A list of JSON objects, empty where the file says nothing."""
    result = items(value, what)
    for index, record in enumerate(result):
        if not isinstance(record, GltfObject):
            raise refuse(f"{what}[{index}]", type(record).__name__, "an object")
    return result


def text(value: object) -> str:
    """Text, empty where the file has something else."""
    if not isinstance(value, str):
        return ""
    if not is_text(value):
        raise refuse("a name", shown(value), "Unicode text, without lone surrogates")
    return value


def attribute_index(attributes: object, name: str) -> object:
    """The accessor of an attribute of a primitive or a morph target, None where there is none."""
    return getattr(attributes, name, None)


class Document:
    """Parsed JSON (``gltf``), buffers in memory, and a budget for what may be decoded from them.

    Parameters
    ----------
    path : path-like of a ``.glb`` or ``.gltf`` file
    """

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        self.path = path
        self.gltf, self._binary = _parse(path, content)
        version = text(getattr(self.gltf.asset, "version", None))
        if not version.startswith("2."):
            raise refuse("path", f"{path}: glTF version {version[:20]!r}", "glTF 2")
        needed = [text(name) for name in items(self.gltf.extensionsRequired, "extensionsRequired")]
        foreign = [name for name in needed if not name.startswith(HARMLESS)]
        if foreign:
            got = f"{path}: a file that needs {', '.join(foreign)[:200]}"
            raise refuse("path", got, "plain glTF 2.0 (export without compression)")
        self.buffers = [self._buffer(i, b) for i, b in enumerate(records(self.gltf.buffers, "buffers"))]
        self.stored = sum(len(buffer) for buffer in self.buffers)
        self.budget = EXPANSION * (len(content) + self.stored) + ALLOWANCE

    def spend(self, count: int, what: str) -> None:
        """Account for ``count`` bytes about to be decoded or copied."""
        self.budget -= count
        if self.budget < 0:
            limit = f"within {EXPANSION} times the file's length"
            raise refuse("path", f"{self.path}: a file that grows out of proportion at {what}", limit)

    def _buffer(self, index: int, buffer: Any) -> bytes:
        what = f"buffers[{index}]"
        own = self._binary if index == 0 else None
        content = own if buffer.uri is None else self.content(buffer.uri, what)
        length = integer(buffer.byteLength, 0, 1 << 62, f"{what}.byteLength")
        if content is None or len(content) < length:
            got = f"{length} bytes long by the JSON and {len(content or b'')} in fact"
            raise refuse(what, got, "complete")
        return bytes(content[:length])

    def content(self, uri: object, what: str) -> bytes:
        """The bytes that an address of the file names: base64 data, or a file beside this one."""
        if isinstance(uri, str) and uri.startswith("data:"):
            return _data_uri(uri, what)
        return self._sibling(text(uri), what)

    def _sibling(self, uri: str, what: str) -> bytes:
        """A buffer in a file next to this one (or in a folder below)."""
        folder = self.path.resolve().parent
        try:
            target = (folder / unquote(uri)).resolve()
            inside = bool(uri) and target.is_relative_to(folder) and target.is_file()
        except (OSError, ValueError):  # names that no file system takes
            inside = False
        if not inside:
            raise refuse(f"{what}.uri", repr(uri[:100]), "base64 data or a file beside the glTF file")
        return target.read_bytes()


def _parse(path: Path, content: bytes) -> tuple[Any, bytes | None]:
    """The file's JSON, and the chunk of binary data that a .glb has in addition."""
    binary = content[:4] == b"glTF"
    if path.suffix.lower() == ".glb" and not binary:
        raise refuse("path", f"{path}: without the glTF header", "a .glb file")
    chunks = _chunks(path, content) if binary else {JSON_CHUNK: content}
    try:
        parsed = json.loads(as_utf8(chunks[JSON_CHUNK]).decode("utf-8"), object_hook=GltfObject)
    except (ValueError, KeyError, RecursionError) as error:
        raise refuse("path", f"{path}: not readable ({type(error).__name__})", "a glTF 2.0 file") from error
    if not isinstance(parsed, GltfObject) or not isinstance(parsed.asset, GltfObject):
        raise refuse("path", f"{path}: without JSON or asset", "a glTF 2.0 file")
    return parsed, chunks.get(BINARY_CHUNK)


def _chunks(path: Path, content: bytes) -> dict[int, bytes]:
    """The chunks of a .glb by their types, the first of each (glTF 2.0, section 4.4)."""
    end = int.from_bytes(content[8:12], "little") if len(content) >= 12 else len(content) + 1
    if end > len(content):
        raise refuse("path", f"{path}: {len(content)} bytes, fewer than its header says", "complete")
    chunks: dict[int, bytes] = {}
    start = 12
    while start + 8 <= end:
        length, kind = struct.unpack_from("<II", content, start)
        start += 8
        if start + length > end:
            raise refuse(
                "path", f"{path}: a chunk of {length} bytes at byte {start}", f"inside the {end} bytes of the file"
            )
        chunks.setdefault(kind, content[start : start + length])
        start += length
    return chunks


def _data_uri(uri: str, what: str) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        raise refuse(f"{what}.uri", repr(head[:60]), "base64 data or a file beside the glTF file")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise refuse(f"{what}.uri", f"damaged base64 ({error})", "base64 data") from error


def unique_names(names: Iterable[str]) -> list[str]:
    """Names made different by a number where they repeat."""
    result: list[str] = []
    seen: set[str] = set()
    for index, name in enumerate(names):
        candidate = name if name not in seen else f"{name}#{index}"
        while candidate in seen:
            candidate += "#"
        seen.add(candidate)
        result.append(candidate)
    return result
