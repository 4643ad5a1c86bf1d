"""Facts that can be checked, as pages show them; those of a blendshape rig."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rigcast._pages import words

ORDERS = {1: "in-between", 2: "pair", 3: "triple", 4: "quadruple"}


@dataclass(frozen=True)
class Fact:
    """A name and its value; a hash is shown in a typewriter face."""

    name: str
    value: str
    is_hash: bool = False


def rig_facts(rig: Any) -> list[Fact]:
    """Facts about a blendshape rig: its shapes, combinations and mesh."""
    about = rig.metadata
    made = rig.constructed
    facts = [
        Fact("rig", about.get("name") or "unnamed"),
        Fact("licence", about.get("licence") or "not stated"),
        Fact("origin", about.get("origin") or "not stated"),
        Fact("mesh", f"{words.plural(len(rig.rest_vertices), 'vertex')}, {words.plural(len(rig.faces), 'face')}"),
        Fact("shapes", f"{rig.num_shapes:,}"),
        Fact("combinations", ", ".join(f"{n} {name}" for name, n in combination_counts(rig).items()) or "none"),
        Fact("storage", f"{rig.storage}, {words.size(rig.nbytes)}"),
    ]
    return facts + [Fact("constructed", ", ".join(made))] * bool(made)


def combination_counts(rig: Any) -> dict[str, int]:
    """Number of combinations of each order of a rig, by name."""
    counts: dict[int, int] = {}
    for factors in rig.combinations:
        counts[len(factors)] = counts.get(len(factors), 0) + 1
    names = {order: ORDERS.get(order, f"product of {order}") for order in counts}
    return {names[order] + ("s" if counts[order] > 1 else ""): counts[order] for order in sorted(counts)}
