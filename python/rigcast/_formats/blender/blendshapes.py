"""Shape keys of a .blend file, with drivers between them read as combinations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.blender.described import surface_of_meshes
from rigcast._formats.blender.expressions import NotACombination, Term, combination_terms
from rigcast._formats.blender.process import HostProcess
from rigcast._notes import tell
from rigcast._rigs.matching import by_name
from rigcast._rigs.model_surface import with_surface
from rigcast._text import escaped
from rigcast.errors import SourceError

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

TIMEOUT = 120.0
MOST_CORNERS = 4096


def load_blend_shapes(
    path: Path,
    mesh: str | None = None,
    drop_unreadable: bool = False,
    blender: str | None = None,
    timeout: float = TIMEOUT,
    run_scripts: bool = False,
) -> BlendshapeRig:
    """Read the shape keys of one mesh.

    Keys without a driver are the shapes, with their slider ranges as bounds. A key that other keys drive becomes
    combinations: its driver must be a sum of products of piecewise linear functions of other keys' values (``a * b``,
    ``0.5 * a * b``, ``max(0, 1 - abs(a - 0.5) * 2) * b``), or of one key under a straight driver curve; where that is
    one key's value times a number, the offset is added to that shape.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        Object name; needed where several meshes have shape keys.
    drop_unreadable : bool
        Leave out keys whose driver is anything else, instead of refusing the file.
        ``metadata["dropped"]`` names them.
    blender : str, optional
        A Blender executable. Without it the ``bpy`` wheel in this Python, else ``blender`` on the PATH.
    timeout : float
        Seconds that opening the file may take.
    run_scripts : bool
        Whether Python in the file is run, as drivers.

    Returns
    -------
    BlendshapeRig
        World space, z up, before modifiers. Muted keys are left out. ``metadata["notes"]`` names modifiers, and Python
        that was not run.
        The mesh is a part by its name, with its materials and texture coordinates.
        Combinations have the names of their keys; of a key that becomes several, the second ends in `` (2)``.

    Raises
    ------
    ValueError
        If the file cannot be opened, or has no such mesh.
    SourceError
        If Blender fails, or a driver is no combination: the message names key and expression.
    """
    from rigcast._core import BlendshapeRig

    header, arrays = _ask(
        {"operation": "shapes", "path": str(path.resolve()), "mesh": mesh, "run_scripts": run_scripts}, blender, timeout
    )
    keys = _Keys(header["names"], header["drivers"], arrays["bounds"], arrays["values"])
    free = [k for k, name in enumerate(keys.names) if name not in keys.drivers]
    if not free:
        raise SourceError(f"{path}: all shape keys of mesh {header['mesh']!r} are driven")
    place = {keys.names[k]: index for index, k in enumerate(free)}
    neutral, linear = arrays["neutral"].astype(np.float64), arrays["deltas"][free].astype(np.float64)
    combinations, called, dropped = [], [], []
    for k, name in enumerate(keys.names):
        if name not in keys.drivers:
            continue
        try:
            terms = keys.terms(name)
        except NotACombination as error:
            if not drop_unreadable:
                raise SourceError(_refusal(path, name, keys.drivers[name], error)) from None
            dropped.append(name)
            continue
        delta = arrays["deltas"][k].astype(np.float64)
        for scale, tents in terms:
            single = next(iter(tents)) if len(tents) == 1 and None in tents.values() else None
            if not tents:
                neutral += scale * delta
            elif single is not None:
                linear[place[single]] += scale * delta
            else:
                combinations.append((_factors(tents, place), (scale * delta).astype(np.float32)))
                called.append(name)
    facts = {key: header[key] for key in ("meters_per_unit", "licence", "origin")} | {
        "name": escaped(path.stem),
        "up_axis": "Z",
        "combination_names": called,
        "dropped": dropped,
        "notes": [*(f"modifier {name} is not part of the rig" for name in header["modifiers"]), *header["notes"]],
        "default_weights": arrays["values"][free].tolist(),
    }
    rig = BlendshapeRig(
        neutral.astype(np.float32),
        linear.astype(np.float32),
        combinations,
        names=list(place),
        bounds=arrays["bounds"][free],
        faces=arrays["faces"],
        metadata=facts,
    )
    return with_surface(rig, surface_of_meshes([header["part"]], arrays))


def load_blend_weights(
    path: Path,
    rig: BlendshapeRig,
    action: str | None = None,
    mesh: str | None = None,
    blender: str | None = None,
    timeout: float = TIMEOUT,
    run_scripts: bool = False,
) -> tuple[NDArray[np.float32], float]:
    """Read a shape-key action, one row per frame, at the scene's rate; ``action`` defaults to the one in use."""
    about = {"path": str(path.resolve()), "mesh": mesh, "name": action, "run_scripts": run_scripts}
    header, arrays = _ask({"operation": "shape action", **about}, blender, timeout)
    tell(*(f"{path.name}: {note}" for note in header["notes"]))
    return by_name(header["names"], arrays["values"], rig), float(header["fps"])


def load_blend_marks(path: Path) -> list[tuple[str, int]]:
    """Timeline markers beside the shape keys' action: names, and frames counted from its first."""
    about = {"path": str(path.resolve()), "mesh": None, "name": None, "run_scripts": False}
    header, _ = _ask({"operation": "shape action", **about}, None, TIMEOUT)
    return [(str(name), int(frame)) for name, frame in header["marks"]]


