"""Figures of Bailey et al. 2018, tables 2 to 5, as rows beside ours. Their characters are of a film and not public."""

from __future__ import annotations

# Walks of Tigress, Shifu, Astrid and Po, in this order everywhere.
WALK_CM = {"mean": (0.087, 0.016, 0.104, 0.143), "max": (2.78, 1.10, 2.16, 4.80)}  # table 2
FIGHT_CM = {"mean": (0.208, 0.041), "max": (19.17, 8.14)}  # table 3: Tigress, Shifu
# Table 4, walks: mean error in cm and enveloping error. Skinning and regression are fitted to the
# very clip.
COMPARED = {
    "their method": ((0.085, 0.015, 0.104, 0.143), (18.47, 6.88, 21.53, 19.03)),
    "linear skinning, K = 4": ((0.365, 0.171, 0.270, 0.307), (85.51, 57.58, 62.35, 51.02)),
    "linear skinning, K = all": ((0.079, 0.061, 0.116, 0.155), (20.29, 19.83, 30.41, 23.01)),
    "rotational regression, K = 2": ((0.188, 0.145, 0.279, 0.321), (37.07, 38.62, 66.74, 41.03)),
    "rotational regression, K = 15": ((0.063, 0.110, 0.257, 0.163), (11.78, 26.85, 64.44, 23.46)),
}
# Table 5, serial: the rig in the studio's engine, their method, in milliseconds on a Xeon E5-2690 v2.
SERIAL_MS = {"rig": (65.2, 43.1, 142.5, 89.6), "method": (10.6, 10.2, 62.0, 9.8)}
SOURCE = "Bailey et al. 2018"


def span(values: tuple[float, ...], digits: int, scale: float = 1.0) -> str:
    """``0.16 to 1.43``."""
    return f"{scale * min(values):.{digits}f} to {scale * max(values):.{digits}f}"


def accuracy_rows() -> list[str]:
    """Tables 2 and 3: walks, and fights that partly leave the range of training."""
    rows = [f"| {SOURCE}, characters that are not public | mean, max |", "| --- | --- |"]
    for title, errors in (("table 2, four walks", WALK_CM), ("table 3, two fights, partly out of range", FIGHT_CM)):
        rows.append(f"| {title} | {span(errors['mean'], 2, 10)}, {span(errors['max'], 0, 10)} mm |")
    return rows


def compared_rows() -> list[str]:
    """Table 4: mean and enveloping error of walks."""
    rows = [f"| {SOURCE}, table 4, walks | mean, mm | enveloping error, % |", "| --- | --- | --- |"]
    for name, (mean, enveloping) in COMPARED.items():
        rows.append(f"| {name} | {span(mean, 2, 10)} | {span(enveloping, 1)} |")
    return rows


def speed_row() -> str:
    """Table 5."""
    ratios = tuple(rig / method for rig, method in zip(SERIAL_MS["rig"], SERIAL_MS["method"], strict=True))
    of_rig = f"{span(ratios, 1)} x the rig"
    return f"| {SOURCE}, table 5, 1 thread of a Xeon E5-2690 v2 | {span(SERIAL_MS['method'], 1)} ms | {of_rig} |"
