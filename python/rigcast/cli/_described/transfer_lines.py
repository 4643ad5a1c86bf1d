"""The lines that ``rigcast transfer`` prints at its end."""

from __future__ import annotations

import argparse
import os
from typing import Any

from rigcast._pages.words import figure, plural
from rigcast.cli._console import Console

FEW = 8  # names in a sentence


def show_transfer(console: Console, args: argparse.Namespace, result: dict[str, Any]) -> None:
    """Lines of names and values, then the notes."""
    pairs: list[tuple[str, object]] = [("rig", os.fspath(args.output))]
    more = f" and {plural(result['combinations'], 'combination')}" if result["combinations"] else ""
    pairs.append(("shapes", f"{result['shapes']:,}{more}, {plural(result['vertices'], 'vertex')}"))
    if "coverage" in result:
        text = f"{result['coverage']:.0%} of the target's vertices, {figure(result['mean_distance_mm'])} mm away"
        pairs.append(("matched", f"{text} on average; landmarks {figure(result['landmark_error_mm'])} mm at worst"))
        if torn := result["torn_edges"]:
            shown = ", ".join(f"{a}-{b}" for a, b in torn[:3])
            text = f"{plural(len(torn), 'edge')} of the target, their ends matched far apart along the source"
            pairs.append(("torn", f"{text} ({shown}{', ...' if len(torn) > 3 else ''}): landmarks there help"))
    if result["empty"]:
        pairs.append(("empty shapes", f"{len(result['empty']):,}: {_few(result['empty'])}"))
    if result["degenerate_faces"]:
        pairs.append(("degenerate faces", f"{result['degenerate_faces']:,}: without area, they follow their neighbors"))
    pairs.append(("contacts", plural(result["contacts"], "pair")))
    count = result.get("crossings", {})
    if count:
        before = f"{count['new_without_contacts']:,} without contacts, " if "new_without_contacts" in count else ""
        own = f"{count['source']:,} that the source's own shapes add"
        pairs.append(("new crossings", f"{before}{count['new']:,} in the target; {own}"))
        pairs.append(("flipped faces", f"{result['flipped_faces']:,}"))
    if "mean_error_mm" in result:
        largest = figure(result["largest_error_mm"])
        text = f"{figure(result['mean_error_mm'])} mm, mean of the shapes' means where they move; {largest} mm at worst"
        pairs.append(("from the truth", f"{text}; plain copies: {figure(result['copy_mean_error_mm'])} mm"))
    if "examples" in result:
        left = result["undetermined"]
        kept = f"; they tell little or nothing about {_few(left)}: nearly as transferred" if left else ""
        pairs.append(
            ("examples", f"{result['examples']}, met to {figure(float(result['example_rms_mm'].mean()))} mm{kept}")
        )
    if count:
        pairs.append(("look first at", ", ".join(result["most_doubtful"])))
    if args.report is not None:
        pairs.append(("report", f"{args.report} (opens in any browser)"))
    console.pairs(pairs)
    for note in result["notes"]:
        console.line(f"note: {note}")


def _few(names: list[str]) -> str:
    """The first names of a list."""
    more = ", ... (all in --json)" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more