@dataclass(frozen=True)
class _Keys:
    """Names, drivers, ranges and current values of all keys."""

    names: list[str]
    drivers: Mapping[str, Mapping[str, Any]]
    bounds: NDArray[np.float64]
    values: NDArray[np.float64]

    def terms(self, name: str) -> list[Term]:
        """The driver of a key as products over free keys."""
        driver = self.drivers[name]
        variables = {variable: entry["key"] for variable, entry in driver["variables"].items()}
        for variable, key in variables.items():
            if key is None:
                raise NotACombination(f"{variable} reads {driver['variables'][variable]['words']}")
            if key in self.drivers:
                raise NotACombination(f"{variable} reads {key!r}, which is driven itself")
            if key not in self.names:
                raise NotACombination(f"{variable} reads {key!r}, which is muted or the basis")
        ranges = {variable: self._range(key) for variable, key in variables.items()}
        low, high = self.bounds[self.names.index(name)].tolist()
        after = _after(driver["curve"], (low, high))
        if len(ranges) == 1:  # Blender clips into the slider range, which is one more bend of a function of one weight
            inner = after
            after = lambda w: np.clip(w if inner is None else inner(w), low, high)  # noqa: E731
        terms = combination_terms(_expression(driver), ranges, after)
        if len(ranges) > 1:
            _check_range(terms, ranges, (low, high))
        return [(scale, {variables[v]: tent for v, tent in tents.items()}) for scale, tents in terms]

    def _range(self, key: str) -> tuple[float, float]:
        low, high = self.bounds[self.names.index(key)]
        if not low < high:
            raise NotACombination(f"{key!r} has an empty range")
        return float(low), float(high)


def _check_range(terms: list[Term], ranges: Mapping[str, tuple[float, float]], slider: tuple[float, float]) -> None:
    """Blender clips a key's value into its slider range: a sum of products that can leave it is none."""
    knots = {v: {*ends} for v, ends in ranges.items()}
    for _, tents in terms:
        for v, tent in tents.items():
            knots[v] |= {x for x in tent or () if ranges[v][0] <= x <= ranges[v][1]}
    if np.prod([len(own) for own in knots.values()]) > MOST_CORNERS:
        raise NotACombination("it bends in too many places")
    for corner in product(*knots.values()):  # linear in each weight between knots: extremes are at the knots
        place = dict(zip(knots, corner, strict=True))
        value = sum(scale * np.prod([_value(place[v], tent) for v, tent in tents.items()]) for scale, tents in terms)
        if not slider[0] - 1e-6 <= value <= slider[1] + 1e-6:
            got = f"it reaches {value:.4g}, beyond the slider range [{slider[0]:.4g}, {slider[1]:.4g}] that clips it"
            raise NotACombination(got)


def _value(w: float, tent: tuple[float, float, float] | None) -> float:
    return w if tent is None else float(np.interp(w, tent, (0.0, 1.0, 0.0)))


def _expression(driver: Mapping[str, Any]) -> str:
    """A driver of any kind as an expression."""
    names = list(driver["variables"])
    if driver["kind"] == "SCRIPTED":
        return str(driver["expression"])
    if driver["kind"] in ("SUM", "AVERAGE") and names:
        divisor = len(names) if driver["kind"] == "AVERAGE" else 1
        return f"({' + '.join(names)}) / {divisor}"
    if driver["kind"] in ("MIN", "MAX") and len(names) > 1:
        return f"{driver['kind'].lower()}({', '.join(names)})"
    if driver["kind"] in ("MIN", "MAX") and names:
        return str(names[0])
    raise NotACombination("it has no variables")


def _after(curve: Mapping[str, Any], slider: tuple[float, float]) -> Any:
    """The driver's curve as a function, None where it changes nothing."""
    if curve["modifiers"]:
        raise NotACombination(f"its curve has the modifier {curve['modifiers'][0]}")
    points = np.array(curve["points"], np.float64).reshape(-1, 2)
    if not len(points):
        return None
    if not curve["straight"]:
        raise NotACombination("its curve has bent pieces")
    x, y = points[np.argsort(points[:, 0], kind="stable")].T
    goes_on = len(x) > 1 if curve["extrapolation"] == "LINEAR" else x[0] <= slider[0] and x[-1] >= slider[1]
    if np.array_equal(x, y) and goes_on:
        return None

    def follow(value: NDArray[np.float64]) -> NDArray[np.float64]:
        result = np.interp(value, x, y)
        if curve["extrapolation"] == "LINEAR" and len(x) > 1:
            start, end = (y[1] - y[0]) / (x[1] - x[0]), (y[-1] - y[-2]) / (x[-1] - x[-2])
            result = np.where(value < x[0], y[0] + start * (value - x[0]), result)
            result = np.where(value > x[-1], y[-1] + end * (value - x[-1]), result)
        return np.asarray(result)

    return follow


def _factors(tents: Mapping[str, tuple[float, float, float] | None], place: Mapping[str, int]) -> tuple[Any, ...]:
    from rigcast._blendshapes import Tent

    return tuple(place[key] if tent is None else Tent(place[key], *tent) for key, tent in tents.items())


def _refusal(path: Path, name: str, driver: Mapping[str, Any], error: NotACombination) -> str:
    expression = driver["expression"] if driver["kind"] == "SCRIPTED" else f"{driver['kind']} of variables"
    return (
        f"{path}: shape key {name!r} has a driver that is no combination of shape keys: {str(expression)[:200]!r} "
        f"({error}); drop_unreadable=True, or --drop-unreadable in a command, leaves such keys out"
    )


def _ask(request: dict[str, Any], blender: str | None, timeout: float) -> tuple[dict[str, Any], dict[str, Any]]:
    host = HostProcess(blender, timeout)
    try:
        ((header, arrays),) = host.request(request)
    finally:
        host.close()
    return header, arrays
