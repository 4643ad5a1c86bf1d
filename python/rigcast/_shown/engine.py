"""Additions of Python to classes of the engine: tables in notebooks, arrays that cannot be written, pickles."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._shown.lines import cut, html_table, line, unit_words
from rigcast._shown.pickles import no_pickle, remember

Number = TypeVar("Number", bound=np.generic)
# Immutable classes that users hold.
KINDS = (
    _core.Deformer,
    _core.BlendshapeRig,
    _core.BodyModel,
    _core.DifferentialModel,
    _core.FaceMaps,
    _core.Skeleton,
    _core.Reconstructor,
    _core.DeformationTransfer,
    _core.LatentSpace,
)

# Those without a line of their own in the engine: their public name, and the facts on them.
LINES: dict[Any, tuple[str, Callable[[Any], list[str]]]] = {
    _core.Reconstructor: (
        "rigcast.differential.Reconstructor",
        lambda one: [f"{one.num_vertices:,} vertices", f"{len(one.anchors):,} anchors"],
    ),
    _core.FoldedReconstructor: (
        "rigcast.differential.FoldedReconstructor",
        lambda one: [f"{one.num_bytes / 1e6:.3g} MB"],
    ),
    _core.DeformationTransfer: (
        "rigcast.transfer.DeformationTransfer",
        lambda one: [f"{one.num_vertices:,} vertices", f"{len(np.unique(one.components))} components"],
    ),
    _core.Session: ("rigcast.Session", lambda one: [f"of {cut(repr(one.model))}"]),
}
NEVER: dict[Any, str] = {
    _core.FoldedReconstructor: "it holds products alone; pickle the Reconstructor, and fold it again",
    _core.Channel: "it is a part of its model; pickle the model, whose channels it is among",
}


def dress() -> None:
    """Add them, once per process."""
    for kind in KINDS:
        for name, member in list(vars(kind).items()):
            if type(member) is property and member.fget is not None:  # not those of the class
                setattr(kind, name, property(_read_only(member.fget), doc=member.__doc__))
    for model in (_core.Deformer, _core.BlendshapeRig, _core.BodyModel, _core.DifferentialModel, _core.FaceMaps):
        if "__repr__" in vars(model):
            model.__repr__ = _short(model.__repr__)  # type: ignore[method-assign]
    setattr(_core.Deformer, "_repr_html_", _model_table)  # noqa: B010
    sized: tuple[Any, ...] = (_core.BodyModel, _core.DifferentialModel, _core.FaceMaps, _core.FoldedReconstructor)
    for own in sized:
        own.nbytes = vars(own)["num_bytes"]
    for own, stated in LINES.items():
        own.__repr__, own._repr_html_ = _line_of(stated), _table_of(stated)
    copyreg.pickle(_core.LatentSpace, _latent_space)
    remember(_core.Reconstructor)
    remember(_core.DeformationTransfer)
    for part, why in NEVER.items():
        no_pickle(why)(part)


def _line_of(stated: tuple[str, Callable[[Any], list[str]]]) -> Callable[[Any], str]:
    name, facts = stated
    return lambda self: line(name, "", facts(self))


def _table_of(stated: tuple[str, Callable[[Any], list[str]]]) -> Callable[[Any], str]:
    name, facts = stated
    return lambda self: html_table(name, {"holds": ", ".join(facts(self))})


def _read_only(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The getter, whose array is a copy: writing into it would change nothing, so it is an error."""

    def get(self: Any) -> Any:
        value = read(self)
        return read_only(value) if isinstance(value, np.ndarray) else value

    return get


def read_only(array: NDArray[Number]) -> NDArray[Number]:
    """The array as one that cannot be written; the caller's own stays as it is."""
    view: NDArray[Number] = array.view()
    view.flags.writeable = False
    return view


def _short(whole: Callable[[Any], str]) -> Callable[[Any], str]:
    def short(self: Any) -> str:
        return cut(whole(self))

    short.whole = whole  # type: ignore[attr-defined]
    return short


def _model_table(model: _core.Deformer) -> str:
    """The HTML that a notebook shows: what is known of a model, its stated error too, and its rest pose."""
    metadata: dict[str, Any] = model.metadata
    rows = {key: str(metadata.get(key, "")) for key in ("name", "licence", "origin")}
    show = type(model).__repr__
    rows["holds"] = getattr(show, "whole", show)(model).partition(": ")[2].removesuffix(">")
    rows["error"] = _error_words(metadata.get("error"), model.meters_per_unit)
    rows["unit"] = unit_words(model.meters_per_unit, model.up_axis)
    return html_table(f"rigcast.{type(model).__name__}", rows, model)


def _error_words(error: Any, meters: float) -> str:
    """``0.12 mm on average, 1.3 mm at most``, of the poses that a training held out; empty if a model states none."""
    if not isinstance(error, dict):
        return ""
    words = {"mean": "on average", "max": "at most"}
    stated = {name: error[name] for name in words if isinstance(error.get(name), int | float)}
    return ", ".join(f"{1000.0 * meters * value:.3g} mm {words[name]}" for name, value in stated.items())


def _latent_space(space: _core.LatentSpace) -> tuple[type, tuple[Any, ...]]:
    """For pickle and copy: the arguments of the constructor."""
    inducing = space.inducing
    return _core.LatentSpace, (space.points, space.values, space.variance, space.length, space.noise, inducing)
