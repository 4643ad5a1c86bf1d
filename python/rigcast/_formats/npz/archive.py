"""Reading ``.npz`` files from strangers: nothing is unpickled, and every size is checked before memory is taken.

An archive is a zip file of ``.npy`` members. Each member's zip record declares its unpacked size and its ``.npy``
header declares shape and type; both must agree, and the sum must be plausible for the file's length.
"""

from __future__ import annotations

import ast
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._safe_reading import check_regular, errors_naming
from rigcast._validate import bad_argument, missing_file

EXPANSION = 200  # unpacked bytes a packed byte may claim: tables full of zeros reach about 50, deflate allows 1032
ALLOWANCE = 1 << 20  # bytes that any archive may unpack to, so that tiny files of zeros pass
HEADER_BYTES = 4096  # longest .npy header that is parsed
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
MOST_NAMED = 12  # arrays of a format that an error lists
FROM_SMPL = "exported by the add-on of SMPL for Blender"
BODY_MODEL = ("an archive with a body model of the SMPL family", f"a rig, for example an .fbx {FROM_SMPL}")
TURNS = (
    "an archive with turns of SMPL's joints (AMASS and others), without the rest pose of their skeleton",
    f"motion, for example an .fbx {FROM_SMPL}",
)
FOREIGN = (  # arrays by which archives of other programs are known
    ({"poses", "trans"}, TURNS),
    ({"global_orient", "body_pose"}, TURNS),
    ({"J_regressor", "v_template"}, BODY_MODEL),
    ({"v_template", "shapedirs"}, BODY_MODEL),
)


@dataclass(frozen=True)
class Member:
    """The required kind and shape of one array.

    Attributes
    ----------
    kinds : str
        Allowed dtype kinds: "f" floats, "i" signed and "u" unsigned integers, "U" text.
    shape : tuple of int or str, or None
        A number is that size; a letter is a size shared by all members that use it. None: any.
    """

    kinds: str
    shape: tuple[int | str, ...] | None


def read_arrays(
    path: str | os.PathLike[str], members: Mapping[str, Member], function: str, *, others: bool = False
) -> dict[str, NDArray[Any]]:
    """Read the arrays of an ``.npz`` file.

    Parameters
    ----------
    path : path-like
    members : dict
        The arrays that may occur; any other name is refused. Whether one that is missing matters is for the caller.
    others : bool
        Leave members of other names alone instead of refusing them.
    function : str
        Named in errors.

    Returns
    -------
    dict of arrays in the machine's byte order

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not such an archive.
    """
    with _opened(path, function) as archive, errors_naming(path):
        length = Path(path).stat().st_size
        records = _records(archive, members, length, function, others)
        arrays: dict[str, NDArray[Any]] = {}
        sizes: dict[str, int] = {}
        for name, record in records.items():
            try:
                content = archive.read(record)
            except BROKEN as error:
                raise bad_argument(
                    function, name, f"unreadable ({error})", "an intact member of the archive"
                ) from error
            arrays[name] = _array(content, name, members[name], sizes, function)
    return arrays


def member_names(path: str | os.PathLike[str], function: str) -> list[str]:
    """The arrays of an ``.npz`` file, none of them read.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is no archive.
    """
    with _opened(path, function) as archive:
        return _names(archive)


def _names(archive: zipfile.ZipFile) -> list[str]:
    return [name.removesuffix(".npy") for name in archive.namelist()]


def _opened(path: str | os.PathLike[str], function: str) -> zipfile.ZipFile:
    if not os.path.exists(path):
        raise missing_file(function, "path", path)
    check_regular(path)
    try:
        return zipfile.ZipFile(path)
    except BROKEN as error:
        raise bad_argument(function, "path", f"{path}: no zip archive ({error})", "an .npz file", path) from error


def _records(
    archive: zipfile.ZipFile, members: Mapping[str, Member], length: int, function: str, others: bool
) -> dict[str, zipfile.ZipInfo]:
    records: dict[str, zipfile.ZipInfo] = {}
    for record in archive.infolist():
        name = record.filename.removesuffix(".npy")
        if others and name not in members:
            continue
        if name not in members or name == record.filename:
            raise _unknown(archive, record.filename, members, function)
        if name in records:
            raise bad_argument(function, "path", f"an archive with {name!r} twice", "made of different members")
        if record.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or record.flag_bits & 1:
            raise bad_argument(function, name, "encrypted or packed in an unusual way", "stored or deflated")
        records[name] = record
    if not records and (foreign := foreign_kind(_names(archive))) is not None:
        raise bad_argument(function, "path", *foreign)
    total = sum(record.file_size for record in records.values())
    if total > EXPANSION * length + ALLOWANCE:
        got = f"a file of {length} bytes that claims {total}"
        raise bad_argument(function, "path", got, f"an archive that unpacks to at most {EXPANSION} times its length")
    return records


