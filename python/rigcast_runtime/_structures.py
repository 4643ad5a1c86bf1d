"""Structures and functions of the header rigcast/rigcast_c.h, for ctypes."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = (c_void_p, c_int64)  # an array and its count
OBJECT = c_void_p
NEW = POINTER(c_void_p)  # where a call writes an object
CALLS_WORK = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_void_p, c_void_p)  # a scheduler of the host

REPORTS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int64, c_int64)  # rigcast_progress


class CArray(ctypes.Structure):
    """rigcast_floats, rigcast_doubles, rigcast_integers, and those that a call writes."""

    _fields_ = [("data", c_void_p), ("count", c_int64)]


class CBlendshapes(ctypes.Structure):
    """rigcast_blendshapes."""

    _fields_ = [
        ("size", c_size_t),
        ("vertices", c_int64),
        ("shapes", c_int64),
        ("corrections", c_int64),
        ("neutral", CArray),
        ("deltas", CArray),
        ("correction_deltas", CArray),
        ("correction_offsets", CArray),
        ("factor_shapes", CArray),
        ("factor_tents", CArray),
        ("bounds", CArray),
        ("face_corners", CArray),
        ("shape_names", POINTER(c_char_p)),
        ("meters_per_unit", c_double),
        ("up_axis", c_char_p),
    ]


class CChannel(ctypes.Structure):
    """rigcast_channel."""

    _fields_ = [
        *((name, c_char_p) for name in ("name", "kind", "unit", "reason")),
        *((name, c_double) for name in ("low", "high", "rest")),
        ("joint", c_int32),
        ("is_whole", c_int32),
    ]


class CDescription(ctypes.Structure):
    """rigcast_description."""

    _fields_ = [
        ("size", c_size_t),
        ("kind", c_char_p),
        ("name", c_char_p),
        ("up_axis", c_char_p),
        ("meters_per_unit", c_double),
        ("pose_limit", c_double),
        *((name, c_int64) for name in ("vertices", "faces", "joints", "columns", "channels", "parts", "materials")),
        ("uvs", c_int64),
        ("detail_segments", c_int64),
        ("rest_vertices", c_void_p),
        ("face_corners", c_void_p),
        ("rest_pose", c_void_p),
        ("column_ranges", c_void_p),
        ("column_names", POINTER(c_char_p)),
        ("joint_names", POINTER(c_char_p)),
        ("joint_parents", c_void_p),
        ("joint_rest", c_void_p),
        ("channel", POINTER(CChannel)),
        ("part_names", POINTER(c_char_p)),
        ("vertex_parts", c_void_p),
        ("material_names", POINTER(c_char_p)),
        ("face_materials", c_void_p),
        ("uv", c_void_p),
        ("uv_corners", c_void_p),
        ("metadata", c_char_p),
        ("channels_decide", c_int32),
    ]


class CShot(ctypes.Structure):
    """rigcast_shot."""

    _fields_ = [
        ("size", c_size_t),
        ("frames", c_int64),
        ("targets", CArray),
        ("alpha", c_double),
        ("smoothness", c_double),
        *((name, CArray) for name in ("bounds", "fixed", "prior_target", "prior_strength", "start", "symmetric")),
        ("tolerance", c_double),
        ("max_iterations", c_int64),
        ("threads", c_int32),
        ("frame_by_frame", c_int32),
        ("progress", REPORTS),
        ("user", c_void_p),
    ]


class CShotResult(ctypes.Structure):
    """rigcast_shot_result."""

    _fields_ = [
        ("size", c_size_t),
        *((name, CArray) for name in ("weights", "objective", "optimality", "rmse", "iterations", "converged")),
    ]


class CDragTask(ctypes.Structure):
    """rigcast_drag_task."""

    _fields_ = [
        ("size", c_size_t),
        *((name, CArray) for name in ("targets", "weights", "start", "preferred")),
        ("preference", c_double),
        ("tolerance", c_double),
        ("max_iterations", c_int64),
        ("frames", c_int64),
        ("progress", REPORTS),
        ("user", c_void_p),
    ]


class CDragResult(ctypes.Structure):
    """rigcast_drag_result."""

    _fields_ = [
        ("size", c_size_t),
        *((name, CArray) for name in ("pose", "channels", "errors")),
        ("iterations", c_int32),
        ("converged", c_int32),
        ("frame_iterations", CArray),
        ("frame_converged", CArray),
    ]


class CSynthesis(ctypes.Structure):
    """rigcast_synthesis."""

    _fields_ = [
        ("size", c_size_t),
        ("fps", c_double),
        ("labels", c_int64),
        ("controls", c_int64),
        ("label_names", POINTER(c_char_p)),
        ("control_names", POINTER(c_char_p)),
        ("limits", c_void_p),
        ("metadata", c_char_p),
    ]


class CLayer(ctypes.Structure):
    """rigcast_layer."""

    _fields_ = [
        ("kind", c_char_p),
        ("name", c_char_p),
        ("seed", c_uint64),
        *((name, c_double) for name in ("strength", "frozen_at", "per_minute", "length", "timescale")),
        ("count", c_int64),
        ("controls", POINTER(c_char_p)),
        ("amounts", c_void_p),
        ("vertical", c_void_p),
    ]


PLAY_NUMBERS = ("speed", "radius", "wander", "likelihood", "timescale", "drag", "stiffness", "hold", "power", "slow")


class CPlayerSettings(ctypes.Structure):
    """rigcast_player_settings."""

    _fields_ = [
        ("size", c_size_t),
        *((name, c_double) for name in PLAY_NUMBERS),
        ("least", c_double),
        ("blend", c_int64),
        ("settle", c_int64),
        ("blends", c_int32),
        ("threads", c_int32),
        ("layers", POINTER(CLayer)),
        ("layer_count", c_int64),
        ("kept_seconds", c_int64),
    ]


class CPlayPose(ctypes.Structure):
    """rigcast_play_pose."""

    _fields_ = [("clip", c_char_p), ("frame", c_int64), ("point", CArray)]


class CCommand(ctypes.Structure):
    """rigcast_command."""

    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("label", c_char_p),
        ("who", c_void_p),
        ("who_count", c_int64),
        ("poses", POINTER(CPlayPose)),
        ("pose_count", c_int64),
        ("hold", CArray),
        ("along", c_char_p),
        ("clip", c_char_p),
        ("clip_number", c_int64),
        ("begin", c_int64),
        ("end", c_int64),
        ("is_later", c_int32),
        ("is_scheduled", c_int32),
        ("frame", c_int64),
    ]


TEXTS = ("rigcast_version", "rigcast_error", "rigcast_instruction_set")  # functions without arguments
FREES = tuple(f"rigcast_{name}free" for name in ("model_", "session_", "crowd_", "inverse_", "drag_", "player_"))
HEADS = (c_void_p, c_void_p, c_void_p)  # clip, frame and prefix
# Functions that return a status, with their arguments.
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "rigcast_set_scheduler": (CALLS_WORK, c_void_p),
    "rigcast_open": (c_char_p, NEW),
    "rigcast_parse": (c_void_p, c_size_t, c_char_p, NEW),
    "rigcast_save": (OBJECT, c_char_p),
    "rigcast_make_blendshapes": (POINTER(CBlendshapes), NEW),
    "rigcast_describe": (OBJECT, POINTER(CDescription)),
    "rigcast_poses": (OBJECT, c_int64, *NUMBERS, *NUMBERS),
    "rigcast_channels": (OBJECT, c_int64, *NUMBERS, *NUMBERS, *NUMBERS),
    "rigcast_evaluate": (OBJECT, c_int64, *NUMBERS, *NUMBERS, c_int32),
    "rigcast_vjp": (OBJECT, c_int64, *NUMBERS, *NUMBERS, *NUMBERS, c_int32),
    "rigcast_jvp": (OBJECT, c_int64, *NUMBERS, *NUMBERS, *NUMBERS, c_int32),
    "rigcast_confidence": (OBJECT, c_int64, *NUMBERS, *NUMBERS),
    "rigcast_error_bound": (OBJECT, c_int64, *NUMBERS, *NUMBERS, c_int32),
    "rigcast_restrict": (OBJECT, *NUMBERS, NEW),
    "rigcast_session_new": (OBJECT, NEW),
    "rigcast_session_evaluate": (OBJECT, *NUMBERS, *NUMBERS),
    "rigcast_session_set_detail": (OBJECT, *NUMBERS),
    "rigcast_crowd_new": (OBJECT, *NUMBERS, *NUMBERS, *NUMBERS, NEW),
    "rigcast_crowd_evaluate": (OBJECT, c_int64, *HEADS, *NUMBERS, c_int32),
    "rigcast_crowd_distinct": (OBJECT, c_int64, *HEADS, POINTER(c_int64), c_void_p, c_void_p),
    "rigcast_inverse_new": (OBJECT, *NUMBERS, *NUMBERS, NEW),
    "rigcast_inverse_solve": (OBJECT, POINTER(CShot), POINTER(CShotResult)),
    "rigcast_drag_new": (OBJECT, *NUMBERS, NEW),
    "rigcast_drag_solve": (OBJECT, POINTER(CDragTask), POINTER(CDragResult)),
    "rigcast_describe_synthesis": (OBJECT, POINTER(CSynthesis)),
    "rigcast_player_defaults": (POINTER(CPlayerSettings),),
    "rigcast_player_new": (OBJECT, *NUMBERS, POINTER(c_char_p), c_int64, POINTER(CPlayerSettings), NEW),
    "rigcast_player_tell": (OBJECT, POINTER(CCommand)),
    "rigcast_player_step": (OBJECT, c_int64, POINTER(c_char_p), c_int64, *NUMBERS),
    "rigcast_player_where": (OBJECT, c_int64, POINTER(c_int64), POINTER(c_int64), POINTER(c_uint64)),
    "rigcast_player_state": (OBJECT, c_int64, *NUMBERS, POINTER(c_int64)),
    "rigcast_player_events": (OBJECT, c_int64, *NUMBERS, POINTER(c_int64)),
    "rigcast_player_restore": (OBJECT, c_int64, *NUMBERS),
}


def declare(library: ctypes.CDLL) -> None:
    """Tell ctypes what the functions of the library take and return."""
    library.rigcast_abi.restype = c_int32
    for name in TEXTS:
        getattr(library, name).restype = c_char_p
    for name in FREES:
        function = getattr(library, name)
        function.restype, function.argtypes = None, [c_void_p]
    for name, arguments in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = c_int32, list(arguments)


def numbers(array: NDArray[Any] | None) -> tuple[int | None, int]:
    """The two arguments of an array: where its numbers lie, and how many there are."""
    return (None, 0) if array is None else (array.ctypes.data, array.size)


def filled(kind: Any, arrays: dict[str, NDArray[Any] | None], **values: object) -> Any:
    """A structure with its size, arrays, which live as long as it does, and other values."""
    made = kind(size=ctypes.sizeof(kind), **values)
    for name, array in arrays.items():
        setattr(made, name, CArray(*numbers(array)))
    made.arrays = arrays
    return made


def listed(names: list[str]) -> Any:
    """Texts as an array of pointers; None if there are none."""
    return (c_char_p * len(names))(*(name.encode("utf-8", "replace") for name in names)) if names else None


def texts(pointers: Any, count: int) -> list[str]:
    """Names of a description."""
    return [pointers[i].decode("utf-8", "replace") for i in range(count)]


def copied(address: int | None, dtype: Any, *shape: int) -> NDArray[Any]:
    """A copy of an array of a description; empty if there is none."""
    if not address:
        return np.zeros((0, *shape[1:]), dtype)
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    lent = np.frombuffer((ctypes.c_byte * nbytes).from_address(address), dtype)
    return np.array(lent).reshape(shape)
