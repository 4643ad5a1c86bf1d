"""How public functions are called: few arguments by position, one rate where none is stated, one word for data."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator

import pytest

from rigcast._validate import FPS
from tests.structure.test_package import PUBLIC
from tests.structure.test_signatures import functions, public

MOST = 3  # arguments by position
# name -> how many it takes by position, and why
LONGER = {
    "errors.ArgumentError.__init__": (4, "exceptions are pickled by their arguments"),
    "errors.FileError.__init__": (5, "exceptions are pickled by their arguments"),
    "ik.two_bone": (5, "the triangle: its two ends, its two lengths, its axis"),
    "transfer.correspond": (4, "two meshes: vertices and faces of each"),
    "transfer.deformation_transfer": (4, "the four meshes of the paper, in its order"),
    "transfer.example_based": (6, "the same four, and the examples with their weights"),
    "transfer.transfer_in_parts": (4, "as deformation_transfer, which it stands in for"),
    "sampling.Animation.clipped": (4, "called as draw is"),
    **{
        f"sampling.{sampler}.draw": (4, "a protocol: samplers of users are called with these")
        for sampler in ("Animation", "Balanced", "Mixture", "Normal", "Sampler", "Sparse", "Switched", "Uniform")
    },
}
# Constructors of records are left out: their fields, in order, are the record. Settings have a test of their own.


def signatures() -> Iterator[tuple[str, list[inspect.Parameter]]]:
    for package in ("rigcast", *sorted(PUBLIC)):
        for name, value in public(package):
            for suffix, function in functions(value):
                if suffix == ".__init__" and "__dataclass_fields__" in vars(value):
                    continue
                parameters = inspect.signature(function).parameters.values()
                yield f"{package}.{name}{suffix}", [one for one in parameters if one.name not in ("self", "cls")]


SIGNATURES = dict(signatures())


def test_at_most_three_arguments_are_taken_by_position():
    count = {
        name: sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters)
        for name, parameters in SIGNATURES.items()
    }
    found = {name: number for name, number in count.items() if number > MOST}
    assert found == {name: number for name, (number, _) in LONGER.items()}


def test_one_rate_stands_for_what_states_none():
    """A default is that rate, or None: then the motion's own rate is taken first."""
    defaults = {
        f"{name}({one.name})": one.default
        for name, parameters in SIGNATURES.items()
        for one in parameters
        if one.name == "fps" and one.default is not one.empty
    }
    assert len(defaults) > 15
    assert {name: rate for name, rate in defaults.items() if rate is not None and rate != FPS} == {}


def test_settings_are_given_by_name():
    """Fields of settings are added where they belong, so their order is nobody's business."""
    fields = {
        f"{package}.{name}": dataclasses.fields(value)
        for package in ("rigcast", *sorted(PUBLIC))
        for name, value in public(package)
        if dataclasses.is_dataclass(value) and name.endswith("Settings")
    }
    assert len(fields) > 10
    assert [name for name, found in fields.items() if not all(field.kw_only for field in found)] == []


@pytest.mark.parametrize("package", ["rigcast", *sorted(PUBLIC)])
def test_records_have_that_rate_too(package):
    for name, value in public(package):
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                if field.name == "fps" and field.default is not dataclasses.MISSING:
                    assert field.default in (None, FPS, 0.0), f"{package}.{name}"


def test_samples_have_one_name():
    """Data sets and samples are ``data``, wherever they are learned from."""
    for package in ("training", "baselines"):
        names = {one.name for name, found in SIGNATURES.items() if name.startswith(package) for one in found}
        assert "data" in names
        assert not names & {"ds", "dataset", "data_set"}
