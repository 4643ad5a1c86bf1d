"""All file formats, one row each: endings, what is read from them by which function, what is written, and options.

Rows name the module of a reader, which is imported when a file of its format is opened: formats must not wait for each
other's packages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

Writer = TypeVar("Writer")


@dataclass(frozen=True)
class Content:
    """The content of files, and the public function that reads or writes it."""

    function: str
    words: str = ""


@dataclass(frozen=True)
class Reader:
    """The function that reads a content from files of one format.

    Attributes
    ----------
    place : str
        ``module:name`` within ``rigcast._formats``; empty if the public function reads it itself.
    options : tuple of str
        Arguments of the public function that are for such files.
    sampled : bool
        Whether the file is sampled at a rate that the caller chooses; other files are frames.
    """

    place: str = ""
    options: tuple[str, ...] = ()
    sampled: bool = False


@dataclass(frozen=True, eq=False)
class Format:
    """One file format.

    Attributes
    ----------
    name : str
    endings : tuple of str
        In lower case, of files that are read.
    reads : mapping of Content to Reader
        In the order in which errors name the functions.
    writes : tuple of Content
    written : tuple of str
        Endings of files that are written; default: those that are read.
    extra : str
        The package that it needs beside NumPy, as a reader of the documentation installs it.
    """

    name: str
    endings: tuple[str, ...]
    reads: Mapping[Content, Reader] = field(default_factory=dict)
    writes: tuple[Content, ...] = ()
    written: tuple[str, ...] = ()
    extra: str = ""


RIG = Content("rigcast.sources.load", "rigs")
FACE = Content("rigcast.sources.load_blendshapes", "blendshape rigs")
SHOT = Content("rigcast.sources.load_shot", "moving meshes")
WEIGHTS = Content("rigcast.sources.load_blendshape_weights", "weights over time")
MOTION = Content("rigcast.sources.load_motion", "motion of joints")
MESH = Content("rigcast.sources.load_mesh", "meshes")
MODEL = Content("rigcast.load", "models")
SKELETON = Content("rigcast.sources.load_bvh", "skeletons")
SOLUTION = Content("rigcast.inverse.Solution.load", "solutions")
DATA = Content("rigcast.Dataset", "data sets")
NAMED = (RIG, FACE, SHOT, WEIGHTS, MOTION, MESH)  # whose words errors say

MADE_RIG = Content("rigcast.exports.write_rig", "blendshape rigs")
MADE_SHOT = Content("rigcast.exports.write_vertices", "moving meshes")
MADE_MOTION = Content("rigcast.exports.write_motion", "motion of joints")
MADE_CHARACTER = Content("rigcast.exports.write_character", "characters with their models")
MADE_CROWD = Content("rigcast.exports.write_crowd", "crowds")
MADE_WEIGHTS = Content("rigcast.exports.write_blendshape_weights", "weights over time")

BY_BLENDER = ("blender", "timeout")  # options of what Blender evaluates
OF_RIG = ("mesh", "armature", "limits", "ranges", "hold", "free", *BY_BLENDER)

SAFETENSORS = Format(
    "safetensors",
    (".safetensors",),
    {
        MODEL: Reader(),
        RIG: Reader("safetensors:load_safetensors_rig"),
        FACE: Reader("safetensors:load_safetensors_blendshapes"),
    },
    writes=(MADE_RIG,),
)
NPZ = Format(
    "NumPy archive",
    (".npz",),
    {
        RIG: Reader("npz.blendshapes:open_npz"),
        FACE: Reader("npz.blendshapes:load_npz_blendshapes"),
        SHOT: Reader("npz.shot:load_npz", ("fps",)),
        WEIGHTS: Reader("npz.blendshapes:load_npz_weights"),
        SOLUTION: Reader(),
    },
    writes=(MADE_RIG, MADE_SHOT, MADE_WEIGHTS),
)
NPY = Format("NumPy array", (".npy",), {SHOT: Reader("npz.shot:load_npy", ("fps",))}, writes=(MADE_SHOT,))
GLTF = Format(
    "glTF 2.0",
    (".glb", ".gltf", ".vrm"),
    {
        RIG: Reader("gltf:load_gltf", ("mesh", "ranges")),
        FACE: Reader("gltf.blendshapes:load_gltf_blendshapes", ("mesh",)),
        SHOT: Reader("gltf.shot:load_gltf_shot", ("mesh", "clip", "fps"), sampled=True),
        WEIGHTS: Reader("gltf.blendshapes:load_gltf_weights", ("clip", "fps"), sampled=True),
        MOTION: Reader("gltf:gltf_clips"),
    },
    writes=(MADE_RIG, MADE_SHOT, MADE_MOTION, MADE_WEIGHTS),
    written=(".glb",),
)
BLEND = Format(
    "Blender",
    (".blend",),
    {
        RIG: Reader("blender:BlenderRig.open", (*OF_RIG, "run_scripts")),
        FACE: Reader("blender.blendshapes:load_blend_shapes", ("mesh", "drop_unreadable", "run_scripts", *BY_BLENDER)),
        WEIGHTS: Reader("blender.blendshapes:load_blend_weights", ("action", "mesh", "run_scripts", *BY_BLENDER)),
    },
    writes=(MADE_RIG, MADE_SHOT, MADE_WEIGHTS),
    extra="blender",
)
FBX = Format(
    "FBX",
    (".fbx",),
    {
        RIG: Reader("blender.fbx:open_fbx", OF_RIG),
        FACE: Reader("blender.blendshapes:load_blend_shapes", ("mesh", *BY_BLENDER)),
        SHOT: Reader("blender.fbx:load_fbx_shot", ("mesh", "clip", "fps", *BY_BLENDER), sampled=True),
        WEIGHTS: Reader("blender.blendshapes:load_blend_weights", ("action", "mesh", *BY_BLENDER)),
        MOTION: Reader("blender.fbx:fbx_clips", BY_BLENDER),
    },
    extra="blender",
)
BVH = Format("BVH", (".bvh",), {MOTION: Reader("bvh:bvh_clips"), SKELETON: Reader()}, writes=(MADE_MOTION,))
USD = Format(
    "USD",
    (".usd", ".usda", ".usdc", ".usdz"),
    {
        MODEL: Reader(),
        FACE: Reader("usd.blendshapes:load_usd_blendshapes", ("mesh",)),
        SHOT: Reader("usd.shot:load_usd_shot", ("mesh",)),
        WEIGHTS: Reader("usd.weights:load_usd_weights", ("clip",)),
        MOTION: Reader("usd.motion:usd_clips"),
    },
    writes=(MADE_SHOT, MADE_MOTION, MADE_WEIGHTS, MADE_CHARACTER, MADE_CROWD),
    written=(".usd", ".usda", ".usdc"),
    extra="usd",
)
ALEMBIC = Format(
    "Alembic",
    (".abc",),
    {SHOT: Reader("blender.alembic:load_alembic_shot", ("mesh", "fps", *BY_BLENDER), sampled=True)},
    writes=(MADE_SHOT,),
    extra="blender",
)
OBJ = Format("OBJ", (".obj",), {SHOT: Reader("obj.sequence:load_sequence", ("fps",))})
PLY = Format("PLY", (".ply",), {MESH: Reader()})
PC2 = Format("point cache PC2", (".pc2",), {SHOT: Reader("point_cache:load_pc2", ("fps",))}, writes=(MADE_SHOT,))
MDD = Format("point cache MDD", (".mdd",), {SHOT: Reader("point_cache:load_mdd", ("fps",))}, writes=(MADE_SHOT,))
LIVE_LINK = Format(
    "Live Link Face",
    (".csv",),
    {WEIGHTS: Reader("live_link.read:load_live_link", ("fps",))},
    writes=(MADE_WEIGHTS,),
)
SCRIPT = Format("Python for Blender", (), writes=(MADE_WEIGHTS,), written=(".py",))
DATA_SET = Format("data set", (".rwdata",), {DATA: Reader()})

FORMATS = (
    BVH, GLTF, NPZ, NPY, SAFETENSORS, BLEND, FBX, USD, ALEMBIC, OBJ, PLY, PC2, MDD, LIVE_LINK, SCRIPT, DATA_SET,
)  # fmt: skip


def readers(content: Content) -> dict[str, Reader]:
    """The reader of a content by ending, of all formats that hold it."""
    return {ending: form.reads[content] for form in FORMATS if content in form.reads for ending in form.endings}


def written_endings(content: Content) -> tuple[str, ...]:
    """Endings of the files that a content is written to."""
    return tuple(ending for form in FORMATS if content in form.writes for ending in form.written or form.endings)


def by_ending(table: Mapping[Format, Writer]) -> dict[str, Writer]:
    """The writer of each ending, given that of each format."""
    return {ending: writer for form, writer in table.items() for ending in form.written or form.endings}


def functions_of(suffix: str) -> list[str]:
    """The public functions that read files of an ending, with what they give: ``rigcast.sources.load (rigs)``."""
    contents = [content for form in FORMATS if suffix in form.endings for content in form.reads]
    return [f"{each.function} ({each.words})" if each in NAMED else each.function for each in contents]


def takers(content: Content, option: str) -> tuple[str, ...]:
    """Endings of the files for which an option of the function that reads a content is."""
    return tuple(ending for ending, reader in readers(content).items() if option in reader.options)


def first_endings(content: Content, option: str) -> str:
    """The first ending of each format for which an option is, as a command's help lists them: ``.glb, .blend``."""
    forms = (form for form in FORMATS if content in form.reads and option in form.reads[content].options)
    return ", ".join(form.endings[0] for form in forms)
