"""Damage: of bytes, of lines and their words, of JSON values, of the arrays of an archive. All chance is a seed's."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Random = np.random.Generator
Damage = Callable[[bytes, Random], bytes]

WORDS = ["0", "-1", "1", "2", "nan", "NaN", "inf", "-inf", "1e308", "-1e308", "1e39", "1e-320", "2147483648"]
WORDS += ["2147483647", "9223372036854775808", "0x10", "1,5", "--"]
WORDS += ["9" * 40, "", '"', "\x00", "\x1b[2J", "é", "a\tb", "1" * 5000, "18446744073709551615", "-9223372036854775809"]
VALUES: list[Any] = [0, -1, 1, 2, 3, 0.5, 1e308, -1e308, 1e39, 1e-320, float("nan"), float("inf"), 2**31 - 1, 2**31]
VALUES += [2**32, 2**63 - 1, 2**63, -(2**63), 10**40, 1_000_000, 50_000_000, True, None, "", "x", "\udfff", "a" * 9999]
VALUES += [[], {}, [[]], [None], [0, 0, 0, 0], {"x": 1}, [1e308] * 16, ["x", "x"]]
INTEGERS = (0, 1, 2, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1)
NUMBER = re.compile(rb"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")


def damaged(name: str, content: bytes, random: Random) -> bytes:
    """The content of a file of this name with one to three changes of the kinds that suit it."""
    kinds = _kinds(name)
    for _ in range(1 + int(random.integers(3))):
        content = kinds[random.integers(len(kinds))](content, random)
    return content


def _kinds(name: str) -> list[Damage]:
    if name.endswith((".glb", ".vrm")):
        return [_glb, _glb, _glb, of_bytes]
    if name.endswith((".gltf", ".json")):
        return [of_json, of_json, of_json, of_text, of_bytes]
    if name.endswith(".safetensors"):
        return [_safetensors, _safetensors, _safetensors, of_bytes]
    if name.endswith(".npz"):
        return [_archive, _archive, _archive, of_bytes]
    if name.endswith((".npy", ".pc2", ".mdd", ".usd", ".abc", "packed.ply")):
        return [of_bytes, of_bytes, of_bytes, of_text] if name.endswith(".ply") else [of_bytes]
    return [of_text, of_text, of_text, of_text, of_bytes]


def of_bytes(content: bytes, random: Random) -> bytes:
    """Bits flipped, a stretch cut, doubled or zeroed, the end cut off, a number of four or eight bytes replaced."""
    if not content:
        return random.bytes(8)
    kind, at = int(random.integers(7)), int(random.integers(len(content)))
    if random.random() < 0.4:
        at = int(random.integers(min(len(content), 160)))  # headers
    length = int(random.integers(1, 2 ** int(random.integers(1, 9))))
    if kind <= 1:
        changed = bytearray(content)
        for _ in range(1 + int(random.integers(4))):
            changed[min(at + int(random.integers(8)), len(content) - 1)] ^= 1 << int(random.integers(8))
        return bytes(changed)
    if kind == 2:
        return content[:at]
    if kind == 3:
        return content[:at] + content[at + length :]
    if kind == 4:
        return content[: at + length] + content[at:]
    if kind == 5:
        return content[:at] + bytes(length) + content[at + length :]
    number = _packed(random)
    return content[:at] + number + content[at + len(number) :]


def _packed(random: Random) -> bytes:
    order = "<>"[random.integers(2)]
    if random.random() < 0.5:
        return struct.pack(f"{order}I", int(random.choice(INTEGERS)))
    value = float(random.choice([0.0, -1.0, np.nan, np.inf, 1e308, 3e38, 1e-320]))
    with np.errstate(over="ignore"):
        kind = "<f4" if random.random() < 0.5 else "<f8"
        return np.array(value, kind.replace("<", order)).tobytes()


def of_text(content: bytes, random: Random) -> bytes:
    """A line or a word removed, doubled, moved or replaced; a number replaced; the end of a line changed."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return of_bytes(content, random)
    kind, row = int(random.integers(8)), int(random.integers(len(lines)))
    other = int(random.integers(len(lines)))
    if kind == 0:
        del lines[row]
    elif kind == 1:
        lines[row:row] = [lines[row]] * int(random.choice([1, 2, 50]))
    elif kind == 2:
        lines[row], lines[other] = lines[other], lines[row]
    elif kind == 3:
        lines[row] = lines[row].rstrip() + [b"", b"\r\n", b"\r", b" \\\n", b"\t\n"][random.integers(5)]
    elif kind == 4:
        lines[row] = _word(lines[row], random)
    else:
        lines[row] = _number(lines[row], random)
    return b"".join(lines)


