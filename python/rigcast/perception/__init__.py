"""Perception: statistics of ratings, choices and rankings, and the published model of facial differences.

No participants were at hand: what is shown of these functions is that they recover what was planted in simulated
answers and the published tables, and agree with other programs.

Tables are mappings of names to columns of one length (a dict of arrays, a structured array, a data frame), one row per
answer.
"""

from rigcast.perception._anova import Anova, AnovaRow, anova
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
    "Fit",
    "LevelPair",
    "PostHoc",
    "Power",
    "Predicted",
    "Strengths",
    "Unit",
    "Visibility",
    "anova",
    "compare",
    "glm",
    "posthoc",
    "power",
    "published_design",
    "published_rating",
    "single_t",
    "strengths_of",
    "visibility",
    "wins_of",
]
