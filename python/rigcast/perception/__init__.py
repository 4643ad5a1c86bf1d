"""Perception: what people may see of a difference, statistics of their ratings, choices and rankings, and the published
model of facial differences.

No participants were at hand: what is shown of these functions is that they recover what was planted in simulated
answers and the published tables, and agree with other programs.

Tables are mappings of names to columns of one length (a dict of arrays, a structured array, a data frame), one row per
answer.
"""

from rigcast.perception._anova import Anova, AnovaRow, anova
from rigcast.perception._differences.apertures import ApertureError, aperture_error, aperture_pairs
from rigcast.perception._differences.budget import VisualBudget
from rigcast.perception._differences.compare import SeenDifference, seen_difference
from rigcast.perception._differences.edges import EdgeDifference, EdgeDifferenceSettings, edge_difference
from rigcast.perception._differences.pictures import flip, jod_loss, lpips
from rigcast.perception._differences.screen import ScreenMotion, screen_motion
from rigcast.perception._differences.shapes import ShapeDifference, shape_difference
from rigcast.perception._differences.viewing import Viewing
from rigcast.perception._glm import Fit, compare, glm
from rigcast.perception._posthoc import LevelPair, PostHoc, posthoc, single_t
from rigcast.perception._power import Power, power
from rigcast.perception._published import UNITS, Predicted, Unit, published_design, published_rating
from rigcast.perception._rankings import Strengths, strengths_of, wins_of
from rigcast.perception._visibility import Visibility, visibility

__all__ = [
    "UNITS",
    "Anova",
    "AnovaRow",
    "ApertureError",
    "EdgeDifference",
    "EdgeDifferenceSettings",
    "Fit",
    "LevelPair",
    "PostHoc",
    "Power",
    "Predicted",
    "ScreenMotion",
    "SeenDifference",
    "ShapeDifference",
    "Strengths",
    "Unit",
    "Viewing",
    "Visibility",
    "VisualBudget",
    "anova",
    "aperture_error",
    "aperture_pairs",
    "compare",
    "edge_difference",
    "flip",
    "glm",
    "jod_loss",
    "lpips",
    "posthoc",
    "power",
    "published_design",
    "published_rating",
    "screen_motion",
    "seen_difference",
    "shape_difference",
    "single_t",
    "strengths_of",
    "visibility",
    "wins_of",
]
