"""Did you mean: the nearest command or option, by spelling and by meaning."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

LIKELY, POSSIBLY = 0.85, 0.6  # resemblance of two words
# What people call the work of a command; of several, the first is the likeliest.
COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("convert", "retarget", "bake", "play", "apply", "test", "measure", "error", "resample"),
    "export": ("usd", "write", "save", "stage", "publish"),
    "synth": ("animate", "generate", "idle", "synthesis", "synthesize", "motion"),
    "train": ("learn", "fit", "build", "compress", "model"),
    "solve": ("invert", "inverse", "match", "weights", "track-mesh"),
    "capture": ("track", "video", "detect", "webcam", "mocap", "facecap"),
    "view": ("show", "open", "pose", "display", "preview", "gui", "viewer"),
    "info": ("inspect", "describe", "list", "ls", "stat", "print", "what", "cat"),
    "doctor": ("check", "diagnose", "env", "devices", "status", "config", "setup"),
    "bench": ("benchmark", "time", "profile", "speed", "perf"),
    "perceive": ("compare", "diff", "regression", "visual"),
    "transfer": ("copy", "clone", "match-topology", "wrap", "retopologize"),
    "pack": ("expressions", "scans", "plan", "sheet"),
    "sample": ("dataset", "data", "poses", "record"),
    "report": ("html", "page", "render", "plot", "evaluate-html"),
    "limits": ("ranges", "range", "limit"),
    "faces": ("face", "ict", "makehuman", "download"),
    "actors": ("film", "synthetic"),
    "study": ("experiment", "survey", "ratings", "participants"),
    "batch": ("jobs", "run", "farm", "queue", "all"),
    "blender-addon": ("addon", "blender", "add-on", "install", "plugin"),
    "completion": ("complete", "completions", "shell"),
    "help": ("man", "usage", "commands"),
    "-V": ("version", "--v"),
}
# Names of one thing: a command that has one of them is asked for it by any other.
OPTIONS = (
    ("--count", "--poses", "--samples", "--number", "--num", "--num-poses", "--max-poses", "--at-most"),
    ("--output", "--out", "--output-file", "--save", "--write", "--dest"),
    ("--restart", "--resume", "--continue", "--fresh", "--from-scratch", "--anew"),
    ("--motion", "--animation", "--anim", "--bvh", "--clip", "--shot"),
    ("--take", "--clip", "--label-clip"),
    ("--takes", "--clips", "--clip-list"),
    ("--action", "--clip", "--anim", "--animation", "--take"),
    ("--clip", "--action", "--take", "--anim"),
    ("--threads", "--workers", "--jobs", "--cores", "--num-threads", "--cpus"),
    ("--workers", "--threads", "--jobs", "--processes", "--cores"),
    ("--verbose", "--debug", "--trace", "--traceback", "--log"),
    ("--quiet", "--silent", "--no-progress"),
    ("--overwrite", "--force", "--replace", "--yes"),
    ("--recipe", "--method", "--variant"),
    ("--search", "--method"),
    ("--compare", "--method", "--versus"),
    ("--method", "--methods", "--solver", "--algorithm"),
    ("--join", "--transitions", "--transition", "--blend"),
    ("--free", "--with", "--unhold"),
    ("--without-layer", "--without", "--no-layer"),
    ("--true-weights", "--truth", "--ground-truth"),
    ("--truth", "--ground-truth", "--true-rig", "--reference"),
    ("--at-most", "--limit", "--max", "--count"),
    ("--time-limit", "--limit", "--timeout"),
    ("--limits", "--limit", "--ranges"),
    ("--examples-weights", "--weights", "--example-weights"),
    ("--markers", "--landmarks", "--vertices"),
    ("--landmarks", "--markers", "--points", "--correspondence"),
    ("--match-within", "--threshold", "--distance"),
    ("--displacement", "--alpha"),
    ("--novelty", "--beta"),
    ("--alpha", "--sparsity", "--l1", "--regularization"),
    ("--sparsity", "--alpha"),
    ("--smoothness", "--smoothing", "--smooth", "--temporal"),
    ("--image-size", "--size", "--resolution"),
    ("--size", "--resolution", "--image-size", "--pixels"),
    ("--point-noise", "--noise"),
    ("--vary-identity", "--identity"),
    ("--vary-strength", "--strength"),
    ("--vary-mix", "--mix"),
    ("--max-iterations", "--iterations", "--iters", "--max-iter"),
    ("--steps", "--iterations", "--epochs", "--iters"),
    ("--host-name", "--name", "--hostname"),
    ("--minutes", "--time", "--budget", "--hours"),
    ("--seconds", "--duration", "--length", "--time"),
    ("--fps", "--rate", "--framerate", "--frame-rate"),
    ("--unit", "--units", "--scale", "--meters-per-unit"),
    ("--up-axis", "--up", "--axis"),
    ("--device", "--gpu", "--cuda"),
    ("--data", "--set", "--dataset", "--held-out", "--test"),
    ("--joint-map", "--mapping", "--retarget-map", "--joint-names"),
    ("--no-browser", "--headless"),
)


def nearest_command(word: str, names: Iterable[str]) -> str | None:
    """The command that a word may have meant, by meaning, then by spelling; None if none is near."""
    known = list(names)
    by_meaning = [name for name, words in COMMANDS.items() if word.lower() in words and name in known]
    return next(iter(by_meaning), None) or _first(word.lower(), known, POSSIBLY)


def nearest_options(word: str, known: Sequence[str]) -> list[str]:
    """The options of ``known`` that another word may have meant, at most two: by meaning, then by spelling."""
    name = f"--{word.lstrip('-').lower().replace('_', '-')}"
    own = [names[0] for names in OPTIONS if name in names[1:] and names[0] in known]
    others = [other for names in OPTIONS if name in names for other in names if other in known]
    spelled = _first(name, known, LIKELY if own or others else POSSIBLY)
    near = [*own, *([] if spelled is None else [spelled])] or others[:1]
    return list(dict.fromkeys(near))[:2]


def _first(word: str, known: Sequence[str], cutoff: float) -> str | None:
    return next(iter(difflib.get_close_matches(word, known, 1, cutoff)), None)
