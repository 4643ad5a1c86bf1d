"""Lines that compare a learned body with linear skinning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rigcast._regression.skin_weights import gains

NO_GAIN = "the model does not beat linear skinning of the same samples"


def no_gain(error: float, skinning: float) -> list[str]:
    """One line if a model with this mean error is no better than linear skinning."""
    return [] if gains(error, skinning) else [NO_GAIN]


def skinning_lines(metadata: Mapping[str, Any], to_millimeters: float) -> list[str]:
    """State if a model is better than linear skinning, whose errors these are, and what its networks correct."""
    skinned, own = metadata.get("linear_skinning"), metadata.get("error", {})
    if skinned is None:
        return []
    lines = [f"{line}: more poses or more minutes may help" for line in no_gain(own["mean"], skinned["mean"])]
    if not lines and own["max"] > skinned["max"]:
        most = f"{to_millimeters * own['max']:.3g} against {to_millimeters * skinned['max']:.3g} mm"
        lines.append(f"the model beats linear skinning in the mean, not at most ({most}): more poses may help")
    mean, largest = (f"{to_millimeters * skinned[key]:.3g} mm" for key in ("mean", "max"))
    lines.append(f"linear skinning of the same samples: mean {mean}, max {largest}")
    trials = metadata.get("training", {}).get("linear_trials")
    if trials:
        tried = "; ".join(f"{name}: {to_millimeters * value:.3g} mm" for name, value in trials["held_out_mean"].items())
        left = ", ".join(trials["left_out"])
        missed = f"; no time to try {left}" if left else ""
        least = min(trials["held_out_mean"], key=trials["held_out_mean"].__getitem__)
        unclear = (
            "" if least == trials["chosen"] else f"; {least} leads by too little: long training brings rigid ahead"
        )
        lines.append(
            f"under the networks: {trials['chosen']}, by the held-out errors after {trials['steps']:,} steps on "
            f"{trials['rows']:,} poses ({tried}){missed}{unclear}"
        )
    return lines
