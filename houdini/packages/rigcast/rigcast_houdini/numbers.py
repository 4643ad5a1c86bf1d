"""Numbers by name, from channels of a CHOP, parameters of a node, detail attributes or a mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import hou
import numpy as np

import rigcast_runtime as rr
from rigcast_host.naming import legal, missing_words

Array = np.ndarray[Any, Any]
Numbers = Union[hou.Node, hou.Geometry, Mapping[str, float]]


def row_of(model: rr.Deformer, source: Numbers, frame: float) -> Array:
    """The pose (C,) float32 of a model from the numbers of its columns, or else of its channels.

    Raises
    ------
    ValueError
        If names are missing, or something unknown to the model decides a pose of its channels.
    """
    columns, channels = model.control_names, [channel.name for channel in model.channels]
    read, there = _reader(source, frame)
    of_columns, of_channels = _found(columns, there), _found(channels, there)
    if len(of_columns) == len(columns):
        return np.array([read(of_columns[name]) for name in columns], np.float32)
    if channels and len(of_channels) == len(channels):
        values = np.array([read(of_channels[name]) for name in channels], np.float64)
        return np.asarray(model.poses_from_channels(values))
    wanted, found = (channels, of_channels) if channels else (columns, of_columns)
    raise ValueError(_lacking(source, wanted, found, there))


def values_of(names: Sequence[str], source: Numbers, frame: float) -> Array:
    """The numbers of these names, float32.

    Raises
    ------
    ValueError
        If one is missing.
    """
    read, there = _reader(source, frame)
    found = _found(names, there)
    if len(found) < len(names):
        raise ValueError(_lacking(source, names, found, there))
    return np.array([read(found[name]) for name in names], np.float32)


def _reader(source: Numbers, frame: float) -> tuple[Callable[[str], float], list[str]]:
    """A function that reads a name, and the names that there are."""
    if isinstance(source, hou.ChopNode):
        tracks = {track.name(): track for track in source.tracks()}
        return lambda name: tracks[name].evalAtFrame(frame), list(tracks)
    if isinstance(source, hou.Geometry):
        details = [attribute.name() for attribute in source.globalAttribs()]
        return lambda name: _number(name, source.attribValue(name)), details
    if isinstance(source, Mapping):
        return lambda name: _number(name, source[name]), list(source)
    if isinstance(source, hou.OpNode):
        parameters = {parameter.name(): parameter for parameter in source.parms()}
        return lambda name: _number(name, parameters[name].evalAtFrame(frame)), list(parameters)
    raise ValueError(
        f"pose and controls may be a CHOP, a node with parameters, geometry with detail attributes or a mapping; they "
        f"are a {type(source).__name__}"
    )


def _found(wanted: Sequence[str], there: Sequence[str]) -> dict[str, str]:
    """The name in the scene of each wanted one that is there: the same, or its legal form."""
    known = set(there)
    pairs = ((name, name if name in known else legal(name)) for name in wanted)
    return {name: other for name, other in pairs if other in known}


def _lacking(source: Numbers, wanted: Sequence[str], found: Mapping[str, str], there: Sequence[str]) -> str:
    missing = [name for name in wanted if name not in found]
    return f"{_described(source)} has no controls of the model, {missing_words(missing, list(there), len(wanted))}"


def _described(source: Numbers) -> str:
    path: str | None = source.path() if isinstance(source, hou.Node) else None
    return path or ("the detail of the geometry" if isinstance(source, hou.Geometry) else "the mapping")


def _number(name: str, value: object) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    raise ValueError(f"{name} is {value!r}; it must be one number")
