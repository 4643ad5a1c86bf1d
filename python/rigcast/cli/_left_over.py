"""Work that an interrupted command leaves beside its results, in words: to go on, begin anew, or be rid of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

INTERRUPTION = "interrupted; run the same command again to continue"
# After the name of a result: checkpoints of trainings and parts of solves, which a finished run removes.
WORK = (".checkpoint", ".partial", ".points.partial")
ENDINGS = (*WORK, ".rounds", ".rwdata", ".examples")  # and sets and pictures that are made on the way


def left_over(results: Iterable[Path], endings: Iterable[str] = ENDINGS) -> list[Path]:
    """The files and folders that interrupted work has left beside these results.

    Parameters
    ----------
    results : iterable of Path
        Files that a command writes.
    endings : iterable of str
        After their names; a checkpoint of a later stage also ends in a number.
    """
    found = []
    for result in results:
        for ending in endings:
            first = result.with_name(result.name + ending)
            found += [
                path for path in [first, *sorted(first.parent.glob(f"{_plain(first.name)}.[0-9]*"))] if path.exists()
            ]
    return found


def left_over_words(paths: Iterable[Path], restarts: bool) -> str:
    """The sentence on them; empty if there are none.

    Parameters
    ----------
    paths : iterable of Path
    restarts : bool
        Whether the command has ``--restart``.
    """
    listed = [f"{path} ({_size(path) / 1e6:.1f} MB)" for path in paths]
    if not listed:
        return ""
    anew = "; --restart begins anew" if restarts else ""
    return (
        f"kept for it: {', '.join(listed)}{anew}, and who wants neither removes {'it' if len(listed) == 1 else 'them'}"
    )


def interruption(sentence: str, results: Iterable[Path], resumed: bool, restarts: bool) -> str:
    """The message after an interruption: how to go on, what is kept for that, and how to be rid of it.

    Parameters
    ----------
    sentence : str
        What the work says itself; may be empty.
    results : iterable of Path
        What the command was to write.
    resumed, restarts : bool
        Whether the same command goes on where it stopped, and whether it has ``--restart``.
    """
    again = sentence or (INTERRUPTION if resumed else "interrupted")
    kept = left_over_words(left_over(results), restarts) if resumed else ""
    return f"{again}; {kept}" if kept else again


def going_on(results: Iterable[Path]) -> str:
    """The note of a run that finds work of an interrupted one, as of one that was killed; empty if there is none."""
    found = ", ".join(f"{path} ({_size(path) / 1e6:.1f} MB)" for path in left_over(results, WORK))
    words = "this one goes on from there, if input and settings are the same"
    return f"an interrupted run has left {found}: {words}" if found else ""


def _plain(name: str) -> str:
    """A name as a pattern that fits it alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
