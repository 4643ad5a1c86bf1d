"""Results of a study: what people saw, how sure that is, and what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass, field

from rigcast._shown import one_line
from rigcast.perception import Anova, Fit, PostHoc, Strengths, Visibility
from rigcast.study._checks import Findings
from rigcast.study._foretold import Foretold
from rigcast.study._table import StudyAnswers


@one_line
@dataclass(frozen=True)
class CellMean:
    """A mean over people, with half the width of its 95 % interval."""

    cell: tuple[str, ...]
    mean: float
    half: float
    people: int


@one_line
@dataclass(frozen=True)
class Preference:
    """Share of choices of a method over the other, tested against guessing.

    Attributes
    ----------
    cell : str
        The unit; empty for all answers.
    share : float
        Mean over people of the share of their answers.
    half : float
        Half the width of its 95 % interval.
    t, df, p
        Of the test against .5.
    d : float
        Cohen's d: the difference to .5 in standard deviations of people.
    """

    cell: str
    share: float
    half: float
    t: float
    df: int
    p: float
    d: float


@one_line
@dataclass(frozen=True, eq=False)
class StudyAnalysis:
    """Results of a study.

    Attributes
    ----------
    answers : StudyAnswers
        Without those who were excluded.
    means : list of CellMean
        Ratings by unit and activation, shares by unit, or mean ranks by method.
    anova : Anova or None
        None where a design has no factor, or too few people answered all of it.
    groups : PostHoc or None
        Units compared in pairs: Tukey for ratings, Newman and Keuls for choices.
    fit : Fit or None
        Ratings over activation by unit: Poisson, identity link, errors by person.
    time : Fit or None
        Response time over the rating.
    thresholds : list of Visibility
        If there is a unit called Neutral.
    preferences : list of Preference
        Of ``answers.methods[0]``; the first is over all answers.
    left : Preference or None
        How often the left one was chosen, whatever stood there.
    strengths : Strengths or None
        Of ranked methods.
    findings : Findings
    measures : list of Foretold
        How well measures of what was shown foretell the answers; empty if the table has none.
    """

    answers: StudyAnswers
    means: list[CellMean]
    findings: Findings
    anova: Anova | None = None
    groups: PostHoc | None = None
    fit: Fit | None = None
    time: Fit | None = None
    thresholds: list[Visibility] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    left: Preference | None = None
    strengths: Strengths | None = None
    measures: list[Foretold] = field(default_factory=list)
