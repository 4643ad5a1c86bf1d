"""Other names for a rig's shapes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

from rigcast._core import BlendshapeRig
from rigcast._safe_reading import errors_naming, read_json
from rigcast._validate import bad_argument, bad_file, missing_file
from rigcast.errors import ArgumentError, FileError


def rename_shapes(rig: BlendshapeRig, names: Mapping[str, str] | str | os.PathLike[str]) -> BlendshapeRig:
    """Return the rig with other names for some of its shapes.

    Parameters
    ----------
    rig : BlendshapeRig
    names : mapping from str to str, or path
        New names by old ones, or a JSON file of such an object; shapes that it leaves out keep theirs.

    Returns
    -------
    BlendshapeRig

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no such mapping, or names a shape that the rig lacks.

    Examples
    --------
    >>> import rigcast as rc
    >>> rc.sources.rename_shapes(rc.faces.example(), {"jawOpen": "Mouth_Open"}).shape_names[0]
    'Mouth_Open'
    """
    given = names if isinstance(names, Mapping) else _read(Path(names))
    if not all(isinstance(name, str) for pair in given.items() for name in pair):
        raise bad_argument("rename_shapes", "names", "a mapping with other entries than strings", "names by names")
    unknown = sorted(set(given) - set(rig.shape_names))
    if unknown:
        known = ", ".join(rig.shape_names)[:200]
        problem = f"{unknown[0]!r} is no shape of the rig ({known})"
        if isinstance(names, Mapping):
            raise ArgumentError("rename_shapes", "", problem, "")
        raise bad_file(names, problem, function="rename_shapes")
    columns = rig.columns()
    with nullcontext() if isinstance(names, Mapping) else errors_naming(names):
        return BlendshapeRig(
            rig.rest_vertices,
            columns[: rig.num_shapes],
            list(zip(rig.combinations, columns[rig.num_shapes :], strict=True)),
            names=[given.get(name, name) for name in rig.shape_names],
            bounds=rig.bounds,
            faces=rig.faces,
            metadata=rig.metadata,
        )


def _read(path: Path) -> dict[str, str]:
    try:
        names = read_json(path)
    except FileNotFoundError:
        raise missing_file("rename_shapes", "names", path) from None
    except (OSError, ValueError) as error:
        raise FileError("rename_shapes", "", str(error), "", path) from None
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise bad_file(path, 'no object {"shape": "name", ...}', function="rename_shapes")
    return names