def _word(line: bytes, random: Random) -> bytes:
    words = re.split(rb"([\s,;/]+)", line)
    at = int(random.integers(len(words)))
    words[at] = [b"", words[at] * 2, WORDS[random.integers(len(WORDS))].encode()][random.integers(3)]
    return b"".join(words)


def _number(line: bytes, random: Random) -> bytes:
    found = list(NUMBER.finditer(line))
    if not found:
        return _word(line, random)
    match = found[random.integers(len(found))]
    return line[: match.start()] + WORDS[random.integers(len(WORDS))].encode() + line[match.end() :]


def of_json(content: bytes, random: Random) -> bytes:
    """A value replaced, removed, doubled or swapped with another, or a key renamed; text if it is no JSON any more."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return of_text(content, random)
    return json.dumps(_changed(value, random)).encode()


def _changed(root: Any, random: Random) -> Any:
    holder = [root]
    places = _places(holder)
    parent, key = places[random.integers(len(places))]
    other, at = places[random.integers(len(places))]
    kind = int(random.integers(8))
    if kind == 0 and parent is not holder:
        del parent[key]
    elif kind == 1 and isinstance(parent, list) and parent is not holder:
        parent[key:key] = [parent[key]] * int(random.choice([1, 2, 300]))
    elif kind == 2 and parent is not holder:
        parent[key] = json.loads(json.dumps(other[at]))
    elif kind == 3 and isinstance(parent, dict):
        parent[str(random.choice([*parent, "x", ""]))] = parent.pop(key)
    elif kind == 4 and isinstance(parent[key], str) and parent[key][:1] in ("{", "["):
        parent[key] = of_json(parent[key].encode(), random).decode("utf-8", "replace")
    elif kind == 5 and isinstance(parent[key], (int, float)):
        parent[key] = parent[key] + int(random.choice([-1, 1, 2, 1000]))
    else:
        parent[key] = VALUES[random.integers(len(VALUES))]
    return holder[0]


def _places(holder: list[Any]) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    rest: list[Any] = [holder]
    while rest and len(found) < 20_000:
        value = rest.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value))
        found += [(value, key) for key in keys]
        rest += [value[key] for key in keys if isinstance(value[key], (dict, list))]
    return found


def _glb(content: bytes, random: Random) -> bytes:
    if len(content) < 20:
        return of_bytes(content, random)
    length = int.from_bytes(content[12:16], "little")
    text, rest = content[20 : 20 + length], content[20 + length :]
    if random.random() < 0.8:
        text = of_json(text, random)
    else:
        rest = rest[:8] + of_bytes(rest[8:], random)
    text += b" " * (-len(text) % 4)
    return content[:8] + struct.pack("<II", 20 + len(text) + len(rest), len(text)) + content[16:20] + text + rest


def _safetensors(content: bytes, random: Random) -> bytes:
    length = int.from_bytes(content[:8], "little")
    text, rest = content[8 : 8 + length], content[8 + length :]
    text, rest = (of_json(text, random), rest) if random.random() < 0.7 else (text, of_bytes(rest, random))
    return len(text).to_bytes(8, "little") + text + rest


def _archive(content: bytes, random: Random) -> bytes:
    """One array of an .npz dropped, renamed, doubled, or with another value, length, shape or type."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        names = sorted(members)
        name = names[random.integers(len(names))]
        changed = _array(members[name], random)
    except Exception:  # noqa: BLE001 - damaged before, in a way that only zipfile or NumPy knows
        return of_bytes(content, random)
    members.pop(name) if changed is None else members.update({name: changed})
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return written.getvalue()


def _array(content: bytes, random: Random) -> bytes | None:
    kind = int(random.integers(7))
    if kind == 0:
        return None
    if kind == 1:
        return of_bytes(content, random)
    array = np.load(io.BytesIO(content))
    flat = array.reshape(-1).copy()
    if kind == 2 and flat.size and flat.dtype.kind in "fiu":
        value = float(random.choice([0, -1, np.nan, np.inf, 1e308, 3e38, 2**31, 2**62, 1e-320]))
        flat = flat.astype("f8") if random.random() < 0.3 else flat
        with np.errstate(all="ignore"):
            flat[random.integers(flat.size)] = np.float64(value).astype(flat.dtype)
        array = flat.reshape(array.shape)
    elif kind == 3:
        array = array[: int(random.integers(len(array) + 1))] if array.ndim else array[None]
    elif kind == 4:
        array = array.T if random.random() < 0.5 else flat
    elif kind == 5:
        array = np.concatenate([array, array[-1:]]) if array.ndim else np.tile(array, 3)
    elif array.dtype.kind != "c":
        with np.errstate(all="ignore"):
            array = array.astype(str(random.choice(["f8", "i8", "f4", "?", "c16", "u1", ">f4", "U8"])), copy=False)
    written = io.BytesIO()
    np.save(written, array)
    return written.getvalue()
