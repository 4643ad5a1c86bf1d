"""The last lines of the demo, which need no explanation."""

from __future__ import annotations

import os
from typing import Any

from rigcast._pages.words import figure, plural, ratio, size

SUBJECT, FOUR = "learned model", "linear skinning, K = 4"


def summary(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and sentences.

    Parameters
    ----------
    result : dict
        What :meth:`examples.demo.pipeline.Demo.run` returned.
    """
    numbers, data = result["numbers"], result["training"]
    host = numbers["host"]
    speed = numbers["milliseconds_per_pose"][SUBJECT]
    model = os.fspath(result["model"])
    channels = f"{plural(len(data.channel_names), 'channel')} that an artist turns"
    single, batch = speed["single_one_thread"], speed["batch_all_processors"]
    pages = [result["report"], *(result[name]["page"] for name in ("face", "idle", "second_face"))]
    learned_face = result["learned_face"]
    pages += [] if learned_face is None else [learned_face["page"]]
    pages.append(result["performance"]["page"])
    return [
        (
            "character",
            f"{plural(len(data.rest_vertices), 'vertex')}, {plural(len(data.joint_names), 'joint')}, {channels}",
        ),
        ("learned from", f"{plural(len(data), 'random pose')}, evaluated by {host['name']}"),
        *[(f"error, {title}", _error(results)) for title, results in numbers["accuracy"].items()],
        ("played", _played(result["action"])),
        (
            "speed",
            f"{figure(single)} ms per pose on one thread, {figure(batch)} ms in a batch; {_blender(host, single)}",
        ),
        ("confidence", _confidence(numbers["median_confidence"])),
        ("model", f'{size(numbers["model_bytes"][SUBJECT])}; use it: rigcast.load("{model}").evaluate(poses)'),
        ("inverse rig", _inverse(result["face"])),
        ("idling face", _idle(result["idle"])),
        ("transfer", _transfer(result["second_face"])),
        *([] if learned_face is None else [("learned face", summary_of_face(learned_face))]),
        ("performance", _performance(result["performance"])),
        ("reports", f"{', '.join(map(os.fspath, pages))} (open in any browser)"),
        ("pose it yourself", f"rigcast view {model}"),
    ]


def _error(results: dict[str, dict[str, float]]) -> str:
    """Ours against Blender, and linear skinning beside it."""
    ours, beside = results[SUBJECT], results.get(FOUR)
    text = f"{figure(ours['mean_mm'])} mm from Blender on average, {figure(ours['max_mm'])} mm at worst"
    if beside is None:
        return text
    return f"{text} (linear skinning: {figure(beside['mean_mm'])} and {figure(beside['max_mm'])})"


def _played(action: dict[str, Any]) -> str:
    """The playback of the file's own action: errors, the file, and the command for it."""
    return (
        f"action {action['name']!r}, {action['frames']} frames at {action['fps']:g} per second, as point caches: "
        f"{', '.join(action['caches'])} (open it in Blender and press play); read back, "
        f"{figure(action['cache_mean_mm'])} mm from Blender on average. The command: {action['command']}"
    )


def _confidence(medians: dict[str, float]) -> str:
    return ", ".join(f"{value:.2f} on {title}" for title, value in medians.items())


def _blender(host: dict[str, Any], single: float) -> str:
    return f"{host['name']}: {figure(host['milliseconds'])} ms, {ratio(host['milliseconds'], single)} as long"


def _inverse(face: dict[str, Any]) -> str:
    """The speed and error of finding the weights of the face's clip."""
    return (
        f"{face['frames']:,} frames of the face solved at {face['frames_per_second']:,.0f} per second: "
        f"{plural(face['shapes'], 'weight')} off by {figure(face['weight_error'])} on average, "
        f"RMSE {figure(face['rmse_mm'])} mm"
    )


def _idle(idle: dict[str, Any]) -> str:
    """The face's training clips, and the liveliness of its play compared with them."""
    return (
        f"{plural(idle['seconds'], 'second')} that nobody animated, {' then '.join(idle['labels'])}, learned from "
        f"{plural(idle['frames'], 'frame')}: {figure(idle['step'])} mm per frame, in the clips "
        f"{figure(idle['clip_step'])}. More: rigcast synth play {idle['model']} -o idle.npz"
    )


def _transfer(second: dict[str, Any]) -> str:
    """The second identity's shapes, and their judgement without true shapes."""
    crossings = second["crossings"]
    return (
        f"{plural(second['shapes'], 'shape')} and {plural(second['combinations'], 'combination')} for a second face in "
        f"{figure(second['seconds'])} s (no truth to compare with): {plural(crossings['new'], 'new crossing')} at lips "
        f"and lids, {crossings['new_without_contacts']:,} without contacts; the first face itself has "
        f"{crossings['source']:,}"
    )


def _performance(acted: dict[str, Any]) -> str:
    """The error of a rendered actor's performance on the face, beside doing nothing."""
    video = "" if acted["video"] is None else f"; watch {acted['video']}"
    return (
        f"{acted['frames']:,} frames of a rendered actor read by a network and solved: {figure(acted['millimeters'])} "
        f"mm on the face (at rest {figure(acted['neutral'])}, mean of the clip {figure(acted['mean'])}), "
        f"{figure(acted['frames_per_second'])} frames per second{video}"
    )


def summary_of_face(face: dict[str, Any]) -> str:
    """The production face as deformation maps, on random poses and on the clips that it has not learned from."""
    numbers = face["numbers"]
    single = numbers["milliseconds_per_pose"][SUBJECT]["single_one_thread"]
    errors = "; ".join(f"{title}: {_error(results)}" for title, results in numbers["accuracy"].items())
    ours = f"{figure(single)} ms per pose on one thread, {size(numbers['model_bytes'][SUBJECT])}"
    what = f"{face['dials']} dials, {plural(face['vertices'], 'vertex')}, constructed"
    return f"{what}; from {face['poses']:,} random poses. {errors}. {ours}"
