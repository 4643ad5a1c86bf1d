"""Shape keys of .blend files: drivers read as combinations give what Blender's own evaluation gives."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender.expressions import NotACombination, combination_terms
from rigcast._notes import heard
from rigcast._rigs.surface import surface_of
from rigcast.cli._inputs.faces import open_rig
from tests.support.characters.surfaces import same_surface


def test_driven_keys_become_combinations_that_blender_agrees_with(host, tolerance):
    """The oracle is Blender: its evaluated mesh at random values of the free keys."""
    rig = rc.sources.load_blendshapes(host.folder / "combined.blend", blender=host.blender)
    assert rig.shape_names == ["a", "b", "c", "relative"]
    assert {tuple(sorted(f if isinstance(f, int) else f.shape for f in c)) for c in rig.combinations} == {(0, 1), (0,)}
    called = set(rig.column_names[4:])
    assert {"ab", "half ab", "tent", "curved"} <= called
    assert all(name.removesuffix(" (2)") in {"ab", "half ab", "tent", "curved", "double"} for name in called), called
    np.testing.assert_allclose(rig.bounds, [[0, 1], [0, 1], [-1, 2], [0, 1]])
    seen = host.rig("combined")
    columns = [seen.channel_names.index(f"shape.{name}") for name in rig.shape_names]
    low, high = rig.bounds.T
    weights = np.random.default_rng(0).uniform(low, high, size=(12, 4)).astype(np.float32)
    weights[0] = 0
    channels = np.tile(seen.channel_rest, (12, 1))
    channels[:, columns] = weights
    _, vertices = seen.sample(channels)
    np.testing.assert_allclose(rig.evaluate(weights), vertices, atol=20 * tolerance["float32"])
    np.testing.assert_array_equal(rig.faces, seen.faces)


def test_shape_keys_keep_the_surface_of_their_mesh(host):
    rig = rc.sources.load_blendshapes(host.folder / "combined.blend", blender=host.blender)
    assert same_surface(surface_of(rig), host.rig("combined").surface)


def test_a_driver_that_is_no_combination_is_named_or_dropped(any_host):
    path = any_host.folder / "product_of_bone.blend"
    with pytest.raises(rc.SourceError, match=r"product_of_bone\.blend: shape key 'bent'.*'a \* a \* b'"):
        rc.sources.load_blendshapes(path, blender=any_host.blender)
    rig = rc.sources.load_blendshapes(path, drop_unreadable=True, blender=any_host.blender)
    assert rig.shape_names == ["a", "b"]
    assert rig.metadata["dropped"] == ["bent", "turned"]


def test_a_command_drops_and_names_what_it_cannot_read(any_host):
    path = any_host.folder / "product_of_bone.blend"
    with pytest.raises(rc.SourceError, match="--drop-unreadable"):
        open_rig(path)
    notes = []
    with heard(lambda name, note, _: notes.append(f"{name}: {note}")):
        rig = open_rig(path, drop_unreadable=True)
    assert rig.shape_names == ["a", "b"]
    assert notes[0] == "product_of_bone.blend: left out, no combinations of shape keys: bent, turned"


def test_files_without_shape_keys_are_refused(any_host, tmp_path):
    with pytest.raises(ValueError, match=r"load_blendshapes.*no mesh of the file has shape keys"):
        rc.sources.load_blendshapes(any_host.folder / "plain.blend", blender=any_host.blender)
    (tmp_path / "garbage.blend").write_bytes(b"BLENDER" + b"\0" * 40)
    with pytest.raises(ValueError, match=r"garbage\.blend"):
        rc.sources.load_blendshapes(tmp_path / "garbage.blend", blender=any_host.blender)


RANGES = {"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (-1.0, 2.0)}


@pytest.mark.parametrize(
    "expression",
    [
        "a * b * c",
        "a * b + 0.5 * b * c - c",
        "-a * (b + c) / 4",
        "max(0, min((a - 0.1) / 0.2, (0.9 - a) / 0.6)) * b",
        "clamp(2 * c) * a",
        "(1 - abs(1 - 2 * a)) * (1 - b)",
        "0.25",
        "max(0, c - 0.123456)",
    ],
)
def test_expansions_equal_their_expressions(expression, tolerance):
    """The sum of products of tents, evaluated slowly, is Python's own value of the expression."""
    terms = combination_terms(expression, RANGES)
    functions = {"abs": abs, "min": min, "max": max, "clamp": lambda x: min(1, max(0, x))}
    for seed in range(40):
        random = np.random.default_rng(seed)
        place = {name: float(random.uniform(*ends)) for name, ends in RANGES.items()}
        total = 0.0
        for scale, tents in terms:
            values = [place[n] if t is None else np.interp(place[n], t, (0.0, 1.0, 0.0)) for n, t in tents.items()]
            total += scale * np.prod(values)
        assert total == pytest.approx(eval(expression, {**functions, **place}), abs=tolerance["gram"])


@pytest.mark.parametrize(
    "expression",
    [
        "a * a",
        "sin(a)",
        "max(a, b)",
        "a ** 2",
        "d * a",
        "1 / a",
        "a if b else c",
        "__import__('os')",
        "a.real",
        "a < 0.5",
        "a +",
        "",
        "(" * 500 + "a" + ")" * 500,
        "+".join(["a*b"] * 200),
    ],
)
def test_anything_else_is_no_combination(expression):
    with pytest.raises(NotACombination):
        combination_terms(expression, RANGES)
