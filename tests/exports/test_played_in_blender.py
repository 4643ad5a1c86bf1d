"""What was written, opened by Blender in one run: the second reader of .blend, Alembic, PC2, MDD, glTF and BVH."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast._extras import MissingExtra
from rigcast._formats.blender import run_script
from rigcast.errors import SourceError
from rigcast.exports import Playback, approximate, write_approximation, write_bvh, write_motion, write_vertices
from tests.exports.moving import FACES, FPS, UNIT, in_blender, moving_mesh
from tests.exports.test_approximation import hose, twisted
from tests.exports.test_skinned_motion import CHARACTERS, walk
from tests.sources.retargeting.test_retarget import character, random_channels, world_of
from tests.support.blender import has_wheel

RUN_PLAY = Path(__file__).with_name("run_play.py")
UP = "Y"  # another one than Blender's
BONES = 5e-5  # float32 all the way through a chain of bones of size 10


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    if not has_wheel():
        pytest.skip("the bpy wheel is not installed; the glTF importer of Debian's Blender 3.4 fails under its NumPy")
    folder = tmp_path_factory.mktemp("played")
    options = {"meters_per_unit": UNIT, "up_axis": UP, "name": "creature"}
    for name in ("m.blend", "m.abc", "m.glb", "other.pc2", "other.mdd"):
        try:
            write_vertices(folder / name, moving_mesh(), FACES, fps=FPS, max_error=1e-5, **options)
        except SourceError as error:
            assert name == "m.abc", error
            assert "built without Alembic" in str(error)
    rig = bending_rig()
    write_bvh(folder / "m.bvh", rig, random_channels(rig, 9), fps=FPS)
    walker = CHARACTERS["askew"]()
    for name in ("skinned.glb", "skinned.usda"):
        with contextlib.suppress(MissingExtra):
            write_motion(folder / name, walker, walk(walker, 9), fps=FPS)
    for name in ("shapes.glb", "shapes.usda"):
        with contextlib.suppress(MissingExtra):
            write_approximation(folder / name, shaped(), to_meters_per_unit=1.0)
    run_script(RUN_PLAY, [str(folder)])
    return dict(np.load(folder / "seen.npz"))


def bending_rig():
    """Joints in Blender's axes, turned at random at rest."""
    rig = character(up="Z")
    rig.up_axis = "Z"
    return rig


def shaped():
    """A hose for engines."""
    return approximate(Playback(hose(), twisted(9)), FPS, shapes=5)


def near(found, expected, tolerance):
    np.testing.assert_allclose(found, expected, atol=tolerance["float32_sum"] * np.abs(expected).max())


def test_a_blend_stands_upright_and_plays_its_cache(seen, tolerance):
    near(seen["blend"], in_blender(moving_mesh(), UP), tolerance)
    np.testing.assert_allclose(seen["blend facts"], [FPS, UNIT, 1, 9], rtol=tolerance["float64_converged"])


@pytest.mark.parametrize("cache", ["pc2", "mdd", "mdd by seconds"])
def test_a_point_cache_moves_an_artists_mesh(seen, cache, tolerance):
    near(seen[cache], moving_mesh(), tolerance)


def test_a_glb_is_upright_in_meters_at_its_rate(seen, tolerance):
    near(seen["glb"], in_blender(moving_mesh(), UP, UNIT), tolerance)


@pytest.mark.parametrize("form", ["glb", "usd"])
def test_a_character_with_joints_moves_as_its_rig(seen, form, tolerance):
    if f"skinned {form}" not in seen:
        pytest.skip("usd-core is not installed")
    walker = CHARACTERS["askew"]()
    near(seen[f"skinned {form}"], in_blender(walker.sample(walk(walker, 9))[1], "Y"), tolerance)


@pytest.mark.parametrize("form", ["glb", "usd"])
def test_shapes_for_engines_move_as_they_are_keyed(seen, form, tolerance):
    if f"shapes {form}" not in seen:
        pytest.skip("usd-core is not installed")
    motion = shaped().motion
    near(seen[f"shapes {form}"], motion.rig.meters_per_unit * motion.shown(slice(None)), tolerance)


def test_alembic_is_upright_at_its_rate(seen, tolerance):
    if "abc" not in seen:
        pytest.skip("this Blender was built without Alembic")
    near(seen["abc"], in_blender(moving_mesh(), UP), tolerance)
    np.testing.assert_allclose(seen["abc facts"], [FPS, 1.0, 1, 9], rtol=tolerance["float64_converged"])


def test_bvh_moves_the_bones(seen):
    rig = bending_rig()
    world = world_of(rig, random_channels(rig, 9))
    away = world[..., :3] @ np.linalg.inv(rig.joints.rest_globals[..., :3])
    order = [list(seen["bvh names"]).index(name) for name in rig.skeleton.names]
    np.testing.assert_allclose(seen["bvh heads"][:, order], world[..., 3], atol=BONES)
    np.testing.assert_allclose(seen["bvh turns"][:, order], away, atol=BONES)
    assert seen["bvh facts"][0] == FPS


def test_a_blend_and_its_cache_are_both_written(seen, tmp_path):
    notes = write_vertices(tmp_path / "walk.blend", moving_mesh(), FACES, fps=FPS)
    assert notes == ["walk.blend plays walk.pc2, which lies beside it: move both together"]
    assert sorted(item.name for item in tmp_path.iterdir()) == ["walk.blend", "walk.pc2"]
    assert rc.sources.load_shot(tmp_path / "walk.pc2").vertices.shape == (9, 5, 3)