def _unknown(archive: zipfile.ZipFile, member: str, members: Mapping[str, Member], function: str) -> ValueError:
    foreign = foreign_kind(_names(archive))
    if foreign is not None:
        return bad_argument(function, "path", *foreign)
    known = sorted(members)
    some = ", ".join(known[:MOST_NAMED]) + f" and others ({len(known)})" * (len(known) > MOST_NAMED)
    return bad_argument(function, "path", f"an archive with {member[:80]!r}", f"made of {some}")


def foreign_kind(names: Sequence[str]) -> tuple[str, str] | None:
    """Recognize an archive of another program by its arrays' names: its kind and what it must become, or None."""
    return next((words for needed, words in FOREIGN if needed <= set(names)), None)


def _array(content: bytes, name: str, member: Member, sizes: dict[str, int], function: str) -> NDArray[Any]:
    shape, fortran, dtype, start = _header(content, name, function)
    if dtype.hasobject or dtype.kind not in member.kinds or dtype.itemsize == 0:
        raise bad_argument(function, name, f"of type {dtype}", f"of dtype kind {' or '.join(member.kinds)}")
    if member.shape is not None:
        check_shape(shape, member.shape, name, sizes, function)
    if start + math.prod(shape) * dtype.itemsize != len(content):
        got = f"{len(content) - start} bytes for {dtype} {shape}"
        raise bad_argument(function, name, got, f"{math.prod(shape) * dtype.itemsize} bytes")
    if dtype.kind == "U" and not _is_text(content[start:], dtype):
        raise bad_argument(function, name, "not valid text", "Unicode text")
    flat = np.frombuffer(content, dtype, offset=start).reshape(shape, order="F" if fortran else "C")
    return flat.astype(dtype.newbyteorder("="))


def check_shape(
    shape: tuple[int, ...], form: tuple[int | str, ...], name: str, sizes: dict[str, int], function: str
) -> None:
    """Refuse a shape that is not of a form; ``sizes`` are those of its letters so far, and get the new ones.

    Raises
    ------
    ValueError
    """
    if len(shape) != len(form):
        raise bad_argument(function, name, f"of shape {shape}", f"of shape {_wording(form)}")
    for size, wanted in zip(shape, form, strict=True):
        known = wanted if isinstance(wanted, int) else sizes.setdefault(wanted, size)
        if size != known:
            expected = f"of shape {_wording(form)}" + ("" if wanted == known else f" with {wanted} = {known}")
            raise bad_argument(function, name, f"of shape {shape}", expected)


def _is_text(content: bytes, dtype: np.dtype[Any]) -> bool:
    """True if all code points are Unicode's (NumPy fails with a ``SystemError`` on others) and no surrogates."""
    points = np.frombuffer(content, ">u4" if dtype.byteorder == ">" else "<u4")
    return not ((points > 0x10FFFF) | ((points >= 0xD800) & (points <= 0xDFFF))).any()


def _header(content: bytes, name: str, function: str) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, Fortran order, dtype and start of the data of a version 1 or 2 ``.npy`` file."""
    broken = bad_argument(function, name, "without a readable .npy header", "an array written by numpy.save")
    if content[:6] != b"\x93NUMPY" or content[6:8] not in (b"\x01\x00", b"\x02\x00"):
        raise broken
    start = 10 if content[6] == 1 else 12
    stop = start + int.from_bytes(content[8:start], "little")
    if stop > min(len(content), HEADER_BYTES):
        raise broken
    try:
        fields = ast.literal_eval(content[start:stop].decode("latin1").strip())
        shape, fortran, dtype = fields["shape"], fields["fortran_order"], np.dtype(fields["descr"])
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError) as error:
        raise broken from error
    whole = isinstance(shape, tuple) and all(type(size) is int and size >= 0 for size in shape)
    if not whole or not isinstance(fortran, bool) or dtype.fields is not None or dtype.subdtype is not None:
        raise broken
    return shape, fortran, dtype, stop


def _wording(shape: tuple[int | str, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
